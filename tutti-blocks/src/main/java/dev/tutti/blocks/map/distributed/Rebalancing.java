package dev.tutti.blocks.map.distributed;

import dev.tutti.Threads;
import dev.tutti.blocks.calls.CallException;
import dev.tutti.blocks.calls.Calls;
import dev.tutti.blocks.calls.Outcome;
import dev.tutti.blocks.map.MapException;
import dev.tutti.blocks.map.TotalOrderMap;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.internal.Logs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Brings this member's copies to where the layout has them: joins the groups of shards that it is to hold, asks the others what they
 * hold, begins to serve what it is home of, and gives up what others hold by then. One pass at a time, on a thread of its own; the
 * next one when something has changed, or after a pause if something is left to do.
 */
final class Rebalancing {

    /** Joins the group of a shard, and waits for its entries. */
    interface Joiner {

        Copy join(int shard);
    }

    /** Hears about shards whose entries are lost. */
    interface LossListener {

        void onLost(List<Integer> shards);
    }

    private static final Logger LOG = Logs.of(Rebalancing.class);

    /** Number of shards that are joined, begun to be served, or given up at a time. */
    private static final int AT_ONCE = 8;

    private static final long PAUSE_NANOS = 50_000_000;
    private static final long FAILURE_PAUSE_NANOS = 1_000_000_000;
    private static final Duration SURVEY_WITHIN = Duration.ofSeconds(2);
    private static final Duration FOREVER = Duration.ofDays(3_650);

    private final String name;
    private final Threads threads;
    private final Shards shards;
    private final Joiner joiner;
    private final LossListener lossListener;
    private final ReentrantLock lock = new ReentrantLock();
    private final LongAdder surveys = new LongAdder();
    private final LongAdder joins = new LongAdder();
    private final LongAdder leaves = new LongAdder();
    private final LongAdder lost = new LongAdder();

    // Guarded by the lock.
    private boolean isRunning;
    private boolean isDue;
    private boolean isTimed;
    private boolean isOver;
    private final TreeSet<Integer> lostUntold = new TreeSet<>();
    private final TreeSet<Integer> openedUntold = new TreeSet<>();

    private volatile @Nullable Calls calls;

    // Of passes alone: the views of the map in which all others have answered last, and were told that this member leaves.
    private volatile @Nullable ViewId surveyed;
    private @Nullable ViewId announced;

    Rebalancing(String name, Threads threads, Shards shards, Joiner joiner, LossListener lossListener) {
        this.name = name;
        this.threads = threads;
        this.shards = shards;
        this.joiner = joiner;
        this.lossListener = lossListener;
    }

    // ------------------------------------------------------------------ passes

    void start(Calls joined) {
        calls = joined;
        wake();
    }

    void end() {
        lock.lock();
        try {
            isOver = true;
        } finally {
            lock.unlock();
        }
    }

    /** Makes a pass soon. Never waits. */
    void wake() {
        lock.lock();
        try {
            isDue = true;
            if (isRunning || isOver || calls == null) {
                return;
            }
            isRunning = true;
            isDue = false;
        } finally {
            lock.unlock();
        }
        start(this::run);
    }

    private void start(Runnable task) {
        threads.start("tutti-map-" + name, task);
    }

    private void run() {
        try {
            pass();
        } finally {
            goOn();
        }
    }

    private void goOn() {
        boolean isUnsettled = shards.isUnsettled() || surveyed == null;
        lock.lock();
        try {
            isRunning = isDue && !isOver;
            if (isRunning) {
                isDue = false;
            } else if (isUnsettled && !isTimed && !isOver) {
                isTimed = true;
                threads.startAfter(PAUSE_NANOS, "tutti-map-" + name, this::onTimer);
                return;
            } else {
                return;
            }
        } finally {
            lock.unlock();
        }
        start(this::run);
    }

    private void onTimer() {
        lock.lock();
        try {
            isTimed = false;
        } finally {
            lock.unlock();
        }
        wake();
    }

    private void pass() {
        shards.takeToJoin(AT_ONCE).forEach(shard -> start(() -> join(shard)));
        View main = shards.main();
        if (main == null) {
            return;
        }
        if (shards.isLeaving(shards.self()) && !main.id().equals(announced)) {
            announced = main.id();
            announceLeaving();
        }
        boolean isNews = !main.id().equals(surveyed);
        if (isNews || shards.isSurveyNeeded()) {
            Survey survey = ask();
            surveyed = survey.isComplete() ? main.id() : null;
            learn(survey);
            shards.takeToServe(survey, AT_ONCE).forEach(opening -> start(() -> open(opening)));
            List<Copy> unburdened = shards.excess().stream().filter(copy -> !copy.isBurdened()).toList();
            shards.takeToLeave(survey, unburdened).forEach(copy -> start(() -> leave(copy)));
        }
        tell();
    }

    private Calls calls() {
        return Objects.requireNonNull(calls, "not started");
    }

    // ------------------------------------------------------------------ asking

    private Survey ask() {
        Survey.Asked asked = shards.asked();
        List<Member> others = shards.others();
        Map<NodeId, Report> reports = new TreeMap<>();
        if (others.isEmpty()) {
            return new Survey(shards.self(), asked, reports, true);
        }
        surveys.increment();
        Map<Member, Outcome<Report>> outcomes;
        try {
            outcomes = calls().to(others).within(SURVEY_WITHIN).call(Wire.REPORT, null).byMember();
        } catch (CallException e) {
            LOG.debug("map {}: the others could not be asked what they hold", name, e);
            return new Survey(shards.self(), asked, reports, false);
        }
        boolean isComplete = true;
        for (Map.Entry<Member, Outcome<Report>> each : outcomes.entrySet()) {
            if (each.getValue() instanceof Outcome.Value<Report>(Report report) && isAlike(report)) {
                reports.put(each.getKey().node(), report);
            } else if (!(each.getValue() instanceof Outcome.Unreachable<Report> && shards.isLeaving(each.getKey().node()))) {
                isComplete = false;
            }
            // One that leaves, and may be called no more, has drained: it has given all its copies up before.
        }
        return new Survey(shards.self(), asked, reports, isComplete);
    }

    /** Returns whether a member has the same number of shards and copies, which {@link DistributedMapBuilder#join} has checked. */
    private boolean isAlike(Report report) {
        return report.shards().size() == shards.count() && report.copies() == shards.copies();
    }

    /** Returns in words how the map of another member differs from that of this one; null if none does that has answered. */
    @Nullable String difference(Calls joined) {
        for (Map.Entry<Member, Outcome<Report>> each : joined.toOthers().within(SURVEY_WITHIN).call(Wire.REPORT, null).byMember().entrySet()) {
            if (each.getValue() instanceof Outcome.Value<Report>(Report report) && !isAlike(report)) {
                return "map " + name + " has " + report.shards().size() + " shards and " + report.copies() + " copies at " + each.getKey() + ", and "
                        + shards.count() + " shards and " + shards.copies() + " copies here: it has to be the same at all members";
            }
        }
        return null;
    }

    private void learn(Survey survey) {
        List<Integer> known = new ArrayList<>();
        for (int shard = 0; shard < shards.count(); shard++) {
            if (survey.isKnown(shard)) {
                known.add(shard);
            }
        }
        shards.learn(known);
    }

    /** Tells the others that this member is to hold nothing any more. */
    private void announceLeaving() {
        List<Member> others = shards.others();
        if (!others.isEmpty()) {
            try {
                calls().to(others).within(SURVEY_WITHIN).call(Wire.LEAVING, null);
            } catch (CallException e) {
                LOG.debug("map {}: the others could not be told that this member leaves", name, e);
            }
        }
    }

    // ------------------------------------------------------------------ joining and leaving

    private void join(int shard) {
        Copy copy;
        try {
            copy = joiner.join(shard);
        } catch (RuntimeException e) {
            threads.startAfter(FAILURE_PAUSE_NANOS, "tutti-map-" + name, () -> onNotJoined(shard, e));
            return;
        }
        joins.increment();
        shards.onJoined(copy);
        if (shards.isClosed()) {
            copy.map().close();
        }
    }

    private void onNotJoined(int shard, RuntimeException failure) {
        // A node that closes leaves its groups one after the other.
        if (!shards.isClosed()) {
            LOG.warn("map {}: shard {} can't be joined, and is tried again: {}", name, shard, failure.toString());
        }
        shards.onGone(shard);
    }

    private void leave(Copy copy) {
        try {
            // Operations have deadlines, so this ends.
            while (!shards.awaitIdle(copy.shard())) {
                LOG.debug("map {}: operations of shard {} are under way", name, copy.shard());
            }
        } finally {
            copy.map().close();
            leaves.increment();
            shards.onGone(copy.shard());
        }
    }

    // ------------------------------------------------------------------ serving

    private void open(Shards.Opening opening) {
        TotalOrderMap<EntryKey, byte[]> map = opening.copy().map();
        boolean isReady = false;
        try {
            // Everything that other members have executed or brought in was executed here then.
            map.sync();
            if (map.get(EntryKey.OPENED) == null) {
                if (opening.isKnown()) {
                    note(lostUntold, opening.copy().shard());
                }
                map.put(EntryKey.OPENED, new byte[0], FOREVER);
                note(openedUntold, opening.copy().shard());
            }
            isReady = true;
        } catch (MapException e) {
            LOG.debug("map {}: shard {} is not served yet", name, opening.copy().shard(), e);
        } finally {
            shards.onOpened(opening, isReady);
        }
    }

    private void note(TreeSet<Integer> numbers, int shard) {
        lock.lock();
        try {
            numbers.add(shard);
        } finally {
            lock.unlock();
        }
    }

    /** Tells the others which shards there are from now on, and the application which of them have lost their entries. */
    private void tell() {
        List<Integer> opened;
        List<Integer> lostNow = List.of();
        boolean isOpening = shards.isOpening();
        lock.lock();
        try {
            opened = List.copyOf(openedUntold);
            openedUntold.clear();
            if (!isOpening) {
                lostNow = List.copyOf(lostUntold);
                lostUntold.clear();
            }
        } finally {
            lock.unlock();
        }
        if (!opened.isEmpty()) {
            for (Member member : shards.others()) {
                try {
                    calls().to(member).send(Wire.OPENED, opened);
                } catch (CallException e) {
                    LOG.debug("map {}: {} is not told which shards there are", name, member, e);
                }
            }
        }
        if (!lostNow.isEmpty()) {
            lost.add(lostNow.size());
            lossListener.onLost(lostNow);
        }
    }

    /** Adds counters. */
    void putStatus(Map<String, Long> status) {
        status.put("surveys", surveys.sum());
        status.put("joins", joins.sum());
        status.put("leaves", leaves.sum());
        status.put("lost", lost.sum());
    }
}
