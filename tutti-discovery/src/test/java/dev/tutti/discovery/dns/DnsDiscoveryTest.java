package dev.tutti.discovery.dns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.discovery.NodeEntry;
import dev.tutti.core.settings.SettingException;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DnsDiscoveryTest {

    private final NameServer server = new NameServer();

    @AfterEach
    void close() {
        server.close();
    }

    private DnsDiscovery started(String... names) {
        DnsDiscovery source = new DnsDiscovery(List.of(names), server.address());
        source.start(new NodeEntry("shop", "anna", "10.0.0.1:7800"));
        return source;
    }

    @Test
    void eachAddressOfANameIsListed() throws IOException {
        server.host("pods.example", "10.0.0.1", "10.0.0.2", "fd01::2");
        try (DnsDiscovery source = started("pods.example:7800")) {
            assertThat(source.addresses()).containsExactlyInAnyOrder("10.0.0.1:7800", "10.0.0.2:7800", "[fd01:0:0:0:0:0:0:2]:7800");
        }
    }

    @Test
    void anAnswerIsAskedForAgainEachTime() throws IOException {
        server.host("pods.example", "10.0.0.1");
        try (DnsDiscovery source = started("pods.example:7800")) {
            assertThat(source.addresses()).containsExactly("10.0.0.1:7800");
            server.host("pods.example", "10.0.0.3");
            assertThat(source.addresses()).containsExactly("10.0.0.3:7800");
        }
    }

    @Test
    void recordsOfAServiceHavePorts() throws IOException {
        server.host("a.example", "10.0.0.1");
        server.host("b.example", "10.0.0.2");
        server.service("_tutti._tcp.example", 7801, "a.example");
        server.service("_tutti._tcp.example", 7802, "b.example");
        server.service("_tutti._tcp.example", 7803, "gone.example");
        try (DnsDiscovery source = started("_tutti._tcp.example")) {
            assertThat(source.addresses()).containsExactly("10.0.0.1:7801", "10.0.0.2:7802");
        }
    }

    @Test
    void aNameThatIsNotThereYetIsAnEmptyList() throws IOException {
        try (DnsDiscovery source = started("pods.example:7800", "_tutti._tcp.example")) {
            assertThat(source.addresses()).isEmpty();
        }
    }

    @Test
    void aServerThatFailsIsAnOutageAndEndsByItself() throws IOException {
        server.host("pods.example", "10.0.0.1");
        server.isBroken = true;
        try (DnsDiscovery source = started("pods.example:7800")) {
            assertThatThrownBy(source::addresses).isInstanceOf(IOException.class).hasMessageStartingWith("DNS: pods.example: ");
            server.isBroken = false;
            assertThat(source.addresses()).containsExactly("10.0.0.1:7800");
        }
    }

    @Test
    void aServerThatDoesNotAnswerIsAnOutage() {
        server.setSilent(true);
        try (DnsDiscovery source = started("pods.example:7800")) {
            assertThatThrownBy(source::addresses).isInstanceOf(IOException.class).hasMessageStartingWith("DNS: ");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "pods.example", ":7800", "pods.example:0", "pods.example:65536", "pods.example:x"})
    void aNameWithoutAPortIsRefused(String name) {
        assertThatThrownBy(() -> new DnsDiscovery(List.of(name), ""))
                .isInstanceOf(SettingException.class)
                .hasMessageContaining("is neither host:port, nor the name of a service as _tutti._tcp.shop.example");
    }

    @ParameterizedTest
    @ValueSource(strings = {"dns.example", "10.0.0.53:x", "10.0.0.53:99999"})
    void aServerIsAnAddress(String address) {
        assertThatThrownBy(() -> new DnsDiscovery(List.of("pods.example:1"), address))
                .isInstanceOf(SettingException.class)
                .hasMessageContaining("is no IP address; write 10.0.0.53 or 10.0.0.53:53");
    }
}
