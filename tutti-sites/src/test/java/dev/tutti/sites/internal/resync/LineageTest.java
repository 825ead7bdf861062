package dev.tutti.sites.internal.resync;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LineageTest {

    /** Messages that the other site lacks are lacking here then, but for those of this site itself. */
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
