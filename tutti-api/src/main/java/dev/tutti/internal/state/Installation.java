package dev.tutti.internal.state;

import dev.tutti.GroupState;
import dev.tutti.StateProgress;
import dev.tutti.core.Member;
import dev.tutti.internal.Fence;
import dev.tutti.internal.Host;
import dev.tutti.internal.Logs;
import dev.tutti.internal.state.StateInput.Interrupted;
import dev.tutti.internal.state.StateRecord.Chunk;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
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

    private static final Logger LOG = Logs.of(Installation.class);

    private final String group;
    private final GroupState state;
    private final Host host;
    private final Fence fence;
    private final Owner owner;
    private final long timeoutNanos;
    private final Stillness stillness;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed;

    /** Messages to send once a state is accepted; accessed by the installing thread only. */
    private final List<byte[]> handedOver = new ArrayList<>();

    // Guarded by the lock.
    private final Goal goal;
    private @Nullable Cut installed;
    private boolean isRunning;
    private final Providers providers = new Providers();
    private final Reception reception;
    private int restarted;

    /** Listeners of messages out of band are still running. */
    private boolean isAwaitingListeners;

    Installation(String group, GroupState state, Host host, Fence fence, Owner owner, long windowBytes, Duration timeout) {
        this.group = group;
        this.state = state;
        this.host = host;
        this.fence = fence;
        this.owner = owner;
        this.reception = new Reception(providers, windowBytes);
        this.timeoutNanos = timeout.toNanos();
        this.stillness = new Stillness(host);
        this.changed = host.condition(lock);
        this.goal = new Goal(lock, changed, timeoutNanos, reason -> owner.onFailed(reason, null));
    }

    StateProgress progress(StateProgress.Phase phase, long heldBytes) {
        lock.lock();
        try {
            return new StateProgress(
                    phase,
                    reception.provider(),
                    reception.readBytes(),
                    reception.totalBytes(),
                    heldBytes,
                    reception.resumed(),
                    restarted);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the cause of the wait, as a text for people; empty if it does not wait. */
    String waitsFor() {
        lock.lock();
        try {
            Cut cut = goal.cut();
            if (cut == null) {
                return "";
            }
            long still = stillness.nanos();
            if (still >= 0) {
                return "install of the application, which has neither returned nor read on for " + seconds(still);
            }
            if (isAwaitingListeners) {
                return "listeners of the application for messages out of band, which have not returned";
            }
            Member provider = reception.provider();
            return provider == null ? "a member with the state of " + cut : provider + " to send the state of " + cut;
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
            if (goal.set(cut) && !isRunning) {
                isRunning = true;
                host.start("tutti-state-install-" + group, this::run);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Cancels the installation in progress, unless it is {@code needed}. */
    void keepOnly(@Nullable Cut needed) {
        goal.keepOnly(needed);
    }

    void close(String reason) {
        goal.close(reason);
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
            if (goal.isClosed() || nanos < timeoutNanos) {
                return;
            }
            text = "install of the application has neither returned nor read on for " + seconds(nanos) + " (state.timeout)";
            goal.close(text);
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
            providers.onView(together);
            Member sending = reception.sendingProvider();
            if (sending != null && !together.contains(sending)) {
                reception.fail(sending + " is gone");
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
            providers.onSettled(members);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void onRecord(Member sender, StateRecord record) {
        lock.lock();
        try {
            if (reception.onRecord(sender, record)) {
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
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
            Cut next = goal.cut();
            if (next == null) {
                isRunning = false;
                reception.leaveProvider();
            }
            return next;
        } finally {
            lock.unlock();
        }
    }

    private void installOnce(Cut cut) throws IOException {
        StateInput in = new StateInput(() -> read(cut), stillness);
        begin(cut);
        awaitListeners(cut);
        HandedOver replacement = new HandedOver(cut.view(), owner.hasState());
        stillness.called(true);
        try {
            state.install(in, replacement);
        } catch (IOException | RuntimeException e) {
            Interrupted failure = in.failure();
            if (failure != null) {
                restart();
                throw failure;
            }
            throw e;
        } finally {
            stillness.called(false);
        }
        finish(cut, in);
        goal.checkOpen();
        handedOver.addAll(replacement.close());
        if (state.isAtomic() || owner.onInstalled(cut)) {
            LOG.info("group {}: the state of {} is installed, {} bytes", group, cut, in.at());
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
            goal.onInstalled(cut);
        } finally {
            lock.unlock();
        }
    }

    /** Finds a provider and asks it, before anything is overwritten. */
    private void begin(Cut cut) throws Interrupted {
        lock.lock();
        try {
            reception.begin();
            providers.begin(cut);
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
            waited = goal.await(cut, waited, "members do not agree on whose state goes on");
        }
    }

    private void awaitOther(Cut cut) throws Interrupted {
        long waited = 0;
        while (true) {
            waited = goal.await(cut, waited, "no other cut was named");
        }
    }

    /** Waits for listeners of messages out of band, which use the state that is about to be replaced. */
    private void awaitListeners(Cut cut) throws Interrupted {
        long waited = 0;
        try {
            while (!owner.isQuiet()) {
                awaitingListeners(true);
                if (waited >= timeoutNanos) {
                    throw goal.giveUp("the state of " + cut + " is not installed, because a listener of a message out of band has not"
                            + " returned for " + seconds(waited) + " (state.timeout)");
                }
                waited = goal.await(cut, waited, "");
            }
        } finally {
            awaitingListeners(false);
        }
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
            waited = goal.await(cut, waited, reason.isEmpty() ? "all who had it are gone" : reason);
        }
    }

    private boolean askOne(Cut cut, String why) throws Interrupted {
        Member asked;
        StateRecord.Pull pull;
        lock.lock();
        try {
            goal.check(cut);
            if (!reception.canGoOn(state.isReproducible())) {
                throw new Interrupted(why + "; it begins anew");
            }
            asked = providers.next();
            if (asked == null) {
                reception.leaveProvider();
                return false;
            }
            pull = reception.ask(asked, cut.id());
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
                goal.check(cut);
                Chunk next = reception.poll();
                if (next != null || reception.isComplete()) {
                    return next;
                }
                if (reception.isSilent() && changed.awaitNanos(timeoutNanos) <= 0 && reception.isSilent()) {
                    reception.fail(reception.provider() + " has sent nothing for " + timeoutNanos / 1_000_000 + " ms");
                }
                failure = reception.failure();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw goal.giveUp(cut, "interrupted");
            } finally {
                lock.unlock();
            }
            if (failure != null) {
                ask(cut, failure);
            }
        }
    }

    /** Waits for the next bytes of the state of a cut; null at its end, if it may replace the present one. */
    private byte @Nullable [] read(Cut cut) throws Interrupted {
        Chunk next = take(cut);
        if (next == null) {
            if (state.isAtomic()) {
                awaitLeave(cut, owner::mayReplace);
            }
            return null;
        }
        onRead(next.bytes().length);
        return next.bytes();
    }

    private void onRead(long length) {
        Member told;
        StateRecord.Grant grant;
        lock.lock();
        try {
            grant = reception.onRead(length);
            told = reception.provider();
        } finally {
            lock.unlock();
        }
        if (told != null && grant != null) {
            owner.send(told, grant);
        }
    }

    /** Checks the stream after the application has returned: it may have missed a failure, or not have read all. */
    private void finish(Cut cut, StateInput in) throws Interrupted {
        Interrupted failure = in.failure();
        if (failure != null) {
            throw failure;
        }
        if (!in.isAtEnd() && state.isAtomic()) {
            throw new IllegalStateException("install has returned at byte " + in.at() + " of the state of " + cut
                    + ", before its end: what is atomic is read to the end");
        }
        if (!in.isAtEnd()) {
            stopProvider();
        }
    }

    private void stopProvider() {
        Member told;
        long number;
        lock.lock();
        try {
            told = reception.sendingProvider();
            number = reception.transfer();
        } finally {
            lock.unlock();
        }
        if (told != null) {
            owner.send(told, new StateRecord.Stop(number));
        }
    }
}
