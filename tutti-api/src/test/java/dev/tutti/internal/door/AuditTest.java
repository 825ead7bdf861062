package dev.tutti.internal.door;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AuditTest {

    private static final InetSocketAddress HERE = new InetSocketAddress("10.0.0.1", 1_000);

    private long nanos = -17;
    private final List<String> successes = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();
    private final Audit audit = new Audit("STOMP of node n1", () -> nanos, successes::add, failures::add);

    @Test
    void everySuccessHasALine() {
        audit.onAdmitted(HERE, "ann", "passcode");
        audit.onAdmitted(HERE, "", "token");
        assertThat(successes).containsExactly(
                "STOMP of node n1: 'ann' from /10.0.0.1:1000 let in by passcode", "STOMP of node n1: /10.0.0.1:1000 let in by token");
    }

    @Test
    void manyFailuresHaveOneLineASecondWithTheirNumber() {
        for (int time = 0; time < 1_000; time++) {
            audit.onRefused(HERE, "ann", "wrong passcode");
        }
        assertThat(failures).containsExactly("STOMP of node n1: 'ann' from /10.0.0.1:1000 refused: wrong passcode");
        nanos += Audit.PAUSE_NANOS;
        audit.onRefused(HERE, "bob", "wrong passcode");
        assertThat(failures).hasSize(2).last().asString().contains("'bob'").endsWith("(and 999 more from 10.0.0.1 since the line before)");
    }

    @Test
    void aFloodFromOneOriginHidesNobodyElse() {
        for (int time = 0; time < 1_000; time++) {
            audit.onRefused(HERE, "ann", "wrong passcode");
        }
        audit.onRefused(new InetSocketAddress("10.0.0.2", 1), "bob", "wrong passcode");
        assertThat(failures).hasSize(2).last().asString().contains("10.0.0.2");
    }

    @Test
    void whatIsForgottenForLackOfRoomIsTold() {
        audit.onRefused(HERE, "ann", "wrong passcode");
        audit.onRefused(HERE, "ann", "wrong passcode");
        for (int origin = 0; origin < Audit.ORIGINS_MAX; origin++) {
            audit.onRefused(new InetSocketAddress("10.1.0." + origin % 256, 1), "", "x");
        }
        assertThat(failures).contains("STOMP of node n1: 1 more from 10.0.0.1 refused");
    }
}
