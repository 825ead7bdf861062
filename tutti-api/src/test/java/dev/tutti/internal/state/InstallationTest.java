package dev.tutti.internal.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.GroupState;
import dev.tutti.Snapshot;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.internal.BareHost;
import dev.tutti.internal.Fence;
import dev.tutti.internal.state.Cut.Verdict;
import dev.tutti.internal.state.StateRecord.Chunk;
import dev.tutti.internal.state.StateRecord.Pull;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The test is the providers, which may send anything. */
@Timeout(30)
class InstallationTest {

    private static final int CHUNK = StateRecord.CHUNK_BYTES;

    private static Member member(int number) {
        return new Member(new NodeId(number, "n" + number, "n" + number + ":1"), 1);
    }

    private record Sent(Member receiver, StateRecord record) {}

    /** Threads of this process, with a time that passes when the test says so. */
    private static final class Threads extends BareHost {

        /** Number of waits that end with a time-out; the others last as long as nothing happens. */
        private final AtomicInteger timeouts = new AtomicInteger();

        @Override
        public Condition condition(Lock lock) {
            Condition real = lock.newCondition();
            return (Condition) Proxy.newProxyInstance(
                    InstallationTest.class.getClassLoader(), new Class<?>[] {Condition.class}, (proxy, method, arguments) -> {
                        if (!method.getName().equals("awaitNanos")) {
                            return method.invoke(real, arguments);
                        }
                        return await(real, (Long) arguments[0]);
                    });
        }

        @SuppressWarnings("WaitNotInLoop") // whoever calls this has the loop
        private long await(Condition real, long nanos) throws InterruptedException {
            if (timeouts.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                return 0;
            }
            real.awaitNanos(5_000_000);
            return nanos;
        }
    }

    private final Threads threads = new Threads();
    private final BlockingQueue<Sent> sent = new LinkedBlockingQueue<>();
    private final BlockingQueue<byte[]> installed = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> failed = new LinkedBlockingQueue<>();
    private final Member first = member(1);
    private final Member second = member(2);
    private final Member self = member(3);
    private final CountDownLatch mayRead = new CountDownLatch(1);
    private final byte[] state = new byte[4 * CHUNK + 100];
    private boolean isReproducible = true;
    private volatile boolean isAtomic;
    private volatile boolean isReadToTheEnd = true;
    private volatile boolean mayReplace = true;
    private volatile boolean isQuiet = true;
    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch idle = new CountDownLatch(1);
    private Cut cut = new Cut(View.alone(self));

    private final GroupState application = new GroupState() {
        @Override
        public Snapshot snapshot() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void install(InputStream in) throws IOException {
            try {
                assertThat(mayRead.await(20, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            installed.add(isReadToTheEnd ? in.readAllBytes() : in.readNBytes(10));
        }

        @Override
        public boolean isReproducible() {
            return isReproducible;
        }

        @Override
        public boolean isAtomic() {
            return isAtomic;
        }
    };

    private final List<byte[]> handedOver = new CopyOnWriteArrayList<>();
    private final Installation installation = new Installation(
            "g",
            application,
            threads,
            new Fence(threads, (callback, argument, thrown) -> {}),
            new Installation.Owner() {
                @Override
                public void send(Member receiver, StateRecord record) {
                    sent.add(new Sent(receiver, record));
                }

                @Override
                public boolean isQuiet() {
                    return isQuiet;
                }

                @Override
                public boolean mayBegin(Cut begun) {
                    return true;
                }

                @Override
                public boolean mayReplace(Cut read) {
                    asked.countDown();
                    return mayReplace;
                }

                @Override
                public boolean hasState() {
                    return false;
                }

                @Override
                public void onHandedOver(List<byte[]> messages) {
                    handedOver.addAll(messages);
                }

                @Override
                public void onIdle() {
                    idle.countDown();
                }

                @Override
                public @Nullable Cut later(Cut of) {
                    return null;
                }

                @Override
                public boolean onInstalled(Cut done) {
                    return true;
                }

                @Override
                public void onFailed(String reason, @Nullable Throwable cause) {
                    failed.add(reason);
                }
            },
            2L * CHUNK,
            Duration.ofSeconds(2));

    @BeforeEach
    void begin() {
        new SplittableRandom(1).nextBytes(state);
        cut = new Cut(new View(new ViewId(2, 1, first), List.of(first, second, self), List.of()));
        cut.settle(new Verdict.Install(), List.of(first, second));
        installation.onSettled(new TreeSet<>(cut.view().members()));
        installation.install(cut);
    }

    private Pull pull(Member expected) throws InterruptedException {
        if (!expected.equals(first)) {
            mayRead.countDown();
        }
        while (true) {
            Sent next = sent.poll(10, TimeUnit.SECONDS);
            assertThat(next).as("a question to %s", expected).isNotNull();
            if (next.record() instanceof Pull pull) {
                assertThat(next.receiver()).isEqualTo(expected);
                assertThat(pull.cut()).isEqualTo(cut.id());
                return pull;
            }
        }
    }

    private Chunk chunk(Pull pull, long offset, int length) {
        byte[] array = new byte[StateRecord.CHUNK_HEADER_BYTES + length];
        System.arraycopy(state, (int) offset, array, StateRecord.CHUNK_HEADER_BYTES, length);
        StateRecord.writeChunkHeader(array, array.length, pull.transfer(), offset);
        int checksum = ByteBuffer.wrap(array).getInt(17);
        return new Chunk(pull.transfer(), offset, checksum, Arrays.copyOfRange(state, (int) offset, (int) offset + length));
    }

    /** Sends the rest, as far as it is granted. */
    private void serve(Member provider, Pull pull) throws InterruptedException {
        mayRead.countDown();
        long limit = pull.limit();
        long at = pull.offset();
        while (at < state.length) {
            int length = (int) Math.min(CHUNK, state.length - at);
            while (at + length > limit) {
                Sent next = sent.poll(10, TimeUnit.SECONDS);
                assertThat(next).as("a grant beyond %s", limit).isNotNull();
                limit = next.record() instanceof StateRecord.Grant grant ? grant.limit() : limit;
            }
            installation.onRecord(provider, chunk(pull, at, length));
            at += length;
        }
        installation.onRecord(provider, new StateRecord.End(pull.transfer(), state.length));
    }

    private void assertInstalled() throws InterruptedException {
        assertThat(installed.poll(10, TimeUnit.SECONDS)).isEqualTo(state);
        assertThat(failed).isEmpty();
    }

    @Test
    void installsWhatIsSentWithinTheGrants() throws InterruptedException {
        serve(first, pull(first));
        assertInstalled();
    }

    @Test
    void endOfAnAtomicStateIsWithheldUntilItMayTakeThePlaceOfWhatIsThere() throws InterruptedException {
        isAtomic = true;
        mayReplace = false;
        serve(first, pull(first));
        assertThat(asked.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(installed).isEmpty();
        mayReplace = true;
        assertInstalled();
        assertThat(idle.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(installation.installed()).isSameAs(cut);
    }

    @Test
    void atomicStateThatIsNotNeededAnyMoreIsNotInstalledThoughAllOfItIsThere() throws InterruptedException {
        isAtomic = true;
        mayReplace = false;
        serve(first, pull(first));
        assertThat(asked.await(10, TimeUnit.SECONDS)).isTrue();
        installation.keepOnly(null);
        assertThat(idle.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(installed).isEmpty();
        assertThat(failed).isEmpty();
        assertThat(installation.installed()).isNull();
    }

    @Test
    void whatIsAtomicHasToBeReadToTheEnd() throws InterruptedException {
        isAtomic = true;
        isReadToTheEnd = false;
        mayRead.countDown();
        Pull pull = pull(first);
        installation.onRecord(first, chunk(pull, 0, CHUNK));
        assertThat(failed.poll(10, TimeUnit.SECONDS)).contains("before its end");
    }

    @Test
    void anotherGoesOnWithTheLastChunkOnceMore() throws InterruptedException {
        Pull pull = pull(first);
        installation.onRecord(first, chunk(pull, 0, CHUNK));
        installation.onRecord(first, chunk(pull, CHUNK, CHUNK));
        installation.onView(new TreeSet<>(List.of(second, self)));
        Pull next = pull(second);
        assertThat(next.offset()).isEqualTo(CHUNK);
        serve(second, next);
        assertInstalled();
    }

    @Test
    void whoseLastChunkIsAnotherOneBeginsAnew() throws InterruptedException {
        Pull pull = pull(first);
        installation.onRecord(first, chunk(pull, 0, CHUNK));
        installation.onView(new TreeSet<>(List.of(second, self)));
        Pull next = pull(second);
        state[5]++;
        installation.onRecord(second, chunk(next, 0, CHUNK));
        Pull again = pull(second);
        assertThat(again.offset()).isZero();
        serve(second, again);
        assertInstalled();
    }

    @Test
    void statesThatAreNotReproducibleBeginAnew() throws InterruptedException {
        isReproducible = false;
        Pull pull = pull(first);
        installation.onRecord(first, chunk(pull, 0, CHUNK));
        installation.onRecord(first, chunk(pull, CHUNK, CHUNK));
        installation.onView(new TreeSet<>(List.of(second, self)));
        Pull next = pull(second);
        assertThat(next.offset()).isZero();
        serve(second, next);
        assertInstalled();
    }

    @Test
    void chunkWithAWrongChecksumIsNotInstalled() throws InterruptedException {
        Pull pull = pull(first);
        Chunk right = chunk(pull, 0, CHUNK);
        byte[] wrong = right.bytes().clone();
        wrong[7]++;
        installation.onRecord(first, new Chunk(pull.transfer(), 0, right.checksum(), wrong));
        serve(second, pull(second));
        assertInstalled();
    }

    @Test
    void chunkThatIsNotTheNextEndsTheTransfer() throws InterruptedException {
        installation.onRecord(first, chunk(pull(first), CHUNK, CHUNK));
        serve(second, pull(second));
        assertInstalled();
    }

    @Test
    void whoSendsMoreThanItMayIsNotHeardAnyMore() throws InterruptedException {
        Pull pull = pull(first);
        for (int number = 0; number < 4; number++) {
            installation.onRecord(first, chunk(pull, (long) number * CHUNK, CHUNK));
        }
        Pull next = pull(second);
        assertThat(next.offset()).as("two chunks were granted").isEqualTo(CHUNK);
        serve(second, next);
        assertInstalled();
    }

    @Test
    void chunkThatIsLongerThanChunksAreEndsTheTransfer() throws InterruptedException {
        installation.onRecord(first, chunk(pull(first), 0, CHUNK + 1));
        Pull next = pull(second);
        assertThat(next.offset()).as("nothing of it was taken").isZero();
        serve(second, next);
        assertInstalled();
    }

    @Test
    void emptyChunkIsNone() throws InterruptedException {
        installation.onRecord(first, new Chunk(pull(first).transfer(), 0, 0, new byte[0]));
        serve(second, pull(second));
        assertInstalled();
    }

    @Test
    void endBeforeTheEndIsNone() throws InterruptedException {
        Pull pull = pull(first);
        installation.onRecord(first, chunk(pull, 0, CHUNK));
        installation.onRecord(first, new StateRecord.End(pull.transfer(), state.length));
        serve(second, pull(second));
        assertInstalled();
    }

    @Test
    void whatOthersSayCountsForNothing() throws InterruptedException {
        Pull pull = pull(first);
        installation.onRecord(second, chunk(pull, 0, CHUNK));
        installation.onRecord(second, new StateRecord.End(pull.transfer(), 0));
        installation.onRecord(first, new StateRecord.End(pull.transfer() + 1, 0));
        serve(first, pull);
        assertInstalled();
    }

    @Test
    void silentProviderIsLeftForAnother() throws InterruptedException {
        assertThat(pull(first).offset()).isZero();
        mayRead.countDown();
        threads.timeouts.set(1);
        serve(second, pull(second));
        assertInstalled();
    }

    @Test
    void whenAllHaveFailedItSaysWhy() throws InterruptedException {
        installation.onRecord(first, new StateRecord.Refused(pull(first).transfer(), "it is full"));
        installation.onRecord(second, new StateRecord.Refused(pull(second).transfer(), "it is empty"));
        threads.timeouts.set(Integer.MAX_VALUE);
        assertThat(failed.poll(10, TimeUnit.SECONDS)).contains("cut 2.1@n1").contains("n2:1 does not go on: it is empty");
        assertThat(installed).isEmpty();
    }
}
