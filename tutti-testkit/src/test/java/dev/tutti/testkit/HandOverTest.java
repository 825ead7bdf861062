package dev.tutti.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Group;
import dev.tutti.GroupState;
import dev.tutti.Message;
import dev.tutti.Node;
import dev.tutti.Snapshot;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;

/** A state that is replaced after a partition: the application is told, and may hand over what only it has seen. */
class HandOverTest {

    /** A set of words to which every member adds. */
    private static final class Words implements GroupState {
        final TreeSet<String> words = new TreeSet<>();
        final List<String> replacements = new ArrayList<>();
        final Group group;

        Words(Node node) {
            group = node.group("words").state(this).onMessage(this::onMessage).join();
        }

        private void onMessage(Message message) {
            words.add(message.text());
        }

        @Override
        public Snapshot snapshot() {
            byte[] all = String.join(" ", words).getBytes(StandardCharsets.UTF_8);
            return out -> out.write(all);
        }

        @Override
        public void install(InputStream in) {
            throw new IllegalStateException("the other method is called");
        }

        @Override
        public void install(InputStream in, Replacement replacement) throws IOException {
            TreeSet<String> lost = new TreeSet<>(words);
            words.clear();
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            words.addAll(List.of(text.isEmpty() ? new String[0] : text.split(" ")));
            lost.removeAll(words);
            for (String word : lost) {
                replacement.handOver(word.getBytes(StandardCharsets.UTF_8));
            }
            replacements.add((replacement.isMerge() ? "merge of " : "newcomer to ") + replacement.view().size());
        }
    }

    @ClusterTest(nodes = 3, seeds = 10)
    @Tag("seeds")
    void isToldOfAMergeAndLosesNothing(Cluster cluster) {
        Components<Words> words = cluster.startAll(Words::new);
        cluster.awaitOneView();
        words.on(1).group.send("common");
        cluster.awaitRest();
        assertThat(words.on(1).replacements).allSatisfy(text -> assertThat(text).startsWith("newcomer"));
        cluster.partition(1).advance(Duration.ofSeconds(10));
        words.on(1).group.send("alone");
        words.on(2).group.send("together");
        cluster.advance(Duration.ofSeconds(1)).heal().awaitRest();
        List<String> replacements = new ArrayList<>();
        for (int process = 1; process <= 3; process++) {
            assertThat(words.on(process).words).containsExactly("alone", "common", "together");
            replacements.addAll(words.on(process).replacements);
        }
        // The side whose state continues depends on the order in which members meet.
        assertThat(replacements).anyMatch(text -> text.startsWith("merge of"));
    }
}
