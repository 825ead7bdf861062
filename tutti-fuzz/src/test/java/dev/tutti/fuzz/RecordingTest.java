package dev.tutti.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class RecordingTest {

    @Test
    void holdsEveryKindOfFrame() {
        Map<String, Long> kinds = new TreeMap<>();
        for (Recording.Heard heard : Recording.ofSession().heard()) {
            kinds.merge(SessionTarget.describe(heard.frame()), 1L, Long::sum);
        }
        assertThat(kinds).containsKeys(
                "frame 1", "frame 2", "frame 4", "frame 16", "frame 17", "frame 18", "frame 19", "frame 20",
                "group control 1", "group control 2", "group control 3", "group control 5",
                "group data 0", "group data 1", "group data 2", "group data 3", "group data 4", "group data 5");
    }
}
