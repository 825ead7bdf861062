package dev.tutti.announce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import org.junit.jupiter.api.Test;

/** The domain that a node is announced with. */
class DomainTest {

    private static String domain(String attributes, String configured) {
        try (Node node = Node.local().cluster("domains").set("attributes", attributes).start();
                Announcer announcer = Announcer.on(node).route("a").address("http", "127.0.0.1", 8080).domain(configured).open()) {
            return announcer.announcement().domain();
        }
    }

    @Test
    void zoneIsTheDomainOfANodeWithoutOne() {
        assertThat(domain("rack=r1, zone=eu-1a", "")).isEqualTo("eu-1a");
        assertThat(domain("zone=eu-1a", "north")).isEqualTo("north");
        assertThat(domain("rack=r1", "")).isEmpty();
    }

    @Test
    void zoneThatIsNoNameOfADomainIsNone() {
        assertThat(domain("zone=Frankfurt / hall 2", "")).isEmpty();
        assertThat(domain("zone=", "")).isEmpty();
    }
}
