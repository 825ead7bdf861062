package dev.tutti.blocks.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.blocks.machine.CommandException.Execution;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import dev.tutti.testkit.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;

/** Guarantees of a replica under any faults: all have one state; each command ends by its deadline, and as it says. */
@Order(2)
class ReplicaUnderFaultsTest {

    private static final Duration TIMEOUT = Duration.ofMillis(600);

    private record Submitted(String line, CompletableFuture<Integer> command) {}

    private final List<Submitted> submitted = new ArrayList<>();

    private Components<Writer> start(Cluster cluster, String delivery) {
        Components<Writer> writers = cluster.startAll(node -> new Writer(
                node, group -> group.set("total.delivery", delivery), builder -> builder.openMax(32).timeout(TIMEOUT)));
        writers.keep(Duration.ofMillis(15), writer -> {
            String line = writer.next();
            submitted.add(new Submitted(writer.replica.self().name() + " " + line, writer.replica.submit(line)));
        });
        return writers;
    }

    private static Execution executionOf(CompletableFuture<?> command) {
        if (!command.isCompletedExceptionally()) {
            return Execution.ONCE;
        }
        try {
            command.join();
            return Execution.ONCE;
        } catch (CompletionException e) {
            return ((CommandException) e.getCause()).execution();
        }
    }

    private void assertOneState(Cluster cluster, Components<Writer> writers) {
        cluster.quiet().advance(TIMEOUT.plusMillis(3));
        // At rest everything is delivered; messages that wait for their place in the order are reported a round trip
        // later.
        cluster.awaitRest().advance(Duration.ofSeconds(1));
        List<Writer> members = writers.running().stream().filter(writer -> !writer.isLeft).toList();
        List<String> lines = members.getFirst().diary.lines;
        assertThat(lines).isNotEmpty().doesNotHaveDuplicates();
        assertThat(members).allSatisfy(writer -> {
            assertThat(writer.diary.lines).isEqualTo(lines);
            assertThat(writer.replica.status()).containsEntry("open-commands", 0L).containsEntry("repeated", 0L);
        });
        HashSet<String> executed = new HashSet<>(lines);
        for (Submitted each : submitted) {
            if (each.command.isDone() && executionOf(each.command) == Execution.NEVER) {
                assertThat(executed).doesNotContain(each.line);
            }
        }
    }

    @ClusterTest(nodes = 4, seeds = 10)
    @Tag("seeds")
    void oneStateWhateverGoesWrong(Cluster cluster) {
        Components<Writer> writers = start(cluster, "safe");
        cluster.randomFaults(Duration.ofSeconds(20));
        assertOneState(cluster, writers);
    }

    @ClusterTest(nodes = 4, seeds = 10)
    @Tag("seeds")
    void oneStateWithAgreedDelivery(Cluster cluster) {
        Components<Writer> writers = start(cluster, "agreed");
        cluster.randomFaults(Duration.ofSeconds(20));
        assertOneState(cluster, writers);
    }

    /** Without partitions no reported command is lost. */
    @ClusterTest(nodes = 5, seeds = 10)
    @Tag("seeds")
    void resultsThatWereToldLastWhileAMemberLives(Cluster cluster) {
        Components<Writer> writers = start(cluster, "safe");
        for (int round = 0; round < 4; round++) {
            int number = 1 + round;
            cluster.advance(Duration.ofMillis(700)).crash(number).advance(Duration.ofMillis(900)).restart(number);
        }
        assertOneState(cluster, writers);
        List<String> lines = writers.on(5).diary.lines;
        assertThat(submitted).hasSizeGreaterThan(200).allSatisfy(each -> {
            if (each.command.isDone() && executionOf(each.command) == Execution.ONCE) {
                assertThat(lines).contains(each.line);
            }
        });
    }

    @ClusterTest(nodes = 5, seeds = 5)
    @Tag("seeds")
    void oneStateAfterPartitions(Cluster cluster) {
        Components<Writer> writers = start(cluster, "safe");
        cluster.randomFaults(Duration.ofSeconds(20), Fault.PARTITION, Fault.CUT, Fault.PAUSE);
        assertOneState(cluster, writers);
    }
}
