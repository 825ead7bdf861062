package dev.tutti.campaign.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.sim.DatagramNetwork;
import dev.tutti.sim.DatagramPath;
import dev.tutti.sim.SimulatedNode;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One connection over encrypted datagrams: its handshake, and all that an attacker can do to its datagrams. */
class SecureDatagramTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final int KIND_AT = 4;
    private static final int DATA = 4;
    private static final int RESET = 5;

    private final DatagramPair pair = DatagramPair.secure(11);
    private final List<byte[]> toSecond = new ArrayList<>();

    private DatagramNetwork network() {
        return pair.simulation.datagrams();
    }

    private static long count(SimulatedNode node, String counter) {
        return DatagramPair.counters(node).getOrDefault(counter, 0L);
    }

    /** Keeps a copy of all datagrams with data to the second node. */
    private void record() {
        network().setFilter((from, to, datagram) -> {
            if (to == pair.second && datagram[KIND_AT] == DATA) {
                toSecond.add(datagram);
            }
            return true;
        });
    }

    private void inject(byte[] datagram) {
        network().inject(network().endpoint(pair.first), pair.second, datagram);
    }

    private static List<String> events(SimulatedNode node) {
        return DatagramPair.talker(node).events;
    }

    @Test
    void bothSidesKnowEachOtherBeforeTheConnectionOpens() {
        pair.start().connect().transfer(100, 3_000, LIMIT);
        assertThat(events(pair.first)).containsExactly("is b", "connected");
        assertThat(events(pair.second)).containsExactly("accepted", "is a");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void anySingleDatagramOfTheHandshakeMayBeLost(int lost) {
        int[] place = {0};
        network().setFilter((from, to, datagram) -> place[0]++ != lost);
        pair.start().connect().transfer(20, 3_000, LIMIT);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void theHandshakeBearsLossDoublingAndDamage(long seed) {
        DatagramPair unlucky = DatagramPair.secure(seed);
        unlucky.simulation.datagrams().setPath(DatagramPath.LOCAL.withLoss(0.2).withDuplication(0.1).withDamage(0.05, 0.05));
        unlucky.start().connect().transfer(200, 2_000, LIMIT);
    }

    @Test
    void nothingOfTheStreamIsReadable() {
        record();
        pair.start().connect().transfer(50, 1_000, LIMIT);
        // The frames of the pair count upwards from byte to byte.
        byte[] run = new byte[16];
        for (byte[] datagram : toSecond) {
            for (int at = 0; at + run.length <= datagram.length; at++) {
                boolean isRun = true;
                for (int index = 1; index < run.length && isRun; index++) {
                    isRun = datagram[at + index] == (byte) (datagram[at + index - 1] + 1);
                }
                assertThat(isRun).isFalse();
            }
        }
        assertThat(toSecond).hasSizeGreaterThan(30);
    }

    @Test
    void replayedDatagramsAreDroppedAndCounted() {
        record();
        pair.start().connect().transfer(50, 1_000, LIMIT);
        long before = count(pair.second, "duplicates");
        List<byte[]> replayed = List.copyOf(toSecond);
        replayed.forEach(this::inject);
        pair.transfer(10, 1_000, LIMIT);
        assertThat(count(pair.second, "duplicates") - before).isEqualTo(replayed.size());
        assertThat(count(pair.second, "forged")).isZero();
    }

    @Test
    void changedAndShortenedDatagramsAreDroppedAndCounted() {
        record();
        pair.start().connect().transfer(10, 1_000, LIMIT);
        byte[] last = toSecond.getLast();
        byte[] next = last.clone();
        // A number that has not been there: its low byte.
        next[20] = (byte) (next[20] + 100);
        int forged = 0;
        for (int bit = 8 * (KIND_AT + 1 + 8 + 8); bit < 8 * next.length; bit += 7) {
            byte[] flipped = next.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            inject(flipped);
            forged++;
        }
        for (int length = 21; length < next.length; length += 11) {
            inject(Arrays.copyOf(next, length));
            forged++;
        }
        pair.transfer(300, 1_000, LIMIT);
        assertThat(count(pair.second, "forged")).isEqualTo(forged);
        assertThat(events(pair.second)).containsExactly("accepted", "is a");
    }

    @Test
    void aForgedResetEndsNoConnection() {
        record();
        pair.start().connect().transfer(10, 1_000, LIMIT);
        byte[] reset = forge(RESET, idOf(toSecond.getLast()));
        for (int times = 0; times < 20; times++) {
            // RESET carries the id that the other end uses for itself; it is seen by whoever sees the datagrams.
            network().inject(network().endpoint(pair.second), pair.first, reset);
            pair.simulation.advance(Duration.ofMillis(100));
        }
        pair.transfer(10, 1_000, LIMIT);
        assertThat(count(pair.first, "resets-received")).isEqualTo(20);
        assertThat(events(pair.first)).containsExactly("is b", "connected");
    }

    @Test
    void aRestartedProcessIsNoticedSoon() {
        pair.start().connect().transfer(10, 1_000, LIMIT);
        pair.second.crash();
        pair.second.start();
        pair.send(pair.first, 1, 100);
        assertThat(pair.simulation.advanceUntil(
                        () -> events(pair.first).contains("broken the other process does not know the connection"),
                        Duration.ofMillis(600)))
                .isTrue();
    }

    @Test
    void clearDatagramsHaveNoEffectWhereOthersAreExpected() {
        record();
        pair.start().connect().transfer(10, 1_000, LIMIT);
        inject(forge(DATA, idOf(toSecond.getLast())));
        pair.transfer(10, 1_000, LIMIT);
        assertThat(count(pair.second, "other-security")).isOne();
    }

    @Test
    void anotherAuthorityIsRefusedOnBothSides() {
        network().setAuthority(pair.second, "another");
        pair.start();
        pair.first.execute(now -> DatagramPair.talker(pair.first).dial("b:7800"));
        pair.simulation.advance(Duration.ofSeconds(3));
        assertThat(events(pair.first))
                .containsExactly("failed UNTRUSTED: its certificate is not signed by an authority that is trusted here");
        assertThat(events(pair.second)).containsExactly("rejected: it does not trust the certificate of this node");
        assertThat(count(pair.second, "connections")).isZero();
    }

    @Test
    void aConnectionEndsWhenItsOtherEndIsNotTrustedAnyMore() {
        pair.start().connect().transfer(10, 1_000, LIMIT);
        network().distrust(pair.second, "its certificate has expired");
        pair.send(pair.first, 1, 100);
        pair.simulation.advance(Duration.ofSeconds(1));
        assertThat(events(pair.second)).endsWith("broken its certificate has expired");
        assertThat(events(pair.first)).endsWith("broken the other process does not know the connection");
    }

    /** Returns a datagram of a kind with an id and a right checksum, as anybody can make it. */
    private static byte[] forge(int kind, long id) {
        ByteBuffer datagram = ByteBuffer.allocate(KIND_AT + 1 + Long.BYTES + 20);
        datagram.position(KIND_AT).put((byte) kind).putLong(id);
        CRC32C sum = new CRC32C();
        sum.update(datagram.array(), KIND_AT, datagram.capacity() - KIND_AT);
        return datagram.putInt(0, (int) sum.getValue()).array();
    }

    private static long idOf(byte[] datagram) {
        return ByteBuffer.wrap(datagram).getLong(KIND_AT + 1);
    }
}
