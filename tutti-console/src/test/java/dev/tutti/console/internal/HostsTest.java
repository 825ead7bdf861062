package dev.tutti.console.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class HostsTest {

    private final Hosts hosts = new Hosts("10.1.2.3", List.of("Cluster.example"));

    @Test
    void allowsItsOwnNamesWithAnyPort() {
        assertThat(List.of("localhost", "LOCALHOST:7880", "127.0.0.1:1", "[::1]:7880", "10.1.2.3:80", "cluster.example"))
                .allMatch(hosts::isAllowed);
    }

    @Test
    void refusesOtherNames() {
        assertThat(List.of("evil.example", "localhost.evil.example", "evil.example:7880", "", ":", "127.0.0.1.nip.io", "[::2]:7880"))
                .noneMatch(hosts::isAllowed);
        assertThat(hosts.isAllowed(null)).isFalse();
    }

    @Test
    void tellsItsOwnPagesFromOthers() {
        assertThat(hosts.isOwn(null, "localhost:7880")).isTrue();
        assertThat(hosts.isOwn("http://localhost:7880", "localhost:7880")).isTrue();
        assertThat(hosts.isOwn("http://localhost:9999", "localhost:7880")).isFalse();
        assertThat(hosts.isOwn("null", "localhost:7880")).isFalse();
    }
}
