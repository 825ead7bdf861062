package dev.tutti.blocks.inspection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Node;
import dev.tutti.core.NodeId;
import dev.tutti.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nodes of this machine that ask each other. */
@Timeout(60)
class InspectionTest {

    private static final Duration LONG = Duration.ofSeconds(20);

    private final List<Node> nodes = new ArrayList<>();

    @AfterEach
    void closeNodes() {
        nodes.forEach(Node::close);
    }

    private Node start(String name) {
        String[] seeds = nodes.stream().limit(1).map(Node::address).toArray(String[]::new);
        nodes.add(Node.tcp(0).name(name).seeds(seeds).start());
        return nodes.getLast();
    }

    private Inspection open(Node node) {
        return Inspection.open(node);
    }

    private static void awaitMembers(Inspection inspection, int count) {
        Await.until(count + " members", () -> inspection.view().size() >= count);
    }

    @Test
    void everyMemberAnswersWithItsDocument() {
        Inspection one = open(start("a"));
        start("b").group("g").join();
        open(nodes.getLast());
        awaitMembers(one, 2);
        List<Answer> answers = one.all(LONG);
        assertThat(answers).extracting(answer -> answer.node().name()).containsExactly("a", "b");
        assertThat(answers).extracting(Answer::isSelf).containsExactly(true, false);
        assertThat(answers).extracting(Answer::failure).containsOnly("");
        Map<?, ?> second = answers.getLast().document();
        assertThat(second).isNotNull();
        assertThat(((Map<?, ?>) second.get("node")).get("address")).isEqualTo(nodes.getLast().address());
        assertThat(second.get("groups").toString()).contains("name=g").contains("tutti.inspection");
        assertThat(one.of(one.view().members().getLast(), LONG).document()).containsKey("links");
    }

    @Test
    void membersWithoutItAreNamed() {
        Inspection one = open(start("a"));
        start("b").group("g").join();
        nodes.getFirst().group("g").join();
        Await.until("a link", () -> !nodes.getFirst().inspection().links().isEmpty());
        List<Answer> answers = one.all(LONG);
        assertThat(answers).extracting(answer -> answer.node().name()).containsExactly("a", "b");
        assertThat(answers.getLast().document()).isNull();
        assertThat(answers.getLast().failure()).startsWith("takes no part in inspection");
        assertThat(answers.getLast().toDocument()).containsEntry("document", null);
    }

    @Test
    void whatHappensToAllCanBeFollowed() {
        Inspection one = open(start("a"));
        open(start("b"));
        awaitMembers(one, 2);
        List<Answer> first = one.events(node -> 0, LONG);
        assertThat(first).hasSize(2).allSatisfy(answer -> assertThat(answer.document()).containsEntry("missed", 0L));
        TreeMap<NodeId, Long> known = new TreeMap<>();
        first.forEach(answer -> known.put(answer.node(), (Long) answer.document().get("last")));
        nodes.getLast().group("g").join();
        Answer second = one.events(known::get, LONG).getLast();
        List<?> news = (List<?>) second.document().get("events");
        assertThat(news.toString()).contains("kind=view", "kind=joined", "group=g").doesNotContain("kind=started");
    }

    @Test
    void isOpenedOncePerNodeAndEndsWithIt() {
        Node node = start("a");
        Inspection inspection = open(node);
        assertThatThrownBy(() -> open(node)).hasMessageContaining("has joined group tutti.inspection already");
        inspection.close();
        inspection.close();
        assertThat(node.groups()).isEmpty();
        try (Inspection again = open(node)) {
            assertThat(again.all(LONG)).hasSize(1);
        }
    }
}
