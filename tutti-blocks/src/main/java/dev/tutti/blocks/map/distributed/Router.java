package dev.tutti.blocks.map.distributed;

import dev.tutti.Threads;
import dev.tutti.blocks.calls.CallException;
import dev.tutti.blocks.calls.Calls;
import dev.tutti.blocks.calls.Outcome;
import dev.tutti.blocks.calls.Refusal;
import dev.tutti.blocks.map.MapException;
import dev.tutti.blocks.map.MapException.Reason;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Brings operations to the homes of their shards. The members are asked in the order of their scores, so that the first one is home
 * unless copies are moving; one that has a copy names the home. While nobody serves the shard, all are asked again after a pause.
 *
 * <p>An operation that changes an entry is never made twice: where it is unknown whether a member has made it, it fails.
 */
final class Router {

    private static final long PAUSE_NANOS_MIN = 1_000_000;
    private static final long PAUSE_NANOS_MAX = 50_000_000;
    private static final int ANSWER_BYTES_MAX = 1 << 30;

    private final String name;
    private final Threads threads;
    private final Shards shards;
    private final Home home;
    private final Calls calls;
    private final Duration timeout;
    private final LongAdder local = new LongAdder();
    private final LongAdder remote = new LongAdder();
    private final LongAdder again = new LongAdder();

    Router(String name, Threads threads, Shards shards, Home home, Calls calls, Duration timeout) {
        this.name = name;
        this.threads = threads;
        this.shards = shards;
        this.home = home;
        this.calls = calls;
        this.timeout = timeout;
    }

    /**
     * Has an operation executed, and waits for its result.
     *
     * @throws MapException if there is none, at the deadline at the latest
     */
    Answer.Done execute(Request request) {
        long endNanos = threads.nanoTime() + timeout.toNanos();
        Answer.Done done = execute(request, endNanos);
        if (!done.isSettled()) {
            var unused = execute(Request.of(Request.Kind.SYNC, request.shard(), EntryKey.OPENED), endNanos);
        }
        return done;
    }

    private Answer.Done execute(Request request, long endNanos) {
        long pauseNanos = PAUSE_NANOS_MIN;
        while (true) {
            Answer.Done done = askAll(request, endNanos);
            if (done != null) {
                return done;
            }
            again.increment();
            pause(request, Math.min(pauseNanos, endNanos - threads.nanoTime()));
            pauseNanos = Math.min(2 * pauseNanos, PAUSE_NANOS_MAX);
        }
    }

    /** Asks members until one has executed the operation; returns null if none serves the shard now. */
    private Answer.@Nullable Done askAll(Request request, long endNanos) {
        ArrayDeque<NodeId> candidates = new ArrayDeque<>(shards.candidates(request.shard()));
        TreeSet<NodeId> asked = new TreeSet<>();
        while (!candidates.isEmpty()) {
            NodeId next = candidates.remove();
            if (asked.add(next)) {
                switch (ask(next, request, endNanos)) {
                    case Answer.Done done -> {
                        return done;
                    }
                    case Answer.Elsewhere(NodeId named) -> candidates.addFirst(named);
                    case Answer.Absent() -> {
                        // Another one may have it.
                    }
                    case Answer.Later() -> {
                        return null;
                    }
                    case Answer.Failed(Reason _, String _) when request.kind().isRepeatable() -> {
                        return null;
                    }
                    case Answer.Failed(Reason reason, String message) -> throw new MapException(reason, text(request, next + ": " + message));
                }
            }
        }
        return null;
    }

    private Answer ask(NodeId node, Request request, long endNanos) {
        if (node.equals(shards.self())) {
            local.increment();
            return request.kind() == Request.Kind.GET ? home.read(request) : home.change(request);
        }
        Member member = shards.member(node);
        if (member == null) {
            return new Answer.Absent();
        }
        long leftNanos = endNanos - threads.nanoTime();
        if (leftNanos < PAUSE_NANOS_MIN) {
            throw timedOut(request);
        }
        remote.increment();
        try {
            return calls.to(member)
                    .within(Duration.ofNanos(leftNanos))
                    .answerBytesMax(ANSWER_BYTES_MAX)
                    .call(request.kind() == Request.Kind.GET ? Wire.READ : Wire.CHANGE, request);
        } catch (CallException e) {
            return answer(e, request);
        }
    }

    /** Returns what follows from a call without an answer. */
    private Answer answer(CallException failure, Request request) {
        return switch (failure.reason()) {
            case OUTCOME -> answer(failure.outcome(), failure, request);
            case CLOSED -> throw new MapException(Reason.CLOSED, text(request, "the map is closed"), failure);
            case INTERRUPTED -> {
                Thread.currentThread().interrupt();
                throw new MapException(Reason.INTERRUPTED, text(request, "the thread was interrupted"), failure);
            }
            case TOO_MANY_CALLS, NOT_SENT -> throw new MapException(Reason.REFUSED, text(request, String.valueOf(failure.getMessage())), failure);
            case NO_VALUE, CONDITION -> throw new IllegalStateException(failure);
        };
    }

    private Answer answer(@Nullable Outcome<?> outcome, CallException failure, Request request) {
        boolean isExecutable =
                switch (Objects.requireNonNull(outcome, "an outcome of a call")) {
                    case Outcome.Unreachable<?>() -> false;
                    case Outcome.TimedOut<?>() -> throw timedOut(request);
                    case Outcome.Refused<?>(Refusal refusal, String _) -> refusal != Refusal.OVERLOADED && refusal != Refusal.NO_PROCEDURE;
                    case Outcome.Suspected<?>() -> !request.kind().isRepeatable();
                    case Outcome.Failure<?> _, Outcome.Unanswered<?> _, Outcome.Value<?> _ -> true;
                };
        if (isExecutable) {
            throw new MapException(Reason.UNKNOWN, text(request, String.valueOf(failure.getMessage())), failure);
        }
        return outcome instanceof Outcome.Unreachable<?> ? new Answer.Absent() : new Answer.Later();
    }

    private void pause(Request request, long nanos) {
        if (nanos <= 0) {
            throw timedOut(request);
        }
        try {
            var unused = shards.await(nanos, () -> false);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MapException(Reason.INTERRUPTED, text(request, "the thread was interrupted"), e);
        }
        if (shards.isClosed()) {
            throw new MapException(Reason.CLOSED, text(request, "the map is closed"));
        }
    }

    private MapException timedOut(Request request) {
        return new MapException(
                Reason.TIMED_OUT,
                text(request, "not executed by a member within " + timeout.toMillis() + " ms, and may still be; it is to be held by "
                        + shards.layout().holders(request.shard()) + " of " + shards.layout().members()));
    }

    private String text(Request request, String what) {
        return "map " + name + ", " + request + ": " + what;
    }

    /** Returns the number of entries at all homes. */
    long size() {
        long endNanos = threads.nanoTime() + timeout.toNanos();
        while (true) {
            long leftNanos = endNanos - threads.nanoTime();
            if (leftNanos < PAUSE_NANOS_MIN) {
                throw new MapException(
                        Reason.TIMED_OUT, "map " + name + ", size: some shards were served by nobody for " + timeout.toMillis() + " ms");
            }
            long[] sizes = new long[shards.count()];
            Arrays.fill(sizes, -1);
            try {
                for (List<Integer> own : calls.toAll().within(Duration.ofNanos(leftNanos)).call(Wire.SIZES, null).values()) {
                    for (int shard = 0; shard < Math.min(sizes.length, own.size()); shard++) {
                        sizes[shard] = Math.max(sizes[shard], own.get(shard));
                    }
                }
            } catch (CallException e) {
                throw new MapException(
                        e.reason() == CallException.Reason.CLOSED ? Reason.CLOSED : Reason.REFUSED, "map " + name + ", size: " + e.getMessage(), e);
            }
            if (Arrays.stream(sizes).allMatch(size -> size >= 0)) {
                return Arrays.stream(sizes).sum();
            }
            try {
                var unused = shards.await(Math.min(PAUSE_NANOS_MAX, leftNanos), () -> false);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new MapException(Reason.INTERRUPTED, "map " + name + ", size: the thread was interrupted", e);
            }
        }
    }

    /** Adds counters. */
    void putStatus(Map<String, Long> status) {
        status.put("local", local.sum());
        status.put("remote", remote.sum());
        status.put("again", again.sum());
    }
}
