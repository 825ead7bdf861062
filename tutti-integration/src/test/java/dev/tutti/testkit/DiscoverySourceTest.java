package dev.tutti.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Event;
import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.Threads;
import dev.tutti.core.discovery.DiscoverySource;
import dev.tutti.core.discovery.NodeEntry;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;

/** Nodes without seeds, that find each other by a source, in virtual time. */
@Tag("slow")
class DiscoverySourceTest {

    private static final Duration JOIN = Duration.ofSeconds(5);
    private static final Duration CLEAN = Duration.ofSeconds(60);

    /** Entries of nodes, and an outage that a test causes. */
    private static final class Board {
        final TreeSet<String> entries = new TreeSet<>();
        @Nullable Supplier<? extends Throwable> outage;
        boolean isWritable = true;
        long looks;

        /** Time for which a call waits before it fails. */
        Duration silence = Duration.ZERO;

        /** Where calls wait while it is set; null to return at once. */
        @Nullable CompletableFuture<Void> gate;

        /** Waits in virtual time. */
        @Nullable Threads threads;

        int waiting;

        DiscoverySource source() {
            return new Source(this);
        }

        void check() throws IOException {
            CompletableFuture<Void> closed = gate;
            if (closed != null) {
                waiting++;
                Objects.requireNonNull(threads).join(closed);
                waiting--;
            }
            Supplier<? extends Throwable> present = outage;
            if (present != null) {
                beSilent();
                switch (present.get()) {
                    case IOException thrown -> throw thrown;
                    case Error thrown -> throw thrown;
                    case Throwable thrown -> throw new IllegalStateException(thrown);
                }
            }
        }

        private void beSilent() {
            if (silence.isPositive()) {
                try {
                    Objects.requireNonNull(threads).get(new CompletableFuture<>(), silence.toNanos(), TimeUnit.NANOSECONDS);
                } catch (TimeoutException e) {
                    // The silence is over.
                } catch (InterruptedException | ExecutionException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }

    private static final class Source implements DiscoverySource {
        private final Board board;
        private String address = "";

        Source(Board board) {
            this.board = board;
        }

        @Override
        public void start(NodeEntry self) throws IOException {
            board.check();
            address = self.address();
        }

        @Override
        public boolean isWritable() {
            return board.isWritable;
        }

        @Override
        public void announce() throws IOException {
            board.check();
            if (board.isWritable) {
                board.entries.add(address);
            }
        }

        @Override
        public List<String> addresses() throws IOException {
            board.check();
            board.looks++;
            return List.copyOf(board.entries);
        }

        @Override
        public void remove(String dead) throws IOException {
            board.check();
            board.entries.remove(dead);
        }

        @Override
        public void close() throws IOException {
            board.check();
            if (board.isWritable) {
                board.entries.remove(address);
            }
        }
    }

    private static Group join(Node node) {
        return node.group("all").join();
    }

    private static Board boardOf(Cluster cluster) {
        Board board = new Board();
        cluster.configure(builder -> builder.seeds().discover("board", board.source()));
        return board;
    }

    @ClusterTest(nodes = 5, seeds = 50)
    @Tag("seeds")
    void nodesFindEachOtherByASourceAlone(Cluster cluster) {
        Board board = boardOf(cluster);
        cluster.startAll(DiscoverySourceTest::join);
        cluster.awaitOneView(JOIN);
        assertThat(board.entries).hasSize(5);
        cluster.stop(1, 2);
        assertThat(board.entries).hasSize(3);
    }

    @ClusterTest(nodes = 5, seeds = 50)
    @Tag("seeds")
    void nodesFindEachOtherWhenTheSourceComesBack(Cluster cluster) {
        Board board = boardOf(cluster);
        board.outage = () -> new IOException("the board is away");
        cluster.startAll(DiscoverySourceTest::join);
        cluster.advance(Duration.ofMinutes(10));
        assertThat(cluster.node(1).groups().getFirst().view().members()).hasSize(1);
        assertThat(cluster.node(1).events(0).list())
                .filteredOn(event -> event.kind() == Event.Kind.DISCOVERY)
                .as("said once, not for each look")
                .singleElement()
                .extracting(Event::text)
                .isEqualTo("discovery source board can't be used, and is tried again with pauses: the board is away");
        board.outage = null;
        cluster.awaitOneView(JOIN);
    }

    /** With {@code -Dtutti.test.seeds=100} a hundred rounds. */
    @ClusterTest(nodes = 32, seeds = 4)
    @Tag("seeds")
    void nodesThatStartAtOnceAreOneViewWithinThreeSeconds(Cluster cluster) {
        boardOf(cluster);
        cluster.startAll(DiscoverySourceTest::join);
        cluster.awaitOneView(Duration.ofSeconds(3));
    }

    /** As a name service or Kubernetes does: it lists all nodes before they start. */
    @ClusterTest(nodes = 32, seeds = 4)
    @Tag("seeds")
    void nodesThatOthersListAreOneViewWithinThreeSeconds(Cluster cluster) {
        Board board = boardOf(cluster);
        board.isWritable = false;
        for (int number = 1; number <= 32; number++) {
            board.entries.add("n" + number + ":7800");
        }
        cluster.startAll(DiscoverySourceTest::join);
        cluster.awaitOneView(Duration.ofSeconds(3));
    }

    @ClusterTest(nodes = 5, seeds = 30)
    @Tag("seeds")
    void aGroupThatStandsNeedsNoSourceAndNewcomersComeWhenItIsBack(Cluster cluster) {
        newcomersComeWhenTheSourceIsBack(cluster, Duration.ZERO);
    }

    /** As a name server that is away, or a host behind a firewall: each call waits until its time-out. */
    @ClusterTest(nodes = 5, seeds = 30)
    @Tag("seeds")
    void newcomersComeAsSoonWhenTheSourceWasSilent(Cluster cluster) {
        newcomersComeWhenTheSourceIsBack(cluster, Duration.ofSeconds(3));
    }

    private static void newcomersComeWhenTheSourceIsBack(Cluster cluster, Duration silence) {
        Board board = boardOf(cluster);
        cluster.deploy(DiscoverySourceTest::join);
        cluster.start(1, 2, 3, 4);
        cluster.awaitOneViewOf(JOIN, 1, 2, 3, 4);
        board.outage = () -> new IOException("the board is away");
        board.threads = cluster.node(1).threads();
        board.silence = silence;
        cluster.crash(4);
        cluster.start(5);
        cluster.advance(Duration.ofMinutes(10));
        assertThat(cluster.node(1).groups().getFirst().view().members()).hasSize(3);
        board.outage = null;
        cluster.awaitOneViewOf(JOIN, 1, 2, 3, 5);
        cluster.advance(CLEAN);
        assertThat(board.entries).as("no entry of the node that died meanwhile").hasSize(4).doesNotContain("n4:7800");
    }

    @ClusterTest(nodes = 5, seeds = 30)
    @Tag("seeds")
    void entriesOfDeadNodesAreRemovedAndComeBackWithThem(Cluster cluster) {
        Board board = boardOf(cluster);
        cluster.startAll(DiscoverySourceTest::join);
        cluster.awaitOneView(JOIN);
        cluster.crash(4);
        cluster.powerOff(5);
        cluster.advance(CLEAN);
        assertThat(board.entries).hasSize(3);
        cluster.restart(4, 5);
        cluster.awaitOneView(JOIN);
        assertThat(board.entries).hasSize(5);
    }

    @ClusterTest(nodes = 4, seeds = 30)
    @Tag("seeds")
    void anEntryThatIsLostIsMadeAgain(Cluster cluster) {
        Board board = boardOf(cluster);
        cluster.startAll(DiscoverySourceTest::join);
        cluster.awaitOneView(JOIN);
        board.entries.clear();
        cluster.advance(CLEAN);
        assertThat(board.entries).hasSize(4);
    }

    @ClusterTest(nodes = 4, seeds = 30)
    @Tag("seeds")
    void partsOfAPartitionMeetAgainAndHaveTheirEntries(Cluster cluster) {
        Board board = boardOf(cluster);
        cluster.startAll(DiscoverySourceTest::join);
        cluster.awaitOneView(JOIN);
        cluster.partition(1, 2);
        cluster.advance(Duration.ofMinutes(5));
        cluster.heal();
        cluster.awaitOneView(Duration.ofSeconds(20));
        cluster.advance(CLEAN);
        assertThat(board.entries).hasSize(4);
    }

    @ClusterTest(nodes = 3, seeds = 20)
    @Tag("seeds")
    void aSourceThatThrowsAnErrorIsAnOutage(Cluster cluster) {
        Board board = boardOf(cluster);
        board.outage = () -> new NoClassDefFoundError("com/example/Driver");
        cluster.startAll(DiscoverySourceTest::join);
        cluster.advance(Duration.ofSeconds(20));
        assertThat(cluster.node(2).events(0).list()).anyMatch(event -> event.text().contains("com/example/Driver"));
        board.outage = () -> new Exception("and one that is no IOException");
        cluster.advance(Duration.ofSeconds(20));
        board.outage = null;
        cluster.awaitOneView(JOIN);
    }

    @ClusterTest(nodes = 3, seeds = 20)
    @Tag("seeds")
    void aSourceThatHangsIsGivenUpAndTakenAgainWhenItReturns(Cluster cluster) {
        Board board = boardOf(cluster);
        cluster.startAll(DiscoverySourceTest::join);
        cluster.awaitOneView(JOIN);
        board.threads = cluster.node(1).threads();
        board.gate = new CompletableFuture<>();
        cluster.advance(Duration.ofMinutes(10));
        assertThat(board.waiting).as("calls of three nodes").isEqualTo(9);
        assertThat(cluster.node(1).events(0).list())
                .filteredOn(event -> event.kind() == Event.Kind.DISCOVERY)
                .singleElement()
                .extracting(Event::text)
                .asString()
                .contains("() has not returned within 10 s");
        assertThat(cluster.node(1).inspection().part("sources").values()).containsEntry("hanging-calls", 3L);
        cluster.crash(3);
        Objects.requireNonNull(board.gate).complete(null);
        board.gate = null;
        cluster.advance(CLEAN);
        assertThat(board.entries).hasSize(2);
        assertThat(cluster.node(1).inspection().part("sources").values()).containsEntry("hanging-calls", 0L);
    }

    @ClusterTest(nodes = 12, seeds = 5)
    @Tag("seeds")
    void aClusterThatStandsLooksAboutOnceInASecondInAll(Cluster cluster) {
        Board board = boardOf(cluster);
        cluster.startAll(DiscoverySourceTest::join);
        cluster.awaitOneView(JOIN);
        cluster.advance(CLEAN);
        long before = board.looks;
        cluster.advance(Duration.ofSeconds(100));
        assertThat(board.looks - before).isBetween(60L, 200L);
    }
}
