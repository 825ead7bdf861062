package dev.tutti.blocks.internal.block;

import dev.tutti.GroupBuilder;
import dev.tutti.blocks.internal.BlockMembers;
import dev.tutti.blocks.internal.Callbacks;
import dev.tutti.blocks.internal.Deadlines;
import dev.tutti.blocks.internal.Retry;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Lock and view of a block at one member, and the work that this member does on behalf of all, such as announcing
 * expired entries: it runs under the lock after each input and at deadlines, from {@link #open} to {@link #end}. It
 * may call the application's codecs, so it runs behind a fence; if it throws, this member leaves the group and another
 * one does the work. Thread-safe.
 */
public final class Upkeep {

    /** Recurring work of a block. */
    @FunctionalInterface
    public interface Work {

        /** Does all that is due, and sets the next deadline; under the lock. */
        void attend(View view, Member self);
    }

    private final NodeId node;
    private final String consequence;
    private final Work work;
    private final Callbacks callbacks;
    private final Deadlines deadlines;
    private final ReentrantLock lock = new ReentrantLock();
    private final Retry retry;
    private volatile @Nullable View view;
    private volatile @Nullable Member self;

    /** Guarded by the lock. */
    private boolean isOpen;

    /**
     * @param group of the block, which is still to be joined
     * @param block its kind and name, for the names of its threads
     * @param consequence of work that has thrown, for the log
     */
    public Upkeep(GroupBuilder group, String block, String consequence, Work work) {
        this.node = group.node().id();
        this.consequence = consequence;
        this.work = work;
        this.callbacks = new Callbacks(group);
        this.deadlines = new Deadlines(group.node().threads(), "tutti-" + block, nowNanos -> {
            run();
            // The work has set the next deadline.
            return Long.MAX_VALUE;
        });
        this.retry = new Retry(lock, deadlines);
    }

    /** Returns the lock that guards the block's state. */
    public ReentrantLock lock() {
        return lock;
    }

    public Callbacks callbacks() {
        return callbacks;
    }

    public Deadlines deadlines() {
        return deadlines;
    }

    /** Returns this member. */
    public Member self() {
        return Objects.requireNonNull(self, "no view was told yet");
    }

    /** Returns the view that the block has reached. */
    public View view() {
        return Objects.requireNonNull(view, "no view was told yet");
    }

    /** Returns the view that the block has reached; null before the first. */
    public @Nullable View reached() {
        return view;
    }

    /** Returns whether {@code member} is this one; false before the first view. */
    public boolean isSelf(@Nullable Member member) {
        return member != null && member.equals(self);
    }

    /**
     * Installs a view; under the lock.
     *
     * @return this member in it
     */
    public Member onView(View next) {
        Member own = BlockMembers.of(node, next);
        self = own;
        view = next;
        return own;
    }

    /** Begins the work: messages can be sent from now on. */
    public void open() {
        lock.lock();
        try {
            isOpen = true;
        } finally {
            lock.unlock();
        }
        run();
    }

    /** Ends the work: the block is closed. */
    public void end() {
        retry.end();
    }

    /** Does all that is due. Not under the lock. */
    public void run() {
        Throwable thrown;
        lock.lock();
        try {
            thrown = callbacks.attempt(this::attend);
        } finally {
            lock.unlock();
        }
        if (thrown != null) {
            callbacks.fail("codec", consequence, thrown);
        }
    }

    private void attend() {
        View present = view;
        Member own = self;
        if (present != null && own != null && isActive()) {
            work.attend(present, own);
        }
    }

    /** Returns whether messages can be sent: after {@link #open} and before {@link #end}. Under the lock. */
    public boolean isActive() {
        return isOpen && !retry.isOver();
    }

    /** @param unsent runs, under the lock, if {@code sent} fails; the work runs again after a pause */
    public void onUnsent(CompletionStage<?> sent, Runnable unsent) {
        retry.watch(sent, unsent);
    }

    /** Sets the next time of the work, but not within the pause after a failed message; under the lock. */
    public void continueAt(long dueNanos) {
        deadlines.watch(retry.notInPause(dueNanos));
    }

    /** Returns the number of messages that could not be sent; under the lock. */
    public long retries() {
        return retry.count();
    }
}
