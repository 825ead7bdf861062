package dev.tutti.campaign.chaos.journal;

import dev.tutti.campaign.chaos.journal.JournalReader.Life;
import dev.tutti.campaign.chaos.journal.JournalReader.Timed;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.sim.check.History;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Merges the lives of all members into one history.
 *
 * <p>The order in each life is kept. Between lives the times decide, which come from one clock. As an exception a
 * message is submitted, and delivered by its sender, before others deliver it: the node guarantees that, but the
 * threads that record it may be late.
 *
 * <p>Missing entries of a killed member are added from the records of others: the views in which it sent, and the
 * messages that it must have delivered there. No promise of the killed member depends on these, and the others are
 * still checked against each other.
 */
final class Merge {

    /** A life on its way into the history. */
    private static final class Strand {
        final Life life;
        int next;
        long deliveredOwn;
        final Map<Member, Long> submittedTo = new HashMap<>();
        final List<Strand> waiting = new ArrayList<>();

        Strand(Life life) {
            this.life = life;
        }

        boolean isOver() {
            return next == life.entries().size();
        }

        Timed head() {
            return life.entries().get(next);
        }
    }

    private final Map<Member, Life> lives = new TreeMap<>();
    private final Map<Member, Long> killedAt;
    private final Map<ViewId, View> views = new HashMap<>();

    /**
     * @param lives lives of all members; those of killed ones are completed
     * @param killedAt times at which members were killed, by the same clock
     */
    Merge(List<Life> lives, Map<Member, Long> killedAt) {
        lives.forEach(life -> this.lives.put(life.member(), life));
        this.killedAt = killedAt;
        for (Life life : lives) {
            for (Timed timed : life.entries()) {
                if (timed.entry() instanceof History.Viewed(Member member, View view)) {
                    views.putIfAbsent(view.id(), view);
                }
            }
        }
        killedAt.forEach((member, nanos) -> {
            Life life = this.lives.get(member);
            if (life != null) {
                complete(life);
                life.entries().add(new Timed(Math.max(nanos, lastNanos(life)), new History.Crashed(member)));
            }
        });
    }

    // ------------------------------------------------------------------ in order

    /** Hands out all entries in a possible order. */
    void into(Consumer<Timed> reader) {
        Map<Member, Strand> strands = new HashMap<>();
        PriorityQueue<Strand> ready = new PriorityQueue<>(Comparator.comparingLong((Strand strand) -> strand.head().nanos())
                .thenComparing(strand -> strand.life.member()));
        TreeMap<Member, Strand> waiting = new TreeMap<>();
        for (Life life : lives.values()) {
            strands.put(life.member(), new Strand(life));
        }
        strands.values().stream().filter(strand -> !strand.isOver()).forEach(ready::add);
        while (!ready.isEmpty() || !waiting.isEmpty()) {
            Strand strand = ready.poll();
            if (strand == null) {
                // All wait for an entry that is missing; the checker will report the violation.
                strand = waiting.values().stream()
                        .min(Comparator.comparingLong(each -> each.head().nanos()))
                        .orElseThrow();
                waiting.remove(strand.life.member());
            } else {
                Strand source = awaited(strand, strands);
                if (source != null) {
                    source.waiting.add(strand);
                    waiting.put(strand.life.member(), strand);
                    continue;
                }
            }
            take(strand, reader);
            for (Strand other : strand.waiting) {
                if (waiting.remove(other.life.member()) != null) {
                    ready.add(other);
                }
            }
            strand.waiting.clear();
            if (!strand.isOver()) {
                ready.add(strand);
            }
        }
    }

    /** Returns the strand whose entries have to come before the next one of {@code strand}; null if there is none. */
    private static @Nullable Strand awaited(Strand strand, Map<Member, Strand> strands) {
        if (!(strand.head().entry() instanceof History.Delivered(Member member, History.Message message))) {
            return null;
        }
        Strand source = strands.get(message.sender());
        if (source == null || source.isOver()) {
            return null;
        }
        if (member.equals(message.sender())) {
            return null;
        }
        Member receiver = message.receiver();
        long reached = receiver == null ? source.deliveredOwn : source.submittedTo.getOrDefault(receiver, 0L);
        return reached >= message.index() ? null : source;
    }

    private static void take(Strand strand, Consumer<Timed> reader) {
        Timed timed = strand.head();
        strand.next++;
        switch (timed.entry()) {
            case History.Submitted(Member self, History.Message message) -> {
                Member receiver = message.receiver();
                if (receiver != null) {
                    strand.submittedTo.put(receiver, message.index());
                }
            }
            case History.Delivered(Member self, History.Message message) -> {
                if (message.receiver() == null && message.sender().equals(self)) {
                    strand.deliveredOwn = Math.max(strand.deliveredOwn, message.index());
                }
            }
            case History.Viewed viewed -> {}
            case History.Asked asked -> {}
            case History.Told told -> {}
            case History.Joined joined -> {}
            case History.Suspended suspended -> {}
            case History.Transition transition -> {}
            case History.Left left -> {}
            case History.Crashed crashed -> {}
        }
        reader.accept(timed);
    }

    private static long lastNanos(Life life) {
        return life.entries().isEmpty() ? Long.MIN_VALUE : life.entries().getLast().nanos();
    }

    // ------------------------------------------------------------------ missing entries of killed members

    private void complete(Life killed) {
        View last = null;
        TreeSet<Long> own = new TreeSet<>();
        for (Timed timed : killed.entries()) {
            switch (timed.entry()) {
                case History.Viewed(Member member, View view) -> last = view;
                case History.Delivered(Member member, History.Message message)
                        when message.receiver() == null && message.sender().equals(member) -> own.add(message.index());
                case History.Submitted submitted -> {}
                case History.Delivered delivered -> {}
                case History.Asked asked -> {}
                case History.Told told -> {}
                case History.Joined joined -> {}
                case History.Suspended suspended -> {}
                case History.Transition transition -> {}
                case History.Left left -> {
                    return;
                }
                case History.Crashed crashed -> {}
            }
        }
        if (last == null) {
            return;
        }
        TreeMap<ViewId, TreeMap<Long, History.Message>> unwritten = unwritten(killed.member(), own);
        for (View next : path(killed.member(), last, unwritten)) {
            follow(killed, last, next);
            append(killed, new History.Viewed(killed.member(), next));
            last = next;
            deliverOwn(killed, unwritten.remove(last.id()));
        }
        deliverOwn(killed, unwritten.remove(last.id()));
    }

    private void deliverOwn(Life killed, @Nullable TreeMap<Long, History.Message> messages) {
        if (messages != null) {
            TreeSet<Long> known = new TreeSet<>();
            for (Timed timed : killed.entries()) {
                if (timed.entry() instanceof History.Delivered(Member member, History.Message message)
                        && message.receiver() == null
                        && message.sender().equals(member)) {
                    known.add(message.index());
                }
            }
            messages.forEach((index, message) -> {
                if (!known.contains(index)) {
                    append(killed, new History.Delivered(killed.member(), message));
                }
            });
        }
    }

    /** Returns messages of the member that others delivered and it did not record, by the view of their delivery. */
    private TreeMap<ViewId, TreeMap<Long, History.Message>> unwritten(Member sender, TreeSet<Long> own) {
        TreeMap<ViewId, TreeMap<Long, History.Message>> found = new TreeMap<>();
        for (Life life : lives.values()) {
            View view = null;
            for (Timed timed : life.entries()) {
                if (timed.entry() instanceof History.Viewed(Member member, View installed)) {
                    view = installed;
                } else if (view != null
                        && timed.entry() instanceof History.Delivered(Member member, History.Message message)
                        && message.receiver() == null
                        && message.sender().equals(sender)
                        && !own.contains(message.index())) {
                    found.computeIfAbsent(view.id(), id -> new TreeMap<>()).put(message.index(), message);
                }
            }
        }
        return found;
    }

    /** Returns the views after {@code from} through which the member came to the last one in which it sent. */
    private List<View> path(Member member, View from, TreeMap<ViewId, ?> sentIn) {
        ArrayDeque<View> path = new ArrayDeque<>();
        View view = sentIn.isEmpty() ? null : views.get(sentIn.lastKey());
        while (view != null && view.id().isAfter(from.id()) && view.contains(member)) {
            path.addFirst(view);
            View.Part part = partOf(view, member);
            view = part == null ? null : views.get(part.previous());
        }
        boolean isWhole = view != null && view.equals(from);
        return isWhole ? new ArrayList<>(path) : List.of();
    }

    private static View.@Nullable Part partOf(View view, Member member) {
        for (View.Part part : view.parts()) {
            if (part.members().contains(member)) {
                return part;
            }
        }
        return null;
    }

    /** Adds deliveries in {@code from}: those of a member that went on to {@code next} together with the killed one. */
    private void follow(Life killed, View from, View next) {
        View.Part part = partOf(next, killed.member());
        List<Member> others = part == null ? List.of() : part.members();
        for (Member other : others) {
            Life companion = other.equals(killed.member()) ? null : lives.get(other);
            List<History.Message> delivered = companion == null ? List.of() : deliveredIn(companion, from, next);
            if (!delivered.isEmpty()) {
                Set<History.Message> known = new HashSet<>(deliveredIn(killed, from, null));
                delivered.stream()
                        .filter(message -> !known.contains(message))
                        .forEach(message -> append(killed, new History.Delivered(killed.member(), message)));
                return;
            }
        }
    }

    /** Returns a member's multicasts in a view; none if {@code next} is not null and the member did not go on to it. */
    private static List<History.Message> deliveredIn(Life life, View view, @Nullable View next) {
        List<History.Message> delivered = new ArrayList<>();
        boolean isIn = false;
        for (Timed timed : life.entries()) {
            if (timed.entry() instanceof History.Viewed(Member member, View installed)) {
                if (isIn) {
                    return next == null || installed.equals(next) ? delivered : List.of();
                }
                isIn = installed.equals(view);
            } else if (isIn
                    && timed.entry() instanceof History.Delivered(Member member, History.Message message)
                    && message.receiver() == null) {
                delivered.add(message);
            }
        }
        return next == null ? delivered : List.of();
    }

    private static void append(Life life, History.Entry entry) {
        life.entries().add(new Timed(lastNanos(life), entry));
    }
}
