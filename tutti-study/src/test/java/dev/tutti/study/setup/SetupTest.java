package dev.tutti.study.setup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class SetupTest {

    @Test
    void stateKeepsItsUpdatesAndItsSize() {
        VisitState state = VisitState.empty().with(0).with(77).with(VisitState.UPDATES_MAX - 1);
        byte[] bytes = state.bytes(1_024);
        assertThat(bytes).hasSize(1_024);
        assertThat(VisitState.of(bytes).done()).isEqualTo(state.done());
        assertThat(VisitState.parse(state.text()).done()).isEqualTo(state.done());
        assertThat(VisitState.of(VisitState.empty().bytes(16)).done().isEmpty()).isTrue();
    }

    @Test
    void largestStateFitsIntoItsColumn() {
        VisitState state = VisitState.empty();
        for (int number = 0; number < VisitState.UPDATES_MAX; number++) {
            state = state.with(number);
        }
        assertThat(state.bytes(0)).hasSize(Integer.BYTES + VisitState.UPDATES_MAX / Byte.SIZE);
    }

    @Test
    void wrongStatesAreRefused() {
        assertThatThrownBy(() -> VisitState.of(new byte[] {0, 0})).hasMessageContaining("not a session's value");
        assertThatThrownBy(() -> VisitState.of(new byte[] {0, 0, 0, 9, 1})).hasMessageContaining("length of 9");
        assertThatThrownBy(() -> VisitState.empty().with(VisitState.UPDATES_MAX)).hasMessageContaining("is not one of 0 to 4095");
    }

    @Test
    void settingsOfANodeSurviveItsCommandLine() {
        NodeSettings settings = new NodeSettings(
                new Configuration("node", Keeping.TUTTI, true, Access.HIBERNATE, 0), 1, 8_080, List.of(7_001, 7_002), 7_003, "jdbc:h2:x", 64);
        assertThat(NodeSettings.parse(settings.arguments().toArray(new String[0]))).isEqualTo(settings);
        assertThat(settings.name()).isEqualTo("node2");
        assertThatThrownBy(() -> NodeSettings.parse(new String[] {"x"})).hasMessage("9 arguments are wanted, not 1");
    }

    @Test
    void configurationsAreFoundByNameAndNumber() {
        assertThat(Configuration.of("4").name()).isEqualTo("database-sticky-jdbc");
        assertThat(Configuration.of("spring-free-jdbc").number()).isEqualTo(9);
    }

    @Test
    void paperHasSixMeansInItsOrder() {
        assertThat(Configuration.ALL.stream().map(Configuration::paperMillis)).startsWith(1_925, 93, 79, 44, 55, 124, 0);
    }
}
