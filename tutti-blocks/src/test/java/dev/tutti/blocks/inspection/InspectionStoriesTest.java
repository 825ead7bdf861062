package dev.tutti.blocks.inspection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.Components;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Answers to queries when members fail, in virtual time. */
@Timeout(60)
class InspectionStoriesTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Cluster cluster = Cluster.of(3, 1);
    private Components<Inspection> inspections;

    @BeforeEach
    void start() {
        inspections = cluster.startAll(Inspection::open);
        cluster.awaitOneView();
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private List<String> said(int number) {
        return inspections.ask(number, inspection -> inspection.all(SECOND).stream()
                .map(answer -> answer.node().name() + (answer.document() == null ? " " + answer.failure() : ""))
                .sorted()
                .toList());
    }

    @Test
    void allAnswerInVirtualTimeToo() {
        assertThat(said(2)).containsExactly("n1", "n2", "n3");
    }

    @Test
    void whoDoesNotAnswerHoldsNobodyUpBeyondTheDeadline() {
        cluster.pause(3);
        assertThat(said(1)).containsExactly("n1", "n2", "n3 has not answered before the deadline");
    }

    @Test
    void whoIsKilledIsNotAskedAnyMore() {
        cluster.crash(3);
        cluster.advance(Duration.ofSeconds(10));
        assertThat(said(1)).containsExactly("n1", "n2");
    }

    @Test
    void departuresAndMergesAreTold() {
        cluster.partition(1);
        cluster.advance(Duration.ofSeconds(30));
        assertThat(said(1)).containsExactly("n1");
        assertThat(said(2)).containsExactly("n2", "n3");
        cluster.heal();
        cluster.awaitOneView();
        String told = inspections.ask(1, inspection ->
                inspection.events(node -> 0, SECOND).getFirst().document().get("events").toString());
        assertThat(told).contains("kind=departure").contains("kind=merge").contains("kind=suspicion");
    }
}
