package dev.tutti.internal.door;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class HostsTest {

    private final Hosts hosts = new Hosts(List.of("Cluster.example", "stomp.example:61613", ""));

    @Test
    void allowsItsOwnNamesWithAnyPort() {
        assertThat(List.of("localhost", "LOCALHOST:7880", "cluster.example", "Stomp.Example:1")).allMatch(hosts::isAllowed);
    }

    @Test
    void allowsAddressesWhichNobodyCanPointElsewhere() {
        assertThat(List.of("127.0.0.1:1", "10.1.2.3", "[::1]:7880", "[fe80::1%eth0]:80")).allMatch(hosts::isAllowed);
    }

    @Test
    void refusesOtherNames() {
        assertThat(List.of("evil.example", "localhost.evil.example", "evil.example:7880", "", ":", "127.0.0.1.nip.io", "1.2.3.4.5",
                        "[evil.example]:1", "[::1]x", "127.0.0.1@evil.example", "cluster.example."))
                .noneMatch(hosts::isAllowed);
        assertThat(hosts.isAllowed(null)).isFalse();
    }

    @Test
    void tellsItsOwnPagesFromOthers() {
        assertThat(Hosts.isOwn(null, "localhost:7880")).isTrue();
        assertThat(Hosts.isOwn("http://localhost:7880", "localhost:7880")).isTrue();
        assertThat(Hosts.isOwn("http://localhost:9999", "localhost:7880")).isFalse();
        assertThat(Hosts.isOwn("null", "localhost:7880")).isFalse();
    }
}
