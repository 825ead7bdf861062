package dev.tutti.study.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.internal.Json;
import dev.tutti.testing.Chromium;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The report in a real Chromium, at the width of a desktop and of a phone. Pictures are in {@code target/screenshots}. */
@Tag("slow")
@Timeout(120)
class ChromiumReportTest {

    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource({"1400, false", "390, true"})
    void chartsAreDrawnAndNothingIsWiderThanThePage(int width, boolean isDark) throws Exception {
        Path file = directory.resolve("study.html");
        Files.writeString(file, StudyReportTest.report(3).page());
        try (Chromium chromium = new Chromium(directory.resolve("profile"), Json::parse, Json::write)) {
            Chromium.Page page = chromium.page(width, 900, isDark);
            page.go(file.toUri().toString());
            page.await("document.querySelectorAll('figure').length === 10"
                    + " && document.querySelectorAll('figure canvas').length === 10");
            page.screenshot(Path.of("target", "screenshots", "study-" + width + ".png"));
            assertThat(chromium.complaints()).isEmpty();
            assertThat(chromium.requests()).allMatch(address -> address.startsWith("file:") || address.startsWith("data:"));
            assertThat(page.evaluate("document.documentElement.scrollWidth <= innerWidth")).isEqualTo(true);
            assertThat(page.evaluate("[...document.querySelectorAll('figure')].every(figure =>"
                            + " figure.querySelector('.u-legend').getBoundingClientRect().right <= figure.getBoundingClientRect().right)"))
                    .isEqualTo(true);
        }
    }
}
