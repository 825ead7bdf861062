package dev.tutti.campaign.search;

import dev.tutti.campaign.cluster.Action;
import dev.tutti.campaign.cluster.Band;
import dev.tutti.campaign.cluster.Liar;
import dev.tutti.campaign.cluster.MemberReports;
import dev.tutti.campaign.cluster.Neighbours;
import dev.tutti.campaign.cluster.NodeActions;
import dev.tutti.campaign.cluster.OptionalLayers;
import dev.tutti.campaign.cluster.SimulatedCluster;
import dev.tutti.campaign.cluster.SimulatedMember;
import dev.tutti.campaign.schedule.LiarSwarm;
import dev.tutti.campaign.schedule.Schedule;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.settings.Settings;
import dev.tutti.protocols.node.GroupSettings;
import dev.tutti.sim.DatagramPath;
import dev.tutti.sim.Path;
import dev.tutti.sim.SimulatedNode;
import dev.tutti.sim.check.Violation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The end of a run: all faults are over, and the cluster has to come to rest. */
final class Rest {

    private final Schedule schedule;
    private final SimulatedCluster cluster;
    private final CheckedTime time;
    private final Witness witness;
    private final @Nullable LiarWatch liarWatch;
    private final Coverage coverage;
    private final Duration restMax;
    private final Duration calm;
    private long restNanos;

    /** @param liarWatch watch of a lying node; null if none lies */
    Rest(
            Schedule schedule,
            SimulatedCluster cluster,
            CheckedTime time,
            Witness witness,
            @Nullable LiarWatch liarWatch,
            Coverage coverage) {
        this.schedule = schedule;
        this.cluster = cluster;
        this.time = time;
        this.witness = witness;
        this.liarWatch = liarWatch;
        this.coverage = coverage;
        this.restMax = TrialLimits.restMax(cluster.nodeSettings(), cluster.groupSettings(), schedule.world());
        this.calm = TrialLimits.calm(cluster.nodeSettings(), cluster.groupSettings());
    }

    /** Returns the time from the last fault to rest. */
    long restNanos() {
        return restNanos;
    }

    /**
     * Ends all faults and waits for the rest that the mode of the schedule demands.
     *
     * @return whether the cluster can come to rest; false if no primary view can come any more
     */
    boolean run() {
        witness.stay(false);
        TreeSet<Integer> core = core();
        cluster.quiet();
        cluster.trigger().clear();
        Schedule.Datagrams datagrams = schedule.world().datagrams();
        cluster.paths().set(
                schedule.world().path().withTail(Duration.ZERO),
                datagrams == null ? DatagramPath.LOCAL : datagrams.withoutFaults().path());
        for (int node : core) {
            cluster.network().unclog(cluster.node(node));
            cluster.node(node).withTurn(Path.LOCAL.latency().toNanos() / 30, 200);
            cluster.resume(node);
            if (schedule.mode() != Schedule.Mode.SETTLING) {
                healWith(node, core);
            }
        }
        cluster.simulation().note("no more faults");
        long begin = cluster.simulation().nowNanos();
        boolean isAsked = schedule.mode() == Schedule.Mode.SAFETY
                || schedule.mode() == Schedule.Mode.LIVENESS
                || schedule.mode() == Schedule.Mode.PROMPT;
        if (isAsked && cluster.neighbours() != null) {
            comeToRestAside(cluster.neighbours(), core);
        }
        consume(core);
        // A node that was paused may not know yet that it was excluded, and a delayed frame may still be under way.
        time.advance(schedule.world().path().tail().isZero() ? SECOND : SECOND.multipliedBy(11));
        switch (schedule.mode()) {
            case SAFETY, LIVENESS, PROMPT -> comeToRest(core, begin);
            case PRIMARY -> {
                startAll();
                if (!isPrimaryPossible()) {
                    return false;
                }
                comeToRest(core, begin);
            }
            case SETTLING -> settle(begin);
            case LIAR -> {
                outlastLiar(core);
                comeToRest(core, cluster.simulation().nowNanos());
            }
            case APPLICATION, SITES -> throw new IllegalStateException("nodes are run by trials of their own");
        }
        checkMemory(core);
        return true;
    }

    /** Lets all applications consume what was delivered to them, also after their members have left. */
    private void consume(TreeSet<Integer> core) {
        for (int node : core) {
            if (cluster.node(node).life() != SimulatedNode.Life.DOWN) {
                cluster.seat(node).application.setPace(Duration.ZERO);
                cluster.seat(node).application.release();
            }
        }
    }

    /** Waits until the second group is at rest, even while some applications of the first one consume nothing. */
    private void comeToRestAside(Neighbours neighbours, TreeSet<Integer> core) {
        List<SimulatedMember> seats = List.of();
        long end = cluster.simulation().nowNanos() + restMax.multipliedBy(2).toNanos();
        List<Violation> missing = List.of();
        boolean isOver = false;
        while (!isOver) {
            time.until("L1", "one view of the group beside", restMax, () -> neighbours.isOneViewOf(asideOf(neighbours, core)));
            seats = asideOf(neighbours, core);
            if (neighbours.isUnreliable()) {
                time.advance(SECOND);
            }
            for (SimulatedMember seat : seats) {
                probe(seat, seats);
            }
            time.until("L2", "everything submitted in the group beside", restMax, () -> isAllSubmitted(asideOf(neighbours, core)));
            time.advance(SECOND);
            List<Member> members = asideOf(neighbours, core).stream().map(SimulatedMember::member).toList();
            missing = neighbours.checker().violationsAtRest(members);
            isOver = missing.isEmpty() || cluster.simulation().nowNanos() >= end;
        }
        time.throwIfAny(missing);
        coverage.count("state.two-groups: one came to rest beside the other");
        if (presentOf(core).stream().anyMatch(seat -> seat.application.backlog() > 0)) {
            coverage.count("state.two-groups: one at rest while the application of the other stands still");
        }
    }

    private List<SimulatedMember> asideOf(Neighbours neighbours, TreeSet<Integer> core) {
        return neighbours.present(seat -> core.contains(cluster.numberOf(seat)));
    }

    /** Sends one message of each kind: to all, to another and to itself; in order, in a scope, and out of band. */
    private static void probe(SimulatedMember seat, List<SimulatedMember> seats) {
        SimulatedMember other = seats.get((seats.indexOf(seat) + 1) % seats.size());
        seat.send(null, 1, PROBE_BYTES);
        seat.send(null, 1, PROBE_BYTES, Band.SCOPED);
        seat.send(null, 1, PROBE_BYTES, Band.OUT_OF_BAND);
        seat.send(other.member(), 1, PROBE_BYTES);
        seat.send(other.member(), 1, PROBE_BYTES, Band.OUT_OF_BAND);
        seat.send(seat.member(), 1, PROBE_BYTES);
    }

    /**
     * Starts all nodes with their records, except members that left with the consent of the others: the rest has to go
     * on without these. Leaving takes three time-outs at most.
     */
    private void startAll() {
        for (int round = 0; round < 2; round++) {
            for (int node = 1; node <= schedule.size(); node++) {
                new NodeActions.Start(node).strike(cluster);
                if (cluster.wasStarted(node) && !cluster.seat(node).isReleased()) {
                    new NodeActions.JoinAgain(node).strike(cluster);
                }
            }
            time.advance(cluster.groupSettings().get(GroupSettings.LEAVE_TIMEOUT).multipliedBy(3).plus(SECOND));
        }
    }

    /**
     * Runs the others while one node lies and they agree on views again and again. First one after the other leaves and
     * comes back. Then nothing happens but lies, and no member may stand still for longer than {@link LiarWatch}
     * allows. Then the liar ends.
     */
    private void outlastLiar(TreeSet<Integer> core) {
        startAll();
        LiarWatch watch = Objects.requireNonNull(liarWatch);
        long turnNanos = patience().toNanos();
        List<Integer> leavers = List.copyOf(core);
        for (int turn = 0; turn < LIAR_LEAVES && watch.isStirred(); turn++) {
            int leaver = leavers.get(turn % leavers.size());
            new NodeActions.Leave(leaver).strike(cluster);
            outlast(watch, turnNanos / 8);
            new NodeActions.JoinAgain(leaver).strike(cluster);
            watch.onTrouble();
            outlast(watch, turnNanos - turnNanos / 8);
        }
        outlast(watch, LIE_BOUNDS * turnNanos);
        watch.end();
        time.advance(0);
        int liar = LiarSwarm.liarOf(schedule);
        if (cluster.isUp(liar)) {
            cluster.crash(liar);
        }
        restartMisled(core);
        startAll(core);
        Liar present = cluster.liar();
        if (present != null) {
            present.told().forEach(coverage::add);
        }
    }

    /** Crashes newcomers that followed the liar to view numbers that the others refuse (docs/design/peers.md). */
    private void restartMisled(TreeSet<Integer> core) {
        long least = presentOf(core).stream().mapToLong(Rest::number).min().orElse(0);
        for (SimulatedMember seat : presentOf(core)) {
            if (number(seat) > least + NUMBERS_APART) {
                cluster.crash(cluster.numberOf(seat));
                coverage.count("state.misled: a newcomer that has followed a liar to numbers which the others refuse");
            }
        }
    }

    private static long number(SimulatedMember seat) {
        View view = seat.view();
        return view == null ? 0 : view.id().number();
    }

    private void outlast(LiarWatch watch, long nanos) {
        long end = cluster.simulation().nowNanos() + nanos;
        while (cluster.simulation().nowNanos() < end) {
            time.advance(CheckedTime.LOOK_NANOS);
            watch.look(patience().toNanos());
        }
    }

    private void startAll(TreeSet<Integer> nodes) {
        for (int node : nodes) {
            new NodeActions.Start(node).strike(cluster);
            new NodeActions.JoinAgain(node).strike(cluster);
        }
    }

    /** Returns the time for which a member waits for a coordinator that does nothing. */
    private Duration patience() {
        Settings group = cluster.groupSettings();
        return group.get(GroupSettings.HOLD_BACK)
                .plus(group.get(GroupSettings.MERGE_DELAY).multipliedBy(2))
                .plus(group.get(GroupSettings.BALLOT_TIMEOUT).multipliedBy(2));
    }

    /** Reports whether a primary view can come: without a majority of the last one's records none may go on. */
    private boolean isPrimaryPossible() {
        long end = cluster.simulation().nowNanos() + restMax.toNanos();
        while (cluster.outages().hasLostRecords() && !cluster.isOneView()) {
            if (cluster.simulation().nowNanos() >= end) {
                coverage.count("state.primary-lost: too many records were");
                return false;
            }
            time.advance(CheckedTime.LOOK_NANOS);
        }
        return true;
    }

    /** Returns the nodes that have to keep the promises. */
    private TreeSet<Integer> core() {
        return schedule.mode() == Schedule.Mode.LIVENESS || schedule.mode() == Schedule.Mode.LIAR
                ? schedule.world().core()
                : new TreeSet<>(IntStream.rangeClosed(1, schedule.size()).boxed().toList());
    }

    private void healWith(int node, Collection<Integer> others) {
        for (int other : others) {
            cluster.network().heal(cluster.node(node), cluster.node(other));
        }
    }

    private List<SimulatedMember> presentOf(TreeSet<Integer> numbers) {
        return cluster.present().stream()
                .filter(seat -> numbers.contains(cluster.numberOf(seat)))
                .toList();
    }

    /**
     * Waits until the nodes of the core that are up share one view, their probes and all accepted messages have
     * arrived, and the view stays. A dead connection that no node has noticed yet may still cause another view.
     */
    private void comeToRest(TreeSet<Integer> core, long begin) {
        long views;
        do {
            becomeOne(core);
            restNanos = cluster.simulation().nowNanos() - begin;
            if (restNanos > restMax.multipliedBy(2).toNanos()) {
                throw new CheckedTime.Broken("L1", "views go on changing for " + restNanos / 1_000_000 + " ms after the last fault");
            }
            views = witness.viewCount();
            time.advance(calm.dividedBy(5));
        } while (witness.viewCount() != views && schedule.mode() != Schedule.Mode.LIVENESS);
        time.throwIfAny(missing(presentOf(core)));
        String suspected = MemberReports.suspected(presentOf(core));
        if (!suspected.isEmpty()) {
            throw new CheckedTime.Broken("L1", "all hear each other, and at rest " + suspected);
        }
    }

    private void becomeOne(TreeSet<Integer> core) {
        time.until("L1", "one view of " + Action.names(core), restMax, () ->
                cluster.isOneViewOf(seat -> core.contains(cluster.numberOf(seat))));
        time.until("L2", "everything submitted", restMax, () -> isAllSubmitted(presentOf(core)));
        if (isUnreliable()) {
            // An unreliable group may lose messages under load, so that a probe is sent when nothing else is.
            time.advance(SECOND);
        }
        for (SimulatedMember seat : presentOf(core)) {
            probe(seat, presentOf(core));
        }
        time.advance(SECOND.dividedBy(100));
        long end = cluster.simulation().nowNanos() + restMax.toNanos();
        while (cluster.simulation().nowNanos() < end && !missing(presentOf(core)).isEmpty()) {
            time.advance(CheckedTime.LOOK_NANOS);
        }
        time.throwIfAny(missing(presentOf(core)));
        if (isUnreliable() && !OptionalLayers.isLossy(cluster.groupSettings())) {
            coverage.count("state.unreliable: probes arrived");
        }
    }

    private boolean isUnreliable() {
        return cluster.groupSettings().get(GroupSettings.STACK) == GroupSettings.StackKind.UNRELIABLE;
    }

    static boolean isAllSubmitted(List<SimulatedMember> seats) {
        return seats.stream().allMatch(seat -> seat.ordersWaiting() == 0);
    }

    private List<Violation> missing(List<SimulatedMember> seats) {
        List<Violation> violations =
                cluster.checker().violationsAtRest(seats.stream().map(SimulatedMember::member).toList());
        if (OptionalLayers.isLossy(cluster.groupSettings())) {
            // L7 is promised as long as no packet is lost.
            return violations.stream().filter(violation -> !violation.property().equals("L7")).toList();
        }
        return violations;
    }

    /** Waits until views stay, whichever these are; all members of a view have it, and all messages arrive in it. */
    private void settle(long begin) {
        time.until("L4", "views settled for " + calm.toSeconds() + " s", restMax.plus(calm.multipliedBy(4)), () ->
                cluster.simulation().nowNanos() - Math.max(begin, witness.lastViewNanos()) >= calm.toNanos());
        restNanos = Math.max(0, witness.lastViewNanos() - begin);
        long views = witness.viewCount();
        for (SimulatedMember seat : cluster.present()) {
            seat.send(null, 1, PROBE_BYTES);
        }
        time.advance(SECOND.multipliedBy(5));
        time.until("L2", "everything submitted", restMax, () -> isAllSubmitted(cluster.present()));
        time.advance(calm);
        if (witness.viewCount() != views) {
            throw new CheckedTime.Broken("L4", "views changed again after they had been the same for " + calm.toSeconds() + " s");
        }
        TreeMap<ViewId, List<SimulatedMember>> byView = new TreeMap<>();
        for (SimulatedMember seat : cluster.present()) {
            byView.computeIfAbsent(cluster.view(cluster.numberOf(seat)).id(), id -> new ArrayList<>()).add(seat);
        }
        for (List<SimulatedMember> seats : byView.values()) {
            time.throwIfAny(missing(seats));
        }
        if (byView.size() > 1) {
            coverage.count("state.settled-apart: several views side by side under cuts that stay");
        }
    }

    /**
     * Waits until each node has held no memory at some moment: one that is cut off holds a hello whenever it redials.
     * Not checked where multicasts reach nodes apart for good: these hold messages of later views, within windows.
     */
    private void checkMemory(TreeSet<Integer> core) {
        Schedule.Datagrams datagrams = schedule.world().datagrams();
        if (schedule.mode() == Schedule.Mode.SETTLING && datagrams != null && datagrams.isMulticast()) {
            return;
        }
        TreeSet<Integer> holding = new TreeSet<>(core);
        time.until("S23", "memory back at nothing", SECOND.multipliedBy(20), LOOK_BESIDE_NANOS, () -> {
            holding.removeIf(number -> cluster.node(number).life() != SimulatedNode.Life.RUNNING
                    || cluster.node(number).memory().outstandingBlocks() == 0);
            return holding.isEmpty();
        });
    }

    /** Number of times that members leave while the liar goes on; then it lies for {@link #LIE_BOUNDS} patiences. */
    private static final int LIAR_LEAVES = 4;

    private static final int LIE_BOUNDS = 7;

    /** Distance of view numbers above which members refuse each other, reduced because views come meanwhile. */
    private static final long NUMBERS_APART = (1L << 32) - 1_000;

    private static final Duration SECOND = Duration.ofSeconds(1);

    /** Interval that is no multiple of a heartbeat: a node that sends one at each look would always hold memory. */
    private static final long LOOK_BESIDE_NANOS = 20_700_011;

    private static final int PROBE_BYTES = 40;
}
