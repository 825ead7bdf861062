package dev.tutti.campaign.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.driver.Endpoint;
import dev.tutti.sim.DatagramNetwork;
import dev.tutti.sim.DatagramNetwork.Fate;
import dev.tutti.sim.DatagramPath;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongPredicate;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One connection over datagrams, under all faults that these can have. */
class DatagramConnectionTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final Endpoint STRANGER = new Endpoint(0, 0xffff_0a00_ff01L, 999);

    private final DatagramPair pair = new DatagramPair(11, 1_400);

    private DatagramNetwork network() {
        return pair.simulation.datagrams();
    }

    private long count(Fate fate) {
        return network().count(fate);
    }

    /** Drops the datagrams with these places in the order of sending, counted from now. */
    private void lose(LongPredicate lost) {
        long[] place = {0};
        network().setFilter((from, to, datagram) -> !lost.test(place[0]++));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 25, 30, 35, 40})
    void anySingleDatagramMayBeLost(int lost) {
        lose(place -> place == lost);
        pair.start().connect().transfer(20, 3_000, Duration.ofSeconds(2));
        assertThat(count(Fate.FILTERED)).isOne();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5, 10})
    void everyNthDatagramMayBeLost(int nth) {
        pair.start().connect();
        lose(place -> place % nth == nth - 1);
        pair.transfer(200, 3_000, LIMIT);
    }

    @Test
    void longRunsOfDatagramsMayBeLost() {
        pair.start().connect();
        lose(place -> place % 300 > 100 && place % 300 < 150);
        pair.transfer(2_000, 1_000, LIMIT);
    }

    @Test
    void theLastDatagramsOfABurstAreRepeatedSoon() {
        pair.start().connect().transfer(50, 1_000, LIMIT);
        network().setFilter((from, to, datagram) -> false);
        pair.send(pair.first, 3, 1_000);
        pair.simulation.advance(Duration.ofMillis(1));
        network().setFilter(null);
        assertThat(pair.simulation.advanceUntil(
                        () -> DatagramPair.talker(pair.second).expected == 53, Duration.ofMillis(10)))
                .isTrue();
    }

    @Test
    void everythingMayComeTwice() {
        network().setPath(DatagramPath.LOCAL.withDuplication(1));
        pair.start().connect().transfer(500, 2_000, LIMIT);
        assertThat(DatagramPair.counters(pair.second).get("duplicates")).isGreaterThan(300);
    }

    @Test
    void datagramsMayOvertakeEachOther() {
        network().setPath(DatagramPath.LOCAL
                .withLatency(Duration.ofMillis(1), Duration.ofMillis(3))
                .withTail(0.02, Duration.ofMillis(30)));
        pair.start().connect().transfer(3_000, 1_300, LIMIT);
        // Late datagrams are not lost: hardly any is sent twice once the sender knows that.
        assertThat(DatagramPair.counters(pair.first).get("resent-bytes")).isLessThan(3_000 * 1_300 / 4);
    }

    @Test
    void changedAndShortenedDatagramsCountAsLost() {
        network().setPath(DatagramPath.LOCAL.withDamage(0.2, 0.2));
        pair.start().connect().transfer(500, 2_000, LIMIT);
        assertThat(DatagramPair.counters(pair.second).get("damaged")).isGreaterThan(100);
        assertThat(DatagramPair.counters(pair.second).get("malformed")).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {12, 13, 1_355, 1_356, 1_360, 1_364, 1_365, 1_366, 1_400, 2_729, 2_730, 4_096, 65_000, 65_408})
    void framesOfAnyLengthArrive(int length) {
        pair.start().connect().transfer(30, length, LIMIT);
    }

    @Test
    void manySmallFramesShareADatagram() {
        pair.start().connect();
        long before = count(Fate.SENT);
        pair.transfer(1_000, 20, LIMIT);
        assertThat(count(Fate.SENT) - before).isLessThan(60);
    }

    @Test
    void theSmallerOfBothLengthsIsUsed() {
        DatagramPair uneven = new DatagramPair(12, 9_000, 1_400);
        uneven.simulation.datagrams().setDatagramMax(1_400);
        uneven.start().connect().transfer(100, 5_000, LIMIT);
        assertThat(uneven.simulation.datagrams().count(Fate.DROPPED_AT_TAIL)).isZero();
    }

    @Test
    void smallReceiveBufferIsEnough() {
        network().setReceiveBuffer(8_000);
        pair.second.withTurn(2_000_000, 1_000);
        pair.start().connect().transfer(500, 2_000, LIMIT);
    }

    @Test
    void closeBringsWhatWasWrittenAndItsEnd() {
        network().setPath(DatagramPath.LOCAL.withLoss(0.3));
        pair.start().connect().send(pair.first, 200, 2_000);
        pair.first.execute(now -> DatagramPair.talker(pair.first).close());
        pair.simulation.advance(Duration.ofSeconds(3));
        assertThat(DatagramPair.talker(pair.second).expected).isEqualTo(200);
        assertThat(DatagramPair.talker(pair.second).events).contains("closed closed by peer");
        assertThat(DatagramPair.counters(pair.first).get("connections")).isZero();
        assertThat(DatagramPair.counters(pair.second).get("connections")).isZero();
        assertThat(pair.first.memory().outstandingBlocks()).isZero();
        assertThat(pair.second.memory().outstandingBlocks()).isZero();
    }

    /** Frames whose last datagram is full, nearly full, or a little over: the end mark must not make it too long. */
    @ParameterizedTest
    @ValueSource(ints = {1_350, 1_352, 1_354, 1_356, 1_358, 1_360, 1_362, 1_364, 1_366, 1_368})
    void theEndNeverMakesADatagramTooLong(int length) {
        network().setDatagramMax(1_400);
        pair.start().connect().send(pair.first, 1, length);
        pair.first.execute(now -> DatagramPair.talker(pair.first).close());
        pair.simulation.advance(Duration.ofMillis(100));
        assertThat(DatagramPair.talker(pair.second).events).contains("closed closed by peer");
        assertThat(count(Fate.DROPPED_AT_TAIL)).isZero();
    }

    @Test
    void bothMayCloseAtOnce() {
        network().setPath(DatagramPath.LOCAL.withLoss(0.2));
        pair.start().connect();
        pair.first.execute(now -> DatagramPair.talker(pair.first).close());
        pair.second.execute(now -> DatagramPair.talker(pair.second).close());
        pair.simulation.advance(Duration.ofSeconds(3));
        assertThat(DatagramPair.counters(pair.first).get("connections")).isZero();
        assertThat(DatagramPair.counters(pair.second).get("connections")).isZero();
    }

    @Test
    void restartedProcessIsNoticedAtOnce() {
        pair.start().connect().transfer(10, 1_000, LIMIT);
        pair.second.crash();
        pair.second.start();
        pair.send(pair.first, 1, 1_000);
        pair.simulation.advance(Duration.ofMillis(5));
        assertThat(DatagramPair.talker(pair.first).events)
                .contains("broken the other process does not know the connection");
    }

    @Test
    void killedProcessEndsTheConnectionAtOnceAndRefusesDialsSoon() {
        pair.start().connect().transfer(10, 1_000, LIMIT);
        pair.second.crash();
        pair.simulation.advance(Duration.ofMillis(5));
        List<String> events = DatagramPair.talker(pair.first).events;
        assertThat(events.getLast()).startsWith("broken connections by TCP with").endsWith("are refused");
        pair.first.execute(now -> DatagramPair.talker(pair.first).dial("b:7800"));
        pair.simulation.advance(Duration.ofMillis(100));
        assertThat(events.getLast()).isEqualTo("failed REFUSED");
    }

    @Test
    void silentProcessEndsTheConnectionAfterAWhile() {
        pair.simulation.datagrams().setWatchable(false);
        pair.start().connect().transfer(10, 1_000, LIMIT);
        pair.second.crash();
        pair.send(pair.first, 1, 1_000);
        pair.simulation.advance(Duration.ofSeconds(6));
        assertThat(DatagramPair.talker(pair.first).events).contains("broken no acknowledgement for 4000 ms");
    }

    @Test
    void nobodyAnswersAndANameHasNoAddress() {
        pair.first.start();
        pair.first.execute(now -> DatagramPair.talker(pair.first).dial("b:7800"));
        pair.first.execute(now -> DatagramPair.talker(pair.first).dial("nowhere:1"));
        pair.simulation.advance(Duration.ofMillis(2_100));
        assertThat(DatagramPair.talker(pair.first).events).containsExactly("failed UNRESOLVED", "failed UNREACHABLE");
        assertThat(DatagramPair.counters(pair.first).get("connections")).isZero();
    }

    @Test
    void moreThanMayWaitEndsTheConnection() {
        pair.start().connect();
        pair.second.pause();
        pair.send(pair.first, 3_000, 60_000);
        pair.simulation.advance(Duration.ofMillis(10));
        assertThat(DatagramPair.talker(pair.first).events).anyMatch(event -> event.contains("bytes wait to be sent"));
        assertThat(pair.first.memory().outstandingBlocks()).isZero();
    }

    // ------------------------------------------------------------------ hostile

    private static byte[] sealed(byte[] datagram) {
        CRC32C checksum = new CRC32C();
        checksum.update(datagram, 4, datagram.length - 4);
        ByteBuffer.wrap(datagram).putInt(0, (int) checksum.getValue());
        return datagram;
    }

    @Test
    void randomBytesChangeNothing() {
        pair.start().connect().transfer(10, 1_000, LIMIT);
        SplittableRandom random = new SplittableRandom(1);
        Endpoint from = network().endpoint(pair.first);
        long sent = network().bytes(Fate.SENT);
        long injected = 0;
        for (int index = 0; index < 20_000; index++) {
            byte[] datagram = new byte[5 + random.nextInt(200)];
            random.nextBytes(datagram);
            datagram[4] = (byte) random.nextInt(8);
            boolean isSealed = random.nextInt(3) > 0;
            network().inject(random.nextBoolean() ? from : STRANGER, pair.second, isSealed ? sealed(datagram) : datagram);
            injected += datagram.length;
            if (index % 50 == 0) {
                pair.simulation.advance(Duration.ofNanos(100_000));
            }
        }
        assertThat(network().bytes(Fate.SENT) - sent).isLessThan(injected);
        assertThat(DatagramPair.counters(pair.second).get("connections")).isOne();
        pair.transfer(10, 1_000, LIMIT);
    }

    @Test
    void everyBitOfASessionMayFlip() {
        List<byte[]> session = new ArrayList<>();
        network().setFilter((from, to, datagram) -> {
            if (to == pair.second && session.size() < 12) {
                session.add(datagram);
            }
            return true;
        });
        pair.start().connect().transfer(3, 100, LIMIT);
        network().setFilter(null);
        long damaged = DatagramPair.counters(pair.second).get("damaged");
        long flips = 0;
        for (byte[] datagram : session) {
            for (int bit = 0; bit < Math.min(datagram.length, 150) * 8; bit++) {
                byte[] flipped = datagram.clone();
                flipped[bit / 8] ^= (byte) (1 << bit % 8);
                network().inject(network().endpoint(pair.first), pair.second, flipped);
                flips++;
                if (flips % 100 == 0) {
                    pair.simulation.advance(Duration.ofMillis(1));
                }
            }
        }
        pair.simulation.advance(Duration.ofMillis(1));
        assertThat(DatagramPair.counters(pair.second).get("damaged") - damaged).isEqualTo(flips);
        pair.transfer(10, 1_000, LIMIT);
    }

    @Test
    void strangersCostNoStateAndGetLessThanTheySend() {
        pair.second.start();
        long injected = 0;
        for (int index = 0; index < 10_000; index++) {
            ByteBuffer open = ByteBuffer.allocate(29);
            open.putInt(0).put((byte) 1).putInt(0x74757501).putLong(index).putLong(index % 2 == 0 ? 0 : 12_345).putInt(1_400);
            network().inject(new Endpoint(0, 0xffff_0a01_0000L + index, 7_800), pair.second, sealed(open.array()));
            injected += 29;
            if (index % 100 == 0) {
                pair.simulation.advance(Duration.ofMillis(1));
            }
        }
        pair.simulation.advance(Duration.ofMillis(10));
        assertThat(DatagramPair.counters(pair.second).get("connections")).isZero();
        assertThat(DatagramPair.counters(pair.second).get("cookies-sent")).isEqualTo(10_000);
        assertThat(network().bytes(Fate.SENT)).isPositive().isLessThan(injected);
    }

    @Test
    void replayOfAnOldConnectionDeliversNothing() {
        List<byte[]> session = new ArrayList<>();
        network().setFilter((from, to, datagram) -> {
            if (to == pair.second) {
                session.add(datagram);
            }
            return true;
        });
        pair.start().connect().transfer(20, 1_000, LIMIT);
        pair.first.execute(now -> DatagramPair.talker(pair.first).close());
        pair.simulation.advance(Duration.ofSeconds(1));
        network().setFilter(null);
        for (byte[] datagram : session) {
            network().inject(network().endpoint(pair.first), pair.second, datagram);
        }
        pair.simulation.advance(Duration.ofSeconds(1));
        assertThat(DatagramPair.talker(pair.second).expected).isEqualTo(20);
    }

    @Test
    void forgedResetsAreNotBelieved() {
        List<Long> ids = new ArrayList<>();
        network().setFilter((from, to, datagram) -> {
            if (to == pair.second && datagram[4] == 4) {
                ids.add(ByteBuffer.wrap(datagram).getLong(5));
            }
            return true;
        });
        pair.start().connect().transfer(5, 100, LIMIT);
        for (int index = 0; index < 1_000; index++) {
            byte[] reset = sealed(ByteBuffer.allocate(13).putInt(0).put((byte) 5).putLong(index).array());
            network().inject(network().endpoint(pair.second), pair.first, reset);
        }
        byte[] right = sealed(ByteBuffer.allocate(13).putInt(0).put((byte) 5).putLong(ids.getFirst()).array());
        network().inject(STRANGER, pair.first, right);
        pair.transfer(5, 100, LIMIT);
        assertThat(DatagramPair.talker(pair.first).events).containsExactly("connected");
        network().inject(network().endpoint(pair.second), pair.first, right);
        pair.simulation.advance(Duration.ofMillis(1));
        assertThat(DatagramPair.talker(pair.first).events).hasSize(2);
    }

    @Test
    void resetsAreBounded() {
        pair.second.start();
        for (int index = 0; index < 5_000; index++) {
            byte[] data = sealed(ByteBuffer.allocate(21).putInt(0).put((byte) 4).putLong(index).putLong(1).array());
            network().inject(STRANGER, pair.second, data);
        }
        pair.simulation.advance(Duration.ofMillis(100));
        assertThat(DatagramPair.counters(pair.second).get("resets-sent")).isBetween(100L, 210L);
        assertThat(DatagramPair.counters(pair.second).get("resets-held-back")).isGreaterThan(4_000);
    }
}
