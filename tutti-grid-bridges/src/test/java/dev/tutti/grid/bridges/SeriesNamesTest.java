package dev.tutti.grid.bridges;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tutti.grid.Body;
import dev.tutti.grid.ClockQuality;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Topic;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SeriesNamesTest {

    private static Measurement measurement(String topic) {
        return new Measurement("p1", 1, Topic.of(topic), Map.of("zone", "a"), Instant.EPOCH, ClockQuality.UNKNOWN, Body.of(1));
    }

    @Test
    void levelsOfTheTemplateAreLabels() {
        Series series = SeriesNames.defaults().of(measurement("hosts/web1/cpu/load"));
        assertThat(series).isEqualTo(new Series("hosts/cpu/load", Map.of("host", "web1", "zone", "a", "producer", "p1")));
    }

    @Test
    void theFirstTemplateThatHasTheTopicIsTaken() {
        SeriesNames names = SeriesNames.of("rooms/{room}/heat", "rooms/*/{what}/#", "{first}").withoutProducer();
        assertThat(names.of(measurement("rooms/1/heat"))).isEqualTo(new Series("rooms/heat", Map.of("room", "1", "zone", "a")));
        assertThat(names.of(measurement("rooms/1/light/left")))
                .isEqualTo(new Series("rooms/1/left", Map.of("what", "light", "zone", "a")));
        assertThat(names.of(measurement("rooms/1"))).isEqualTo(new Series("rooms/1", Map.of("zone", "a")));
        // A name is never empty.
        assertThat(names.of(measurement("alone"))).isEqualTo(new Series("alone", Map.of("first", "alone", "zone", "a")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a//b", "a/#/b", "a/{b", "a/{b-c}/*x"})
    void templatesAreChecked(String template) {
        // Braces that are no label are the level's own.
        if (template.equals("a/{b")) {
            assertThat(SeriesNames.of(template).of(measurement("a/{b")).name()).isEqualTo("a/{b");
            return;
        }
        assertThatIllegalArgumentException().isThrownBy(() -> SeriesNames.of(template));
    }
}
