package dev.tutti.balancer.internal.haproxy;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class RuntimeApiTest {

    @TempDir
    private Path directory;

    @Test
    @Timeout(60)
    void anHaproxyThatDoesNotAnswerHoldsNobodyUp() throws IOException {
        Path socket = directory.resolve("socket");
        RuntimeApi api = new RuntimeApi(socket, Duration.ofMillis(50));
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(socket));
            assertThatThrownBy(() -> api.servers("web")).isInstanceOf(IOException.class).hasMessageContaining("has not answered within 50 ms");
        }
        assertThatThrownBy(() -> api.servers("web")).isInstanceOf(IOException.class).hasMessageContaining("refused");
    }
}
