package dev.tutti.blocks.map.distributed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.blocks.map.MapException;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import dev.tutti.testkit.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Guarantees of a map with some copies while members come, go and crash at random: reads and changes are linearizable, and nothing that has
 * returned is lost. Each key has one writer, which writes 1, 2, 3 and so on; then a history is linearizable exactly if each read has a number
 * that was being written or had returned, none less than what had returned before it began, and none less than an earlier read.
 */
class DistributedMapUnderFaultsTest {

    private static final int KEYS = 20;
    private static final long OPEN = Long.MAX_VALUE;

    /** A read, or a write; one that has not returned has no end. */
    private record Operation(String key, boolean isWrite, int number, long begun, long ended) {}

    private final List<Operation> history = new ArrayList<>();
    private final Map<String, Integer> written = new TreeMap<>();

    /** Members that write a key at present; a process may do several things at a time after a restart. */
    private final Map<String, MapHolder> writing = new TreeMap<>();

    private void work(Cluster cluster, MapHolder holder, int process) {
        int index = cluster.random().nextInt(KEYS);
        String key = "k" + index;
        long begun = cluster.elapsed().toNanos();
        boolean isWriter = index % cluster.size() == process - 1 && writing.get(key) != holder;
        try {
            if (isWriter && cluster.random().nextBoolean()) {
                int number = written.merge(key, 1, Integer::sum);
                int at = history.size();
                history.add(new Operation(key, true, number, begun, OPEN));
                writing.put(key, holder);
                try {
                    holder.map.put(key, Integer.toString(number));
                } finally {
                    writing.remove(key, holder);
                }
                history.set(at, new Operation(key, true, number, begun, cluster.elapsed().toNanos()));
            } else {
                String value = holder.map.get(key);
                history.add(new Operation(key, false, value == null ? 0 : Integer.parseInt(value), begun, cluster.elapsed().toNanos()));
            }
        } catch (MapException e) {
            // It is in the history without an end, if it is a write.
            assertThat(e.reason()).isIn(
                    MapException.Reason.UNKNOWN, MapException.Reason.CLOSED, MapException.Reason.TIMED_OUT, MapException.Reason.REPLACED);
        }
    }

    private void assertLinearizable() {
        for (int index = 0; index < KEYS; index++) {
            String key = "k" + index;
            List<Operation> ofKey = history.stream().filter(each -> each.key.equals(key)).toList();
            List<Operation> writes = ofKey.stream().filter(Operation::isWrite).toList();
            List<Operation> reads =
                    ofKey.stream().filter(each -> !each.isWrite).sorted(Comparator.comparingLong(Operation::begun)).toList();
            for (Operation read : reads) {
                assertThat(writes.stream().filter(write -> write.ended < read.begun).mapToInt(Operation::number).max().orElse(0))
                        .as("had been written before %s", read)
                        .isLessThanOrEqualTo(read.number);
                assertThat(reads.stream().filter(other -> other.ended < read.begun).mapToInt(Operation::number).max().orElse(0))
                        .as("had been read before %s", read)
                        .isLessThanOrEqualTo(read.number);
                assertThat(read.number == 0
                                || writes.stream().anyMatch(write -> write.number == read.number && write.begun < read.ended))
                        .as("was being written at %s", read)
                        .isTrue();
            }
        }
    }

    private Components<MapHolder> start(Cluster cluster, int copies) {
        Components<MapHolder> holders = cluster.startAll(node -> new MapHolder(node, map -> map.copies(copies)));
        MapHolder.awaitSettled(cluster, holders, copies);
        holders.keep(Duration.ofMillis(3), holder -> work(cluster, holder, numberOf(holder)));
        return holders;
    }

    private static int numberOf(MapHolder holder) {
        return Integer.parseInt(holder.map.self().name().substring(1));
    }

    private void readAll(Cluster cluster, Components<MapHolder> holders) {
        cluster.awaitRest();
        int reader = IntStream.rangeClosed(1, cluster.size()).filter(cluster::isRunning).findFirst().orElseThrow();
        for (int index = 0; index < KEYS; index++) {
            String key = "k" + index;
            long begun = cluster.elapsed().toNanos();
            String value = MapHolder.get(holders, reader, key);
            history.add(new Operation(key, false, value == null ? 0 : Integer.parseInt(value), begun, cluster.elapsed().toNanos()));
        }
    }

    private static int[] choose(Cluster cluster, int count) {
        TreeSet<Integer> chosen = new TreeSet<>();
        while (chosen.size() < count) {
            chosen.add(1 + cluster.random().nextInt(cluster.size()));
        }
        return chosen.stream().mapToInt(Integer::intValue).toArray();
    }

    /** Crashes fewer members than there are copies, stops and starts some, each time until the copies are complete again. */
    private void run(Cluster cluster, int copies, int rounds) {
        Components<MapHolder> holders = start(cluster, copies);
        for (int round = 0; round < rounds; round++) {
            int[] crashed = choose(cluster, copies - 1);
            switch (cluster.random().nextInt(4)) {
                case 0 -> cluster.stop(crashed);
                case 1 -> cluster.powerOff(crashed);
                default -> cluster.crash(crashed);
            }
            cluster.advance(Duration.ofMillis(cluster.random().nextInt(1_500)));
            if (cluster.random().nextBoolean()) {
                int other = 1 + cluster.random().nextInt(cluster.size());
                cluster.breakConnections(crashed[0], other == crashed[0] ? 1 + other % cluster.size() : other);
            }
            cluster.start(crashed);
            MapHolder.awaitSettled(cluster, holders, copies);
        }
        readAll(cluster, holders);
        assertLinearizable();
        assertThat(history.size()).isGreaterThan(40);
        assertThat(holders.running()).allSatisfy(holder -> assertThat(holder.lost).isEmpty());
    }

    @ClusterTest(nodes = 4, seeds = 3)
    void linearizableWithTwoCopiesAndACrashAtATime(Cluster cluster) {
        run(cluster, 2, 3);
    }

    @ClusterTest(nodes = 5, seeds = 2)
    void linearizableWithThreeCopiesAndTwoCrashesAtATime(Cluster cluster) {
        run(cluster, 3, 3);
    }

    @ClusterTest(nodes = 4, seeds = 2)
    void isOneMapAfterAnyFaults(Cluster cluster) {
        Components<MapHolder> holders = start(cluster, 2);
        cluster.randomFaults(Duration.ofSeconds(8), Fault.CRASH, Fault.PARTITION, Fault.CUT, Fault.PAUSE, Fault.STOP, Fault.SLOWNESS, Fault.BREAK);
        cluster.quiet().advance(Duration.ofSeconds(11)).awaitOneView();
        MapHolder.awaitSettled(cluster, holders, 2);
        cluster.awaitRest();
        List<String> keys = IntStream.range(0, KEYS).mapToObj(index -> "k" + index).toList();
        Map<String, String> first = MapHolder.getAll(holders, 1, keys);
        for (int number = 2; number <= 4; number++) {
            assertThat(MapHolder.getAll(holders, number, keys)).isEqualTo(first);
            assertThat(MapHolder.size(holders, number)).isEqualTo(first.size());
        }
    }
}
