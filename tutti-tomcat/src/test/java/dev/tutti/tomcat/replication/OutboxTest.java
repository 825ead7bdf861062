package dev.tutti.tomcat.replication;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.tomcat.diagnostics.ReplicationCounters;
import dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter;
import dev.tutti.tomcat.replication.acks.AcknowledgementsOfSome;
import dev.tutti.tomcat.replication.base.Acknowledgement;
import dev.tutti.tomcat.replication.base.ReplicaContext;
import dev.tutti.tomcat.replication.base.ReplicationOptions;
import dev.tutti.tomcat.replication.base.Waiting;
import dev.tutti.tomcat.replication.session.SessionMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class OutboxTest {

    private static final Member OTHER = new Member(new NodeId(2, "other", "127.0.0.1:7002"), 1);

    private final ReplicaContext context = new ReplicaContext(
            ReplicationOptions.defaults().withCopies(2), new ReplicationCounters(), () -> 0, Runnable::run, Waiting.ON_THREAD);
    private final Outbox outbox = new Outbox(context, new AcknowledgementsOfSome(Acknowledgement.ALL), () -> false);
    private final List<String> sent = new ArrayList<>();

    private final class Channel implements SessionChannel {
        @Override
        public CompletableFuture<Void> send(byte[] message) {
            sent.add("to all " + message.length);
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public boolean sendTo(Member receiver, byte[] message) {
            throw new UnsupportedOperationException("waits");
        }

        @Override
        public CompletableFuture<Void> post(Member receiver, byte[] message) {
            sent.add("to " + receiver.name() + " " + message.length);
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public boolean trySendTo(Member receiver, byte[] message) {
            throw new UnsupportedOperationException("may lose the order");
        }

        @Override
        public void close() {}
    }

    /** The group's thread sends in the first view, and the join does not end before that thread is done with the view. */
    @Test
    @Timeout(60)
    void nothingThatIsSentBeforeTheEndOfTheJoinWaitsForIt() {
        SessionMessage.Settled settled = new SessionMessage.Settled(1, 1);
        outbox.post(OTHER, settled);
        outbox.toGroup(settled, Counter.ACKS_SENT, false);
        outbox.post(OTHER, new SessionMessage.Ack(1));
        assertThat(sent).isEmpty();
        outbox.open(new Channel());
        assertThat(sent).hasSize(3);
        assertThat(sent.get(0)).startsWith("to other");
        assertThat(sent.get(1)).startsWith("to all");
        assertThat(sent.get(2)).startsWith("to other");
    }
}
