package dev.tutti.campaign.chaos.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.campaign.chaos.journal.JournalReader.Life;
import dev.tutti.campaign.chaos.journal.JournalReader.Timed;
import dev.tutti.campaign.chaos.process.Content;
import dev.tutti.campaign.host.ChaosException;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.sim.check.History;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A journal is read as it was written, also if its process was killed while it wrote. */
class JournalTest {

    private static final Member A = new Member(new NodeId(0x8000_0000_0000_0001L, "p0", "127.0.0.1:1"), 1);
    private static final Member B = new Member(new NodeId(0x22, "p1", "127.0.0.1:2"), 3);

    @TempDir
    private Path directory;

    private static View merged() {
        TreeMap<Member, Long> cut = new TreeMap<>();
        cut.put(A, 17L);
        return new View(
                new ViewId(7, 2, B),
                List.of(B, A),
                List.of(
                        new View.Part(new ViewId(6, 1, B), List.of(B), new TreeMap<>()),
                        new View.Part(new ViewId(1, 1, A), List.of(A), cut)));
    }

    private Path written() throws IOException {
        Path path = directory.resolve("a.journal");
        try (Journal journal = new Journal(path)) {
            journal.node(A.node());
            journal.view(A, View.alone(A));
            journal.joined(A);
            journal.submitted(A, null, 1, 99);
            journal.delivered(A, A, false, 1, 99);
            journal.submitted(A, B, 1, -5);
            journal.view(A, merged());
            journal.delivered(A, B, true, 4, 8);
            journal.left(A, "because it was told to");
        }
        return path;
    }

    private static JournalReader knowingB() {
        JournalReader reader = new JournalReader();
        reader.parse("b", "1 node 22 p1 127.0.0.1:2\n");
        return reader;
    }

    @Test
    void everythingComesBackAsItWas() throws IOException {
        Path path = written();

        List<Life> lives = knowingB().read(path);

        assertThat(lives).hasSize(1);
        assertThat(lives.getFirst().member()).isEqualTo(A);
        assertThat(lives.getFirst().entries().stream().map(Timed::entry)).containsExactly(
                new History.Viewed(A, View.alone(A)),
                new History.Joined(A),
                new History.Submitted(A, new History.Message(A, null, 1, 99)),
                new History.Delivered(A, new History.Message(A, null, 1, 99)),
                new History.Submitted(A, new History.Message(A, B, 1, -5)),
                new History.Viewed(A, merged()),
                new History.Delivered(A, new History.Message(B, A, 4, 8)),
                new History.Left(A, "because it was told to"));
        assertThat(lives.getFirst().entries()).extracting(Timed::nanos).isSorted();
    }

    @Test
    void partsOfAViewComeBackWithTheirCuts() throws IOException {
        History.Entry entry = knowingB().read(written()).getFirst().entries().get(5).entry();

        assertThat(entry).isInstanceOfSatisfying(History.Viewed.class, viewed -> {
            assertThat(viewed.view().members()).containsExactly(B, A);
            assertThat(viewed.view().parts()).isEqualTo(merged().parts());
            assertThat(viewed.view().members().getLast().node().address()).isEqualTo("127.0.0.1:1");
        });
    }

    @Test
    void journalMayEndAnywhereInALine() throws IOException {
        String whole = Files.readString(written());
        int lastLine = whole.lastIndexOf('\n', whole.length() - 2) + 1;
        for (int end = lastLine + 1; end < whole.length(); end++) {
            JournalReader reader = knowingB();

            List<Life> lives = reader.parse("torn", whole.substring(0, end));

            assertThat(reader.torn()).isEqualTo(1);
            assertThat(lives.getFirst().entries()).hasSize(7);
        }
    }

    @Test
    void lineThatWasWrittenWholeHasToMakeSense() {
        assertThatThrownBy(() -> new JournalReader().parse("a.journal", "1 node 22 p1 x:1\n2 view 22.1 nonsense\n"))
                .isInstanceOf(ChaosException.class)
                .hasMessageContaining("a.journal, line 2");
    }

    @Test
    void refusedSubmissionIsNone() {
        List<Life> lives = knowingB().parse("b", """
                1 view 22.3 1.1@22.3 22.3 -
                2 submit 22.3 * 1 5
                3 unsent 22.3 * 1
                4 submit 22.3 * 1 6
                """);

        assertThat(lives.getFirst().entries().stream().map(Timed::entry).skip(1))
                .containsExactly(new History.Submitted(B, new History.Message(B, null, 1, 6)));
    }

    @Test
    void eachJoinIsALifeOfItsOwn() {
        List<Life> lives = knowingB().parse("b", """
                1 view 22.1 1.1@22.1 22.1 -
                2 left 22.1 told to
                3 view 22.2 1.1@22.2 22.2 -
                """);

        assertThat(lives).extracting(life -> life.member().join()).containsExactly(1, 2);
    }

    @Test
    void contentSaysWhoSentItAndToWhom() {
        byte[] toAll = Content.of(A, null, 12, 100);
        byte[] toB = Content.of(A, B, 13, 0);

        assertThat(Content.index(toAll, A, B, false)).isEqualTo(12);
        assertThat(Content.index(toB, A, B, true)).isEqualTo(13);
        assertThat(Content.index(toAll, B, A, false)).isEqualTo(Content.STRANGE);
        assertThat(Content.index(toB, A, A, true)).isEqualTo(Content.STRANGE);
        assertThat(Content.index(toAll, A, B, true)).isEqualTo(Content.STRANGE);
        assertThat(Content.index(new byte[3], A, B, false)).isEqualTo(Content.STRANGE);
        assertThat(Content.hash(toAll)).isNotEqualTo(Content.hash(Content.of(A, null, 14, 100)));
    }
}
