package dev.tutti.internal.submission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Node;
import dev.tutti.SendException;
import dev.tutti.UnstableException;
import dev.tutti.core.Delivery;
import dev.tutti.core.Member;
import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import dev.tutti.core.driver.Driver;
import dev.tutti.core.driver.StreamDriver;
import dev.tutti.internal.BareHost;
import dev.tutti.protocols.packing.Marks;
import dev.tutti.protocols.packing.PacketSizes;
import dev.tutti.protocols.packing.Records;
import dev.tutti.protocols.packing.SpareArrays;
import dev.tutti.testing.Await;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SubmissionQueueTest {

    private static final int MESSAGE_BYTES = 1_000;
    private static final int BYTES_MAX = 16 * (MESSAGE_BYTES + 4);
    private static final long SECONDS_MAX = 20;

    /** Threads of this process. */
    private static final class Threads extends BareHost {

        private final Driver driver = (Driver) Proxy.newProxyInstance(
                SubmissionQueueTest.class.getClassLoader(), new Class<?>[] {StreamDriver.class}, (proxy, method, arguments) -> {
                    assertThat(method.getName()).isEqualTo("memory");
                    return Memory.onHeap();
                });

        @Override
        public Driver driver() {
            return driver;
        }
    }

    private final Threads threads = new Threads();
    private final SubmissionQueue queue = queue(Duration.ofSeconds(SECONDS_MAX));
    private final Map<Integer, Integer> taken = new HashMap<>();
    private int packets;
    private boolean isOnLoop;

    private SubmissionQueue queue(Duration timeout) {
        return new SubmissionQueue(
                threads, new SpareArrays(0), BYTES_MAX, PacketSizes.STREAM, timeout, timeout, new Owner());
    }

    private final class Owner implements SubmissionOwner {

        @Override
        public void wake() {}

        @Override
        public SubmissionQueue.Caller caller() {
            return isOnLoop ? SubmissionQueue.Caller.LOOP : SubmissionQueue.Caller.OTHER;
        }

        @Override
        public void look() {}

        @Override
        public @Nullable Member self() {
            return null;
        }

        @Override
        public UnstableException unstable(
                UnstableException.Reason reason,
                String message,
                Member sender,
                Delivery known,
                CompletableFuture<Delivery> settled) {
            throw new AssertionError("no receipt is asked for");
        }

        @Override
        public boolean isConsumingAside() {
            return false;
        }

        @Override
        public void onWaited(long nanos, String reason) {}
    }

    private List<FutureTask<Void>> senders(int count, int messagesEach) {
        List<FutureTask<Void>> senders = new ArrayList<>();
        for (int sender = 0; sender < count; sender++) {
            int number = sender;
            FutureTask<Void> sending = new FutureTask<>(() -> {
                for (int message = 0; message < messagesEach; message++) {
                    byte[] bytes = ByteBuffer.allocate(MESSAGE_BYTES).putInt(number).putInt(message).array();
                    queue.send(null, bytes, 0, bytes.length);
                }
                return null;
            });
            senders.add(sending);
            Thread.ofVirtual().start(sending);
        }
        return senders;
    }

    /** Takes packets as the loop does, until every thread has sent everything. */
    private void takeAll(List<FutureTask<Void>> senders) throws InterruptedException, ExecutionException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
        // In this order: the last one may send between the two.
        while (!senders.stream().allMatch(FutureTask::isDone) || !queue.submitted().isEmpty()) {
            assertThat(System.nanoTime()).as("%s of those who send still wait; taken: %s", blocked(), taken).isLessThan(end);
            Packet packet = queue.submitted().take(null, Packet.PAYLOAD_MAX);
            if (packet == null) {
                continue;
            }
            packets++;
            assertThat(Records.read(packet, new Records.Visitor() {
                        @Override
                        public void onMessage(ByteBuffer bytes, int offset, int length) {
                            int sender = bytes.getInt(offset);
                            assertThat(bytes.getInt(offset + 4)).isEqualTo(taken.getOrDefault(sender, 0));
                            taken.merge(sender, 1, Integer::sum);
                        }

                        @Override
                        public void onPiece(ByteBuffer bytes, int offset, int length, Records.Piece piece) {
                            throw new AssertionError("nothing large was sent");
                        }
                    }))
                    .isTrue();
        }
        for (FutureTask<Void> sender : senders) {
            sender.get();
        }
    }

    private long blocked() {
        return number("blocked-threads");
    }

    private long number(String name) {
        return queue.part(Node.defaults().group("any")).values().get(name);
    }

    private void awaitBlocked(long count) {
        Await.until(count + " threads wait", () -> blocked() >= count);
    }

    @Test
    void manyThreadsThatWaitForRoomAreNotWokenForAFewMessagesEach() throws Exception {
        List<FutureTask<Void>> senders = senders(50, 400);
        awaitBlocked(50);

        takeAll(senders);

        assertThat(taken).hasSize(50).allSatisfy((sender, count) -> assertThat(count).isEqualTo(400));
        assertThat(number("send-waits"))
                .as("waits, for %s packets; all of them each time would be 49 for each", packets)
                .isLessThanOrEqualTo(50 + 4L * packets);
    }

    @Test
    void threadsWithASingleMessageEachAllGetTheirTurn() throws Exception {
        List<FutureTask<Void>> senders = senders(500, 1);
        awaitBlocked(500 - 16);

        takeAll(senders);

        assertThat(taken).hasSize(500);
    }

    @Test
    void aMessageOfAFewPacketsDoesNotWaitUntilItIsTaken() {
        SubmissionQueue hasty = queue(Duration.ofMillis(1));
        byte[] message = new byte[200_000];
        hasty.send(null, message, 0, message.length);
        assertThatThrownBy(() -> hasty.send(null, message, 0, message.length))
                .as("there is a bound")
                .isInstanceOf(SendException.class)
                .hasMessageContaining("the loop has not taken what was submitted before");
    }

    @Test
    void largeMessageStaysBehindAsynchronousSendsOfItsThread() throws Exception {
        byte[] small = new byte[MESSAGE_BYTES];
        int sent = 100;
        for (int message = 0; message < sent; message++) {
            queue.sendAsync(null, small);
        }
        FutureTask<Void> large = new FutureTask<>(() -> queue.send(null, new byte[1_000_000], 0, 1_000_000), null);
        Thread.ofVirtual().start(large);
        awaitBlocked(1);
        List<Integer> lengths = new ArrayList<>();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
        while (!large.isDone() || !queue.submitted().isEmpty()) {
            assertThat(System.nanoTime()).isLessThan(end);
            Packet packet = queue.submitted().take(null, Packet.PAYLOAD_MAX);
            if (packet == null) {
                // As the loop does at the end of a turn.
                queue.submitted().receivers();
                continue;
            }
            assertThat(Records.read(packet, new Records.Visitor() {
                        @Override
                        public void onMessage(ByteBuffer bytes, int offset, int length) {
                            lengths.add(length);
                        }

                        @Override
                        public void onPiece(ByteBuffer bytes, int offset, int length, Records.Piece piece) {
                            lengths.add(-length);
                        }
                    }))
                    .isTrue();
        }
        large.get();
        assertThat(lengths.subList(0, sent)).as("small ones first").containsOnly(MESSAGE_BYTES);
        assertThat(lengths.subList(sent, lengths.size())).as("then pieces").allMatch(length -> length < 0);
    }

    @Test
    void whoGivesUpLeavesTheRoomToOthers() throws Exception {
        List<FutureTask<Void>> senders = senders(20, 50);
        awaitBlocked(20);
        List<Thread> impatient = new ArrayList<>();
        List<FutureTask<Void>> interrupted = new ArrayList<>();
        for (int count = 0; count < 20; count++) {
            FutureTask<Void> sending = new FutureTask<>(() -> {
                assertThatThrownBy(() -> queue.send(null, new byte[MESSAGE_BYTES], 0, MESSAGE_BYTES))
                        .isInstanceOf(SendException.class);
                return null;
            });
            interrupted.add(sending);
            impatient.add(Thread.ofVirtual().start(sending));
        }
        awaitBlocked(40);
        impatient.forEach(Thread::interrupt);
        for (FutureTask<Void> sending : interrupted) {
            sending.get(SECONDS_MAX, TimeUnit.SECONDS);
        }

        takeAll(senders);

        assertThat(taken).hasSize(20).allSatisfy((sender, count) -> assertThat(count).isEqualTo(50));
    }

    private SendException refusal(Runnable send) {
        return assertThatExceptionOfType(SendException.class).isThrownBy(send::run).actual();
    }

    private void fill(SubmissionQueue full) {
        byte[] message = new byte[BYTES_MAX / 2];
        while (full.trySend(null, message, 0, message.length, Marks.NONE)) {
            // Until nothing more is taken.
        }
    }

    private void sendOne(SubmissionQueue to) {
        byte[] message = new byte[BYTES_MAX / 2];
        to.send(null, message, 0, message.length);
    }

    @ParameterizedTest
    @CsvSource({
        "'', QUEUE_FULL",
        "the view is changing, VIEW_CHANGE",
        "the window is closed by n2, WINDOW_CLOSED",
        "a majority is missing, NOT_PRIMARY"
    })
    void timeoutNamesWhatTheSendWaitedFor(String waitsFor, SendException.Reason reason) {
        SubmissionQueue full = queue(Duration.ofMillis(1));
        fill(full);
        full.submitted().explain(waitsFor, null);
        SendException refusal = refusal(() -> sendOne(full));
        assertThat(refusal.reason()).isEqualTo(reason);
        assertThat(refusal).hasMessageContaining("send-timeout (1 ms)").hasMessageContaining(waitsFor);
        assertThat(reason.isFinal()).isFalse();
    }

    @Test
    void aTimeoutThatWasChangedHoldsForTheNextSend() {
        SubmissionQueue full = queue(Duration.ofMinutes(1));
        fill(full);
        full.submitted().explain("the window is closed by n2", null);
        full.changeTimeout(Duration.ofMillis(2));
        assertThat(refusal(() -> sendOne(full))).hasMessageContaining("send-timeout (2 ms)");
    }

    @Test
    void sendOnTheLoopDoesNotWait() {
        fill(queue);
        isOnLoop = true;
        assertThat(refusal(() -> sendOne(queue)).reason()).isEqualTo(SendException.Reason.LISTENER);
    }

    @Test
    void endOfTheGroupIsToldByItsReason() {
        SubmissionQueue left = queue(Duration.ofSeconds(SECONDS_MAX));
        left.refuse(SendException.Reason.LEFT, "left", null);
        left.close(SendException.Reason.LOST, "over", null);
        assertThat(refusal(() -> sendOne(left)).reason()).as("what came first").isEqualTo(SendException.Reason.LEFT);
        IllegalStateException cause = new IllegalStateException("disk full");
        queue.close(SendException.Reason.LOST, "over", cause);
        SendException refusal = refusal(() -> sendOne(queue));
        assertThat(refusal.reason()).isEqualTo(SendException.Reason.LOST);
        assertThat(refusal.reason().isFinal()).isTrue();
        assertThat(refusal).hasCause(cause);
    }

    @Test
    void messageThatFitsIntoNoPacketIsTooLargeToBeOutOfBand() {
        assertThat(refusal(() -> queue.send(null, new byte[200_000], Marks.OUT_OF_BAND)).reason())
                .isEqualTo(SendException.Reason.TOO_LARGE);
    }
}
