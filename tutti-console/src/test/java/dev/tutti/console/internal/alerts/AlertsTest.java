package dev.tutti.console.internal.alerts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.settings.SettingException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class AlertsTest {

    private final List<Map<String, ?>> told = new ArrayList<>();
    private long nanos = 7;

    private Alerts alerts(String... rules) {
        return new Alerts(Alerts.rules(List.of(rules)), told::add, () -> nanos);
    }

    private static Map<String, ?> figures(List<Map<String, ?>> attention) {
        return figures(attention, List.of());
    }

    private static Map<String, ?> figures(List<Map<String, ?>> attention, List<Map<String, ?>> members) {
        return Map.of("at", 1L, "self", "n1", "cluster", "c", "attention", attention, "members", members);
    }

    private static Map<String, ?> member(String name, long heap) {
        return Map.of("name", name, "state", "answers", "heap", heap, "heapMax", 100L, "unstable", 5L << 20, "cpu", 0.5);
    }

    private static final Map<String, ?> SILENT = Map.of("kind", "silent", "text", "n2 is not heard by others");

    private List<String> states() {
        return told.stream().map(each -> each.get("state") + " " + each.get("subject")).toList();
    }

    @Test
    void aConditionIsToldOnceAndItsEndOnce() {
        Alerts alerts = alerts("silent");
        alerts.onFigures(figures(List.of(SILENT)));
        alerts.onFigures(figures(List.of(SILENT)));
        assertThat(states()).containsExactly("firing n2 is not heard by others");
        assertThat(alerts.firing()).isEqualTo(1);
        alerts.onFigures(figures(List.of()));
        alerts.onFigures(figures(List.of()));
        assertThat(states()).containsExactly("firing n2 is not heard by others", "over n2 is not heard by others");
        assertThat(alerts.firing()).isZero();
        assertThat(List.of(told.getFirst().get("cluster"), told.getFirst().get("console"), told.getFirst().get("rule")))
                .containsExactly("c", "n1", "silent");
    }

    @Test
    void aConditionHasToLast() {
        Alerts alerts = alerts("heap > 90 % for 1 min");
        alerts.onFigures(figures(List.of(), List.of(member("n1", 95))));
        nanos += TimeUnit.SECONDS.toNanos(59);
        alerts.onFigures(figures(List.of(), List.of(member("n1", 95))));
        assertThat(told).isEmpty();
        alerts.onFigures(figures(List.of(), List.of(member("n1", 90))));
        alerts.onFigures(figures(List.of(), List.of(member("n1", 95))));
        nanos += TimeUnit.SECONDS.toNanos(59);
        alerts.onFigures(figures(List.of(), List.of(member("n1", 95))));
        assertThat(told).as("it was over in between").isEmpty();
        nanos += TimeUnit.SECONDS.toNanos(1);
        alerts.onFigures(figures(List.of(), List.of(member("n1", 95), member("n2", 20))));
        assertThat(states()).containsExactly("firing n1");
        assertThat(told.getFirst().get("text")).isEqualTo("n1: heap is 95 %, > 90 %");
        assertThat(told.getFirst().get("seconds")).isEqualTo(60L);
    }

    @Test
    void figuresAreComparedInTheirUnits() {
        Alerts alerts = alerts("unstable > 4 MiB", "unstable > 6 MiB", "cpu > 40 %", "cpu < 40");
        alerts.onFigures(figures(List.of(), List.of(member("n1", 1))));
        assertThat(told.stream().map(each -> String.valueOf(each.get("rule")))).containsExactly("unstable > 4 MiB", "cpu > 40 %");
    }

    @Test
    void aMemberThatDoesNotAnswerHasNoFigures() {
        Alerts alerts = alerts("cpu < 40");
        alerts.onFigures(figures(List.of(), List.of(Map.of("name", "n2", "state", "silent", "cpu", 0.1))));
        alerts.onFigures(figures(List.of(), List.of(Map.of("name", "n3", "state", "answers"))));
        assertThat(told).isEmpty();
    }

    @Test
    void conditionsAreBounded() {
        Alerts alerts = alerts("silent");
        List<Map<String, ?>> many = new ArrayList<>();
        for (int each = 0; each < Alerts.CONDITIONS_MAX + 5; each++) {
            many.add(Map.of("kind", "silent", "text", "n" + each));
        }
        alerts.onFigures(figures(many));
        assertThat(told).hasSize(Alerts.CONDITIONS_MAX);
        assertThat(alerts.leftOut()).isEqualTo(5);
    }

    @Test
    void whatIsNoRuleIsRefusedAndNamed() {
        for (String wrong : List.of("", "heap", "heap > much", "weather > 3", "silent > 3", "heap > 90 % for ever", "unstable > 7 bananas")) {
            assertThatThrownBy(() -> Alerts.rules(List.of(wrong)))
                    .as(wrong)
                    .isInstanceOf(SettingException.class)
                    .hasMessageStartingWith("console.alerts: ");
        }
    }
}
