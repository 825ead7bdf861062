package dev.tutti.tomcat.replication.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.tomcat.replication.holders.Changes;
import dev.tutti.tomcat.replication.session.SessionMessage.Delta;
import dev.tutti.tomcat.replication.session.SessionRecord.Writer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Changes that members make again when a view begins, and other changes in flight at that time. */
class SessionRecordTest {

    private static final long FIRST = 1;
    private static final long SECOND = 2;
    private static final Field CART = new Field(Field.Kind.ATTRIBUTE, "cart");

    private final UUID uid = new UUID(0, 7);
    private final SessionRecord one = record();
    private final SessionRecord two = record();

    private SessionRecord record() {
        return new SessionRecord(uid, 0, 0, SessionRecord.State.COMPLETE);
    }

    private static Writer writer(long origin) {
        return new Writer(origin, 0);
    }

    private static Delta write(SessionRecord record, long origin, long view, String value) {
        Change change = new Change(CART, value.getBytes(StandardCharsets.UTF_8), false);
        Delta delta = record.write(List.of(change), view, writer(origin), List.of());
        assertThat(delta).isNotNull();
        record.onPublished(1, delta.version().counter(), 0);
        return delta;
    }

    private static String cart(SessionRecord record) {
        return new String(record.slot(CART).content(), StandardCharsets.UTF_8);
    }

    @Test
    void changeStandsAgainstTheOneItKnewOfWhenThatIsMadeAgainMeanwhile() {
        two.merge(write(one, 1, FIRST, "old"), 2, 0);
        // Uses not announced yet: the counter of the member that makes the old change again is ahead.
        one.claim(1, 0);
        one.claim(1, 0);
        Delta late = write(two, 2, FIRST, "new");
        List<Delta> oldAgain = one.reassert(Set.of(), true, SECOND, writer(1));
        oldAgain.forEach(delta -> two.merge(delta, 2, 0));
        List<Delta> lateAgain = two.reassert(Set.of(), true, SECOND, writer(2));
        one.merge(late, 1, 0);
        lateAgain.forEach(delta -> one.merge(delta, 1, 0));
        assertThat(List.of(cart(one), cart(two))).containsOnly("new");
    }

    @Test
    void changeThatIsMadeAgainFirstStandsToo() {
        two.merge(write(one, 1, FIRST, "old"), 2, 0);
        one.claim(1, 0);
        one.claim(1, 0);
        Delta late = write(two, 2, FIRST, "new");
        List<Delta> lateAgain = two.reassert(Set.of(), true, SECOND, writer(2));
        List<Delta> oldAgain = one.reassert(Set.of(), true, SECOND, writer(1));
        oldAgain.forEach(delta -> two.merge(delta, 2, 0));
        one.merge(late, 1, 0);
        lateAgain.forEach(delta -> one.merge(delta, 1, 0));
        assertThat(List.of(cart(one), cart(two))).containsOnly("new");
    }

    @Test
    void changeThatIsMadeAgainStandsAgainstThatOfOneWhoIsGone() {
        two.merge(write(one, 1, FIRST, "old"), 2, 0);
        one.merge(write(two, 2, FIRST, "stale"), 1, 0);
        SessionRecord other = record();
        Delta confirmed = write(other, 3, SECOND, "confirmed");
        one.merge(confirmed, 1, 0);
        two.merge(confirmed, 2, 0);
        two.reassert(Set.of(), true, FIRST, writer(2)).forEach(delta -> one.merge(delta, 1, 0));
        assertThat(List.of(cart(one), cart(two))).containsOnly("confirmed");
    }

    @Test
    void changeThatKnewAnotherDoesNotOverruleItWhenThatWasMadeAgainMeanwhile() {
        two.merge(write(one, 1, FIRST, "old"), 2, 0);
        one.reassert(Set.of(), true, SECOND, writer(1));
        one.merge(write(two, 2, SECOND, "new"), 1, 0);
        assertThat(cart(one)).isEqualTo("new");
        assertThat(one.isOverruled()).isFalse();
    }

    @Test
    void overrulerThatHasHandledTheChangeIsAcceptedWhateverWasSentSince() {
        write(one, 1, FIRST, "old");
        one.merge(write(two, 2, FIRST, "unaware"), 1, 0);
        assertThat(one.isOverruled()).as("a greater origin decides between equal counters").isTrue();
        one.onPublished(5, 9, 0);
        one.accept(2, number -> number <= 1);
        assertThat(one.isOverruled()).isFalse();
    }

    @Test
    void changeThatIsNotSentYetIsNotAcceptedByAcknowledgementsOfEarlierOnes() {
        write(one, 1, FIRST, "sent");
        one.write(List.of(new Change(CART, new byte[] {1}, false)), FIRST, writer(1), List.of());
        SessionRecord other = record();
        other.claim(2, 0);
        other.claim(2, 0);
        one.merge(write(other, 2, FIRST, "unaware"), 1, 0);
        one.accept(2, number -> number <= 1);
        assertThat(one.isOverruled()).isTrue();
        one.onPublished(2, 2, 0);
        one.accept(2, number -> number <= 2);
        assertThat(one.isOverruled()).isFalse();
    }

    @Test
    void firstChangeThatIsNotSentYetIsNotAccepted() {
        one.write(List.of(new Change(CART, new byte[] {1}, false)), FIRST, writer(1), List.of());
        SessionRecord other = record();
        other.claim(2, 0);
        one.merge(write(other, 2, FIRST, "unaware"), 1, 0);
        one.accept(2, number -> number <= 0);
        assertThat(one.isOverruled()).isTrue();
    }
}
