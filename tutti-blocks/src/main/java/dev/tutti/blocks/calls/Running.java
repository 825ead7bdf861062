package dev.tutti.blocks.calls;

import dev.tutti.blocks.internal.Arguments;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A request that is being handled: what its handler may know of it, and what must be known to answer it. */
final class Running<A extends @Nullable Object> implements CallContext {

    private final Callee callee;
    private final Procedure<?, A> procedure;
    private final Member caller;
    private final View view;
    private final int epoch;
    private final long call;
    private final long deadlineNanos;
    private final int answerBytesMax;
    private final long sinceNanos;

    private long number;

    // Guarded by this.
    private boolean isOver;
    private boolean isCancelled;
    private boolean isToldLate;

    /** What of it still runs: its handler, and what is to be done when it is cancelled. */
    private int parts = 1;

    private @Nullable Thread thread;
    private @Nullable List<Runnable> onCancel;

    /**
     * @param call 0 if no answer is wanted
     * @param deadlineNanos of the node's calls
     */
    Running(
            Callee callee,
            Procedure<?, A> procedure,
            Member caller,
            Epoch epoch,
            long call,
            long deadlineNanos,
            int answerBytesMax) {
        this.callee = callee;
        this.procedure = procedure;
        this.caller = caller;
        this.view = epoch.view();
        this.epoch = epoch.number();
        this.call = call;
        this.deadlineNanos = deadlineNanos;
        this.answerBytesMax = answerBytesMax;
        this.sinceNanos = callee.nowNanos();
    }

    /** When the request was taken. */
    long sinceNanos() {
        return sinceNanos;
    }

    /** Whether a part of it runs on though nobody waits any more, and nobody was told; true once. */
    synchronized boolean takeLate() {
        boolean isLate = isCancelled && parts > 0 && !isToldLate;
        isToldLate |= isLate;
        return isLate;
    }

    Procedure<?, A> procedure() {
        return procedure;
    }

    long call() {
        return call;
    }

    /** What it is found by. */
    long number() {
        return number;
    }

    void number(long given) {
        number = given;
    }

    boolean isOneWay() {
        return call == 0;
    }

    int epoch() {
        return epoch;
    }

    long deadlineNanos() {
        return deadlineNanos;
    }

    int answerBytesMax() {
        return answerBytesMax;
    }

    // ------------------------------------------------------------------ what handlers see

    @Override
    public Member caller() {
        return caller;
    }

    @Override
    public View view() {
        return view;
    }

    @Override
    public Duration remaining() {
        return Duration.ofNanos(Math.max(0, deadlineNanos - callee.nowNanos()));
    }

    @Override
    public synchronized boolean isCancelled() {
        return isCancelled;
    }

    @Override
    public void onCancel(Runnable action) {
        Arguments.required(action, "onCancel: the action");
        synchronized (this) {
            if (!isCancelled) {
                if (!isOver) {
                    List<Runnable> actions = onCancel == null ? new ArrayList<>(1) : onCancel;
                    actions.add(action);
                    onCancel = actions;
                }
                return;
            }
        }
        action.run();
    }

    // ------------------------------------------------------------------ life

    /** The calling thread handles it, and is interrupted if it is cancelled; false if that has happened. */
    synchronized boolean begin() {
        thread = Thread.currentThread();
        return !isCancelled;
    }

    /** Whoever gets true may answer, unless the request was cancelled, and nobody else. */
    synchronized boolean end() {
        if (isOver) {
            return false;
        }
        isOver = true;
        thread = null;
        onCancel = null;
        return true;
    }

    /** Nobody waits for an answer any more. */
    boolean cancel() {
        List<Runnable> actions;
        synchronized (this) {
            if (isOver || isCancelled) {
                return false;
            }
            isCancelled = true;
            actions = onCancel == null ? List.of() : onCancel;
            parts += actions.isEmpty() ? 0 : 1;
            onCancel = null;
            // Within the lock, so that it can't hit what the thread does afterwards.
            if (thread != null) {
                thread.interrupt();
            }
        }
        if (!actions.isEmpty()) {
            callee.callOnCancel(this, actions);
        }
        return true;
    }

    /** One part of it has returned; says whether it was the last. */
    synchronized boolean endPart() {
        parts--;
        return parts == 0;
    }

    @Override
    public String toString() {
        return procedure + " for " + caller;
    }
}
