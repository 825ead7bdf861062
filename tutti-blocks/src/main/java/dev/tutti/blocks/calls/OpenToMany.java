package dev.tutti.blocks.calls;

import dev.tutti.SendException;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.core.Member;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A call to several members. Either the request goes to all of the view by one multicast, or to each member by a message of
 * its own, so many at once.
 *
 * <p>By multicast, the members that are called are those of the view that the request is delivered in, which all who deliver
 * it agree about, and which this member learns when it delivers the request itself. Until then, outcomes are only noted.
 */
final class OpenToMany<A extends @Nullable Object> extends OpenCall<Outcomes<A>> {

    private final Codec<A> codec;
    private final Wait wait;
    private final boolean isToAll;

    /** Of requests that go out one by one; what comes before the remaining time is set is as it was. */
    private final byte[] request;

    private final int atOnceMax;

    // Guarded by this.
    private final Map<Member, Outcome<A>> outcomes = new LinkedHashMap<>();
    private final List<Member> waiting = new ArrayList<>();
    private final Set<Member> asked = new HashSet<>();
    private boolean isFixed;
    private int fixedEpoch;
    private boolean isOver;
    private int values;
    private int open;

    /**
     * @param members who is called; by multicast, the members of the view as it is known now
     * @param request null for a multicast, which its creator sends
     */
    OpenToMany(
            Caller caller,
            int epoch,
            long deadlineNanos,
            List<Member> members,
            Codec<A> codec,
            Wait wait,
            byte @Nullable [] request,
            int atOnceMax) {
        super(caller, epoch, deadlineNanos);
        this.codec = codec;
        this.wait = wait;
        this.isToAll = request == null;
        this.request = request == null ? new byte[0] : request;
        this.atOnceMax = atOnceMax;
        for (Member member : members) {
            outcomes.put(member, new Outcome.Unanswered<>());
        }
        if (isToAll) {
            asked.addAll(outcomes.keySet());
        } else {
            isFixed = true;
            fixedEpoch = epoch;
            waiting.addAll(outcomes.keySet());
        }
        open = outcomes.size();
    }

    /** Asks the first, or all; ends at once where nobody is to be asked. Not by multicast. */
    void begin(Epoch begun) {
        Map<Member, Outcome<A>> absent = new LinkedHashMap<>();
        synchronized (this) {
            for (Member member : waiting) {
                if (!begun.contains(member)) {
                    absent.put(member, new Outcome.Unreachable<>());
                }
            }
        }
        settle(absent);
    }

    // ------------------------------------------------------------------ inputs

    @Override
    boolean onAnswer(Member from, ByteInput answer) {
        return isAwaited(from) && settle(from, decode(codec, answer));
    }

    @Override
    boolean onFailure(Member from, Failed failed) {
        return isAwaited(from) && settle(from, failed.outcome());
    }

    /** So that what nobody waits for is not decoded. */
    private synchronized boolean isAwaited(Member from) {
        Outcome<A> present = outcomes.get(from);
        return !isOver && (present == null ? !isFixed : present instanceof Outcome.Unanswered);
    }

    @Override
    void onDelivered(Epoch delivered) {
        if (!isToAll) {
            return;
        }
        synchronized (this) {
            if (isFixed) {
                return;
            }
            isFixed = true;
            fixedEpoch = delivered.number();
            Map<Member, Outcome<A>> before = new LinkedHashMap<>(outcomes);
            outcomes.clear();
            for (Member member : delivered.view().members()) {
                Outcome<A> early = before.remove(member);
                outcomes.put(member, early == null ? new Outcome.Unanswered<>() : early);
                asked.add(member);
            }
            // Those who were there when the call was begun, and have not got it.
            before.forEach((member, outcome) ->
                    outcomes.put(member, outcome instanceof Outcome.Unanswered ? new Outcome.Suspected<>() : outcome));
            values = 0;
            open = 0;
            for (Outcome<A> outcome : outcomes.values()) {
                values += outcome instanceof Outcome.Value ? 1 : 0;
                open += outcome instanceof Outcome.Unanswered ? 1 : 0;
            }
        }
        settle(Map.of());
    }

    @Override
    void onEpoch(Epoch next) {
        Map<Member, Outcome<A>> gone = new LinkedHashMap<>();
        synchronized (this) {
            if (!isFixed) {
                return;
            }
            outcomes.forEach((member, outcome) -> {
                if (outcome instanceof Outcome.Unanswered && !next.hasStayed(member, fixedEpoch)) {
                    gone.put(member, asked.contains(member) ? new Outcome.Suspected<>() : new Outcome.Unreachable<>());
                }
            });
        }
        settle(gone);
    }

    @Override
    void onDeadline() {
        Outcomes<A> result;
        synchronized (this) {
            if (isOver) {
                return;
            }
            isOver = true;
            outcomes.replaceAll((member, outcome) ->
                    outcome instanceof Outcome.Unanswered && asked.contains(member) ? new Outcome.TimedOut<>() : outcome);
            result = new Outcomes<>(outcomes, wait.isSatisfied(outcomes.size(), values));
        }
        finish(result);
    }

    @Override
    public void onUnsent(@Nullable Member receiver, SendException reason) {
        if (receiver == null || reason.reason() != SendException.Reason.NO_MEMBER) {
            fail(Caller.unsent(reason));
        } else {
            settle(receiver, new Outcome.Unreachable<>());
        }
    }

    @Override
    synchronized List<Member> unanswered() {
        List<Member> unanswered = new ArrayList<>();
        outcomes.forEach((member, outcome) -> {
            if (outcome instanceof Outcome.Unanswered && asked.contains(member)) {
                unanswered.add(member);
            }
        });
        return unanswered;
    }

    // ------------------------------------------------------------------ decisions

    private boolean settle(Member member, Outcome<A> outcome) {
        return settle(Map.of(member, outcome));
    }

    /** Notes outcomes, asks whoever is next, and ends the call if it is over; false if nothing was noted. */
    private boolean settle(Map<Member, Outcome<A>> settled) {
        boolean isNoted = false;
        List<Member> next;
        Outcomes<A> result = null;
        synchronized (this) {
            if (isOver || isDone()) {
                return false;
            }
            for (var entry : settled.entrySet()) {
                isNoted |= note(entry.getKey(), entry.getValue());
            }
            if (isFixed && wait.isOver(outcomes.size(), values, open)) {
                isOver = true;
                result = new Outcomes<>(outcomes, wait.isSatisfied(outcomes.size(), values));
            }
            next = result == null ? takeNext() : List.of();
        }
        if (result != null) {
            finish(result);
        }
        next.forEach(member -> caller().ask(this, member, request));
        return isNoted;
    }

    private boolean note(Member member, Outcome<A> outcome) {
        Outcome<A> present = outcomes.get(member);
        if (present == null ? isFixed : !(present instanceof Outcome.Unanswered)) {
            return false;
        }
        outcomes.put(member, outcome);
        waiting.remove(member);
        if (present != null) {
            open--;
        }
        values += outcome instanceof Outcome.Value ? 1 : 0;
        return true;
    }

    private List<Member> takeNext() {
        // Of the open ones, those that do not wait were asked.
        int room = Math.min(waiting.size(), atOnceMax - (open - waiting.size()));
        if (isToAll || room <= 0) {
            return List.of();
        }
        List<Member> chosen = waiting.subList(0, room);
        List<Member> next = List.copyOf(chosen);
        chosen.clear();
        asked.addAll(next);
        return next;
    }
}
