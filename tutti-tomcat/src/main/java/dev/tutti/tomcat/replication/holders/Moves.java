package dev.tutti.tomcat.replication.holders;

import dev.tutti.core.Member;
import dev.tutti.tomcat.replication.acks.Acknowledgements;
import dev.tutti.tomcat.replication.base.ReplicaContext;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends sessions to where a view wants them, a few at a time: at most {@value #WINDOW} that are not acknowledged, at most
 * {@value #PER_SECOND_MAX} per second, and none while there is no room to send. Requests go first: what one of them needs is sent
 * at once, and is no part of this.
 *
 * <p>All members say when they are in the view, and when they have done their part of two stages: first the homes of all
 * sessions know their holders, then all sessions have their copies. Thread-safe.
 */
final class Moves {

    /** Number of moves that may be under way. */
    static final int WINDOW = 64;

    /** Moves per second: 40 MB/s with sessions of 4 KB. */
    static final int PER_SECOND_MAX = 10_000;

    /** Is told when this member has finished a stage of a view. */
    @FunctionalInterface
    interface Stages {
        void onFinished(long view, int stage);
    }

    private static final int STAGES = 2;
    private static final long SECOND_NANOS = 1_000_000_000L;

    private final ReplicaContext context;
    private final Acknowledgements acknowledgements;
    private final Link link;
    private final Stages onStage;

    /** Moves to make, one per session; the later one of a session replaces the earlier one. */
    private final LinkedHashMap<UUID, LongSupplier> sending = new LinkedHashMap<>();

    /** Moves that are made after all of those. */
    private final ArrayDeque<Map.Entry<UUID, LongSupplier>> telling = new ArrayDeque<>();

    private final Map<Integer, Set<Member>> finished = new LinkedHashMap<>();
    private CompletableFuture<Void> entered = CompletableFuture.completedFuture(null);
    private CompletableFuture<Void> balanced = CompletableFuture.completedFuture(null);
    private CompletableFuture<Void> drained = new CompletableFuture<>();
    private Set<Member> members = Set.of();
    private long view;
    private int stage = STAGES;
    private int underWay;

    /** Number of those that still add moves of the view; none is made meanwhile. */
    private int preparing = 1;

    private boolean isRunning;
    private boolean isAgain;
    private long made;
    private long secondNanos;
    private int inSecond;

    /** @param onStage tells all members, this one included; must not wait */
    Moves(ReplicaContext context, Acknowledgements acknowledgements, Link link, Stages onStage) {
        this.context = context;
        this.acknowledgements = acknowledgements;
        this.link = link;
        this.onStage = onStage;
    }

    /**
     * Begins the moves of a view; those of the view before are dropped.
     *
     * @param present all members, this one included
     */
    synchronized void begin(long number, Set<Member> present) {
        sending.clear();
        telling.clear();
        finished.clear();
        view = number;
        members = Set.copyOf(present);
        stage = 0;
        underWay = 0;
        preparing = 1;
        if (balanced.isDone()) {
            balanced = new CompletableFuture<>();
        }
        if (entered.isDone()) {
            entered = new CompletableFuture<>();
        }
    }

    /** Adds a move: {@code action} sends something and returns its number, 0 if there was nothing to send. */
    synchronized void add(UUID uid, boolean isWhole, LongSupplier action) {
        if (isWhole) {
            sending.put(uid, action);
        } else {
            telling.add(Map.entry(uid, action));
        }
    }

    /** Adds a move of a whole session unless there is one already. */
    synchronized void addIfAbsent(UUID uid, LongSupplier action) {
        sending.putIfAbsent(uid, action);
    }

    /**
     * Keeps the stage of view {@code number} from ending until more moves have been added, for which {@link #onPrepared} is called once more.
     *
     * @return whether that is the present view
     */
    synchronized boolean hold(long number) {
        if (number != view) {
            return false;
        }
        preparing++;
        return true;
    }

    /** Notes that all moves of view {@code number} have been added by one of those that add some. */
    void onPrepared(long number) {
        synchronized (this) {
            if (number != view) {
                return;
            }
            preparing--;
        }
        run();
    }

    /** Makes moves as far as that is possible now. Never waits. */
    void run() {
        synchronized (this) {
            isAgain = true;
            if (isRunning) {
                return;
            }
            isRunning = true;
        }
        while (true) {
            LongSupplier next;
            long of;
            int finishing = 0;
            synchronized (this) {
                next = next();
                of = view;
                if (next == null && isStageOver()) {
                    stage++;
                    finishing = stage;
                } else if (next == null && !isAgain) {
                    isRunning = false;
                    return;
                }
                isAgain = false;
                underWay += next == null ? 0 : 1;
            }
            if (next != null) {
                long number = next.getAsLong();
                acknowledgements.safe(number).thenRun(() -> onMade(of));
            } else if (finishing > 0) {
                onStage.onFinished(of, finishing);
            }
        }
    }

    private @Nullable LongSupplier next() {
        if (underWay >= WINDOW || preparing > 0 || !link.hasRoom() || sending.isEmpty() && telling.isEmpty() || !isWithinRate()) {
            return null;
        }
        made++;
        Map.Entry<UUID, LongSupplier> first = sending.pollFirstEntry();
        return first != null ? first.getValue() : telling.poll().getValue();
    }

    private boolean isWithinRate() {
        long nowNanos = context.nowNanos();
        if (nowNanos - secondNanos >= SECOND_NANOS) {
            secondNanos = nowNanos;
            inSecond = 0;
        }
        return inSecond++ < PER_SECOND_MAX;
    }

    private boolean isStageOver() {
        return preparing == 0 && stage < STAGES && sending.isEmpty() && telling.isEmpty() && underWay == 0 && isFinishedByAll(stage);
    }

    /** Returns a future that completes when the moves that wait now, and those added before they are made, are made. */
    CompletableFuture<Void> done() {
        synchronized (this) {
            return waiting() == 0 ? CompletableFuture.completedFuture(null) : drained;
        }
    }

    private boolean isFinishedByAll(int number) {
        return finished.getOrDefault(number, Set.of()).containsAll(members);
    }

    private void onMade(long of) {
        boolean isDue;
        CompletableFuture<Void> empty = null;
        synchronized (this) {
            if (of != view) {
                return;
            }
            underWay--;
            if (waiting() == 0) {
                empty = drained;
                drained = new CompletableFuture<>();
            }
            // Half a window at a time, so that a round of acknowledgements is not a round of tasks.
            isDue = underWay == WINDOW / 2 || underWay == 0;
        }
        if (empty != null) {
            empty.complete(null);
        }
        if (isDue) {
            context.executor().execute(this::run);
        }
    }

    /** Notes that a member has finished a stage of a view; returns whether all have now. */
    boolean onFinished(Member member, long number, int stageDone) {
        CompletableFuture<Void> done = null;
        synchronized (this) {
            if (number != view || !members.contains(member)) {
                return false;
            }
            finished.computeIfAbsent(stageDone, absent -> new HashSet<>()).add(member);
            if (!isFinishedByAll(stageDone)) {
                return false;
            }
            done = stageDone == STAGES ? balanced : stageDone == 0 ? entered : null;
        }
        if (done != null) {
            done.complete(null);
        }
        context.executor().execute(this::run);
        return true;
    }

    /** Returns whether the homes of all sessions know their holders. */
    synchronized boolean isRegistered() {
        return view > 0 && isFinishedByAll(1);
    }

    /** Returns whether all sessions have their copies. */
    synchronized boolean isBalanced() {
        return view > 0 && isFinishedByAll(STAGES);
    }

    /** Returns whether the sessions of this member are known to their homes. */
    synchronized boolean isOwnPartDone() {
        return view > 0 && stage >= 1;
    }

    /** Returns a future that completes when all members are in the present view; a new one after a view. */
    synchronized CompletableFuture<Void> entered() {
        return entered;
    }

    /** Returns a future that completes when all sessions have their copies; a new one after a view. */
    synchronized CompletableFuture<Void> balanced() {
        return balanced;
    }

    synchronized int waiting() {
        return sending.size() + telling.size() + underWay;
    }

    /** Returns the number of moves begun since the start. */
    synchronized long made() {
        return made;
    }

    synchronized void clear() {
        sending.clear();
        telling.clear();
        view = 0;
        preparing = 1;
        balanced.complete(null);
        entered.complete(null);
    }
}
