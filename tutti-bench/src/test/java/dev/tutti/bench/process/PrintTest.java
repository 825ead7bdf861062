package dev.tutti.bench.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tutti.bench.report.Table;
import org.junit.jupiter.api.Test;

class PrintTest {

    @Test
    void tablesAlignTheirColumns() {
        assertThat(new Table("system", "rate").row("a", 5).row("longer name", "1,000").toString())
                .isEqualTo("""
                        system        rate
                        a                5
                        longer name  1,000
                        """);
        assertThatIllegalArgumentException().isThrownBy(() -> new Table("one").row(1, 2));
    }

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
}
