package dev.tutti.campaign.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import dev.tutti.testkit.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** M3 to M6: results of coordination blocks under all faults. The checks also detect mistakes. */
@Order(3)
class CoordinationHistoryTest {

    private static Components<Client> start(Cluster cluster, Client.Record record, Client.Mistake mistake) {
        cluster.configure(node -> node.set("records.directory", "simulated"));
        Components<Client> clients = cluster.startAll(node -> new Client(cluster, node, record, mistake));
        cluster.advance(Duration.ofSeconds(2));
        clients.keep(Duration.ofMillis(25), Client::act);
        return clients;
    }

    private static HistoryCheck.Result checked(Cluster cluster, Client.Record record) {
        // All go on once everything is healed.
        cluster.advance(Duration.ofSeconds(10)).quiet().advance(Duration.ofSeconds(1));
        return HistoryCheck.run(record.operations());
    }

    private static void assertHolds(HistoryCheck.Result result) {
        assertThat(result.violations()).isEmpty();
        assertThat(result.undecided()).isEmpty();
        assertThat(result.told()).isGreaterThan(200);
        assertThat(result.grants()).isPositive();
    }

    @ClusterTest(nodes = 5, seeds = 5)
    @Tag("seeds")
    void historiesAreLinearizableWhateverGoesWrong(Cluster cluster) {
        Client.Record record = new Client.Record();
        start(cluster, record, Client.Mistake.NONE);
        cluster.randomFaults(Duration.ofSeconds(20));
        assertHolds(checked(cluster, record));
    }

    @ClusterTest(nodes = 5, seeds = 4)
    @Tag("seeds")
    void oneEraUnderPartitionsAndPauses(Cluster cluster) {
        Client.Record record = new Client.Record();
        start(cluster, record, Client.Mistake.NONE);
        cluster.randomFaults(Duration.ofSeconds(20), Fault.PARTITION, Fault.CUT, Fault.PAUSE, Fault.BREAK);
        assertHolds(checked(cluster, record));
    }

    /** The oldest two, which order messages, are cut off again and again, and crash. */
    @ClusterTest(nodes = 5, seeds = 3)
    void whoOrdersIsCutOffAndCrashes(Cluster cluster) {
        Client.Record record = new Client.Record();
        start(cluster, record, Client.Mistake.NONE);
        for (int round = 0; round < 4; round++) {
            int first = 1 + round % 5;
            cutOff(cluster, first);
            cluster.crash(first).advance(Duration.ofSeconds(2)).restart(first).advance(Duration.ofSeconds(3));
        }
        assertHolds(checked(cluster, record));
    }

    private static void cutOff(Cluster cluster, int first) {
        int second = 1 + first % 5;
        cluster.partition(first, second).advance(Duration.ofSeconds(5)).heal().advance(Duration.ofSeconds(1));
    }

    @Test
    @Timeout(120)
    void checkSeesResultsThatAreToldTooEarly() {
        assertThat(violationsOf(Client.Mistake.AGREED)).anyMatch(text -> text.startsWith("M3"));
    }

    @Test
    @Timeout(120)
    void checkSeesChangesThatAreMadeTwice() {
        assertThat(violationsOf(Client.Mistake.AGAIN)).anyMatch(text -> text.startsWith("M3"));
    }

    @Test
    @Timeout(120)
    void checkSeesAHolderThatDoesNotAskWhetherItWas() {
        assertThat(violationsOf(Client.Mistake.TRUSTING)).anyMatch(text -> text.startsWith("M4"));
    }

    /** Returns the violations of the first seed that has any, of {@link #SEEDS_MAX}. */
    private static List<String> violationsOf(Client.Mistake mistake) {
        for (long seed = 1; seed <= SEEDS_MAX; seed++) {
            Client.Record record = new Client.Record();
            try (Cluster cluster = Cluster.of(5, seed)) {
                start(cluster, record, mistake);
                for (int first = 1; first <= 5; first++) {
                    cutOff(cluster, first);
                }
                HistoryCheck.Result result = checked(cluster, record);
                if (!result.violations().isEmpty()) {
                    return result.violations();
                }
            }
        }
        return new ArrayList<>();
    }

    private static final int SEEDS_MAX = 20;
}
