package dev.tutti.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;

class PortsTest {

    @Test
    void aPortIsFreeAndNoneThatTheSystemChooses() throws IOException {
        int port = Ports.lasting();
        try (ServerSocket lasting = new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
                ServerSocket chosen = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(lasting.getLocalPort()).isEqualTo(port).isLessThan(chosen.getLocalPort());
        }
    }
}
