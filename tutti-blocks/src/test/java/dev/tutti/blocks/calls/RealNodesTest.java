package dev.tutti.blocks.calls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Node;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.core.View;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls on sockets, threads and the clock of this machine. */
@Timeout(60)
class RealNodesTest {

    private static final Procedure<String, String> WAIT = Procedure.of("wait", Codec.TEXT, Codec.TEXT);
    private static final Procedure<byte[], byte[]> MIRROR = Procedure.of("mirror", Codec.BYTES, Codec.BYTES);

    private final List<Node> nodes = new ArrayList<>();
    private final CompletableFuture<String> interrupted = new CompletableFuture<>();

    @AfterEach
    void closeNodes() {
        nodes.forEach(Node::close);
    }

    private Node start() {
        String[] seeds = nodes.stream().limit(1).map(Node::address).toArray(String[]::new);
        nodes.add(Node.tcp(0).name("n" + nodes.size()).seeds(seeds).start());
        return nodes.getLast();
    }

    private Calls join(Node node, Consumer<View> onView) {
        return Calls.on(node.group("calls"))
                .onView(onView)
                .handleInline(MIRROR, (bytes, context) -> bytes)
                .handle(WAIT, (text, context) -> {
                    try {
                        new CountDownLatch(1).await();
                        return text;
                    } catch (InterruptedException e) {
                        interrupted.complete(text);
                        throw e;
                    }
                })
                .join();
    }

    @Test
    void answerInterruptAndMeetTheirDeadlines() throws Exception {
        CountDownLatch both = new CountDownLatch(1);
        Calls first = join(start(), view -> {
            if (view.size() == 2) {
                both.countDown();
            }
        });
        Calls second = join(start(), view -> {});
        assertThat(both.await(10, TimeUnit.SECONDS)).isTrue();
        CallToOne other = first.to(second.self());
        for (int length : new int[] {0, 1_000, 60_000, 70_000, 5_000_000}) {
            assertThat(other.call(MIRROR, new byte[length])).hasSize(length);
        }
        assertThat(first.toAll().call(MIRROR, new byte[10]).values()).hasSize(2);
        long before = System.nanoTime();
        // Long enough for the handler to begin: one that has not begun is not interrupted.
        assertThatThrownBy(() -> other.within(Duration.ofSeconds(2)).call(WAIT, "a"))
                .isInstanceOfSatisfying(CallException.class, e ->
                        assertThat(e.outcome()).isEqualTo(new Outcome.TimedOut<>()));
        assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(2_000_000_000L);
        assertThat(interrupted.get(10, TimeUnit.SECONDS)).isEqualTo("a");
        CompletableFuture<String> future = other.within(Duration.ofMillis(100)).start(WAIT, "b");
        assertThatThrownBy(() -> future.get(10, TimeUnit.SECONDS)).hasRootCauseInstanceOf(CallException.class);
    }

    @Test
    void endOfANodeEndsItsCalls() throws InterruptedException {
        Node node = start();
        Calls calls = join(node, view -> {});
        CompletableFuture<String> future = calls.to(calls.self()).start(WAIT, "a");
        node.close();
        assertThatThrownBy(() -> future.get(10, TimeUnit.SECONDS))
                .cause()
                .isInstanceOfSatisfying(CallException.class, e ->
                        assertThat(e.reason()).isEqualTo(CallException.Reason.CLOSED));
        assertThatThrownBy(() -> calls.to(calls.self()).call(MIRROR, new byte[1]))
                .isInstanceOfSatisfying(CallException.class, e ->
                        assertThat(e.reason()).isEqualTo(CallException.Reason.CLOSED));
    }

    @Test
    void interruptOfAWaitingCallerCancelsTheCall() throws Exception {
        Calls calls = join(start(), view -> {});
        for (Thread.Builder kind : List.of(Thread.ofVirtual(), Thread.ofPlatform())) {
            CompletableFuture<CallException.Reason> reason = new CompletableFuture<>();
            CountDownLatch isCalling = new CountDownLatch(1);
            Thread caller = kind.start(() -> {
                isCalling.countDown();
                try {
                    calls.to(calls.self()).call(WAIT, "a");
                } catch (CallException e) {
                    reason.complete(e.reason());
                }
            });
            assertThat(isCalling.await(10, TimeUnit.SECONDS)).isTrue();
            caller.interrupt();
            assertThat(reason.get(10, TimeUnit.SECONDS)).isEqualTo(CallException.Reason.INTERRUPTED);
            assertThat(caller.join(Duration.ofSeconds(10))).isTrue();
        }
        assertThat(calls.status()).containsEntry("cancelled-calls", 2L).containsEntry("open-calls", 0L);
    }

    @Test
    void mixOfReadsAndWritesIsAnswered() throws InterruptedException {
        List<CallMix> mixes = new ArrayList<>();
        for (int count = 0; count < 3; count++) {
            mixes.add(new CallMix(start(), "mix", 3, 1_000));
        }
        for (CallMix mix : mixes) {
            assertThat(mix.awaitMembers(Duration.ofSeconds(10))).isTrue();
        }
        CallMix.Result result = mixes.getFirst().run(10, Duration.ofMillis(300));
        assertThat(result.requests()).isPositive();
        assertThat(result.failures()).isZero();
        assertThat(mixes.getFirst().calls().status()).containsEntry("open-calls", 0L);
        mixes.forEach(CallMix::close);
    }
}
