package dev.tutti.bench.process;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LineTest {

    @Test
    void linesSayWhatTheyWereToldToSay() {
        Line line = Line.of("ran").with("sent", 12).with("fault", "two words").with("empty", "");
        assertThat(Line.isLine(line.toString())).isTrue();
        Line parsed = Line.parse(line.toString());
        assertThat(parsed).isEqualTo(line);
        assertThat(parsed.number("sent")).isEqualTo(12);
        assertThat(parsed.text("fault")).isEqualTo("two_words");
        assertThat(parsed.text("empty")).isEmpty();
        assertThat(parsed.number("missing", 7)).isEqualTo(7);
        assertThat(Line.isLine("GMS: address=m0, cluster=bench")).isFalse();
    }

    @Test
    void onlyInstantsAreTranslatedForAnotherClock() {
        Line line = Line.of("ran").with("began", 100).with("took", 7).with("at", -5);
        assertThat(line.shifted(50).toString()).isEqualTo("#bench ran began=150 took=7 at=45");
        assertThat(line.shifted(50).shifted(-50)).isEqualTo(line);
    }
}
