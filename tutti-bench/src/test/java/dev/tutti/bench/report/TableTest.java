package dev.tutti.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class TableTest {

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
}
