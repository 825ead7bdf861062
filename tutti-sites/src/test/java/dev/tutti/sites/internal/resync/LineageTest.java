package dev.tutti.sites.internal.resync;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LineageTest {

    /** What the other site lacks is lacking here then; that it lacks messages of this site is this one's to send. */
    @Test
    void siteThatTakesOverAStateLacksWhatThatLacks() {
        Lineage lineage = new Lineage("berlin", 2);
        lineage.onGap("tokyo");
        lineage.onTaken(new Cut(1, List.of("berlin", "rome"), Map.of()));
        assertThat(lineage.begunMillis()).isEqualTo(1);
        assertThat(lineage.behind()).containsExactly("rome");
        assertThat(lineage.isBehind()).isTrue();
    }
}
