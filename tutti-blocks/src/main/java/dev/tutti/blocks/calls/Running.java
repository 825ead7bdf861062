package dev.tutti.blocks.calls;

import dev.tutti.blocks.internal.argument.Arguments;
import dev.tutti.blocks.internal.calls.Epoch;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A request that is being handled: the context of its handler, and the data to answer it. */
final class Running<A extends @Nullable Object> implements CallContext {

    private final CallServer server;
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

    /** Parts that still run: the handler, and the actions for its cancellation. */
    private int parts = 1;

    private @Nullable Thread thread;
    private @Nullable List<Runnable> onCancel;

    /**
     * @param call 0 if no answer is wanted
     * @param deadlineNanos by the clock of the node's calls
     */
    Running(
            CallServer server,
            Procedure<?, A> procedure,
            Member caller,
            Epoch epoch,
            long call,
            long deadlineNanos,
            int answerBytesMax) {
        this.server = server;
        this.procedure = procedure;
        this.caller = caller;
        this.view = epoch.view();
        this.epoch = epoch.number();
        this.call = call;
        this.deadlineNanos = deadlineNanos;
        this.answerBytesMax = answerBytesMax;
        this.sinceNanos = server.nowNanos();
    }

    /** Returns the time at which the request was taken. */
    long sinceNanos() {
        return sinceNanos;
    }

    /** Returns, once, whether a part still runs though nobody waits any more. */
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

    /** Returns the number under which the caller knows it. */
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

    // ------------------------------------------------------------------ the handler's context

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
        return Duration.ofNanos(Math.max(0, deadlineNanos - server.nowNanos()));
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

    /** Makes the calling thread the one to interrupt on cancellation; returns false if it is cancelled already. */
    synchronized boolean begin() {
        thread = Thread.currentThread();
        return !isCancelled;
    }

    /** Returns true once: that thread alone may answer, unless the request was cancelled. */
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
            // Within the lock, so that the interrupt can't hit the thread's later work.
            if (thread != null) {
                thread.interrupt();
            }
        }
        if (!actions.isEmpty()) {
            server.callOnCancel(this, actions);
        }
        return true;
    }

    /** Notes that a part has returned; returns whether it was the last. */
    synchronized boolean endPart() {
        parts--;
        return parts == 0;
    }

    @Override
    public String toString() {
        return procedure + " for " + caller;
    }
}
