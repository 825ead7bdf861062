package dev.tutti.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Event;
import dev.tutti.Group;
import dev.tutti.GroupBuilder;
import dev.tutti.GroupState;
import dev.tutti.Health;
import dev.tutti.Message;
import dev.tutti.Node;
import dev.tutti.Problem;
import dev.tutti.Problem.Kind;
import dev.tutti.Scope;
import dev.tutti.SendException;
import dev.tutti.Snapshot;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Every cause that makes a node useless is reported within ten seconds, with the next step, and taken back when it is
 * over.
 */
@Timeout(60)
class SilenceTest {

    private static final Duration TOLD_WITHIN = Duration.ofSeconds(10);
    private static final Duration OVER_WITHIN = Duration.ofSeconds(20);

    private static final Duration STEP = Duration.ofMillis(100);

    private final Cluster cluster = Cluster.of(3, 1);
    private BiFunction<Node, GroupBuilder, GroupBuilder> setUp = (node, group) -> group;
    private Consumer<Message> listener = message -> {};

    /** Name of the node whose listener must not return yet. */
    private String stuck = "";

    @AfterEach
    void closeCluster() {
        cluster.close();
    }

    private static final class Component {
        final Group group;

        Component(Group group) {
            this.group = group;
        }
    }

    private Components<Component> deploy() {
        return cluster.deploy(node -> new Component(setUp.apply(node, node.group("g").set("window", "128 KiB").onMessage(message -> {
            listener.accept(message);
            hang(node);
        })).join()));
    }

    /** Does not return as long as the node is the one that is stuck. */
    private void hang(Node node) {
        while (stuck.equals(node.name())) {
            cluster.process(cluster.numberOf(node)).threads().sleep(Duration.ofMillis(50).toNanos());
        }
    }

    private List<Problem> problems(int number) {
        return cluster.node(number).health().problems();
    }

    private Problem awaitProblem(int number, Kind kind) {
        await(kind + " at n" + number, TOLD_WITHIN, () ->
                problems(number).stream().anyMatch(problem -> problem.kind() == kind), number);
        Problem problem = problems(number).stream().filter(each -> each.kind() == kind).findFirst().orElseThrow();
        Health health = cluster.node(number).health();
        assertThat(health.isReady()).as("ready with %s", health.problems())
                .isEqualTo(health.problems().stream().allMatch(each -> each.kind().isReady()));
        assertThat(health.isAlive()).isTrue();
        assertThat(health.reasons()).anySatisfy(reason -> assertThat(reason).contains(problem.text(), "next step: " + problem.advice()));
        assertThat(events(number, Event.Kind.PROBLEM)).anySatisfy(text -> assertThat(text).contains(problem.advice()));
        assertThat(problem.advice()).isNotBlank();
        return problem;
    }

    private void awaitOver(int number, Kind kind) {
        await(kind + " is over at n" + number, OVER_WITHIN, () ->
                problems(number).stream().noneMatch(problem -> problem.kind() == kind), number);
        assertThat(events(number, Event.Kind.PROBLEM_OVER)).anySatisfy(text -> assertThat(text).contains("over after"));
    }

    private void await(String what, Duration limit, BooleanSupplier condition, int number) {
        Duration end = cluster.elapsed().plus(limit);
        while (!condition.getAsBoolean()) {
            assertThat(cluster.elapsed()).as("%s; there is %s", what, problems(number)).isLessThan(end);
            cluster.advance(STEP);
        }
    }

    private List<String> events(int number, Event.Kind kind) {
        return cluster.node(number).events(0).list().stream().filter(event -> event.kind() == kind).map(Event::toString).toList();
    }

    @Test
    void nodeThatIsAloneBecauseItsSeedsRefuseSaysSoAndIsReady() {
        deploy();
        cluster.start(1);
        Problem alone = awaitProblem(1, Kind.ALONE);
        assertThat(alone.text()).contains("no seed answers", "n2:7800", "n3:7800");
        cluster.start(2).awaitOneView();
        awaitOver(1, Kind.ALONE);
        assertThat(cluster.node(1).health().reasons()).isEmpty();
    }

    @Test
    void healthyClusterHasNoProblems() {
        Components<Component> components = deploy();
        cluster.start(1, 2, 3).awaitOneView();
        components.keep(Duration.ofMillis(20), component -> component.group.send("hello"));
        cluster.advance(Duration.ofSeconds(30)).awaitRest();
        for (int number = 1; number <= 3; number++) {
            assertThat(events(number, Event.Kind.PROBLEM)).isEmpty();
            assertThat(cluster.node(number).health().reasons()).isEmpty();
        }
    }

    @Test
    void anotherClusterIsToldAtBothEnds() {
        deploy();
        cluster.configure(builder -> builder.cluster("east")).start(1);
        cluster.configure(builder -> builder.cluster("west")).begin(2);
        assertThat(awaitProblem(2, Kind.ALONE).text()).contains("n1 is of cluster 'east', n2 of 'west'");
        assertThat(awaitProblem(1, Kind.ALONE).advice()).contains("set cluster to the same name");
    }

    @Test
    void groupThatIsSetUpDifferentlyIsToldAtBothEnds() {
        setUp = (node, group) -> group.set("window", node.name().equals("n1") ? "1 MiB" : "2 MiB");
        deploy();
        cluster.start(1, 2);
        assertThat(awaitProblem(1, Kind.MISMATCH).text()).contains("group g does not meet n2", "window is 1 MiB here and 2 MiB at n2");
        assertThat(awaitProblem(2, Kind.MISMATCH).text()).contains("does not meet n1");
        cluster.stop(2);
        awaitOver(1, Kind.MISMATCH);
    }

    @Test
    void listenerThatDoesNotReturnIsToldAtItsOwnNodeAndTheWaitingSendAtTheSender() {
        Components<Component> components = deploy();
        cluster.start(1, 2).awaitOneView();
        stuck = "n2";
        components.keep(Duration.ofMillis(1), component -> {
            try {
                component.group.send(new byte[5_000]);
            } catch (SendException e) {
                assertThat(e.reason()).isEqualTo(SendException.Reason.WINDOW_CLOSED);
            }
        });
        Problem problem = awaitProblem(2, Kind.LISTENER_STUCK);
        assertThat(problem.text()).contains("group g: onMessage does not return, for a message of n");
        assertThat(problem.advice()).contains("thread dump");
        assertThat(awaitProblem(1, Kind.SEND_STUCK).text()).contains("sends to group g wait", "n2");
        stuck = "";
        awaitOver(2, Kind.LISTENER_STUCK);
        awaitOver(1, Kind.SEND_STUCK);
        cluster.awaitRest();
    }

    @Test
    void slowListenerThatGoesOnIsNotStuck() {
        Components<Component> components = deploy();
        cluster.start(1, 2).awaitOneView();
        cluster.slow(2, Duration.ofMillis(300));
        components.keep(Duration.ofMillis(100), component -> component.group.send(new byte[100]));
        cluster.advance(Duration.ofSeconds(20));
        assertThat(events(2, Event.Kind.PROBLEM)).isEmpty();
    }

    @Test
    void listenerThatDoesNotReturnFromAViewIsNamed() {
        setUp = (node, group) -> group.onView(view -> {
            if (view.size() > 1) {
                hang(node);
            }
        });
        deploy();
        stuck = "n1";
        cluster.start(1).start(2);
        assertThat(awaitProblem(1, Kind.LISTENER_STUCK).text()).contains("onView does not return");
    }

    @Test
    void messagesInScopesAndOutOfBandAreNamedToo() {
        Components<Component> components = deploy();
        cluster.start(1, 2).awaitOneView();
        stuck = "n2";
        cluster.runOn(1, () -> components.on(1).group.send(new byte[10], Scope.of("a")));
        assertThat(awaitProblem(2, Kind.LISTENER_STUCK).text()).contains("onMessage does not return, for a message of n1", "in a scope");
        stuck = "";
        awaitOver(2, Kind.LISTENER_STUCK);
        stuck = "n2";
        cluster.runOn(1, () -> components.on(1).group.send(new byte[10], Scope.OUT_OF_BAND));
        assertThat(awaitProblem(2, Kind.LISTENER_STUCK).text()).contains("onMessage does not return, for a message of n1", "out of band");
    }

    @Test
    void stateThatMakesNoProgressIsToldAtBothEnds() {
        setUp = (node, group) -> group.set("state.of", "largest").set("state.timeout", "10 min").state(new GroupState() {
            @Override
            public Snapshot snapshot() {
                return new Snapshot() {
                    @Override
                    public void write(OutputStream out) {
                        hang(node);
                    }

                    @Override
                    public void close() {}
                };
            }

            @Override
            public void install(InputStream in) throws IOException {
                assertThat(in.readAllBytes()).isEmpty();
            }
        });
        deploy();
        cluster.start(1);
        stuck = "n1";
        cluster.begin(2);
        Problem awaited = awaitProblem(2, Kind.STATE_STUCK);
        assertThat(awaited.text()).contains("the state of group g makes no progress: it waits for n1");
        assertThat(awaitProblem(1, Kind.SNAPSHOT_STUCK).text()).contains("newcomers are given makes no progress");
        stuck = "";
        awaitOver(2, Kind.STATE_STUCK);
    }

    @Test
    void memberThatIsCutOffFromThePrimaryPartitionIsNotReady() {
        setUp = (node, group) -> group.primary("n1", "n2", "n3");
        cluster.configure(builder -> builder.set("records.directory", "memory"));
        deploy();
        cluster.start(1, 2, 3).awaitOneView();
        cluster.advance(Duration.ofSeconds(8));
        assertThat(problems(3)).isEmpty();
        cluster.partition(3);
        assertThat(awaitProblem(3, Kind.SUSPENDED).text()).contains("group g is suspended", "primary partition");
        awaitProblem(3, Kind.ALONE);
        cluster.heal();
        awaitOver(3, Kind.SUSPENDED);
        awaitOver(3, Kind.ALONE);
        assertThat(cluster.node(3).health().isReady()).isTrue();
    }
}
