package dev.tutti.testkit.transport;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tutti.core.Packet;
import dev.tutti.core.driver.DriverProvider;
import dev.tutti.core.driver.StreamDriver;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.settings.Size;
import dev.tutti.testkit.transport.RecordingMachine.Input;
import dev.tutti.testkit.transport.RecordingMachine.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Contract of a transport with connections: the order of frames, their ends, turns, time and failures. A transport's own
 * test extends this class and gives the provider.
 *
 * <pre>{@code
 * class PigeonTransportTest extends StreamDriverContract {
 *     @Override
 *     protected DriverProvider provider() {
 *         return new PigeonTransport();
 *     }
 *
 *     @Override
 *     protected String addressOfNobody() {
 *         return "loft-without-pigeons:1";
 *     }
 * }
 * }</pre>
 */
@Timeout(120)
public abstract class StreamDriverContract {

    private static final int FRAMES = 2_000;

    private final List<RecordingMachine> machines = new ArrayList<>();

    /** Returns the transport to test. */
    protected abstract DriverProvider provider();

    /**
     * Returns the transport of a name that is on the class path or module path.
     *
     * @throws java.util.NoSuchElementException if there is none
     */
    protected static DriverProvider found(String transport) {
        return ServiceLoader.load(DriverProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.transport().equals(transport))
                .findFirst()
                .orElseThrow();
    }

    /** Changes the settings of a node, which has any free port and the defaults otherwise. */
    protected Settings configure(Settings settings) {
        return settings;
    }

    /** Returns an address at which nobody listens, for the transport. */
    protected abstract String addressOfNobody();

    private Settings settings() {
        List<Setting<?>> definitions = new ArrayList<>(TransportSettings.ALL);
        definitions.addAll(provider().settings());
        return configure(Settings.of(definitions)
                .with(TransportSettings.PROTOCOL, provider().transport())
                .with(TransportSettings.BIND_PORT, 0));
    }

    private RecordingMachine open(Settings settings) {
        RecordingMachine machine = new RecordingMachine((StreamDriver) provider().open(settings));
        machines.add(machine);
        return machine;
    }

    private RecordingMachine started() {
        RecordingMachine machine = open(settings());
        machine.start();
        return machine;
    }

    @AfterEach
    void closeAll() {
        machines.forEach(machine -> machine.driver.close());
    }

    /** Two nodes with a connection. */
    private record Pair(RecordingMachine dialler, int dialled, RecordingMachine acceptor, int accepted) {}

    private Pair pair() {
        return pair(started(), started());
    }

    private static Pair pair(RecordingMachine dialler, RecordingMachine acceptor) {
        int dialled = dialler.dial(acceptor.driver.address());
        assertEquals(dialled, dialler.await(Kind.CONNECTED).connection());
        return new Pair(dialler, dialled, acceptor, acceptor.await(Kind.ACCEPTED).connection());
    }

    private static byte[] bytes(int length, int seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    // ------------------------------------------------------------------ frames

    @Test
    void framesOfAllLengthsArriveWholeAndInOrderBothWays() {
        Pair pair = pair();
        Random lengths = new Random(7);
        List<byte[]> sent = new ArrayList<>();
        for (int number = 0; number < FRAMES; number++) {
            int length = number % 100 == 0 ? Packet.PAYLOAD_MAX : 1 + lengths.nextInt(number % 10 == 0 ? 60_000 : 200);
            byte[] frame = bytes(length, number);
            sent.add(frame);
            pair.dialler.send(pair.dialled, frame);
            pair.acceptor.send(pair.accepted, frame);
            // Less than write-buffer-max waits.
            if (number % 200 == 199) {
                assertFrames(sent, pair.acceptor, pair.accepted);
                assertFrames(sent, pair.dialler, pair.dialled);
                sent.clear();
            }
        }
    }

    private static void assertFrames(List<byte[]> expected, RecordingMachine machine, int connection) {
        for (byte[] frame : expected) {
            Input input = machine.await(Kind.FRAME);
            assertEquals(connection, input.connection());
            assertArrayEquals(frame, input.bytes());
        }
    }

    @Test
    void theMemoryOfAFrameIsNotChangedUntilItIsReleased() {
        List<Packet> kept = new ArrayList<>();
        RecordingMachine acceptor = open(settings()).onFrames(frame -> kept.add(frame.slice()));
        acceptor.start();
        Pair pair = pair(started(), acceptor);
        for (int number = 0; number < 500; number++) {
            pair.dialler.send(pair.dialled, bytes(1_000, number));
        }
        for (int number = 0; number < 500; number++) {
            acceptor.await(Kind.FRAME);
        }
        CompletableFuture<Boolean> isWhole = new CompletableFuture<>();
        acceptor.driver.execute(nowNanos -> {
            boolean areEqual = true;
            for (int number = 0; number < 500; number++) {
                Packet packet = kept.get(number);
                byte[] content = new byte[packet.length()];
                packet.bytes().get(packet.offset(), content);
                areEqual &= Arrays.equals(content, bytes(1_000, number));
                packet.release();
            }
            isWhole.complete(areEqual);
        });
        assertTrue(isWhole.orTimeout(RecordingMachine.SECONDS_MAX, TimeUnit.SECONDS).join());
    }

    @Test
    void aReceiverMayWriteIntoWhatItHasReceived() {
        RecordingMachine scribbler = open(settings()).onFrames(frame -> frame.bytes().putInt(frame.offset(), 0));
        scribbler.start();
        Pair pair = pair(started(), scribbler);
        byte[] content = bytes(100, 1);
        Packet[] sent = new Packet[1];
        pair.dialler.want(effects -> {
            sent[0] = pair.dialler.packet(content);
            effects.write(pair.dialled, sent[0].slice());
        });
        assertArrayEquals(content, scribbler.await(Kind.FRAME).bytes());
        pair.dialler.want(effects -> effects.write(pair.dialled, sent[0]));
        assertArrayEquals(content, scribbler.await(Kind.FRAME).bytes(), "what the sender has kept has not changed");
    }

    @Test
    void framesForAConnectionThatIsOverAreOnlyReleased() {
        Pair pair = pair();
        pair.dialler.close(pair.dialled);
        pair.acceptor.await(Kind.DISCONNECTED);
        pair.dialler.send(pair.dialled, bytes(10, 1));
        pair.acceptor.send(pair.accepted, bytes(10, 1));
        pair.dialler.send(9_999, bytes(10, 1));
        pair.dialler.setTimer(0);
        pair.dialler.await(Kind.TIMER);
        pair.acceptor.setTimer(0);
        pair.acceptor.await(Kind.TIMER);
    }

    // ------------------------------------------------------------------ dials and ends

    @Test
    void aDialToNobodyIsRefused() {
        RecordingMachine machine = started();
        int connection = machine.dial(addressOfNobody());
        Input failed = machine.await(Kind.DIAL_FAILED);
        assertEquals(connection, failed.connection());
        assertEquals("REFUSED", failed.detail());
    }

    @Test
    void whatIsNoAddressIsUnresolved() {
        RecordingMachine machine = started();
        for (String text : List.of("", "::::", "no port", "[half:1")) {
            machine.dial(text);
            assertEquals("UNRESOLVED", machine.await(Kind.DIAL_FAILED).detail(), text);
        }
    }

    @Test
    void aNodeMayDialItself() {
        RecordingMachine machine = started();
        machine.dial(machine.driver.address());
        List<Kind> kinds = new ArrayList<>(List.of(machine.next().kind(), machine.next().kind()));
        kinds.sort(null);
        assertEquals(List.of(Kind.ACCEPTED, Kind.CONNECTED), kinds);
    }

    @Test
    void aConnectionEndsAfterWhatWasWrittenBefore() {
        Pair pair = pair();
        pair.dialler.want(effects -> {
            for (int number = 0; number < 500; number++) {
                effects.write(pair.dialled, pair.dialler.packet(bytes(5_000, number)));
            }
            effects.close(pair.dialled, "all is said");
        });
        for (int number = 0; number < 500; number++) {
            assertArrayEquals(bytes(5_000, number), pair.acceptor.await(Kind.FRAME).bytes());
        }
        Input ended = pair.acceptor.await(Kind.DISCONNECTED);
        assertEquals(pair.accepted, ended.connection());
        assertTrue(ended.isOrderly(), ended.detail());
    }

    @Test
    void theSideThatClosesGetsNoMoreInputOfTheConnection() {
        Pair pair = pair();
        CountDownLatch closed = new CountDownLatch(1);
        pair.acceptor.want(effects -> {
            effects.close(pair.accepted, "the test closes it");
            closed.countDown();
        });
        await(closed);
        pair.dialler.send(pair.dialled, bytes(10, 1));
        pair.dialler.await(Kind.DISCONNECTED);
        pair.acceptor.setTimer(TimeUnit.MILLISECONDS.toNanos(50));
        pair.acceptor.await(Kind.TIMER);
    }

    @Test
    void theEndOfADriverIsAnOrderlyEndOfItsConnections() {
        Pair pair = pair();
        for (int number = 0; number < 100; number++) {
            pair.dialler.send(pair.dialled, bytes(5_000, number));
        }
        pair.dialler.driver.close();
        for (int number = 0; number < 100; number++) {
            assertArrayEquals(bytes(5_000, number), pair.acceptor.await(Kind.FRAME).bytes());
        }
        assertTrue(pair.acceptor.await(Kind.DISCONNECTED).isOrderly());
        int again = pair.acceptor.dial(pair.dialler.driver.address());
        assertEquals(again, pair.acceptor.await(Kind.DIAL_FAILED).connection());
    }

    @Test
    void closingTwiceAndBeforeTheStartIsHarmless() {
        RecordingMachine machine = open(settings());
        machine.driver.close();
        machine.driver.close();
        assertThrows(RejectedExecutionException.class, () -> machine.driver.execute(nowNanos -> {}));
    }

    // ------------------------------------------------------------------ pressure

    @Test
    void whatWaitsForAReceiverThatStandsStillIsBounded() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        RecordingMachine stuck = open(settings().with(TransportSettings.WRITE_BUFFER_MAX, Size.mebibytes(1)))
                .onFrames(frame -> await(goOn));
        stuck.start();
        RecordingMachine sender = open(settings().with(TransportSettings.WRITE_BUFFER_MAX, Size.mebibytes(1)));
        sender.start();
        Pair pair = pair(sender, stuck);
        // More than any buffer of a system and the setting hold.
        for (int number = 0; number < 2_000; number++) {
            pair.dialler.send(pair.dialled, bytes(60_000, number));
        }
        Input ended = sender.await(Kind.DISCONNECTED);
        assertFalse(ended.isOrderly());
        assertTrue(ended.detail().contains("transport.write-buffer-max"), ended.detail());
        goOn.countDown();
        int frames = 0;
        Input input = stuck.next();
        for (; input.kind() == Kind.FRAME; input = stuck.next()) {
            assertArrayEquals(bytes(60_000, frames), input.bytes(), "what arrives has no gaps");
            frames++;
        }
        assertEquals(Kind.DISCONNECTED, input.kind());
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(RecordingMachine.SECONDS_MAX, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    // ------------------------------------------------------------------ turns, time, failures

    @Test
    void tasksOfOneThreadRunInOrderOnOneThread() {
        RecordingMachine machine = started();
        List<Integer> order = new ArrayList<>();
        CompletableFuture<Boolean> isDone = new CompletableFuture<>();
        for (int number = 0; number < 10_000; number++) {
            int own = number;
            machine.driver.execute(nowNanos -> order.add(own));
        }
        machine.driver.execute(nowNanos -> isDone.complete(true));
        isDone.orTimeout(RecordingMachine.SECONDS_MAX, TimeUnit.SECONDS).join();
        assertEquals(10_000, order.size());
        for (int number = 0; number < 10_000; number++) {
            assertEquals(number, order.get(number));
        }
    }

    @Test
    void timersAreNotEarlyAndNotLost() {
        RecordingMachine machine = started();
        long start = System.nanoTime();
        machine.setTimer(TimeUnit.MILLISECONDS.toNanos(60));
        machine.await(Kind.TIMER);
        assertTrue(System.nanoTime() - start >= TimeUnit.MILLISECONDS.toNanos(60));
    }

    @Test
    void aMachineThatFailsEndsItsConnectionsAndIsLeftAlone() {
        Pair pair = pair();
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        pair.dialler.driver.onFailure(failure::complete);
        IllegalStateException thrown = new IllegalStateException("thrown by the machine, for a test");
        pair.dialler.driver.execute(nowNanos -> {
            throw thrown;
        });
        assertEquals(thrown, failure.orTimeout(RecordingMachine.SECONDS_MAX, TimeUnit.SECONDS).join());
        assertEquals(Kind.DISCONNECTED, pair.acceptor.next().kind());
        assertThrows(RejectedExecutionException.class, () -> pair.dialler.driver.execute(nowNanos -> {}));
        assertTrue(pair.dialler.inputs.isEmpty());
    }

    @Test
    void thereIsSomethingToShow() {
        Pair pair = pair();
        CompletableFuture<Integer> count = new CompletableFuture<>();
        pair.dialler.driver.execute(nowNanos -> count.complete(pair.dialler.driver.sockets().size()));
        assertEquals(1, count.orTimeout(RecordingMachine.SECONDS_MAX, TimeUnit.SECONDS).join());
        assertNotNull(pair.dialler.driver.description().get("io"), "description has io");
        List<String> defined = provider().metrics().stream().map(metric -> metric.name()).toList();
        pair.dialler.driver.counters().keySet().forEach(name -> assertTrue(defined.contains(name), name + " has a definition"));
    }
}
