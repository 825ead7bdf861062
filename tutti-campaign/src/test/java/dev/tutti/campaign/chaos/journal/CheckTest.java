package dev.tutti.campaign.chaos.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Verdicts from the files of a run. */
class CheckTest {

    private static final String BOTH = "2.1@1.1 1.1,2.1 1.1@1.1/1.1/;1.1@2.1/2.1/";

    @TempDir
    private Path directory;

    private Check.Source source(String name, long killedAtNanos, String text) throws IOException {
        Path path = directory.resolve(name);
        Files.writeString(path, text);
        return new Check.Source(path, killedAtNanos);
    }

    private Check.Source first() throws IOException {
        return source("a", 0, "1 node 1 a h:1\n2 view 1.1 1.1@1.1 1.1 -\n5 view 1.1 " + BOTH
                + "\n6 joined 1.1\n7 submit 1.1 * 1 77\n9 deliver 1.1 1.1 * 1 77\n");
    }

    private static String second(String end) {
        return "1 node 2 b h:2\n2 view 2.1 1.1@2.1 2.1 -\n5 view 2.1 " + BOTH + "\n6 joined 2.1\n" + end;
    }

    @Test
    void wholeRunIsClean() throws IOException {
        Check.Result result =
                Check.run(List.of(first(), source("b", 0, second("8 deliver 2.1 1.1 * 1 77\n"))), 0);

        assertThat(result.violations()).isEmpty();
        assertThat(result.views()).isEqualTo(3);
        assertThat(result.submitted()).isEqualTo(1);
        assertThat(result.delivered()).isEqualTo(2);
    }

    @Test
    void messageThatIsMissingInTheEndIsFound() throws IOException {
        assertThat(Check.run(List.of(first(), source("b", 0, second(""))), 0).violations())
                .singleElement().asString().contains("at rest: L2");
    }

    @Test
    void wrongContentIsFoundWithItsTime() throws IOException {
        assertThat(Check.run(List.of(first(), source("b", 0, second("2000000000 deliver 2.1 1.1 * 1 78\n"))), 0)
                        .violations())
                .singleElement().asString().startsWith("at 2.000 s: S1");
    }

    @Test
    void killedMemberNeedNotHaveEverything() throws IOException {
        Check.Source killed = source("b", 20, second("8 deliver 2.1 1.1 *"));

        Check.Result result = Check.run(List.of(first(), killed), 0);

        assertThat(result.torn()).isEqualTo(1);
        // The only violation: the survivor is still in a view with it.
        assertThat(result.violations()).singleElement().asString().contains("at rest: L1");
    }

    @Test
    void messagesOfTheLiarProveNothing() throws IOException {
        Check.Source honest = source("a", 0, "1 node 1 a h:1\n2 view 1.1 1.1@1.1 1.1 -\n5 view 1.1 " + BOTH
                + "\n6 joined 1.1\n8 deliver 1.1 2.1 * 7 78\n9 view 1.1 3.1@1.1 1.1 2.1@1.1/1.1/\n");
        Path liar = source("b", 0, second("")).journal();

        assertThat(Check.run(List.of(honest), 0, liar).violations()).isEmpty();
        assertThat(Check.run(List.of(honest), 0).violations()).as("of a node that nobody knows").isNotEmpty();
    }

    @Test
    void memberOfAViewThatWasNeverStartedIsFound() throws IOException {
        Check.Source honest = source("a", 0, "1 node 1 a h:1\n2 view 1.1 1.1@1.1 1.1 -\n2000000000 view 1.1 " + BOTH
                + "\n2000000006 joined 1.1\n2000000009 view 1.1 3.1@1.1 1.1 2.1@1.1/1.1/\n");

        assertThat(Check.run(List.of(honest), 0).violations())
                .singleElement().asString().startsWith("at 2.000 s: S1").contains("never started");
    }

    @Test
    void keptJournalsAreCheckedAgainWithTheirKills() throws IOException {
        Path journal = source("b.journal", 0, second("")).journal();
        source("a.journal", 0, "1 node 1 a h:1\n");
        Check.Source.noteKill(journal, 4711);

        assertThat(Check.Source.in(directory)).containsExactly(
                new Check.Source(directory.resolve("a.journal"), 0), new Check.Source(journal, 4711));
        assertThat(Check.beganNanos(Check.Source.in(directory))).isEqualTo(1);
    }

    @Test
    void whatTheApiContradictsIsFound() throws IOException {
        assertThat(Check.run(List.of(first(), source("b", 0, second("8 deliver 2.1 1.1 * 1 77\n9 wrong 2.1 nonsense\n"))), 0)
                        .violations())
                .containsExactly("API: b@h:2 nonsense");
    }
}
