package dev.tutti.blocks.calls;

import dev.tutti.SendException;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.internal.Callbacks;
import dev.tutti.blocks.internal.calls.Batch;
import dev.tutti.blocks.internal.calls.Epoch;
import dev.tutti.core.Member;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A call to several members. The request goes either to all of the view by one multicast, or to each member by a
 * message of its own, to a limited number at once.
 *
 * <p>By multicast, the called members are those of the view in which the request is delivered, on which all that
 * deliver it agree, and which this member learns when it delivers the request itself. Until then, outcomes are only
 * recorded.
 */
final class OpenToMany<A extends @Nullable Object> extends OpenCall<Outcomes<A>> {

    /** A called member. Groups are small enough for a linear search. */
    private static final class Slot<A extends @Nullable Object> {
        private final Member member;
        private @Nullable Outcome<A> outcome;
        private boolean isAsked;

        Slot(Member member, boolean isAsked) {
            this.member = member;
            this.isAsked = isAsked;
        }

        boolean isOpen() {
            return outcome == null;
        }
    }

    private final Procedure<?, A> procedure;
    private final Wait wait;
    private final boolean isToAll;
    private final int atOnceMax;

    /** Request for the members that are asked later; empty if there are none. */
    private final byte[] request;

    // Guarded by this.
    private List<Slot<A>> slots;

    /** Members that drained when the call was begun. A call to all may be handled there, but does not wait for them. */
    private Set<Member> leftOut = Set.of();
    private boolean isFixed;
    private int fixedEpoch;
    private boolean isOver;
    private int values;
    private int open;

    /** Number of open slots whose members were not asked yet. */
    private int waiting;

    /** Number that changes with each outcome. */
    private int version;

    /** Tells when the call is over, in place of {@link #wait}; null if there is none. Set before the call begins. */
    private @Nullable Predicate<? super Outcomes<A>> enough;

    /**
     * @param members the called ones; by multicast, the members of the view as it is known now
     * @param isToAll whether it is by multicast, which its creator sends
     * @param request for members that are asked later than others
     */
    OpenToMany(
            CallClient caller,
            int epoch,
            long deadlineNanos,
            List<Member> members,
            Procedure<?, A> procedure,
            CallOptions options,
            boolean isToAll,
            byte[] request) {
        super(caller, epoch, deadlineNanos);
        this.procedure = procedure;
        this.wait = options.waitFor();
        this.atOnceMax = options.atOnceMax();
        this.isToAll = isToAll;
        this.request = request;
        this.isFixed = !isToAll;
        this.fixedEpoch = epoch;
        slots = new ArrayList<>(members.size());
        for (Member member : members) {
            slots.add(new Slot<>(member, isToAll));
        }
        open = slots.size();
        waiting = isToAll ? 0 : open;
    }

    /** Sets what tells when the call is over. Before it begins. */
    void until(@Nullable Predicate<? super Outcomes<A>> condition) {
        enough = condition;
    }

    /** Leaves out members that drain, before anybody is asked. */
    synchronized void leaveOut(Set<Member> draining) {
        leftOut = draining;
        slots.removeIf(slot -> draining.contains(slot.member));
        open = slots.size();
        waiting = isToAll ? 0 : open;
    }

    /** Asks the first members, or all; the call is over at once if there are none. Not by multicast. */
    void begin(Predicate<Member> isCallable, ByteOutput first) {
        synchronized (this) {
            for (Slot<A> slot : slots) {
                if (!isCallable.test(slot.member)) {
                    settle(slot, new Outcome.Unreachable<>());
                }
            }
        }
        proceed(first, Batch.NONE);
    }

    // ------------------------------------------------------------------ inputs

    @Override
    boolean onAnswer(Member from, ByteInput answer, Executor completer) {
        return isAwaited(from) && settle(from, decode(procedure.answer(), answer), completer);
    }

    @Override
    boolean onFailure(Member from, Failed failed, Executor completer) {
        return settle(from, failed.outcome(procedure), completer);
    }

    /** Returns whether an answer is awaited, so that others are not decoded. */
    private synchronized boolean isAwaited(Member from) {
        Slot<A> slot = find(from);
        return !isOver && (slot == null ? !isFixed : slot.isOpen());
    }

    @Override
    void onDelivered(Epoch delivered) {
        synchronized (this) {
            if (isFixed) {
                return;
            }
            isFixed = true;
            fixedEpoch = delivered.number();
            List<Slot<A>> before = slots;
            slots = new ArrayList<>(delivered.view().size());
            for (Member member : delivered.view().members()) {
                if (leftOut.contains(member)) {
                    continue;
                }
                Slot<A> early = find(before, member);
                slots.add(early == null ? new Slot<>(member, true) : early);
            }
            // Members that were there when the call was begun, and did not get the request.
            for (Slot<A> slot : before) {
                if (!delivered.contains(slot.member)) {
                    slots.add(slot);
                    slot.outcome = slot.isOpen() ? new Outcome.Suspected<>() : slot.outcome;
                }
            }
            version++;
            values = 0;
            open = 0;
            for (Slot<A> slot : slots) {
                values += slot.outcome instanceof Outcome.Value ? 1 : 0;
                open += slot.isOpen() ? 1 : 0;
            }
        }
        proceed(null, Batch.NONE);
    }

    @Override
    void onEpoch(Epoch next) {
        synchronized (this) {
            if (!isFixed) {
                return;
            }
            for (Slot<A> slot : slots) {
                boolean isTooLate = !slot.isAsked && next.draining().contains(slot.member);
                if (slot.isOpen() && (isTooLate || !next.hasStayed(slot.member, fixedEpoch))) {
                    settle(slot, slot.isAsked ? new Outcome.Suspected<>() : new Outcome.Unreachable<>());
                }
            }
        }
        proceed(null, Batch.NONE);
    }

    @Override
    void onDeadline(Executor completer) {
        Outcomes<A> result;
        synchronized (this) {
            if (isOver) {
                return;
            }
            isOver = true;
            for (Slot<A> slot : slots) {
                if (slot.isOpen() && slot.isAsked) {
                    slot.outcome = new Outcome.TimedOut<>();
                }
            }
            // The condition did not hold when it was tested last.
            result = outcomes(enough == null && wait.isSatisfied(slots.size(), values));
        }
        finish(result, completer);
    }

    @Override
    synchronized boolean isSettled() {
        return isOver || isDone();
    }

    @Override
    public void onUnsent(@Nullable Member receiver, SendException reason) {
        if (receiver == null || reason.reason() != SendException.Reason.NO_MEMBER) {
            fail(CallClient.unsent(reason));
        } else {
            settle(receiver, new Outcome.Unreachable<>(), Batch.NONE);
        }
    }

    @Override
    synchronized List<Member> unanswered() {
        List<Member> unanswered = new ArrayList<>();
        for (Slot<A> slot : slots) {
            if (slot.isOpen() && slot.isAsked) {
                unanswered.add(slot.member);
            }
        }
        return unanswered;
    }

    // ------------------------------------------------------------------ decisions

    /** Records an outcome and acts on it; returns false if it is not the first of its member. */
    private boolean settle(Member member, Outcome<A> outcome, Executor completer) {
        synchronized (this) {
            Slot<A> slot = find(member);
            if (slot == null && !isFixed) {
                slot = new Slot<>(member, true);
                slots.add(slot);
                open++;
            }
            if (isOver || slot == null || !slot.isOpen()) {
                return false;
            }
            settle(slot, outcome);
        }
        proceed(null, completer);
        return true;
    }

    private void settle(Slot<A> slot, Outcome<A> outcome) {
        slot.outcome = outcome;
        version++;
        open--;
        waiting -= slot.isAsked ? 0 : 1;
        values += outcome instanceof Outcome.Value ? 1 : 0;
    }

    /**
     * Ends the call if it is over, or asks the next member.
     *
     * @param first the request as it was encoded; null if it is not at hand any more
     * @param completer completes the future, if the call is over
     */
    private void proceed(@Nullable ByteOutput first, Executor completer) {
        Outcomes<A> result = null;
        List<Member> next = List.of();
        if (enough != null) {
            result = untilEnough(enough, completer);
        }
        synchronized (this) {
            if (isOver && result == null || !isFixed || isDone()) {
                return;
            }
            if (result == null && enough == null && wait.isOver(slots.size(), values, open)) {
                isOver = true;
                result = outcomes(wait.isSatisfied(slots.size(), values));
            } else if (result == null) {
                next = takeNext();
            }
        }
        if (result != null) {
            finish(result, completer);
        }
        for (Member member : next) {
            if (first != null) {
                caller().ask(this, member, first);
            } else {
                caller().ask(this, member, request);
            }
        }
    }

    /**
     * Ends the call if the application's condition holds, or every member has an outcome. The condition is tested outside of the lock, again if there
     * is another outcome by then.
     *
     * @return the result if this has ended the call; otherwise null
     */
    private @Nullable Outcomes<A> untilEnough(Predicate<? super Outcomes<A>> condition, Executor completer) {
        while (true) {
            Outcomes<A> soFar;
            int seen;
            synchronized (this) {
                if (isOver || !isFixed || isDone() || open == slots.size() && open > 0) {
                    return null;
                }
                soFar = outcomes(false);
                seen = version;
            }
            Boolean isEnough = test(condition, soFar, completer);
            if (isEnough == null) {
                return null;
            }
            synchronized (this) {
                if (isOver || isDone()) {
                    return null;
                }
                if (version == seen && (isEnough || open == 0)) {
                    isOver = true;
                    return soFar.with(isEnough);
                }
                if (version == seen) {
                    return null;
                }
            }
        }
    }

    /** Returns whether the application's condition holds; null if it has thrown, so that the call has failed. */
    private @Nullable Boolean test(Predicate<? super Outcomes<A>> condition, Outcomes<A> outcomes, Executor completer) {
        Callbacks.Asked<Boolean> asked = caller().callbacks().ask(() -> condition.test(outcomes));
        Throwable thrown = asked.thrown();
        if (thrown == null) {
            return asked.value();
        }
        synchronized (this) {
            isOver = true;
        }
        fail(CallException.of(CallException.Reason.CONDITION, "the condition of a call has thrown " + thrown), completer);
        return null;
    }

    private List<Member> takeNext() {
        int room = Math.min(waiting, atOnceMax - (open - waiting));
        if (room <= 0) {
            return List.of();
        }
        List<Member> next = new ArrayList<>(room);
        for (Slot<A> slot : slots) {
            if (slot.isOpen() && !slot.isAsked && next.size() < room) {
                slot.isAsked = true;
                next.add(slot.member);
            }
        }
        waiting -= next.size();
        return next;
    }

    private @Nullable Slot<A> find(Member member) {
        return find(slots, member);
    }

    private static <A extends @Nullable Object> @Nullable Slot<A> find(List<Slot<A>> slots, Member member) {
        for (Slot<A> slot : slots) {
            if (slot.member.equals(member)) {
                return slot;
            }
        }
        return null;
    }

    private Outcomes<A> outcomes(boolean isSatisfied) {
        List<Member> members = new ArrayList<>(slots.size());
        List<Outcome<A>> outcomes = new ArrayList<>(slots.size());
        for (Slot<A> slot : slots) {
            Outcome<A> outcome = slot.outcome;
            members.add(slot.member);
            outcomes.add(outcome == null ? new Outcome.Unanswered<>() : outcome);
        }
        return new Outcomes<>(members, outcomes, isSatisfied);
    }
}
