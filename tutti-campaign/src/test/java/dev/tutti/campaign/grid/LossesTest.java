package dev.tutti.campaign.grid;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LossesTest {

    private final LoadPlan plan = new LoadPlan(60, 6, 10);
    private final Losses losses = new Losses(plan);
    private final int client = IntStream.range(0, 60).filter(plan::isClient).findFirst().orElseThrow();
    private final int member = IntStream.range(0, 60).filter(each -> !plan.isClient(each)).findFirst().orElseThrow();

    private Loss loss(int producer, long count, long before, long after, boolean isTold) {
        return new Loss(plan.consumerOf(producer), producer, count, 17, before, after, isTold);
    }

    private Map<String, Object> figures(long arrived) {
        Map<String, Object> figures = new LinkedHashMap<>();
        losses.addTo(figures, new TreeMap<>(Map.of(client, 100L)), arrived);
        return figures;
    }

    private long expected() {
        return LoadPlan.choiceOf(plan.consumerOf(client)) == Choice.HALF ? 50 : (long) figures(0).get("expected");
    }

    @Test
    void lossesThatAGapToldAreNotFound() {
        losses.addAll(List.of(loss(client, 3, 1_000, 2_000, true)));
        assertThat(figures(expected() - 3)).containsEntry("lost-told", 3L).containsEntry("lost-untold", 0L);
        assertThat(losses.findings()).noneMatch(text -> text.contains("no gap"));
    }

    @Test
    void lossesOfAMemberWithoutAGapAreFound() {
        losses.onKill(plan.siteOf(member), 1_500, 1_500);
        losses.addAll(List.of(loss(member, 3, 1_000, 2_000, false)));
        assertThat(losses.findings()).anyMatch(text -> text.contains("lacks 3 from number 17 of producer " + member));
    }

    @Test
    void lossesOfAClientAreOnTheWayOnlyAtItsSiteAndAtTheTimeOfAKill() {
        int site = plan.siteOf(client);
        losses.onKill(site, 10_000, 15_000);
        losses.addAll(List.of(loss(client, 2, 9_900, 10_100, false), loss(client, 40, 9_900, 15_100, false)));
        assertThat(losses.findings()).isEmpty();
        losses.addAll(List.of(loss(client, 2, 30_000, 30_200, false)));
        assertThat(losses.findings()).hasSize(1);
        losses.onKill((site + 1) % 3, 50_000, 50_000);
        losses.addAll(List.of(loss(client, 2, 49_900, 50_100, false)));
        assertThat(losses.findings()).hasSize(2);
    }

    @Test
    void lossesAndArrivalsMakeWhatWasExpected() {
        long expected = expected();
        int before = losses.findings().size();
        figures(expected);
        assertThat(losses.findings()).hasSize(before);
        figures(expected - 1);
        assertThat(losses.findings()).hasSize(before + 1);
    }

    @Test
    void halfOfBothAreClientsAndAllAreAtThreeSites() {
        LoadPlan large = new LoadPlan(1_000, 100, 10);
        for (boolean isClient : new boolean[] {false, true}) {
            for (int site = 0; site < 3; site++) {
                assertThat(large.producersAt(site, isClient)).hasSizeBetween(160, 175);
                assertThat(large.consumersAt(site, isClient)).hasSizeBetween(16, 18);
            }
        }
    }
}
