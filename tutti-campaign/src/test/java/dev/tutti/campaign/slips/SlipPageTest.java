package dev.tutti.campaign.slips;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SlipPageTest {

    private final Slip one = slip("01-one", "tutti-protocols/src/main/java/dev/tutti/protocols/link/Link.java", "sim");
    private final Slip two = slip("02-two", "tutti-api/src/main/java/dev/tutti/internal/state/Gate.java", "sim --mode application");
    private final Slip three = slip("03-three", "tutti-api/src/main/java/dev/tutti/internal/delivery/DeliveryExecutor.java", "test tutti-api DeliveryExecutorTest");

    @Test
    void interruptedHuntGoesOnWithTheSlipsThatAreLeft(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("slips.md");
        Files.write(file, List.of("# Slips", ""));
        SlipPage page = new SlipPage(file);
        page.put(result(two, "", "", 2_000, ""));
        page.put(result(one, "L1", "7", 7, ""));
        SlipPage later = new SlipPage(file);
        assertThat(later.hasCaught(one)).isTrue();
        assertThat(later.hasCaught(two)).isFalse();
        assertThat(later.hasCaught(three)).isFalse();
    }

    @Test
    void rowIsReplacedAndTheTextAroundTheTableStays(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("slips.md");
        Files.write(file, List.of("# Slips", ""));
        new SlipPage(file).put(result(two, "", "", 150, ""));
        Files.write(file, List.of("", "Behind.", "| a | table |", "|---|---|"), java.nio.file.StandardOpenOption.APPEND);
        SlipPage page = new SlipPage(file);
        page.put(result(two, "S19", "4", 4, ""));
        page.put(result(one, "L1", "7", 7, "broken without the slip, too"));
        page.put(result(three, "DeliveryExecutorTest", "", 0, ""));
        assertThat(file).hasContent("""
                # Slips

                | slip | layer | wrong | seen by | breaks | seed | schedules |
                |---|---|---|---|---|---|---|
                | `01-one` | protocols.link | One is wrong. | `sim` | **not caught**: broken without the slip, too | 7 | 7 |
                | `02-two` | api.state | One is wrong. | `--mode application` | S19 | 4 | 4 |
                | `03-three` | api.delivery | One is wrong. | `DeliveryExecutorTest` | S9 |  |  |

                Behind.
                | a | table |
                |---|---|
                """);
    }

    @Test
    void slipsThatThereAreNoMoreAreForgotten(@TempDir Path directory) {
        Path file = directory.resolve("slips.md");
        new SlipPage(file).put(result(two, "S19", "4", 4, ""));
        SlipPage page = new SlipPage(file);
        page.retain(List.of(one));
        page.put(result(one, "L1", "7", 7, ""));
        assertThat(file).content().contains("01-one").doesNotContain("02-two");
    }

    private static SlipHunt.Result result(Slip slip, String property, String seed, long schedules, String remark) {
        return new SlipHunt.Result(slip, property, seed, schedules, 1, remark);
    }

    private static Slip slip(String name, String file, String seer) {
        return Slip.parse(name, List.of(
                "Wrong: One is wrong.", "Breaks: S9", "Seen by: " + seer, "--- a/" + file, "+++ b/" + file, "@@ -1,1 +1,1 @@", "-a", "+b"));
    }
}
