package dev.tutti.campaign.cluster;

import static dev.tutti.campaign.cluster.SimulatedCluster.clusterOnDatagrams;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.driver.Endpoint;
import dev.tutti.sim.DatagramPath;
import dev.tutti.sim.SimulatedNode;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Encrypted multicasts: each node's key, its change when a node leaves, and what an attacker can do. */
class SecureMulticastTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int KIND_AT = 4;
    private static final int MULTICAST = 6;
    private static final Endpoint STRANGER = new Endpoint(0, 0xffff_0a00_ff01L, 999);

    private final List<byte[]> multicasts = new ArrayList<>();

    private SimulatedCluster secure(int size, long seed) {
        SimulatedCluster cluster = clusterOnDatagrams(size, seed).withMulticast().withSecurity();
        cluster.start().assertOneView(Duration.ofSeconds(10)).advance(Duration.ofMillis(600));
        return cluster;
    }

    /** Keeps a copy of all multicasts to a node. */
    private void record(SimulatedCluster cluster, SimulatedNode receiver) {
        cluster.datagrams().setFilter((from, to, datagram) -> {
            if (to == receiver && datagram[KIND_AT] == MULTICAST) {
                multicasts.add(datagram);
            }
            return true;
        });
    }

    private static long count(SimulatedCluster cluster, String counter) {
        return cluster.counters().getOrDefault("multicast." + counter, 0L);
    }

    @Test
    void membersReachEachOtherByMulticast() {
        SimulatedCluster cluster = secure(4, 1);
        record(cluster, cluster.node(2));
        cluster.send(1, 1_000, 1_000).assertComesToRest(SECOND);
        assertThat(multicasts).hasSizeGreaterThan(500);
        assertThat(count(cluster, "forged") + count(cluster, "replayed")).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void lossDoublingAndDamageAreRepaired(long seed) {
        SimulatedCluster cluster = clusterOnDatagrams(4, seed).withMulticast().withSecurity();
        cluster.datagrams().setPath(DatagramPath.LOCAL
                .withLatency(Duration.ofNanos(50_000), Duration.ofNanos(200_000))
                .withLoss(0.1)
                .withMulticastLoss(0.2)
                .withDuplication(0.1)
                .withDamage(0.02, 0.02));
        cluster.start().assertOneView(Duration.ofSeconds(10));
        for (int number = 1; number <= 4; number++) {
            cluster.send(number, 300, 900);
        }
        cluster.assertComesToRest(Duration.ofSeconds(20));
    }

    @Test
    void replayedAndChangedMulticastsAreDroppedAndCounted() {
        SimulatedCluster cluster = secure(3, 2);
        SimulatedNode receiver = cluster.node(2);
        record(cluster, receiver);
        cluster.send(1, 200, 1_000).assertComesToRest(SECOND);
        List<byte[]> seen = List.copyOf(multicasts);
        long replayed = count(cluster, "replayed");
        seen.forEach(datagram -> cluster.datagrams().inject(STRANGER, receiver, datagram));
        cluster.advance(SECOND);
        assertThat(count(cluster, "replayed") - replayed).isEqualTo(seen.size());
        byte[] last = seen.getLast().clone();
        last[24] += 100;
        int forged = 0;
        for (int at = 25; at < last.length; at += 13) {
            byte[] flipped = last.clone();
            flipped[at] ^= 1;
            cluster.datagrams().inject(STRANGER, receiver, flipped);
            cluster.datagrams().inject(STRANGER, receiver, Arrays.copyOf(last, at));
            forged += 2;
        }
        cluster.advance(SECOND);
        assertThat(count(cluster, "forged")).isEqualTo(forged);
        cluster.send(1, 100, 1_000).assertComesToRest(SECOND);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theKeyChangesWhenAMemberIsGone(boolean isCrash) {
        SimulatedCluster cluster = secure(4, 3);
        SimulatedNode receiver = cluster.node(2);
        record(cluster, receiver);
        cluster.send(1, 10, 100).advance(SECOND);
        int before = key(multicasts.getLast());
        if (isCrash) {
            cluster.crash(4);
        } else {
            cluster.stop(4);
        }
        cluster.advance(Duration.ofSeconds(20)).send(1, 10, 100).assertComesToRest(SECOND);
        assertThat(key(multicasts.getLast())).isEqualTo(before + 1);
        assertThat(count(cluster, "key-changes")).isPositive();
        assertThat(count(cluster, "unknown-key")).isZero();
    }

    @Test
    void nothingIsLostWhileKeysChange() {
        SimulatedCluster cluster = secure(5, 4);
        for (int number = 1; number <= 3; number++) {
            cluster.send(number, 500, 900);
        }
        cluster.crash(5).advance(Duration.ofMillis(300));
        for (int number = 1; number <= 3; number++) {
            cluster.send(number, 500, 900);
        }
        cluster.stop(4).advance(Duration.ofSeconds(20));
        for (int number = 1; number <= 3; number++) {
            cluster.send(number, 500, 900);
        }
        cluster.assertComesToRest(Duration.ofSeconds(20));
    }

    private static int key(byte[] multicast) {
        return ByteBuffer.wrap(multicast).getInt(KIND_AT + 1 + 8);
    }
}
