package dev.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.internal.Json;
import dev.tutti.stomp.StompServer;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StompCommandTest {

    @Test
    void loadCountsWhatArrives() {
        try (Node node = Node.tcp(0).start();
                StompServer server = StompServer.on(node).port(0).start()) {
            Run run = Run.of(
                    "stomp", "load", "--connect", "127.0.0.1:" + server.port(), "--clients", "3", "--rate", "20", "--seconds",
                    "1", "--json");
            assertThat(run.err()).isEmpty();
            assertThat(run.code()).isEqualTo(Tutti.DONE);
            Map<?, ?> values = (Map<?, ?>) Json.parse(run.out());
            assertThat(values.get("messages-sent")).hasToString("20");
            assertThat(values.get("frames-received")).hasToString("60");
            assertThat(values.get("disconnected")).hasToString("0");
        }
    }

    @Test
    void saysThatALoginNeedsAPasscode() {
        Run run = Run.of("stomp", "--port", "0", "--stomp-port", "0", "--login", "ann");
        assertThat(run.code()).isEqualTo(Tutti.WRONG);
        assertThat(run.err()).contains("LOGIN:PASSCODE");
    }
}
