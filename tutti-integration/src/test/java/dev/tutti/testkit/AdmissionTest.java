package dev.tutti.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Event;
import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.Threads;
import dev.tutti.core.Member;
import dev.tutti.core.admission.AdmissionRule;
import dev.tutti.core.admission.Verdict;
import dev.tutti.core.driver.TransportSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules about which nodes may come in, in virtual time: n5 is the node that may not. */
@Order(1)
class AdmissionTest {

    private static final Duration JOIN = Duration.ofSeconds(30);
    private static final String STRANGER = "n5";
    private static final int[] OTHERS = {1, 2, 3, 4};

    /** Threads of the nodes by their names, for rules that take their time. */
    private final Map<String, Threads> threads = new HashMap<>();

    /** Names of the members of all views, by the node that had the view. */
    private final TreeMap<String, TreeSet<String>> seen = new TreeMap<>();

    @TempDir
    private Path directory;

    private Group join(Node node) {
        threads.put(node.name(), node.threads());
        return node.group("all")
                .onView(view -> view.members().forEach(member ->
                        seen.computeIfAbsent(node.name(), name -> new TreeSet<>()).add(member.name())))
                .join();
    }

    private static String name(NodeBuilder builder) {
        return builder.spec().node().get(TransportSettings.NAME);
    }

    /** Sets a rule of each node, by its name. */
    private static void configure(Cluster cluster, Function<String, AdmissionRule> rules) {
        cluster.configure(builder -> builder.admit(rules.apply(name(builder))));
    }

    private static AdmissionRule allBut(String refused) {
        return newcomer -> newcomer.name().equals(refused) ? Verdict.refused("it is " + refused) : Verdict.admitted();
    }

    /** Waits in virtual time. */
    private void pause(String node, long millis) throws InterruptedException, ExecutionException {
        try {
            threads.get(node).get(new CompletableFuture<>(), millis, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            // That is what was wanted.
        }
    }

    private AdmissionRule slow(String node, AdmissionRule rule, long millisMax, long seed) {
        long[] state = {seed};
        return newcomer -> {
            state[0] = state[0] * 6_364_136_223_846_793_005L + 1_442_695_040_888_963_407L;
            pause(node, (state[0] >>> 33) % millisMax);
            return rule.check(newcomer);
        };
    }

    private void assertThatTheStrangerWasInNoView() {
        for (int number : OTHERS) {
            assertThat(seen.get("n" + number)).isNotEmpty().doesNotContain(STRANGER);
        }
        assertThat(seen.get(STRANGER)).isSubsetOf(STRANGER);
    }

    private static long counter(Cluster cluster, int number, String name) {
        return cluster.node(number).inspection().samples().stream()
                .filter(sample -> sample.metric().id().equals("admission." + name))
                .mapToLong(sample -> sample.value())
                .sum();
    }

    @ClusterTest(nodes = 5, seeds = 30)
    @Tag("seeds")
    void nodesWhoseRulesTakeTheirTimeFormOneView(Cluster cluster) {
        configure(cluster, name -> slow(name, newcomer -> Verdict.admitted(), 400, cluster.seed()));
        cluster.startAll(this::join);
        cluster.awaitOneView(JOIN);
        cluster.crash(2);
        cluster.breakConnections(1, 3);
        cluster.advance(Duration.ofSeconds(10));
        cluster.restart(2);
        cluster.awaitOneView(JOIN);
        assertThat(counter(cluster, 1, "refused")).isZero();
    }

    @ClusterTest(nodes = 5, seeds = 60)
    @Tag("seeds")
    void aRefusedNodeIsInNoViewWhateverHappens(Cluster cluster) {
        configure(cluster, name -> slow(name, allBut(STRANGER), 300, cluster.seed()));
        cluster.deploy(this::join);
        cluster.start(1, 2, 3, 4, 5);
        cluster.awaitOneViewOf(JOIN, OTHERS);
        cluster.randomFaults(Duration.ofSeconds(30), Fault.CRASH, Fault.BREAK, Fault.PARTITION, Fault.CUT, Fault.PAUSE);
        if (!cluster.isUp(5)) {
            cluster.restart(5);
        }
        cluster.awaitOneViewOf(JOIN, OTHERS);
        cluster.advance(Duration.ofSeconds(30));
        assertThatTheStrangerWasInNoView();
        assertThat(IntStream.of(OTHERS).mapToLong(number -> counter(cluster, number, "refused")).sum()).isPositive();
    }

    @ClusterTest(nodes = 5, seeds = 30)
    @Tag("seeds")
    void aNodeThatRefusesTheOthersIsInNoView(Cluster cluster) {
        configure(cluster, name -> name.equals(STRANGER) ? newcomer -> Verdict.refused("nobody is good enough") : allBut(""));
        cluster.deploy(this::join);
        cluster.start(1, 2, 3, 4, 5);
        cluster.awaitOneViewOf(JOIN, OTHERS);
        cluster.advance(Duration.ofSeconds(30));
        assertThatTheStrangerWasInNoView();
    }

    @ClusterTest(nodes = 5, seeds = 20)
    @Tag("seeds")
    void theRefusedNodeLearnsTheClassOfTheReasonAlone(Cluster cluster) {
        cluster.configure(builder -> name(builder).equals(STRANGER) ? builder : builder.admit("not name = " + STRANGER));
        cluster.deploy(this::join);
        cluster.start(1, 2, 3, 4, 5);
        cluster.awaitOneViewOf(JOIN, OTHERS);
        cluster.advance(Duration.ofSeconds(30));
        assertThatTheStrangerWasInNoView();
        assertThat(refusals(cluster, 5)).isNotEmpty().allMatch(text -> text.equals("the other node refuses: it gives no details (admission)"));
        assertThat(IntStream.of(OTHERS).boxed().flatMap(number -> refusals(cluster, number).stream()))
                .anyMatch(text -> text.matches("n5 \\(.*\\) may not come in: the rule says: not name = n5"));
    }

    private static List<String> refusals(Cluster cluster, int number) {
        return cluster.node(number).events(0).list().stream()
                .filter(event -> event.kind() == Event.Kind.REFUSED)
                .map(Event::cause)
                .toList();
    }

    @ClusterTest(nodes = 5, seeds = 20)
    @Tag("seeds")
    void aRuleThatFailsRefusesAndDisturbsNobodyElse(Cluster cluster) {
        List<AdmissionRule> failing = List.of(
                newcomer -> {
                    throw new NoClassDefFoundError("com/example/Directory");
                },
                newcomer -> {
                    throw new IOException("the directory is away");
                },
                newcomer -> null,
                newcomer -> {
                    throw new IllegalStateException("forged\nline");
                });
        configure(cluster, name -> newcomer -> newcomer.name().equals(STRANGER)
                ? failing.get((int) (cluster.seed() % failing.size())).check(newcomer)
                : Verdict.admitted());
        cluster.deploy(this::join);
        cluster.start(1, 2, 3, 4, 5);
        cluster.awaitOneViewOf(JOIN, OTHERS);
        cluster.advance(Duration.ofSeconds(30));
        assertThatTheStrangerWasInNoView();
        assertThat(IntStream.of(OTHERS).mapToLong(number -> counter(cluster, number, "failures")).sum()).isPositive();
        assertThat(IntStream.of(OTHERS).boxed().flatMap(number -> refusals(cluster, number).stream()))
                .isNotEmpty().noneMatch(text -> text.contains("\n"));
    }

    @ClusterTest(nodes = 5, seeds = 20)
    @Tag("seeds")
    void aRuleThatNeverReturnsRefusesAtItsDeadlineAndKeepsAFewThreads(Cluster cluster) {
        configure(cluster, name -> newcomer -> {
            if (newcomer.name().equals(STRANGER)) {
                threads.get(name).join(new CompletableFuture<>());
            }
            return Verdict.admitted();
        });
        cluster.deploy(this::join);
        cluster.start(OTHERS);
        cluster.awaitOneViewOf(JOIN, OTHERS);
        cluster.start(5);
        cluster.advance(Duration.ofMinutes(3));
        cluster.awaitOneViewOf(JOIN, OTHERS);
        assertThatTheStrangerWasInNoView();
        for (int number : OTHERS) {
            assertThat(counter(cluster, number, "threads")).isBetween(1L, 8L);
            assertThat(counter(cluster, number, "pending")).isLessThanOrEqualTo(8);
        }
        assertThat(IntStream.of(OTHERS).mapToLong(number -> counter(cluster, number, "late")).sum()).isPositive();
    }

    @ClusterTest(nodes = 5, seeds = 20)
    @Tag("seeds")
    void nodesBeyondTheBoundOfDecisionsComeInLater(Cluster cluster) {
        cluster.configure(builder -> builder.set("admission.pending-max", "1")
                .admit(slow(name(builder), newcomer -> Verdict.admitted(), 300, cluster.seed())));
        cluster.startAll(this::join);
        cluster.awaitOneView(JOIN);
        assertThat(IntStream.rangeClosed(1, 5).mapToLong(number -> counter(cluster, number, "overflows")).sum()).isPositive();
    }

    @ClusterTest(nodes = 5, seeds = 10)
    @Tag("seeds")
    void rulesThatAreAwayKeepNodesApartUntilTheyAreBack(Cluster cluster) {
        boolean[] isAway = {true};
        configure(cluster, name -> newcomer -> {
            if (isAway[0]) {
                throw new IOException("the directory is away");
            }
            return Verdict.admitted();
        });
        cluster.startAll(this::join);
        cluster.advance(Duration.ofMinutes(2));
        assertThat(cluster.node(1).groups().getFirst().view().members()).hasSize(1);
        isAway[0] = false;
        cluster.awaitOneView(JOIN);
    }

    // ------------------------------------------------------------------ files

    private Path list(String... lines) throws IOException {
        Path file = directory.resolve("allowed");
        Files.write(file, List.of(lines));
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().plusSeconds(lines.length)));
        return file;
    }

    /** Once for each seed: the name of the file, which differs, is in the node's events. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void aNodeThatIsTakenOffTheListIsOutWithinTenSecondsAndComesBackWithItsLine(long seed) throws IOException {
        try (Cluster cluster = Cluster.of(5, seed)) {
            takeOffTheListAndPutBack(cluster);
        }
    }

    private void takeOffTheListAndPutBack(Cluster cluster) throws IOException {
        Path file = list("n1", "n2", "n3", "n4", "n5");
        cluster.configure(builder -> builder.admit("name in " + file));
        cluster.startAll(this::join);
        cluster.awaitOneView(JOIN);
        list("n1", "n2", "n3", "n4");
        cluster.advance(Duration.ofSeconds(10));
        for (int number : OTHERS) {
            assertThat(cluster.node(number).groups().getFirst().view().members()).extracting(Member::name)
                    .containsExactlyInAnyOrder("n1", "n2", "n3", "n4");
        }
        assertThat(IntStream.of(OTHERS).mapToLong(number -> counter(cluster, number, "expelled")).sum()).isPositive();
        cluster.advance(Duration.ofMinutes(1));
        assertThat(cluster.node(1).groups().getFirst().view().members()).hasSize(4);
        list("n1", "n2", "n3", "n4", "n5", "# again");
        cluster.awaitOneView(JOIN);
    }
}
