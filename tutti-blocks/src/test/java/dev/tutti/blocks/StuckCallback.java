package dev.tutti.blocks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Group;
import dev.tutti.GroupBuilder;
import dev.tutti.Node;
import dev.tutti.Problem;
import dev.tutti.StateException;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.Components;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Application code that never returns: the last column of the table "Callbacks of blocks" in docs/guarantees.md. It
 * waits at n1, for {@code bad}, in virtual time and until the end of the test; the effects are checked at that node and
 * at n2.
 */
abstract class StuckCallback {

    static final String BAD = "bad";

    /** Time to report a health problem: it takes two checks, which are a second apart. */
    private static final Duration TOLD_WITHIN = Duration.ofSeconds(10);

    private static final Duration STEP = Duration.ofMillis(250);

    private static final Duration STUCK_TIMEOUT = Duration.ofSeconds(10);

    static final Duration LEAVE_TIMEOUT = Duration.ofSeconds(2);

    /** Time that {@code close} adds to the time-out for the loop. */
    private static final Duration LOOP_TIME = Duration.ofSeconds(1);

    final CompletableFuture<Boolean> released = new CompletableFuture<>();
    boolean isArmed;
    private boolean isStuck;

    /** Waits, if it is called at the node and for the argument that the test has selected. */
    void hang(Node node, Object argument) {
        if (isArmed && node.name().equals("n1") && argument.equals(BAD)) {
            isStuck = true;
            node.threads().join(released);
        }
    }

    /** A block on group {@code g}, and another group of the same node. */
    static final class Part<B extends AutoCloseable> {
        private final List<String> heard = new ArrayList<>();
        final CompletableFuture<B> joined = new CompletableFuture<>();
        private final Group other;

        Part(Node node) {
            other = node.group("other").onMessage(message -> heard.add(message.text())).join();
        }

        B block() {
            assertThat(joined).isCompleted();
            return joined.join();
        }

        void close() {
            try {
                block().close();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }
    }

    static <B extends AutoCloseable> Components<Part<B>> startAll(Cluster cluster, Function<Node, B> block) {
        Components<Part<B>> parts = cluster.startAll(node -> {
            Part<B> part = new Part<>(node);
            part.joined.complete(block.apply(node));
            return part;
        });
        cluster.awaitOneView();
        return parts;
    }

    /** Deploys the same, but joins blocks on threads of their own, and starts no nodes. */
    static <B extends AutoCloseable> Components<Part<B>> deploy(Cluster cluster, Function<Node, B> block) {
        return cluster.deploy(node -> {
            Part<B> part = new Part<>(node);
            node.threads().start("join", () -> {
                try {
                    part.joined.complete(block.apply(node));
                } catch (StateException e) {
                    part.joined.completeExceptionally(e);
                }
            });
            return part;
        });
    }

    // ------------------------------------------------------------------ assertions

    void awaitCalled(Cluster cluster) {
        cluster.advanceUntil("the callback is called", Duration.ofSeconds(20), () -> isStuck);
    }

    static List<Problem> problems(Cluster cluster, int number, Problem.Kind kind) {
        return cluster.node(number).health().problems().stream().filter(problem -> problem.kind() == kind).toList();
    }

    static void awaitProblem(Cluster cluster, Problem.Kind kind, String text) {
        Duration end = cluster.elapsed().plus(TOLD_WITHIN);
        while (problems(cluster, 1, kind).stream().noneMatch(problem -> problem.text().contains(text))) {
            assertThat(cluster.elapsed()).as("%s at n1; there is %s", text, cluster.node(1).health().problems()).isLessThan(end);
            cluster.advance(STEP);
        }
    }

    static <B extends AutoCloseable> void assertOtherGroupDelivers(Cluster cluster, Components<Part<B>> parts) {
        parts.run(2, part -> part.other.send("on"));
        cluster.advanceUntil("the other group delivers", Duration.ofSeconds(5), () -> parts.on(1).heard.contains("on"));
    }

    /** Asserts that health names the waiting listener of the group, and that everything else continues. */
    <B extends AutoCloseable> void assertStuckListener(Cluster cluster, Components<Part<B>> parts, String listener) {
        awaitCalled(cluster);
        awaitProblem(cluster, Problem.Kind.LISTENER_STUCK, "group g: " + listener + " does not return");
        assertThat(problems(cluster, 2, Problem.Kind.LISTENER_STUCK)).isEmpty();
        assertOtherGroupDelivers(cluster, parts);
    }

    void assertNoStuckListener(Cluster cluster) {
        cluster.advance(TOLD_WITHIN);
        assertThat(problems(cluster, 1, Problem.Kind.LISTENER_STUCK)).isEmpty();
        assertThat(released).isNotDone();
    }

    /**
     * Asserts that closing returns in time though the callback does not, and leaves nothing behind when the callback
     * returns.
     *
     * @return the time that closing has taken
     */
    <B extends AutoCloseable> Duration assertCloses(Cluster cluster, Components<Part<B>> parts) {
        Duration begun = cluster.elapsed();
        parts.run(1, Part::close);
        Duration taken = cluster.elapsed().minus(begun);
        assertThat(taken).isLessThanOrEqualTo(LEAVE_TIMEOUT.plus(LOOP_TIME).plusMillis(100));
        assertThat(isStuck).isTrue();
        assertThat(cluster.node(1).groups()).extracting(Group::name).containsExactly("other");
        release(cluster);
        return taken;
    }

    /** Asserts that with {@link #leavingIfStuck} the member leaves once messages wait, and the others continue. */
    <B extends AutoCloseable> void assertLeaves(Cluster cluster, Components<Part<B>> parts) {
        awaitCalled(cluster);
        Duration begun = cluster.elapsed();
        cluster.advanceUntil("n1 leaves", Duration.ofSeconds(30), () -> cluster.node(2).groups().stream()
                .anyMatch(group -> group.name().equals("g") && group.view().size() == 1));
        assertThat(cluster.elapsed().minus(begun)).isGreaterThan(STUCK_TIMEOUT.minusSeconds(1));
        awaitProblem(cluster, Problem.Kind.GROUP_LOST, "has not returned");
        assertThat(cluster.node(1).groups()).extracting(Group::name).containsExactly("other");
        assertOtherGroupDelivers(cluster, parts);
        assertThat(released).as("the callback still runs").isNotDone();
    }

    static GroupBuilder leavingIfStuck(GroupBuilder group) {
        return group.set("on-stuck", "leave").set("stuck-timeout", STUCK_TIMEOUT.toSeconds() + " s");
    }

    void release(Cluster cluster) {
        assertThat(released.complete(true)).isTrue();
        cluster.awaitRest();
    }

    // ------------------------------------------------------------------ codecs

    Codec<String> stuckInTake(Node node) {
        return new Codec<>() {
            @Override
            public void put(String text, ByteOutput out) {
                out.putText(text);
            }

            @Override
            public String take(ByteInput in) {
                String text = in.takeText();
                hang(node, text);
                return text;
            }
        };
    }

    Codec<String> stuckInPut(Node node) {
        return Codec.of(ByteInput::takeText, (text, out) -> {
            hang(node, text);
            out.putText(text);
        });
    }

    /** Asserts that health names the callback, and that only this member leaves when {@code state.timeout} is over. */
    static void assertStuckState(Cluster cluster) {
        awaitProblem(cluster, Problem.Kind.STATE_STUCK, "the state of group g makes no progress: it waits for install of the application");
        assertThat(cluster.node(1).health().isReady()).isFalse();
        assertThat(cluster.node(2).health().isReady()).isTrue();
        awaitProblem(cluster, Problem.Kind.GROUP_LOST, "install of the application has neither returned nor read on for 12 s");
        assertThat(cluster.node(1).groups()).extracting(Group::name).containsExactly("other");
        assertThat(cluster.node(2).health().isReady()).isTrue();
    }

    static <B extends AutoCloseable> void assertJoinHasFailed(Components<Part<B>> parts) {
        CompletableFuture<B> joined = parts.on(1).joined;
        assertThat(joined).isCompletedExceptionally();
        assertThat(joined.exceptionNow()).isInstanceOf(StateException.class).hasMessageContaining("install of the application");
    }
}
