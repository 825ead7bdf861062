package dev.tutti.tomcat.replication;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.tomcat.diagnostics.ReplicationCounters;
import dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter;
import dev.tutti.tomcat.replication.codec.MessageWriter;
import dev.tutti.tomcat.replication.session.SessionMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class EarlyMessagesTest {

    private static final Member SELF = member("self", 1);
    private static final Member FAST = member("fast", 2);
    private static final Member OTHER = member("other", 3);

    private final List<String> handled = new ArrayList<>();
    private final ReplicationCounters counters = new ReplicationCounters();
    private final EarlyMessages messages = new EarlyMessages(new Recorder(), counters);

    private final class Recorder implements SessionChannel.Listener {
        @Override
        public void onView(View view, Member self) {
            handled.add("view " + view.id().number());
        }

        @Override
        public void onMessage(Member sender, byte[] message) {
            handled.add(sender.name() + " " + (message.length == 1 ? message[0] : message.length));
        }

        @Override
        public void onBatchEnd() {}

        @Override
        public void onClosed(String reason) {
            handled.add("closed");
        }
    }

    private static Member member(String name, long incarnation) {
        return new Member(new NodeId(incarnation, name, "127.0.0.1:" + (7000 + incarnation)), 1);
    }

    /** Begins a view of members that come from the same one. */
    private void view(long number, Member... together) {
        ViewId previous = new ViewId(number - 1, 1, SELF);
        View view = new View(
                new ViewId(number, 1, SELF), List.of(together), List.of(new View.Part(previous, List.of(together), new TreeMap<>())));
        messages.onView(view, SELF);
    }

    private void send(Member sender, int text) {
        messages.onMessage(sender, new byte[] {(byte) text});
    }

    private static byte[] entered(long view) {
        return MessageWriter.encode(0, new SessionMessage.Settled(view, 0));
    }

    @Test
    void whatAMemberSendsInAComingViewIsHandledInThatView() {
        int fence = entered(2).length;
        view(1, SELF, FAST, OTHER);
        send(FAST, 1);
        messages.onMessage(FAST, entered(2));
        send(FAST, 2);
        send(OTHER, 3);
        assertThat(handled).containsExactly("view 1", "fast 1", "other 3");
        view(2, SELF, FAST, OTHER);
        send(FAST, 4);
        assertThat(handled.subList(3, handled.size())).containsExactly("view 2", "fast " + fence, "fast 2", "fast 4");
        assertThat(counters.get(Counter.EARLY_KEPT)).isEqualTo(2);
    }

    @Test
    void eachOfTwoComingViewsHasItsOwnMessages() {
        int fence = entered(2).length;
        view(1, SELF, FAST);
        messages.onMessage(FAST, entered(2));
        send(FAST, 2);
        messages.onMessage(FAST, entered(3));
        send(FAST, 3);
        view(2, SELF, FAST);
        assertThat(handled).containsExactly("view 1", "view 2", "fast " + fence, "fast 2");
        view(3, SELF, FAST);
        assertThat(handled.subList(4, handled.size())).containsExactly("view 3", "fast " + fence, "fast 3");
    }

    @Test
    void messagesOfAMemberThatPartsFromThisOneAreDroppedAndCounted() {
        view(1, SELF, FAST);
        messages.onMessage(FAST, entered(2));
        send(FAST, 2);
        view(3, SELF);
        assertThat(handled).containsExactly("view 1", "view 3");
        assertThat(counters.get(Counter.EARLY_DROPPED)).isEqualTo(2);
    }

    @Test
    void whatDoesNotFitIsHandledAtOnce() {
        view(1, SELF, FAST);
        messages.onMessage(FAST, entered(2));
        messages.onMessage(FAST, new byte[(int) EarlyMessages.BYTES_MAX - 100]);
        assertThat(handled).containsExactly("view 1");
        messages.onMessage(FAST, new byte[200]);
        send(FAST, 5);
        assertThat(handled).hasSize(5).endsWith("fast 200", "fast 5");
        assertThat(counters.get(Counter.EARLY_HANDLED)).isEqualTo(3);
    }
}
