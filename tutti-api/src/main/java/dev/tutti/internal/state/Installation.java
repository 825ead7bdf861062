package dev.tutti.internal.state;

import dev.tutti.GroupState;
import dev.tutti.StateProgress;
import dev.tutti.core.Member;
import dev.tutti.internal.Fence;
import dev.tutti.internal.Host;
import dev.tutti.internal.Logs;
import dev.tutti.internal.state.StateRecord.Chunk;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The receiving side: asks one provider after another for the state of a cut, and gives it to the application, on a
 * thread that lives as long as there is something to install.
 *
 * <p>The data under way is bounded by the window granted to the provider, which is renewed as the application reads.
 * When a provider dies, is silent for {@code state.timeout}, or sends wrong data, the next one takes over: in the
 * middle, if states are reproducible, by repeating the last chunk, which has to be the same; otherwise from the start,
 * and the application's stream fails.
 */
final class Installation {

    /** Answers the installing thread's questions, from the agreement, and acts on its results. */
    interface Owner {

        void send(Member receiver, StateRecord record);

        /** Returns whether no listener of a message out of band runs that began before the installation. */
        boolean isQuiet();

        /** Returns whether the present state may be overwritten now. For states that are not atomic. */
        boolean mayBegin(Cut cut);

        /** Returns whether the completely read state of the cut may replace the present one now. For atomic states. */
        boolean mayReplace(Cut cut);

        /** Returns a later cut to try because no member has the state of this one any more; null if there is none. */
        @Nullable Cut later(Cut failed);

        /**
         * Notes that the state is installed. For states that are not atomic.
         *
         * @return false if another one is needed meanwhile
         */
        boolean onInstalled(Cut cut);

        /** Returns whether the application had a state of the group before, which the installed one replaces. */
        boolean hasState();

        /** Sends the messages that the application hands over to all, now that it has the state. */
        void onHandedOver(List<byte[]> messages);

        /** Notes that there is nothing to install any more. */
        void onIdle();

        void onFailed(String reason, @Nullable Throwable cause);
    }

    /** Thrown when the stream fails for a reason outside of the application. */
    private static final class Interrupted extends IOException {
        private static final long serialVersionUID = 1;

        Interrupted(String message) {
            super(message);
        }
    }

    private static final Logger LOG = Logs.of(Installation.class);

    private final String group;
    private final GroupState state;
    private final Host host;
    private final Fence fence;
    private final Owner owner;
    private final long windowBytes;
    private final long timeoutNanos;
    private final Stillness stillness;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed;

    /** Messages to send once a state is accepted; accessed by the installing thread only. */
    private final List<byte[]> handedOver = new ArrayList<>();

    // Guarded by the lock.
    private @Nullable Cut goal;
    private @Nullable Cut installed;
    private boolean isRunning;
    private @Nullable String closed;
    private Set<Member> reachable = Set.of();
    private final List<Member> candidates = new ArrayList<>();

    /** Members that have failed to give the state of the cut: they are not asked again for it. */
    private final TreeSet<Member> failed = new TreeSet<>();

    private @Nullable Cut failedFor;
    private @Nullable Member provider;
    private long transfer;
    private final ArrayDeque<Chunk> chunks = new ArrayDeque<>();
    private @Nullable Chunk last;
    private @Nullable Chunk overlap;
    private long received;
    private long readBytes;
    private long granted;
    private boolean isEnded;
    private @Nullable String providerFailure;
    private long totalBytes = -1;
    private int resumed;
    private int restarted;

    /** Listeners of messages out of band are still running. */
    private boolean isAwaitingListeners;

    Installation(String group, GroupState state, Host host, Fence fence, Owner owner, long windowBytes, Duration timeout) {
        this.group = group;
        this.state = state;
        this.host = host;
        this.fence = fence;
        this.owner = owner;
        this.windowBytes = windowBytes;
        this.timeoutNanos = timeout.toNanos();
        this.stillness = new Stillness(host);
        this.changed = host.condition(lock);
    }

    StateProgress progress(StateProgress.Phase phase, long heldBytes) {
        lock.lock();
        try {
            return new StateProgress(phase, provider, readBytes, totalBytes, heldBytes, resumed, restarted);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the cause of the wait, as a text for people; empty if it does not wait. */
    String waitsFor() {
        lock.lock();
        try {
            if (goal == null) {
                return "";
            }
            long still = stillness.nanos();
            if (still >= 0) {
                return "install of the application, which has neither returned nor read on for " + seconds(still);
            }
            if (isAwaitingListeners) {
                return "listeners of the application for messages out of band, which have not returned";
            }
            return provider == null ? "a member with the state of " + goal : provider + " to send the state of " + goal;
        } finally {
            lock.unlock();
        }
    }

    boolean isRunning() {
        lock.lock();
        try {
            return isRunning;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the cut that was installed last; null if none was. */
    @Nullable Cut installed() {
        lock.lock();
        try {
            return installed;
        } finally {
            lock.unlock();
        }
    }

    // ------------------------------------------------------------------ what to do

    /** Starts to get the state of a cut; an installation in progress fails. */
    void install(Cut cut) {
        lock.lock();
        try {
            if (cut == goal || closed != null) {
                return;
            }
            goal = cut;
            changed.signalAll();
            if (!isRunning) {
                isRunning = true;
                host.start("tutti-state-install-" + group, this::run);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Cancels the installation in progress, unless it is {@code needed}. */
    void keepOnly(@Nullable Cut needed) {
        lock.lock();
        try {
            if (goal != null && goal != needed) {
                goal = null;
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    void close(String reason) {
        lock.lock();
        try {
            closed = reason;
            goal = null;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Gives up if the application has neither returned from {@code install} nor read on for {@code state.timeout}: its
     * thread is abandoned, and its reads fail. From any thread; called repeatedly.
     */
    void look() {
        String text;
        lock.lock();
        try {
            long nanos = stillness.nanos();
            if (closed != null || nanos < timeoutNanos) {
                return;
            }
            text = "install of the application has neither returned nor read on for " + seconds(nanos) + " (state.timeout)";
            closed = text;
            goal = null;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        owner.onFailed(text, null);
    }

    private static String seconds(long nanos) {
        return nanos / 1_000_000_000 + " s";
    }

    private void awaitingListeners(boolean isAwaiting) {
        lock.lock();
        try {
            isAwaitingListeners = isAwaiting;
        } finally {
            lock.unlock();
        }
    }

    // ------------------------------------------------------------------ on the loop

    /**
     * Notes that a view has come.
     *
     * @param together members that came to it together with this one: messages from others now belong to another stream
     */
    void onView(Set<Member> together) {
        lock.lock();
        try {
            reachable = together;
            candidates.retainAll(together);
            Member present = provider;
            if (present != null && !isEnded && !together.contains(present)) {
                fail(present + " is gone");
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Notes that the agreement for the view is settled. */
    void onSettled(Set<Member> members) {
        lock.lock();
        try {
            reachable = members;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void onRecord(Member sender, StateRecord record) {
        lock.lock();
        try {
            if (!sender.equals(provider) || providerFailure != null || isEnded) {
                return;
            }
            switch (record) {
                case StateRecord.Begin begin when begin.transfer() == transfer -> totalBytes = begin.totalBytes();
                case Chunk chunk when chunk.transfer() == transfer -> onChunk(chunk);
                case StateRecord.End end when end.transfer() == transfer -> onEnd(end);
                case StateRecord.Refused refused when refused.transfer() == transfer ->
                    fail(sender + " does not go on: " + refused.reason());
                default -> {
                    // Belongs to a transfer that is over.
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private void onChunk(Chunk chunk) {
        int length = chunk.bytes().length;
        Chunk expected = overlap;
        if (expected != null) {
            overlap = null;
            if (chunk.offset() != expected.offset()
                    || chunk.checksum() != expected.checksum()
                    || length != expected.bytes().length) {
                last = null;
                providerFailure = provider + " has another state at byte " + expected.offset()
                        + ": states are not reproducible";
                changed.signalAll();
            }
            return;
        }
        if (chunk.offset() != received || length == 0 || length > StateRecord.CHUNK_BYTES) {
            fail(provider + " has sent " + length + " bytes at " + chunk.offset() + " instead of some at " + received);
        } else if (received + length > granted) {
            fail(provider + " has sent up to byte " + (received + length) + " and may up to " + granted);
        } else {
            received += length;
            chunks.add(chunk);
            last = chunk;
            changed.signalAll();
        }
    }

    private void onEnd(StateRecord.End end) {
        if (end.length() == received) {
            isEnded = true;
            changed.signalAll();
        } else {
            fail(provider + " has ended the state at byte " + end.length() + " after it had sent " + received);
        }
    }

    private void fail(String reason) {
        Member present = provider;
        if (present != null) {
            failed.add(present);
        }
        isEnded = false;
        providerFailure = reason;
        changed.signalAll();
    }

    // ------------------------------------------------------------------ the installing thread

    private void run() {
        Cut cut = next();
        while (cut != null) {
            Cut present = cut;
            Throwable thrown = fence.attempt(() -> installOnce(present));
            if (thrown instanceof Interrupted) {
                LOG.info("group {}: the state of {} is not installed yet: {}", group, cut, thrown.getMessage());
            } else if (thrown != null) {
                owner.onFailed("the state of " + cut + " can't be installed: " + thrown, thrown);
                close("installing has failed");
            }
            cut = next();
        }
        owner.onIdle();
    }

    private @Nullable Cut next() {
        lock.lock();
        try {
            if (goal == null) {
                isRunning = false;
                provider = null;
            }
            return goal;
        } finally {
            lock.unlock();
        }
    }

    private void installOnce(Cut cut) throws IOException {
        StateInput in = new StateInput(cut);
        begin(cut);
        awaitListeners(cut);
        HandedOver replacement = new HandedOver(cut.view(), owner.hasState());
        stillness.called(true);
        try {
            state.install(in, replacement);
        } catch (IOException | RuntimeException e) {
            if (in.failure != null) {
                restart();
                throw in.failure;
            }
            throw e;
        } finally {
            stillness.called(false);
        }
        in.finish();
        checkOpen();
        handedOver.addAll(replacement.close());
        if (state.isAtomic() || owner.onInstalled(cut)) {
            LOG.info("group {}: the state of {} is installed, {} bytes", group, cut, in.at);
            done(cut);
            if (!handedOver.isEmpty()) {
                owner.onHandedOver(List.copyOf(handedOver));
                handedOver.clear();
            }
        } else {
            awaitOther(cut);
        }
    }

    private void restart() {
        lock.lock();
        try {
            restarted++;
        } finally {
            lock.unlock();
        }
    }

    private void done(Cut cut) {
        lock.lock();
        try {
            installed = cut;
            if (goal == cut) {
                goal = null;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Finds a provider and asks it, before anything is overwritten. */
    private void begin(Cut cut) throws Interrupted {
        lock.lock();
        try {
            chunks.clear();
            last = null;
            overlap = null;
            received = 0;
            readBytes = 0;
            isEnded = false;
            providerFailure = null;
            if (cut != failedFor) {
                failed.clear();
                failedFor = cut;
            }
            candidates.clear();
            candidates.addAll(cut.holders());
            candidates.retainAll(reachable);
            candidates.removeAll(failed);
            provider = null;
        } finally {
            lock.unlock();
        }
        ask(cut, "");
        if (!state.isAtomic()) {
            awaitLeave(cut, owner::mayBegin);
        }
    }

    /** Waits until the agreement allows the present state to be given up. */
    private void awaitLeave(Cut cut, Predicate<Cut> question) throws Interrupted {
        long waited = 0;
        while (!question.test(cut)) {
            waited = awaitChange(cut, waited, "members do not agree on whose state goes on");
        }
    }

    private void awaitOther(Cut cut) throws Interrupted {
        long waited = 0;
        while (true) {
            waited = awaitChange(cut, waited, "no other cut was named");
        }
    }

    /** Waits for listeners of messages out of band, which use the state that is about to be replaced. */
    private void awaitListeners(Cut cut) throws Interrupted {
        long waited = 0;
        try {
            while (!owner.isQuiet()) {
                awaitingListeners(true);
                if (waited >= timeoutNanos) {
                    throw giveUp("the state of " + cut + " is not installed, because a listener of a message out of band has not"
                            + " returned for " + seconds(waited) + " (state.timeout)");
                }
                waited = awaitChange(cut, waited, "");
            }
        } finally {
            awaitingListeners(false);
        }
    }

    /** Waits a while; fails when the cut is no longer needed, or after {@code state.timeout}. */
    private long awaitChange(Cut cut, long waitedNanos, String reason) throws Interrupted {
        lock.lock();
        try {
            check(cut);
            if (waitedNanos >= timeoutNanos) {
                throw giveUp(cut, reason);
            }
            long step = Math.min(POLL_NANOS, timeoutNanos - waitedNanos);
            long left = changed.awaitNanos(step);
            check(cut);
            return waitedNanos + step - Math.max(0, left);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw giveUp(cut, "interrupted");
        } finally {
            lock.unlock();
        }
    }

    private void checkOpen() throws Interrupted {
        lock.lock();
        try {
            if (closed != null) {
                throw new Interrupted(closed);
            }
        } finally {
            lock.unlock();
        }
    }

    private void check(Cut cut) throws Interrupted {
        checkOpen();
        if (goal != cut) {
            throw new Interrupted("another state is needed");
        }
    }

    private Interrupted giveUp(Cut cut, String reason) {
        return giveUp("no member gives the state of " + cut + ": " + reason);
    }

    private Interrupted giveUp(String text) {
        lock.lock();
        try {
            closed = text;
            goal = null;
        } finally {
            lock.unlock();
        }
        owner.onFailed(text, null);
        return new Interrupted(text);
    }

    /** Asks the next provider to continue where the previous one has ended; waits if there is none. */
    private void ask(Cut cut, String why) throws Interrupted {
        long waited = 0;
        String reason = why;
        while (true) {
            if (askOne(cut, reason)) {
                return;
            }
            Cut later = owner.later(cut);
            if (later != null) {
                LOG.warn("group {}: nobody gives the state of {} any more, that of {} is next: {}", group, cut, later, reason);
                install(later);
                throw new Interrupted(reason + "; " + later + " is next");
            }
            waited = awaitChange(cut, waited, reason.isEmpty() ? "all who had it are gone" : reason);
        }
    }

    private boolean askOne(Cut cut, String why) throws Interrupted {
        Member asked;
        StateRecord.Pull pull;
        lock.lock();
        try {
            check(cut);
            boolean isFirst = transfer == 0 || received == 0 && last == null;
            if (!isFirst && (last == null || !state.isReproducible())) {
                throw new Interrupted(why + "; it begins anew");
            }
            if (candidates.isEmpty()) {
                provider = null;
                return false;
            }
            asked = candidates.removeFirst();
            provider = asked;
            providerFailure = null;
            isEnded = false;
            transfer++;
            overlap = last;
            long offset = last == null ? 0 : last.offset();
            granted = readBytes + windowBytes;
            pull = new StateRecord.Pull(transfer, cut.id(), offset, granted);
            if (!isFirst) {
                resumed++;
            }
        } finally {
            lock.unlock();
        }
        LOG.info("group {}: {} is asked for the state of {} from byte {}{}", group, asked, cut, pull.offset(),
                why.isEmpty() ? "" : ", because " + why);
        owner.send(asked, pull);
        return true;
    }

    /** Returns the next chunk that the provider has sent; null at the end. */
    private @Nullable Chunk take(Cut cut) throws Interrupted {
        while (true) {
            String failure;
            lock.lock();
            try {
                check(cut);
                Chunk next = chunks.poll();
                if (next != null && next.isIntact()) {
                    return next;
                }
                if (next != null) {
                    chunks.clear();
                    received = next.offset();
                    last = null;
                    fail("a chunk at byte " + next.offset() + " does not have its checksum");
                }
                if (next == null && isEnded && providerFailure == null) {
                    return null;
                }
                if (next == null && providerFailure == null && changed.awaitNanos(timeoutNanos) <= 0 && isSilent()) {
                    fail(provider + " has sent nothing for " + timeoutNanos / 1_000_000 + " ms");
                }
                failure = providerFailure;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw giveUp(cut, "interrupted");
            } finally {
                lock.unlock();
            }
            if (failure != null) {
                ask(cut, failure);
            }
        }
    }

    private boolean isSilent() {
        return chunks.isEmpty() && !isEnded && providerFailure == null;
    }

    /** Notes that the application has read a chunk; every quarter of the window, grants the provider more. */
    private void onRead(long length) {
        Member told = null;
        StateRecord.Grant grant = null;
        lock.lock();
        try {
            readBytes += length;
            long limit = readBytes + windowBytes;
            if (limit - granted >= windowBytes / 4) {
                granted = limit;
                told = provider;
                grant = new StateRecord.Grant(transfer, limit);
            }
        } finally {
            lock.unlock();
        }
        if (told != null && grant != null) {
            owner.send(told, grant);
        }
    }

    private void stopProvider() {
        Member told;
        long number;
        lock.lock();
        try {
            told = isEnded ? null : provider;
            number = transfer;
        } finally {
            lock.unlock();
        }
        if (told != null) {
            owner.send(told, new StateRecord.Stop(number));
        }
    }

    /** The stream that the application reads: the state of one cut, from its start. */
    private final class StateInput extends InputStream {

        private final Cut cut;
        private byte[] bytes = new byte[0];
        private int offset;
        private long at;
        private boolean isAtEnd;
        private @Nullable Interrupted failure;

        StateInput(Cut cut) {
            this.cut = cut;
        }

        @Override
        public int read() throws IOException {
            return fill() ? bytes[offset++] & 0xff : -1;
        }

        @Override
        public int read(byte[] into, int from, int length) throws IOException {
            if (length == 0) {
                return 0;
            }
            if (!fill()) {
                return -1;
            }
            int count = Math.min(length, bytes.length - offset);
            System.arraycopy(bytes, offset, into, from, count);
            offset += count;
            return count;
        }

        @Override
        public int available() {
            return bytes.length - offset;
        }

        private boolean fill() throws IOException {
            stillness.onRead();
            if (failure != null) {
                throw failure;
            }
            if (offset < bytes.length) {
                return true;
            }
            if (isAtEnd) {
                return false;
            }
            stillness.reading(true);
            try {
                Chunk next = take(cut);
                if (next == null) {
                    if (state.isAtomic()) {
                        awaitLeave(cut, owner::mayReplace);
                    }
                    isAtEnd = true;
                    return false;
                }
                bytes = next.bytes();
                offset = 0;
                at += bytes.length;
                onRead(bytes.length);
                return true;
            } catch (Interrupted e) {
                failure = e;
                throw e;
            } finally {
                stillness.reading(false);
            }
        }

        /** Checks the stream after the application has returned: it may have missed a failure, or not have read all. */
        void finish() throws Interrupted {
            if (failure != null) {
                throw failure;
            }
            if (!isAtEnd && state.isAtomic()) {
                throw new IllegalStateException("install has returned at byte " + at + " of the state of " + cut
                        + ", before its end: what is atomic is read to the end");
            }
            if (!isAtEnd) {
                stopProvider();
            }
        }
    }

    private static final long POLL_NANOS = 20_000_000;
}
