package dev.tutti.blocks.calls;

import dev.tutti.SendException;
import dev.tutti.Threads;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.internal.Buffers;
import dev.tutti.blocks.internal.Callbacks;
import dev.tutti.blocks.internal.Deadlines;
import dev.tutti.blocks.internal.argument.Arguments;
import dev.tutti.blocks.internal.calls.Audience;
import dev.tutti.blocks.internal.calls.Batch;
import dev.tutti.blocks.internal.calls.CallCounters;
import dev.tutti.blocks.internal.calls.CallResources;
import dev.tutti.blocks.internal.calls.Epoch;
import dev.tutti.blocks.internal.calls.Frame;
import dev.tutti.blocks.internal.calls.Line;
import dev.tutti.blocks.internal.calls.OpenCalls;
import dev.tutti.core.Member;
import dev.tutti.internal.Logs;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** The calling side: begins calls, and ends them by answers, views, deadlines and the end of the group. */
final class CallClient {

    private static final Logger LOG = Logs.of(CallClient.class);
    private static final byte[] NOTHING = {};

    /** Time until a sweep checks again whether a due call has been completed. */
    private static final long AGAIN_NANOS = 1_000_000;

    private final Member self;
    private final Threads threads;
    private final Callbacks callbacks;
    private final Line line;
    private final Buffers buffers;
    private final CallCounters counters;
    private final OpenCalls<OpenCall<?>> open;
    private final Deadlines deadlines;

    /** Members that drain and wait for calls from here; at most one entry for each request to drain that runs. */
    private final List<Leaving> leaving = new CopyOnWriteArrayList<>();

    private volatile Epoch epoch;
    private volatile @Nullable String closedBecause;

    private record Leaving(Member member, CompletableFuture<Boolean> isFree) {}

    CallClient(CallResources resources, int callsMax, Member self, Epoch epoch) {
        this.self = self;
        this.threads = resources.threads();
        this.callbacks = resources.callbacks();
        this.line = resources.line();
        this.buffers = resources.buffers();
        this.counters = resources.counters();
        this.open = new OpenCalls<>(callsMax);
        this.deadlines = resources.deadlines();
        this.epoch = epoch;
    }

    Callbacks callbacks() {
        return callbacks;
    }

    Epoch epoch() {
        return epoch;
    }

    int openCalls() {
        return open.size();
    }

    // ------------------------------------------------------------------ calling

    <Q extends @Nullable Object, A extends @Nullable Object> OpenCall<A> start(
            Member member, Procedure<Q, A> procedure, Q request, CallOptions options) {
        Epoch begun = epoch;
        ByteOutput out = encode(procedure, request, options);
        OpenToOne<A> call = new OpenToOne<>(this, begun.number(), deadline(options), member, procedure);
        if (admit(call)) {
            // After the call was registered: a member that drains waits for it, or it is not made.
            if (epoch.isCallable(member)) {
                Frame.setCall(out, call.number());
                line.send(member, out, call);
                watch(call, begun);
            } else {
                call.settle(new Outcome.Unreachable<>(), Batch.NONE);
            }
        }
        buffers.giveBack(out);
        return call;
    }

    /** @param enough tells when the call is over; null for the number of values in the options */
    <Q extends @Nullable Object, A extends @Nullable Object> OpenCall<Outcomes<A>> start(
            Audience audience, Procedure<Q, A> procedure, Q request, CallOptions options, @Nullable Predicate<? super Outcomes<A>> enough) {
        Epoch begun = epoch;
        boolean isOfDrain = procedure == Calls.DRAIN;
        boolean isToAll = audience.isAll() && options.atOnceMax() >= begun.view().size();
        UnaryOperator<List<Member>> order = options.order();
        List<Member> members = order == null || isToAll ? audience.members(begun.view()) : order.apply(audience.membersAfter(self, begun.view()));
        ByteOutput out = encode(procedure, request, options);
        boolean isLater = options.atOnceMax() < members.size();
        OpenToMany<A> call = new OpenToMany<>(
                this,
                begun.number(),
                deadline(options),
                members,
                procedure,
                options,
                isToAll,
                isLater ? out.copy() : NOTHING);
        call.until(enough);
        if (isOfDrain) {
            call.markOfDrain();
        }
        if (admit(call)) {
            Frame.setCall(out, call.number());
            // After the call was registered, as above.
            Epoch now = epoch;
            if (!now.draining().isEmpty() && !(audience instanceof Audience.Only)) {
                call.leaveOut(now.draining());
            }
            if (isToAll) {
                line.send(null, out, call);
            } else {
                call.begin(isOfDrain ? begun::contains : now::isCallable, out);
            }
            watch(call, begun);
        }
        buffers.giveBack(out);
        return call;
    }

    /** Sends the request of a call to several to one of the members that are asked first. */
    void ask(OpenToMany<?> call, Member member, ByteOutput request) {
        line.send(member, request, call);
    }

    /** Sends the request to a member that is asked later. */
    void ask(OpenToMany<?> call, Member member, byte[] request) {
        long remainingNanos = call.deadlineNanos() - deadlines.nowNanos();
        ByteOutput out = buffers.take(Long.MAX_VALUE).putRaw(request, 0, request.length);
        Frame.setCall(out, call.number());
        Frame.setRemaining(out, remainingNanos);
        line.send(member, out, call);
        buffers.giveBack(out);
    }

    /** Sends a request that wants no answer. */
    <Q extends @Nullable Object> void send(Member member, Procedure<Q, ?> procedure, Q request) {
        Outcomes<Object> sent = send(Audience.only(List.of(member)), procedure, request);
        if (sent.of(member) instanceof Outcome.Unreachable<?> unreachable) {
            throw CallException.of(member, unreachable).here();
        }
    }

    /** Sends the same to several members; those that are not in the view are left out. */
    <Q extends @Nullable Object, A extends @Nullable Object> Outcomes<A> send(
            Audience audience, Procedure<Q, ?> procedure, Q request) {
        String closed = closedBecause;
        if (closed != null) {
            throw new CallException(CallException.Reason.CLOSED, closed);
        }
        Epoch begun = epoch;
        List<Member> members = audience.members(begun.view());
        List<Outcome<A>> outcomes = new ArrayList<>(members.size());
        ByteOutput out = encode(procedure, request, CallOptions.ONE_WAY);
        boolean isSentToAll = audience.isAll() && sendNow(null, out);
        for (Member member : members) {
            boolean isSent = isSentToAll || begun.isCallable(member) && sendNow(member, out);
            outcomes.add(isSent ? new Outcome.Unanswered<>() : new Outcome.Unreachable<>());
        }
        buffers.giveBack(out);
        return new Outcomes<>(members, outcomes, true);
    }

    /** @return false if the member has left the view */
    private boolean sendNow(@Nullable Member member, ByteOutput out) {
        counters.oneWayCalls.increment();
        SendException[] failure = new SendException[1];
        line.send(member, out, (receiver, reason) -> failure[0] = reason);
        // A failure that comes later means that the member, or this one, has left.
        if (failure[0] == null) {
            return true;
        }
        if (failure[0].reason() == SendException.Reason.NO_MEMBER) {
            return false;
        }
        throw unsent(failure[0]).here();
    }

    private <Q extends @Nullable Object> ByteOutput encode(Procedure<Q, ?> procedure, Q request, CallOptions options) {
        Arguments.required(procedure, "the procedure");
        ByteOutput out = buffers.take(Long.MAX_VALUE);
        Frame.putRequest(out, procedure.id(), options.timeoutNanos(), options.answerBytesMax());
        procedure.request().put(request, out);
        return out;
    }

    private long deadline(CallOptions options) {
        return Deadlines.after(deadlines.nowNanos(), options.timeoutNanos());
    }

    private boolean admit(OpenCall<?> call) {
        counters.calls.increment();
        if (open.add(call)) {
            return true;
        }
        counters.refusedCalls.increment();
        call.fail(CallException.of(
                CallException.Reason.TOO_MANY_CALLS,
                "as many calls are open as may be (" + open.size() + "); wait for some, or allow more with openCallsMax"));
        return false;
    }

    /** Catches up with events since the call was begun, now that it is registered. */
    private void watch(OpenCall<?> call, Epoch begun) {
        Epoch now = epoch;
        if (now != begun) {
            call.onEpoch(now);
        }
        String closed = closedBecause;
        if (closed != null) {
            call.onClosed(CallException.of(CallException.Reason.CLOSED, closed));
        }
        deadlines.watch(call.deadlineNanos());
    }

    /** Waits for a call, until its deadline at most. */
    <R extends @Nullable Object> R await(OpenCall<R> call) {
        try {
            if (Thread.currentThread().isVirtual()) {
                // A timer for each wait would cost more than the call; the sweep of deadlines wakes it.
                return threads.get(call);
            }
            try {
                long remainingNanos = Math.max(1, call.deadlineNanos() - deadlines.nowNanos());
                return threads.get(call, remainingNanos, TimeUnit.NANOSECONDS);
            } catch (TimeoutException e) {
                expire(call, Batch.NONE);
                return threads.get(call);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            call.cancel(true);
            throw new CallException(CallException.Reason.INTERRUPTED, "interrupted while waiting; the call is cancelled");
        } catch (ExecutionException e) {
            throw e.getCause() instanceof CallException failure ? failure.here() : new IllegalStateException(e);
        }
    }

    static CallException unsent(SendException reason) {
        CallException.Reason kind = reason.reason().isFinal() ? CallException.Reason.CLOSED : CallException.Reason.NOT_SENT;
        return CallException.of(kind, String.valueOf(reason.getMessage()));
    }

    // ------------------------------------------------------------------ what calls are told

    void onAnswer(Member from, long number, ByteInput answer, Executor completer) {
        OpenCall<?> call = open.find(number);
        if (call == null || !call.onAnswer(from, answer, completer)) {
            counters.strayAnswers.increment();
        }
        if (!leaving.isEmpty()) {
            releaseLeaving();
        }
    }

    void onFailure(Member from, long number, OpenCall.Failed failed, Executor completer) {
        OpenCall<?> call = open.find(number);
        if (call == null || !call.onFailure(from, failed, completer)) {
            counters.strayAnswers.increment();
        }
        if (!leaving.isEmpty()) {
            releaseLeaving();
        }
    }

    /** Notes that this member's own request to all was delivered. */
    void onDelivered(long number) {
        OpenCall<?> call = open.find(number);
        if (call != null) {
            call.onDelivered(epoch);
        }
    }

    void onEpoch(Epoch next) {
        epoch = next;
        open.forEach(call -> {
            if (call.epoch() < next.number()) {
                call.onEpoch(next);
            }
        });
    }

    /**
     * Calls a member no more, which is about to leave.
     *
     * @return completes when no call waits for the member
     */
    CompletableFuture<Boolean> onDrain(Member member) {
        Epoch without = epoch.withDraining(member);
        epoch = without;
        open.forEach(call -> call.onEpoch(without));
        Leaving leaving = new Leaving(member, new CompletableFuture<>());
        this.leaving.add(leaving);
        releaseLeaving();
        return leaving.isFree();
    }

    /** Completes what members that drain wait for. */
    private void releaseLeaving() {
        for (Leaving each : leaving) {
            boolean[] isAwaited = {false};
            open.forEach(call -> isAwaited[0] |= call.isAwaiting(each.member()));
            if (!isAwaited[0] && leaving.remove(each)) {
                each.isFree().complete(true);
            }
        }
    }

    void onClosed(String reason) {
        closedBecause = reason;
        open.forEach(call -> call.onClosed(CallException.of(CallException.Reason.CLOSED, reason)));
    }

    /** Ends calls that are due; returns when the next one is. */
    long sweep(long nowNanos) {
        long[] next = {Long.MAX_VALUE};
        open.forEach(call -> {
            if (call.isDone()) {
                // The future was completed by somebody else.
                release(call);
            } else if (call.deadlineNanos() <= nowNanos) {
                expire(call, deadlines::start);
                next[0] = Math.min(next[0], nowNanos + AGAIN_NANOS);
            } else {
                next[0] = Math.min(next[0], call.deadlineNanos());
            }
        });
        return next[0];
    }

    private void expire(OpenCall<?> call, Executor completer) {
        if (call.isSettled()) {
            call.completeIfKnown(completer);
        } else {
            counters.timedOutCalls.increment();
            call.onDeadline(completer);
        }
    }

    // ------------------------------------------------------------------ what calls ask for

    void release(OpenCall<?> call) {
        open.remove(call);
        if (!leaving.isEmpty()) {
            releaseLeaving();
        }
    }

    /** Tells members that nobody waits for their answers any more. */
    void cancelAt(List<Member> members, long number) {
        counters.cancelledCalls.increment();
        ByteOutput out = buffers.take(Long.MAX_VALUE);
        Frame.putCancel(out, number);
        for (Member member : members) {
            line.send(member, out, (receiver, reason) ->
                    LOG.debug("call {} at {} is not cancelled: {}", number, receiver, reason.getMessage()));
        }
        buffers.giveBack(out);
    }
}
