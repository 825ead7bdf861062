package dev.tutti.sites.internal.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.sites.internal.log.OriginMember;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a member gets from another part of its site, beside what the other site sends. */
class ArrivedMessagesTest {

    private static final OriginMember SENDER = new OriginMember(7, 1, "s1");

    private final ArrivedMessages arrived = new ArrivedMessages(new SequenceVector(), 0);
    private final List<String> told = new ArrayList<>();
    private final ArrivedMessages.Receiver receiver = new ArrivedMessages.Receiver() {

        @Override
        public void onMessage(RelayItem.Sent message) {
            told.add(new String(message.content(), StandardCharsets.UTF_8));
        }

        @Override
        public void onLost(OriginMember member, long first, long last) {
            told.add("lost " + first + " to " + last);
        }

        @Override
        public long nanoTime() {
            return 5;
        }
    };

    private static RelayItem sent(int number) {
        return new RelayItem.Sent(SENDER, number, false, String.valueOf(number).getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void deliversOnceWhatBothTheOtherPartAndTheOtherSiteBring() {
        arrived.acceptOfOtherPart(List.of(sent(1), sent(2)), receiver);
        arrived.accept(List.of(sent(1), sent(2), sent(3)), receiver);
        arrived.acceptOfOtherPart(List.of(sent(1), sent(2)), receiver);
        assertThat(told).containsExactly("1", "2", "3");
    }

    /** The other site does not keep what the other part has acknowledged; the stream comes first, and says so. */
    @Test
    void tellsWhatComesTooLateToBeDelivered() {
        arrived.accept(List.of(new RelayItem.Skip(SENDER, 1, 2), sent(3)), receiver);
        arrived.acceptOfOtherPart(List.of(sent(1), sent(2)), receiver);
        arrived.acceptOfOtherPart(List.of(sent(1), sent(2)), receiver);
        assertThat(told).containsExactly("3", "lost 1 to 2");
    }

    /** The other site does not keep what the other part has acknowledged, and nothing came since. */
    @Test
    void deliversInPlaceOfWhatWasLeftOut() {
        arrived.accept(List.of(new RelayItem.Skip(SENDER, 1, 3)), receiver);
        arrived.acceptOfOtherPart(List.of(sent(2), sent(3)), receiver);
        arrived.acceptOfOtherPart(List.of(sent(2), sent(3), sent(4)), receiver);
        assertThat(told).containsExactly("lost 1 to 1", "2", "3", "4");
    }

    /** The other part has handed over the last messages alone. */
    @Test
    void tellsWhatTheOtherPartHasForgotten() {
        arrived.acceptOfOtherPart(List.of(sent(3), sent(4)), receiver);
        arrived.accept(List.of(new RelayItem.Skip(SENDER, 1, 4), sent(5)), receiver);
        assertThat(told).containsExactly("lost 1 to 2", "3", "4", "5");
    }

    @Test
    void messagesThatWereNotForThisSiteAreNotLost() {
        arrived.accept(List.of(new RelayItem.Skip(SENDER, 1, 2), sent(3)), receiver);
        arrived.acceptOfOtherPart(List.of(new RelayItem.Skip(SENDER, 1, 2), sent(3), sent(4)), receiver);
        assertThat(told).containsExactly("3", "4");
    }

    @Test
    void remembersTheLastMessagesUpToABound() {
        for (int number = 1; number <= 2_000; number++) {
            arrived.accept(List.of(new RelayItem.Sent(SENDER, number, false, new byte[1000])), receiver);
        }
        Recent recent = arrived.recent();
        assertThat(recent.sinceNanos()).isEqualTo(5);
        assertThat(recent.items().getLast()).extracting(each -> each.item().sequence(), Recent.Item::nanos).containsExactly(2_000L, 5L);
        assertThat(OutgoingStream.bytes(recent.items().stream().map(Recent.Item::item).toList()))
                .isBetween(ArrivedMessages.RECENT_BYTES_MAX - 2_000, ArrivedMessages.RECENT_BYTES_MAX);
    }

    /** A member that has taken over the state of another gives what that remembers to the next. */
    @Test
    void remembersWhatCameWithAState() {
        arrived.accept(List.of(new RelayItem.Skip(SENDER, 1, 2), sent(3)), receiver);
        ArrivedMessages newcomer = new ArrivedMessages(arrived.delivered().copy(), 9);
        newcomer.remember(arrived.recent());
        newcomer.accept(List.of(sent(4)), receiver);
        assertThat(newcomer.recent().items()).extracting(each -> each.item().sequence()).containsExactly(2L, 3L, 4L);
        assertThat(newcomer.recent().sinceNanos()).isZero();
        assertThat(newcomer.recent().skipped().covers(SENDER, 2)).isTrue();
        newcomer.acceptOfOtherPart(List.of(sent(2)), receiver);
        assertThat(told).containsExactly("3", "4", "lost 1 to 2");
    }

    /** The messages of another sender have taken the place of those of the first one, and nothing comes after them. */
    @Test
    void tellsWhatAnotherPartHadAndDoesNotRememberAtAll() {
        OriginMember talker = new OriginMember(8, 1, "s1");
        ArrivedMessages other = new ArrivedMessages(new SequenceVector(), 0);
        other.accept(List.of(sent(1), sent(2), sent(3)), receiver);
        for (int number = 1; number <= 600; number++) {
            other.accept(List.of(new RelayItem.Sent(talker, number, false, new byte[1_000])), receiver);
        }
        told.clear();
        arrived.catchUp(other.recent(), other.delivered(), 0L, receiver);
        assertThat(told).contains("lost 1 to 3").doesNotContain("1", "2", "3");
        assertThat(arrived.delivered().of(SENDER)).isEqualTo(3);
        assertThat(arrived.delivered().of(talker)).isEqualTo(600);
    }
}
