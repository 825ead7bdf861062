package dev.tutti;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.settings.SettingException;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Names and texts that would forge lines of a log or steer a terminal. */
class NamesTest {

    private static final String FORGED = "a\nnode b: forged\u001b[2J";

    @Test
    void nodesAndClustersOfSuchNamesDoNotStart() {
        assertThatThrownBy(() -> Node.tcp(0).name(FORGED).start())
                .isInstanceOf(SettingException.class)
                .hasMessageContaining("name has a character that can't be printed: 'a\\u000anode b");
        assertThatThrownBy(() -> Node.tcp(0).cluster(FORGED).start())
                .isInstanceOf(SettingException.class)
                .hasMessageContaining("cluster has a character");
    }

    @Test
    void groupsOfSuchNamesAreNotJoined() {
        try (Node node = Node.tcp(0).start()) {
            assertThatThrownBy(() -> node.group(FORGED))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("the name of a group");
        }
    }

    @Test
    void eventsAndProblemsShowThemEscaped() {
        Event event = new Event(1, Instant.EPOCH, Event.Kind.REFUSED, FORGED, "", FORGED, FORGED, Map.of());
        Problem problem = new Problem(Problem.Kind.REFUSED, FORGED, FORGED, Instant.EPOCH, FORGED, FORGED);
        assertThat(event + " " + problem).matches("[\\x20-\\x7E]+").contains("a\\u000anode b: forged\\u001b[2J");
    }
}
