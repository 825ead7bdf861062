package dev.tutti.blocks;

import static dev.tutti.blocks.FailingCode.BAD;
import static dev.tutti.blocks.FailingCode.WAYS;
import static dev.tutti.blocks.FailingCode.group;
import static dev.tutti.blocks.FailingCode.hasLeft;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.tutti.Node;
import dev.tutti.Snapshot;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.machine.CommandException;
import dev.tutti.blocks.machine.Replica;
import dev.tutti.blocks.machine.StateMachine;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;

/**
 * Effects of application code that a replica calls and that throws, whatever it throws: rows of the table "Callbacks that fail" of
 * docs/guarantees.md.
 */
class FailingMachinesTest {

    private final FailingCode code = new FailingCode();

    /** A machine that remembers texts. */
    private final class Diary implements StateMachine<String, Integer> {
        private final Node node;
        private final String failing;
        private int length;

        Diary(Node node, String failing) {
            this.node = node;
            this.failing = failing;
        }

        private void failIn(String callback) {
            if (failing.equals(callback)) {
                code.failAt(node, BAD);
            }
        }

        @Override
        public Integer apply(Member member, String command) {
            if (failing.equals("apply")) {
                code.failAt(node, command);
            } else if (failing.equals("everywhere") && command.equals(BAD)) {
                code.failure().raise();
            }
            length++;
            return length;
        }

        @Override
        public void onView(View view) {
            failIn("onView");
        }

        @Override
        public void onStable() {
            failIn("onStable");
        }

        @Override
        public Snapshot snapshot() {
            int now = length;
            return out -> new DataOutputStream(out).writeInt(now);
        }

        @Override
        public void install(InputStream in) throws IOException {
            length = new DataInputStream(in).readInt();
        }
    }

    private Components<Replica<String, Integer>> replicas(Cluster cluster, String failing, Function<Node, Codec<String>> codec) {
        return code.startAll(cluster, node -> Replica.on(node.group("g"), new Diary(node, failing), codec.apply(node))
                .timeout(Duration.ofSeconds(5))
                .join());
    }

    /** An exception that is the same at all members is a refusal, which the submitter gets. */
    @ClusterTest(nodes = 3, seeds = WAYS)
    @Tag("seeds")
    void machineThatRefusesACommand(Cluster cluster) {
        Components<Replica<String, Integer>> replicas = replicas(cluster, "everywhere", node -> Codec.TEXT);
        if (code.failure().isError()) {
            return;
        }
        replicas.run(1, replica -> {
            assertThatThrownBy(() -> replica.call(BAD))
                    .isInstanceOfSatisfying(CommandException.class, e -> {
                        assertThat(e.reason()).isEqualTo(CommandException.Reason.FAILED);
                        assertThat(e.execution()).isEqualTo(CommandException.Execution.ONCE);
                        assertThat(e.getCause().getClass().getName()).isEqualTo(code.failure().type());
                    });
            assertThat(replica.call("next")).isEqualTo(1);
        });
        assertThat(replicas.running()).allSatisfy(replica -> assertThat(replica.view().size()).isEqualTo(3));
    }

    @ClusterTest(nodes = 3, seeds = WAYS)
    @Tag("seeds")
    void machineThatAnErrorEndsHalfWay(Cluster cluster) {
        Components<Replica<String, Integer>> replicas = replicas(cluster, "apply", node -> Codec.TEXT);
        if (!code.failure().isError()) {
            return;
        }
        code.arm();
        CompletableFuture<Integer> own = replicas.on(1).submit(BAD);
        CompletableFuture<Integer> next = replicas.on(1).submit("next");
        code.assertLeaves(cluster, "apply");
        assertThat(own).isCompletedExceptionally();
        assertThatThrownBy(own::join).isInstanceOf(CompletionException.class).hasMessageContaining("this member leaves");
        assertThat(next).isCompletedExceptionally();
        replicas.run(2, replica -> assertThat(replica.call("after")).isBetween(2, 3));
    }

    @ClusterTest(nodes = 3, seeds = WAYS)
    @Tag("seeds")
    void codecOfCommandsThatCannotReadWhatOthersCan(Cluster cluster) {
        Components<Replica<String, Integer>> replicas = replicas(cluster, "nothing", code::failingToTake);
        code.arm();
        replicas.run(2, replica -> assertThat(replica.call(BAD)).isEqualTo(1));
        code.assertLeaves(cluster, "apply");
        replicas.run(2, replica -> assertThat(replica.call("after")).isEqualTo(2));
    }

    @ClusterTest(nodes = 3, seeds = WAYS)
    @Tag("seeds")
    void codecOfCommandsThatCannotWrite(Cluster cluster) {
        Components<Replica<String, Integer>> replicas = replicas(cluster, "nothing", code::failingToPut);
        code.arm();
        replicas.run(1, replica -> assertThat(catchThrowable(() -> replica.submit(BAD)).getClass().getName())
                .isEqualTo(code.failure().type()));
        cluster.awaitRest();
        assertThat(replicas.on(1).status()).containsEntry("open-commands", 0L);
        assertThat(group(cluster, 1).view().size()).isEqualTo(3);
    }

    @ClusterTest(nodes = 3, seeds = WAYS)
    @Tag("seeds")
    void viewOfAMachine(Cluster cluster) {
        replicas(cluster, "onView", node -> Codec.TEXT);
        code.arm();
        cluster.stop(3).advanceUntil("n1 leaves", Duration.ofSeconds(5), () -> hasLeft(cluster, 1)).awaitRest();
        code.assertTold(cluster, "onView of the machine");
        assertThat(group(cluster, 2).view().size()).isEqualTo(1);
    }

    @ClusterTest(nodes = 3, seeds = WAYS)
    @Tag("seeds")
    void whatAMachineTellsTheOutside(Cluster cluster) {
        Components<Replica<String, Integer>> replicas = replicas(cluster, "onStable", node -> Codec.TEXT);
        code.arm();
        replicas.run(2, replica -> assertThat(replica.call("1")).isEqualTo(1));
        code.assertFate(cluster, "onStable");
        if (!code.failure().isError()) {
            replicas.run(1, replica -> assertThat(replica.call("2")).isEqualTo(2));
        }
    }

    @ClusterTest(nodes = 3, seeds = WAYS)
    @Tag("seeds")
    void readOfAMachine(Cluster cluster) {
        Components<Replica<String, Integer>> replicas = replicas(cluster, "nothing", node -> Codec.TEXT);
        replicas.run(1, replica -> {
            assertThatThrownBy(() -> replica.ask(() -> code.failure().raise(), Duration.ofSeconds(1)))
                    .isInstanceOfSatisfying(CommandException.class, e -> {
                        assertThat(e.reason()).isEqualTo(CommandException.Reason.FAILED);
                        assertThat(e.getCause().getClass().getName()).isEqualTo(code.failure().type());
                    });
            assertThat(catchThrowable(() -> replica.local(() -> code.failure().raise())).getClass().getName()).isEqualTo(code.failure().type());
            assertThat(replica.call("next")).isEqualTo(1);
        });
        assertThat(group(cluster, 1).view().size()).isEqualTo(3);
    }
}
