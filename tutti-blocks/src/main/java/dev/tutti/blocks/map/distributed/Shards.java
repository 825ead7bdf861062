package dev.tutti.blocks.map.distributed;

import dev.tutti.Threads;
import dev.tutti.blocks.map.distributed.Report.OfShard;
import dev.tutti.blocks.map.distributed.Shard.State;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * All shards as this member sees them, and the members among which they are laid out. Thread-safe; under the lock nothing is waited for, and
 * copies are asked for their views only.
 */
final class Shards {

    private static final long IDLE_NANOS = 1_000_000_000;

    private final NodeId self;
    private final int copies;
    private final List<Shard> shards;
    private final Threads threads;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed;
    private final Runnable onChange;

    /** Members of the map that give their copies up before they leave. */
    private final TreeSet<NodeId> leaving = new TreeSet<>();

    private volatile Map<NodeId, Member> members = Map.of();
    private volatile Layout layout;
    private @Nullable View main;
    private volatile boolean isClosed;

    /** @param onChange runs after each change that may give this member something to do; must not wait */
    Shards(NodeId self, Threads threads, int count, int copies, Runnable onChange) {
        this.self = self;
        this.copies = copies;
        this.threads = threads;
        this.changed = threads.condition(lock);
        this.onChange = onChange;
        this.shards = IntStream.range(0, count).mapToObj(Shard::new).toList();
        this.layout = new Layout(List.of(), count, copies);
    }

    int count() {
        return shards.size();
    }

    int copies() {
        return copies;
    }

    NodeId self() {
        return self;
    }

    // ------------------------------------------------------------------ the members

    Layout layout() {
        return layout;
    }

    /** Returns the member of the map that a node is; null if it is none. */
    @Nullable Member member(NodeId node) {
        return members.get(node);
    }

    void onMainView(View view) {
        change(() -> {
            main = view;
            Map<NodeId, Member> present = new TreeMap<>();
            view.members().forEach(member -> present.put(member.node(), member));
            members = present;
            leaving.retainAll(present.keySet());
            layOut();
        });
    }

    /** Notes that a member, which may be this one, is to hold nothing any more. */
    void onLeaving(NodeId node) {
        change(() -> {
            if (members.containsKey(node) && leaving.add(node)) {
                layOut();
            }
        });
    }

    private void layOut() {
        layout = new Layout(members.keySet().stream().filter(node -> !leaving.contains(node)).toList(), shards.size(), copies);
    }

    /** Returns whether a member is to hold nothing any more. */
    boolean isLeaving(NodeId node) {
        return within(() -> leaving.contains(node));
    }

    @Nullable View main() {
        lock.lock();
        try {
            return main;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the members to ask for a shard's home: those that are to hold it first, and those that leave last. */
    List<NodeId> candidates(int shard) {
        Layout present = layout;
        List<NodeId> candidates = new ArrayList<>(present.order(shard));
        members.keySet().stream().filter(node -> !present.members().contains(node)).forEach(candidates::add);
        return candidates;
    }

    /** Returns the other members of the map. */
    List<Member> others() {
        return members.values().stream().filter(member -> !member.node().equals(self)).toList();
    }

    /** Notes that the map was left. */
    void onClosed() {
        change(() -> isClosed = true);
    }

    boolean isClosed() {
        return isClosed;
    }

    // ------------------------------------------------------------------ copies

    /** Selects shards to join, at most {@code max}, and notes that they are being joined. */
    List<Integer> takeToJoin(int max) {
        List<Integer> taken = new ArrayList<>();
        lock.lock();
        try {
            long joining = shards.stream().filter(shard -> shard.state() instanceof State.Joining).count();
            for (Shard shard : shards) {
                if (joining + taken.size() < max && shard.state() instanceof State.Absent && layout.isHolder(shard.number(), self)) {
                    shard.onJoining();
                    taken.add(shard.number());
                }
            }
        } finally {
            lock.unlock();
        }
        return taken;
    }

    void onJoined(Copy copy) {
        change(() -> shards.get(copy.shard()).onJoined(copy));
    }

    /** Notes that a copy was given up, was lost, or could not be had. */
    void onGone(int shard) {
        change(() -> shards.get(shard).onGone());
    }

    /** Notes that a copy's group was left; one that is given up on purpose is gone a little later. */
    void onClosed(int shard) {
        change(() -> {
            if (shards.get(shard).state() instanceof State.Held) {
                shards.get(shard).onGone();
            }
        });
    }

    void onView(int shard, View view) {
        change(() -> shards.get(shard).onView(view, self));
    }

    /** Selects copies that the survey permits to give up, and notes that they are being given up. */
    List<Copy> takeToLeave(Survey survey, Collection<Copy> unburdened) {
        List<Copy> taken = new ArrayList<>();
        lock.lock();
        try {
            if (survey.layout() != layout) {
                return taken;
            }
            for (Copy copy : unburdened) {
                Shard shard = shards.get(copy.shard());
                if (copy.equals(shard.held()) && isUnchanged(shard, survey) && !layout.isHolder(shard.number(), self)
                        && !shard.isOpening() && survey.mayLeave(shard.number())) {
                    shard.onLeaving();
                    taken.add(copy);
                }
            }
        } finally {
            lock.unlock();
        }
        return taken;
    }

    /** Returns whether a shard's copy is in the view in which it was when the others were asked. */
    private static boolean isUnchanged(Shard shard, Survey survey) {
        View view = shard.view();
        return view != null && view.equals(survey.view(shard.number()));
    }

    /** Returns the layout, and the views that copies have reached. */
    Survey.Asked asked() {
        Map<Integer, View> views = new TreeMap<>();
        lock.lock();
        try {
            for (Shard shard : shards) {
                View view = shard.view();
                if (shard.held() != null && view != null) {
                    views.put(shard.number(), view);
                }
            }
            return new Survey.Asked(layout, views);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the copies that are held and should not be. */
    List<Copy> excess() {
        List<Copy> excess = new ArrayList<>();
        lock.lock();
        try {
            for (Shard shard : shards) {
                Copy copy = shard.held();
                if (copy != null && !layout.isHolder(shard.number(), self)) {
                    excess.add(copy);
                }
            }
        } finally {
            lock.unlock();
        }
        return excess;
    }

    /** Returns all copies, those that are being given up too. */
    List<Copy> all() {
        List<Copy> all = new ArrayList<>();
        lock.lock();
        try {
            for (Shard shard : shards) {
                if (shard.state() instanceof State.Held(Copy copy)) {
                    all.add(copy);
                } else if (shard.state() instanceof State.Leaving(Copy copy)) {
                    all.add(copy);
                }
            }
        } finally {
            lock.unlock();
        }
        return all;
    }

    /** Returns whether this member has no copy, and is about to get none. */
    boolean isEmpty() {
        return within(() -> shards.stream().allMatch(shard -> shard.state() instanceof State.Absent));
    }

    // ------------------------------------------------------------------ the service

    /** A shard that this member is to serve. */
    record Opening(Copy copy, View view, boolean isKnown) {}

    /** Selects shards that the survey permits to serve, and notes that this is being prepared. */
    List<Opening> takeToServe(Survey survey, int max) {
        List<Opening> taken = new ArrayList<>();
        lock.lock();
        try {
            if (survey.layout() != layout) {
                return taken;
            }
            long opening = shards.stream().filter(Shard::isOpening).count();
            for (Shard shard : shards) {
                Copy copy = shard.held();
                View view = shard.view();
                if (opening + taken.size() < max && copy != null && view != null && shard.isToServe(self)
                        && isUnchanged(shard, survey) && survey.mayServe(shard.number())) {
                    shard.onOpening();
                    taken.add(new Opening(copy, view, shard.isKnown() || survey.isKnown(shard.number())));
                }
            }
        } finally {
            lock.unlock();
        }
        return taken;
    }

    /** @param isReady whether everything before was executed here; otherwise it is tried again */
    void onOpened(Opening opening, boolean isReady) {
        change(() -> shards.get(opening.copy().shard()).onOpened(opening.copy(), opening.view(), isReady));
    }

    boolean isOpening() {
        return within(() -> shards.stream().anyMatch(Shard::isOpening));
    }

    /** Notes shards that another member knows; this changes nothing that this member has to do. */
    void learn(Collection<Integer> numbers) {
        lock.lock();
        try {
            for (int number : numbers) {
                if (number >= 0 && number < shards.size()) {
                    shards.get(number).onKnown();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns the numbers of entries of the shards that this member serves; -1 for others. */
    List<Integer> sizes() {
        List<Integer> sizes = new ArrayList<>();
        for (Shard shard : shards) {
            Shard.Serving serving = serving(shard.number());
            sizes.add(serving == null ? -1 : serving.copy().entries());
        }
        return sizes;
    }

    Shard.@Nullable Serving serving(int shard) {
        Shard.Serving serving = shards.get(shard).serving();
        return serving != null && serving.isCurrent() ? serving : null;
    }

    /** Begins an operation that changes entries; null if this member does not serve the shard now. */
    Shard.@Nullable Serving begin(int number) {
        lock.lock();
        try {
            Shard.Serving serving = serving(number);
            if (serving != null) {
                shards.get(number).onBegun();
            }
            return serving;
        } finally {
            lock.unlock();
        }
    }

    void end(int number) {
        lock.lock();
        try {
            shards.get(number).onEnded();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    boolean isIdle(int number) {
        return within(() -> shards.get(number).isIdle());
    }

    /** Waits until no operation is under way, for a second at most; returns whether there is none. */
    boolean awaitIdle(int number) {
        try {
            return await(IDLE_NANOS, () -> isIdle(number));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    /** Returns where an operation is to go that this member does not serve now. */
    Answer elsewhere(int number) {
        lock.lock();
        try {
            Shard shard = shards.get(number);
            NodeId home = shard.home();
            if (shard.held() == null || home == null) {
                return new Answer.Absent();
            }
            return home.equals(self) ? new Answer.Later() : new Answer.Elsewhere(home);
        } finally {
            lock.unlock();
        }
    }

    // ------------------------------------------------------------------ telling

    /** Returns this member's account of its shards. Looks at the copies, and so not under the lock. */
    Report report() {
        record Seen(Report.Stage stage, @Nullable View view, boolean isKnown, @Nullable Copy copy) {}

        List<Seen> seen = new ArrayList<>();
        List<NodeId> among;
        lock.lock();
        try {
            among = layout.members();
            for (Shard shard : shards) {
                seen.add(new Seen(shard.stage(), shard.view(), shard.isKnown(), shard.held()));
            }
        } finally {
            lock.unlock();
        }
        List<OfShard> accounts = new ArrayList<>();
        for (Seen each : seen) {
            View view = each.view;
            Copy copy = each.copy;
            boolean isBurdened = copy != null && copy.isBurdened();
            accounts.add(new OfShard(each.stage, view == null ? null : view.id(), isBurdened, each.isKnown));
        }
        return new Report(copies, among, accounts);
    }

    /** Returns whether there is something to do for this member: copies to get or to give up, or shards to serve. */
    boolean isUnsettled() {
        return within(() -> shards.stream().anyMatch(shard -> isUnsettled(shard)));
    }

    private boolean isUnsettled(Shard shard) {
        boolean isHolder = layout.isHolder(shard.number(), self);
        return switch (shard.state()) {
            case State.Absent() -> isHolder;
            case State.Joining(), State.Leaving(Copy _) -> true;
            case State.Held(Copy _) -> !isHolder || shard.isOpening() || shard.isToServe(self);
        };
    }

    /** Returns whether the others have to be asked: for shards to serve, and for copies to give up. */
    boolean isSurveyNeeded() {
        return within(() -> shards.stream().anyMatch(
                shard -> shard.isToServe(self) || shard.held() != null && !layout.isHolder(shard.number(), self)));
    }

    Map<String, Long> status() {
        Map<String, Long> status = new LinkedHashMap<>();
        List<Copy> copiesHere = all();
        lock.lock();
        try {
            status.put("shards", (long) shards.size());
            status.put("copies", (long) copiesHere.size());
            status.put("homes", shards.stream().filter(shard -> shard.serving() != null).count());
            status.put("joining", shards.stream().filter(shard -> shard.state() instanceof State.Joining).count());
            status.put("leaving", shards.stream().filter(shard -> shard.state() instanceof State.Leaving).count());
            status.put("unsettled", shards.stream().filter(this::isUnsettled).count());
        } finally {
            lock.unlock();
        }
        status.put("entries", copiesHere.stream().mapToLong(Copy::entries).sum());
        status.put("bytes", copiesHere.stream().mapToLong(copy -> copy.map().bytes()).sum());
        return status;
    }

    // ------------------------------------------------------------------ the lock

    /**
     * Waits until something has changed, or the time has passed.
     *
     * @return whether {@code condition} holds, which is looked at under the lock
     */
    boolean await(long nanos, BooleanSupplier condition) throws InterruptedException {
        long endNanos = threads.nanoTime() + nanos;
        lock.lock();
        try {
            long left = nanos;
            while (left > 0 && !condition.getAsBoolean()) {
                var unused = changed.await(left, TimeUnit.NANOSECONDS);
                left = endNanos - threads.nanoTime();
            }
            return condition.getAsBoolean();
        } finally {
            lock.unlock();
        }
    }

    private boolean within(BooleanSupplier question) {
        lock.lock();
        try {
            return question.getAsBoolean();
        } finally {
            lock.unlock();
        }
    }

    private void change(Runnable change) {
        lock.lock();
        try {
            change.run();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        onChange.run();
    }
}
