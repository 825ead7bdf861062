package dev.tutti.blocks.calls;

import dev.tutti.SendException;
import dev.tutti.Threads;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.TooLongException;
import dev.tutti.blocks.internal.Buffers;
import dev.tutti.blocks.internal.Callbacks;
import dev.tutti.blocks.internal.Deadlines;
import dev.tutti.blocks.internal.calls.CallCounters;
import dev.tutti.blocks.internal.calls.CallResources;
import dev.tutti.blocks.internal.calls.Epoch;
import dev.tutti.blocks.internal.calls.Frame;
import dev.tutti.blocks.internal.calls.Line;
import dev.tutti.core.Member;
import dev.tutti.internal.Logs;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** The called side: runs handlers up to a limit, sends their answers, and cancels those that nobody waits for. */
final class CallServer implements Line.Unsent {

    private static final Logger LOG = Logs.of(CallServer.class);

    /** Deadline of requests that want no answer, which have all the time they need. */
    private static final long NEVER = Long.MAX_VALUE;

    /** Time after a handler's deadline from which it is logged as late. */
    private static final long LATE_NANOS = 5_000_000_000L;

    /** @param number of the call, which is above 0, or one of our own for a request that wants no answer */
    private record Key(Member caller, long number) {}

    private final Threads threads;
    private final String name;
    private final Callbacks callbacks;
    private final Registrations registrations;
    private final Line line;
    private final Buffers buffers;
    private final CallCounters counters;
    private final int handlersMax;
    private final AtomicInteger handlers = new AtomicInteger();
    private final AtomicLong oneWay = new AtomicLong();
    private final Map<Key, Running<?>> running = new ConcurrentHashMap<>();
    private final Loopback loopback;
    private final Deadlines deadlines;

    /** Takes messages from this member to itself, which need no network. */
    interface Loopback {

        /** @return false if {@code receiver} is another member */
        boolean take(Member receiver, ByteOutput out);
    }

    CallServer(CallResources resources, Registrations registrations, int handlersMax, Loopback loopback) {
        this.threads = resources.threads();
        this.name = resources.threadName();
        this.callbacks = resources.callbacks();
        this.registrations = registrations;
        this.line = resources.line();
        this.buffers = resources.buffers();
        this.counters = resources.counters();
        this.handlersMax = handlersMax;
        this.deadlines = resources.deadlines();
        this.loopback = loopback;
    }

    long nowNanos() {
        return deadlines.nowNanos();
    }

    int handlers() {
        return handlers.get();
    }

    // ------------------------------------------------------------------ inputs

    void onRequest(
            Member caller, Epoch epoch, long call, long id, long remainingNanos, int answerBytesMax, ByteInput in) {
        counters.requests.increment();
        Registration<?, ?> registration = registrations.find(id);
        if (registration == null) {
            List<String> names = registrations.names();
            refuse(caller, call, Refusal.NO_PROCEDURE, "this member serves no procedure of number " + Long.toHexString(id)
                    + (names.isEmpty() ? ", and none at all" : ", only " + names));
            return;
        }
        long deadlineNanos = call == 0 ? NEVER : Deadlines.after(nowNanos(), remainingNanos);
        handle(registration, caller, epoch, call, deadlineNanos, answerBytesMax, in);
    }

    private <Q extends @Nullable Object, A extends @Nullable Object> void handle(
            Registration<Q, A> registration,
            Member caller,
            Epoch epoch,
            long call,
            long deadlineNanos,
            int answerBytesMax,
            ByteInput in) {
        Procedure<Q, A> procedure = registration.procedure();
        Callbacks.Asked<Q> read = callbacks.ask(() -> {
            Q taken = procedure.request().take(in);
            in.end();
            return taken;
        });
        Throwable unreadable = read.thrown();
        if (unreadable != null) {
            reportError("codec of requests of " + procedure, unreadable);
            refuse(caller, call, Refusal.MALFORMED_REQUEST, text(unreadable));
            return;
        }
        Q request = read.value();
        Running<A> begun = new Running<>(this, procedure, caller, epoch, call, deadlineNanos, answerBytesMax);
        switch (registration.way()) {
            case Registration.Way.Inline<Q, A>(Handler<Q, A> handler) -> handle(handler, request, begun);
            case Registration.Way.OnThread<Q, A>(Handler<Q, A> handler) -> {
                if (admit(begun)) {
                    threads.start(name, () -> runOnThread(handler, request, begun));
                }
            }
            case Registration.Way.Async<Q, A>(AsyncHandler<Q, A> handler) -> {
                if (admit(begun)) {
                    begin(handler, request, begun);
                }
            }
        }
    }

    void onCancel(Member caller, long call) {
        Running<?> found = running.get(new Key(caller, call));
        if (found != null) {
            cancel(found);
        }
    }

    /** Cancels requests of members that have left the view or were apart, which wait for no answer. */
    void onEpoch(Epoch next) {
        for (Running<?> each : running.values()) {
            if (!each.isOneWay() && !next.hasStayed(each.caller(), each.epoch())) {
                cancel(each);
            }
        }
    }

    void onClosed() {
        running.values().forEach(this::cancel);
    }

    /** Cancels requests that are past their deadline; returns when the next one is due. */
    long sweep(long nowNanos) {
        long next = NEVER;
        for (Running<?> each : running.values()) {
            if (each.isCancelled()) {
                next = Math.min(next, watchLate(each, nowNanos));
            } else if (each.deadlineNanos() <= nowNanos) {
                cancel(each);
                next = Math.min(next, nowNanos + LATE_NANOS);
            } else {
                next = Math.min(next, each.deadlineNanos());
            }
        }
        return next;
    }

    /** Logs a handler that still runs after its deadline; returns when to look again. */
    private long watchLate(Running<?> each, long nowNanos) {
        long lateNanos = Deadlines.after(each.deadlineNanos(), LATE_NANOS);
        if (nowNanos < lateNanos) {
            return lateNanos;
        }
        if (each.takeLate()) {
            LOG.warn("{}: the handler of {}, or its onCancel, has not returned {} ms after it was called and {} ms after the deadline"
                    + " of its caller; it was cancelled and goes on", name, each, millis(nowNanos - each.sinceNanos()),
                    millis(nowNanos - each.deadlineNanos()));
        }
        return NEVER;
    }

    private static long millis(long nanos) {
        return nanos / 1_000_000;
    }

    /** Returns the number of handlers that run though nobody waits for them any more. */
    long handlersPastDeadline() {
        return running.values().stream().filter(Running::isCancelled).count();
    }

    /** Returns the time for which the oldest running handler has been running; 0 if none runs. */
    long longestHandlerMillis() {
        long nowNanos = nowNanos();
        return millis(running.values().stream().mapToLong(each -> nowNanos - each.sinceNanos()).max().orElse(0));
    }

    private void cancel(Running<?> each) {
        if (each.cancel()) {
            counters.cancelledRequests.increment();
        }
    }

    // ------------------------------------------------------------------ handling

    /** Registers a request that can be cancelled; refuses it if there are too many. */
    private boolean admit(Running<?> begun) {
        if (handlers.incrementAndGet() > handlersMax) {
            handlers.decrementAndGet();
            counters.overloads.increment();
            refuse(begun.caller(), begun.call(), Refusal.OVERLOADED, handlersMax + " handlers run, which is as many as may");
            return false;
        }
        begun.number(begun.isOneWay() ? -oneWay.incrementAndGet() : begun.call());
        if (running.putIfAbsent(new Key(begun.caller(), begun.number()), begun) != null) {
            handlers.decrementAndGet();
            counters.malformed.increment();
            LOG.warn("call {} of {} is under way already and is ignored", begun.call(), begun.caller());
            return false;
        }
        deadlines.watch(begun.deadlineNanos());
        return true;
    }

    private <Q extends @Nullable Object, A extends @Nullable Object> void runOnThread(
            Handler<Q, A> handler, Q request, Running<A> begun) {
        try {
            if (begun.begin()) {
                handle(handler, request, begun);
            }
        } finally {
            leave(begun);
        }
    }

    private <Q extends @Nullable Object, A extends @Nullable Object> void handle(
            Handler<Q, A> handler, Q request, Running<A> begun) {
        Callbacks.Asked<A> answer = callbacks.ask(() -> handler.handle(request, begun));
        Throwable thrown = answer.thrown();
        if (thrown == null) {
            answer(begun, answer.value());
        } else {
            fail(begun, thrown);
        }
    }

    private <Q extends @Nullable Object, A extends @Nullable Object> void begin(
            AsyncHandler<Q, A> handler, Q request, Running<A> begun) {
        Callbacks.Asked<CompletionStage<A>> asked = callbacks.ask(
                () -> Objects.requireNonNull(handler.handle(request, begun), "the handler has returned no stage"));
        Throwable thrown = asked.thrown();
        if (thrown == null) {
            // The stage may be the application's own class.
            thrown = callbacks.attempt(() -> asked.value().whenComplete((answer, failure) -> {
                try {
                    if (failure == null) {
                        answer(begun, answer);
                    } else {
                        Throwable cause = failure instanceof CompletionException ? failure.getCause() : null;
                        fail(begun, cause == null ? failure : cause);
                    }
                } finally {
                    leave(begun);
                }
            }));
        }
        if (thrown != null) {
            fail(begun, thrown);
            leave(begun);
        }
    }

    /** Notes that the handler has ended. One that an Error has ended has not answered. */
    private void leave(Running<?> begun) {
        if (begun.end() && !begun.isCancelled()) {
            reply(begun.caller(), begun.call(), Frame.HANDLER_FAILURE, "java.lang.Error", "the handler ended without an answer");
        }
        endPart(begun);
    }

    /** A request counts as a running handler as long as any part of it runs. */
    private void endPart(Running<?> begun) {
        if (begun.endPart() && running.remove(new Key(begun.caller(), begun.number()), begun)) {
            handlers.decrementAndGet();
        }
    }

    // ------------------------------------------------------------------ answering

    /** Encodes and sends the answer. The codec is part of the handler, which ends when the answer is encoded. */
    private <A extends @Nullable Object> void answer(Running<A> begun, A answer) {
        if (begun.isOneWay() || begun.isCancelled()) {
            begun.end();
            return;
        }
        ByteOutput out = buffers.take((long) begun.answerBytesMax() + Frame.ANSWER_HEADER_BYTES);
        Frame.putAnswer(out, begun.call());
        Throwable thrown = callbacks.attempt(() -> begun.procedure().answer().put(answer, out));
        if (thrown == null) {
            if (endToAnswer(begun)) {
                send(begun.caller(), out);
            }
        } else if (thrown instanceof TooLongException) {
            if (endToAnswer(begun)) {
                refuse(begun.caller(), begun.call(), Refusal.ANSWER_TOO_LONG,
                        "an answer of more than " + begun.answerBytesMax() + " bytes");
            }
        } else {
            reportError("codec of answers of " + begun.procedure(), thrown);
            replyFailure(begun, thrown);
        }
        buffers.giveBack(out);
    }

    /** Ends the handler; returns whether the caller still waits for an answer and this thread is the one to give it. */
    private static boolean endToAnswer(Running<?> begun) {
        return begun.end() && !begun.isCancelled();
    }

    /** Logs an error that the caller is told, too. It is no reason to leave the group, but needs attention. */
    private void reportError(String callback, Throwable thrown) {
        if (thrown instanceof Error) {
            callbacks.report(callback, new IllegalStateException("at a call: " + text(thrown), thrown));
        }
    }

    /** Runs actions on a thread of their own: neither deadlines nor the group wait for code of the application. */
    void callOnCancel(Running<?> cancelled, List<Runnable> actions) {
        deadlines.start(() -> {
            try {
                actions.forEach(each -> callbacks.call("onCancel", Runnable::run, each));
            } finally {
                endPart(cancelled);
            }
        });
    }

    /** Returns an exception's text, which is code of the application, too. */
    private String text(Throwable thrown) {
        Callbacks.Asked<String> text = callbacks.ask(thrown::toString);
        return text.thrown() == null ? String.valueOf(text.value()) : thrown.getClass().getName();
    }

    private void fail(Running<?> begun, Throwable failure) {
        counters.failures.increment();
        reportError("handler of " + begun.procedure(), failure);
        if (begun.isOneWay()) {
            if (begun.end()) {
                LOG.warn("procedure {} has failed for {}, which wants no answer", begun.procedure(), begun.caller(), failure);
            }
        } else {
            replyFailure(begun, failure);
        }
    }

    private void refuse(Member caller, long call, Refusal refusal, String detail) {
        counters.refusedRequests.increment();
        reply(caller, call, refusal.code(), "", detail);
    }

    /** Sends a failure. Its message is made by code of the application, too, while the handler has not ended. */
    private void replyFailure(Running<?> begun, Throwable failure) {
        Callbacks.Asked<@Nullable String> asked = callbacks.ask(failure::getMessage);
        String message = asked.thrown() == null ? asked.value() : null;
        if (endToAnswer(begun)) {
            reply(begun.caller(), begun.call(), Frame.HANDLER_FAILURE, failure.getClass().getName(), message == null ? "" : message);
        }
    }

    private void reply(Member caller, long call, int code, String type, String message) {
        if (call == 0) {
            return;
        }
        ByteOutput out = buffers.take(Long.MAX_VALUE);
        Frame.putFailure(out, call, code, type, message);
        send(caller, out);
        buffers.giveBack(out);
    }

    private void send(Member caller, ByteOutput out) {
        if (!loopback.take(caller, out)) {
            line.send(caller, out, this);
        }
    }

    /** Ignores it: the caller has left, or this member is leaving, so nobody waits. */
    @Override
    public void onUnsent(@Nullable Member receiver, SendException reason) {
        counters.unsentAnswers.increment();
        LOG.debug("an answer to {} is not sent: {}", receiver, reason.getMessage());
    }
}
