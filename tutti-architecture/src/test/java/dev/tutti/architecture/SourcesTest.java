package dev.tutti.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Order(2)
class SourcesTest {

    private static final Path TEST = Path.of("m/src/test/java/p/ATest.java");
    private static final Path MAIN = Path.of("m/src/main/java/p/A.java");
    private static final Path PACKAGE = Path.of("m/src/main/java/p/package-info.java");
    private static final Path MODULE = Path.of("m/src/main/java/module-info.java");

    @Test
    void keepTheRules() throws IOException {
        Sources sources = Sources.below(Path.of("..").toRealPath());
        assertThat(sources.size()).isGreaterThan(60);
        assertThat(sources.violations()).isEmpty();
    }

    @Test
    void passWhenTheyKeepThem() {
        assertThat(new Sources(Map.of(MAIN, "class A {}", PACKAGE, "@NullMarked package p;", MODULE, "module m {}"))
                        .violations())
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "Thread.sleep(1); | waits by the clock",
        "TimeUnit.SECONDS.sleep(1); | waits by the clock",
        "LockSupport.parkNanos(1); | waits by itself",
        "Thread.onSpinWait(); | waits by itself",
        "@Disabled | can be skipped",
        "@DisabledOnOs(LINUX) | can be skipped",
        "@EnabledIf | can be skipped",
        "assumeTrue(x); | can be skipped",
        "@RetryingTest | is repeated until it succeeds",
        "@ClusterTest(nodes = 3, seeds = 10) | has more seeds than ./tutti test tries",
        "@ClusterTest(nodes = 3) | has more seeds than ./tutti test tries",
        "@ClusterTest | has more seeds than ./tutti test tries",
        "// TODO later | leaves work undone",
        "* @author somebody | names an author",
        "try {} catch (Throwable e) {} | catches everything",
    })
    void areReportedFor(String text, String message) {
        assertThat(new Sources(Map.of(TEST, "\n  " + text)).violations())
                .singleElement()
                .asString()
                .startsWith(TEST + ":2: " + message);
    }

    @Test
    void areReportedForTheirLength() {
        assertThat(new Sources(Map.of(TEST, "\n".repeat(Sources.LINES_MAX + 1))).violations())
                .containsExactly(TEST + ": 601 lines, at most 600");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "/** How long to wait. */ | begins with a relative clause",
        "* Whether it waits. | begins with a relative clause",
        "String text = \"Who waits.\"; | begins with a relative clause",
    })
    void areReportedInMainSourcesFor(String text, String message) {
        Map<Path, String> files = Map.of(MAIN, "\n" + text, PACKAGE, "@NullMarked package p;", MODULE, "module m {}");
        assertThat(new Sources(files).violations()).singleElement().asString().contains(message);
    }

    @Test
    void areReportedForPackagesWithTooManyFiles() {
        Map<Path, String> files = new HashMap<>(Map.of(PACKAGE, "@NullMarked package p;", MODULE, "module m {}"));
        for (int index = 1; index <= Sources.FILES_MAX; index++) {
            files.put(MAIN.resolveSibling("A" + index + ".java"), "class A" + index + " {}");
        }
        assertThat(new Sources(files).violations()).containsExactly("p: 26 files, at most 25");
    }

    @Test
    void areReportedForAMissingModuleAndPackage() {
        assertThat(new Sources(Map.of(MAIN, "class A {}")).violations())
                .containsExactlyInAnyOrder(
                        "m/src/main/java/p: no package-info.java", "m/src/main/java: no module-info.java");
        assertThat(new Sources(Map.of(PACKAGE, "package p;", MODULE, "module m {}")).violations())
                .containsExactly("m/src/main/java/p: package-info.java is not @NullMarked");
    }
}
