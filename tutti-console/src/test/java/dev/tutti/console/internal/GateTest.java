package dev.tutti.console.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class GateTest {

    private static final String TOKEN = "correct horse battery staple";

    private long nanos = 17;
    private final Gate gate = new Gate(TOKEN, TimeUnit.HOURS.toNanos(1), () -> nanos);

    private String enter() {
        return ((Gate.Open) gate.enter(TOKEN)).session();
    }

    @Test
    void theTokenOpensASessionThatEnds() {
        String session = enter();
        assertThat(gate.isOpen(session)).isTrue();
        nanos += TimeUnit.HOURS.toNanos(1);
        assertThat(gate.isOpen(session)).isFalse();
    }

    @Test
    void nothingElseOpens() {
        assertThat(gate.enter("")).isEqualTo(new Gate.Wrong());
        assertThat(gate.enter(TOKEN + " ")).isEqualTo(new Gate.Wrong());
        assertThat(gate.isOpen(null)).isFalse();
        assertThat(gate.isOpen("")).isFalse();
        assertThat(gate.isOpen(TOKEN)).isFalse();
        assertThat(gate.isOpen("x".repeat(100_000))).isFalse();
    }

    @Test
    void leavingEndsTheSessionAtOnce() {
        String session = enter();
        gate.leave(session);
        assertThat(gate.isOpen(session)).isFalse();
    }

    @Test
    void aLinkIsGoodOnceAndNotForLong() {
        String link = gate.newLink();
        assertThat(gate.enterByLink(link)).isInstanceOf(Gate.Open.class);
        assertThat(gate.enterByLink(link)).isEqualTo(new Gate.Wrong());
        String late = gate.newLink();
        nanos += Gate.LINK_NANOS;
        assertThat(gate.enterByLink(late)).isEqualTo(new Gate.Wrong());
    }

    @Test
    void aNewLinkReplacesTheOneBefore() {
        String first = gate.newLink();
        gate.newLink();
        assertThat(gate.enterByLink(first)).isEqualTo(new Gate.Wrong());
    }

    @Test
    void wrongOnesNeverKeepTheRightOneOut() {
        String link = gate.newLink();
        for (int attempt = 0; attempt < 1_000; attempt++) {
            assertThat(gate.enter("wrong")).isEqualTo(new Gate.Wrong());
            assertThat(gate.enterByLink("x")).isEqualTo(new Gate.Wrong());
            assertThat(gate.isToken("wrong")).isFalse();
        }
        assertThat(gate.refused()).isEqualTo(3_000);
        assertThat(gate.isToken(TOKEN)).isTrue();
        assertThat(gate.enter(TOKEN)).isInstanceOf(Gate.Open.class);
        assertThat(gate.enterByLink(link)).isInstanceOf(Gate.Open.class);
    }

    @Test
    void tokensThatItMakesCannotBeGuessed() {
        assertThat(gate.isGuessable()).isTrue();
        assertThat(new Gate(Gate.newSecret(), 1, () -> 0).isGuessable()).isFalse();
    }

    @Test
    void theOldestSessionMakesRoom() {
        String first = enter();
        for (int more = 0; more < Gate.SESSIONS_MAX; more++) {
            enter();
        }
        assertThat(gate.isOpen(first)).isFalse();
        assertThat(gate.isOpen(enter())).isTrue();
    }

    @Test
    void secretsDiffer() {
        Set<String> secrets = new HashSet<>();
        for (int each = 0; each < 100; each++) {
            secrets.add(Gate.newSecret());
        }
        assertThat(secrets).hasSize(100).allMatch(secret -> secret.length() == 43);
    }

    @Test
    void aTokenOfAFewCharactersIsRefused() {
        assertThatThrownBy(() -> new Gate("short", 1, () -> 0)).hasMessageContaining("16").hasMessageContaining("5");
    }
}
