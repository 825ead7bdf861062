package dev.tutti.grid.mediator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.grid.Body;
import dev.tutti.grid.ClockQuality;
import dev.tutti.grid.Gap;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Topic;
import dev.tutti.grid.internal.memory.Share;
import dev.tutti.grid.internal.wire.ClientMessage;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Order of what waits for a client. */
class OutboxTest {

    private static final Gap GAP = new Gap("", 7, "a partition");

    private final EmbeddedChannel channel = new EmbeddedChannel();

    private Outbox outbox(long bytesMax) {
        return new Outbox(channel, bytesMax, new Share(1 << 20), new MediatorCounters());
    }

    private static ClientMessage.Deliver delivery(long number) {
        return new ClientMessage.Deliver(
                "c", new Measurement("p", number, Topic.of("a"), Map.of(), Instant.EPOCH, ClockQuality.UNKNOWN, Body.of(number)));
    }

    private List<String> written() {
        channel.runPendingTasks();
        List<String> written = new ArrayList<>();
        for (BinaryWebSocketFrame frame = channel.readOutbound(); frame != null; frame = channel.readOutbound()) {
            byte[] bytes = new byte[frame.content().readableBytes()];
            frame.content().readBytes(bytes);
            frame.release();
            ClientMessage.read(bytes, message -> written.add(text(message)));
        }
        return written;
    }

    private static String text(ClientMessage message) {
        return switch (message) {
            case ClientMessage.Deliver(String _, Measurement measurement) -> "" + measurement.sequence();
            case ClientMessage.Missing(String _, Gap gap) -> "gap of " + gap.count() + " of '" + gap.producer() + "'";
            default -> message.getClass().getSimpleName();
        };
    }

    @Test
    void aGapIsToldBehindTheMeasurementsBeforeItAndAnswersBeforeThem() {
        Outbox outbox = outbox(1 << 20);
        outbox.offer(delivery(1));
        outbox.offer(new ClientMessage.Missing("c", GAP));
        outbox.offer(delivery(9));
        outbox.offer(new ClientMessage.Confirm(1));
        assertThat(written()).containsExactly("Confirm", "1", "gap of 7 of ''", "9");
    }

    @Test
    void aGapThatIsDroppedIsPartOfTheOneThatIsTold() {
        Outbox outbox = outbox(1);
        outbox.offer(delivery(1));
        outbox.offer(new ClientMessage.Missing("c", GAP));
        outbox.offer(new ClientMessage.Missing("c", new Gap("p", 3, "late ones")));
        outbox.offer(delivery(12));
        assertThat(written()).containsExactly("gap of 7 of ''", "gap of 4 of 'p'", "12");
    }
}
