package dev.tutti.campaign.search;

import dev.tutti.campaign.application.ApplicationTrial;
import dev.tutti.campaign.cluster.Action;
import dev.tutti.campaign.cluster.Band;
import dev.tutti.campaign.cluster.Liar;
import dev.tutti.campaign.cluster.MemberReports;
import dev.tutti.campaign.cluster.MessageTrigger;
import dev.tutti.campaign.cluster.Neighbours;
import dev.tutti.campaign.cluster.NodeMaker;
import dev.tutti.campaign.cluster.Promises;
import dev.tutti.campaign.cluster.ScheduledFault;
import dev.tutti.campaign.cluster.SimulatedCluster;
import dev.tutti.campaign.cluster.SimulatedMember;
import dev.tutti.campaign.lies.Theme;
import dev.tutti.campaign.schedule.LiarSwarm;
import dev.tutti.campaign.schedule.Schedule;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.settings.Settings;
import dev.tutti.protocols.node.GroupSettings;
import dev.tutti.protocols.node.NodeMachine;
import dev.tutti.protocols.node.NodeSettings;
import dev.tutti.sim.DatagramPath;
import dev.tutti.sim.Path;
import dev.tutti.sim.PropertyChecker;
import dev.tutti.sim.SimulatedNode;
import dev.tutti.sim.Simulation;
import dev.tutti.sim.SimulationException;
import dev.tutti.sim.Trace;
import dev.tutti.sim.Violation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** One run of a schedule, from the first start to the rest that it has to come to. */
final class Trial {

    /**
     * Outcome of a run.
     *
     * @param property the broken property, by its name in docs/guarantees.md; empty if none was
     * @param failure description of the failure; empty if nothing was broken
     * @param hash hash of all that happened
     * @param restNanos time from the last fault to rest
     * @param promptNanos in {@link Schedule.Mode#PROMPT}: the longest time from a fault to one view
     * @param memoryShare the most memory that a node held, as a share of its limit
     */
    record Outcome(
            Schedule schedule,
            String property,
            String failure,
            long simulatedNanos,
            long events,
            long hash,
            long restNanos,
            long promptNanos,
            double memoryShare,
            Coverage coverage,
            Trace trace) {

        List<String> lastEvents(int eventsMax) {
            return trace.last(eventsMax);
        }

        boolean isFailed() {
            return !property.isEmpty();
        }
    }

    /** A promise was not kept. */
    private static final class Broken extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final String property;

        Broken(String property, String text) {
            super(text);
            this.property = property;
        }
    }

    private final Schedule schedule;
    private final SimulatedCluster cluster;
    private final Simulation simulation;
    private final Coverage coverage = new Coverage();
    private final Witness witness;
    private final @Nullable LiarWatch liarWatch;
    private final long bytesMax;
    private final Duration restMax;
    private final Duration calm;
    private long restNanos;
    private long troubleNanos;
    private long promptNanos;

    private Trial(Schedule schedule, NodeMaker maker) {
        this.schedule = schedule;
        Schedule.World world = schedule.world();
        Schedule.Datagrams datagrams = world.datagrams();
        this.cluster = datagrams == null
                ? SimulatedCluster.cluster(schedule.size(), schedule.seed(), maker)
                : SimulatedCluster.clusterOnDatagrams(schedule.size(), schedule.seed(), maker);
        this.simulation = cluster.simulation();
        world.settings().forEach(cluster::with);
        cluster.withPaths(world.path(), datagrams == null ? DatagramPath.LOCAL : datagrams.path());
        if (datagrams != null) {
            setUp(datagrams);
        }
        cluster.network().setConnectTimeout(world.connectTimeout());
        cluster.network().setEndDelayMax(world.endDelayMax());
        cluster.network().setNoticeDelayMax(world.noticeDelayMax());
        Neighbours neighbours = cluster.neighbours();
        long asideBytes = neighbours == null
                ? 0
                : TrialLimits.bytesMax(cluster.nodeSettings(), neighbours.settings(), schedule.size());
        this.bytesMax = asideBytes + TrialLimits.bytesMax(cluster.nodeSettings(), cluster.groupSettings(), schedule.size());
        if (neighbours != null) {
            coverage.count(neighbours.settings().get(GroupSettings.STACK) == cluster.groupSettings().get(GroupSettings.STACK)
                    ? "state.two-groups: with one stack"
                    : "state.two-groups: with different stacks");
        }
        for (int node = 1; node <= schedule.size(); node++) {
            cluster.node(node)
                    .withMemory(bytesMax)
                    .withColdTurns(world.coldTurn().toNanos(), world.coldHalf().toNanos());
        }
        world.driftPpm().forEach((node, drift) -> cluster.node(node).withDrift(drift));
        world.lateTimers().forEach((node, late) -> cluster.node(node).withTimers(true, late.toNanos()));
        List<String> seeds = cluster.nodeSettings().get(NodeSettings.SEEDS);
        if (!seeds.isEmpty()) {
            coverage.count(seeds.equals(SimulatedCluster.NEXT_ONLY)
                    ? "state.seeds: each node knows the next one only"
                    : "state.seeds: each node knows the first one only");
        }
        if (schedule.mode() == Schedule.Mode.LIAR) {
            cluster.withLiar(LiarSwarm.liarOf(schedule), Theme.of(schedule.seed()));
        }
        this.restMax = TrialLimits.restMax(cluster.nodeSettings(), cluster.groupSettings(), world);
        this.calm = TrialLimits.calm(cluster.nodeSettings(), cluster.groupSettings());
        this.witness = new Witness(cluster, coverage);
        this.liarWatch = schedule.mode() == Schedule.Mode.LIAR ? new LiarWatch(cluster, schedule) : null;
        if (cluster.groupSettings().get(GroupSettings.STACK) != GroupSettings.StackKind.UNRELIABLE
                && schedule.mode() != Schedule.Mode.LIAR) {
            // Taken from the seed, not drawn, so that the other draws stay the same.
            cluster.withReceipts((int) (schedule.seed() & 3));
        }
        coverage.add("fault." + ScheduledFault.DRIFT, world.driftPpm().size());
        coverage.add("fault." + ScheduledFault.TIMERS, world.lateTimers().size());
        coverage.add("fault." + ScheduledFault.TAIL, world.path().tail().isZero() ? 0 : 1);
    }

    private void setUp(Schedule.Datagrams datagrams) {
        cluster.withDatagrams(datagrams.bytesMax());
        cluster.datagrams().setReceiveBuffer(datagrams.receiveBufferBytes());
        if (datagrams.isMulticast()) {
            cluster.withMulticast();
        }
        coverage.count("state.on-datagrams: " + (datagrams.isMulticast() ? "with multicast" : "one to one"));
    }

    static Outcome run(Schedule schedule) {
        return run(schedule, NodeMachine::new);
    }

    private static Outcome runApplication(Schedule schedule) {
        ApplicationTrial.Result result = ApplicationTrial.run(schedule.seed());
        Coverage coverage = new Coverage();
        result.reached().forEach(coverage::add);
        coverage.count("application.schedules");
        String failure = result.property().isEmpty() ? "" : result.drawn() + result.failure();
        return new Outcome(
                schedule,
                result.property(),
                failure,
                result.simulatedNanos(),
                result.events(),
                result.hash(),
                result.restNanos(),
                0,
                0,
                coverage,
                new Simulation(schedule.seed()).trace());
    }

    static Outcome run(Schedule schedule, NodeMaker maker) {
        if (schedule.mode() == Schedule.Mode.APPLICATION) {
            return runApplication(schedule);
        }
        return new Trial(schedule, maker).run();
    }

    private Outcome run() {
        String property = "";
        String failure = "";
        try {
            for (Schedule.Step step : schedule.steps()) {
                advance(step.timeNanos() - simulation.nowNanos());
                strike(step.action());
            }
            end();
        } catch (Broken e) {
            property = e.property;
            failure = String.valueOf(simulation.failure(e.getMessage() + "\n" + cluster.describe()).getMessage());
        } catch (SimulationException e) {
            property = isMemory(e) ? "S23" : "no exception leaves a node";
            failure = String.valueOf(e.getMessage());
        }
        cluster.counters().forEach(coverage::add);
        Schedule.Datagrams datagrams = schedule.world().datagrams();
        Orders.count(coverage, cluster.groupSettings(), datagrams != null && datagrams.isMulticast());
        return new Outcome(
                schedule,
                property,
                failure,
                simulation.nowNanos(),
                simulation.steps(),
                simulation.trace().hash(),
                restNanos,
                promptNanos,
                memoryShare(),
                coverage,
                simulation.trace());
    }

    private static boolean isMemory(SimulationException e) {
        return String.valueOf(e.getMessage()).contains("S23:");
    }

    private void strike(Action action) {
        strike(action, false);
    }

    private void strike(Action action, boolean isInViewChange) {
        String state = witness.before(action);
        simulation.note(action.toString());
        if (action.fault() != ScheduledFault.WORK) {
            troubleNanos = simulation.nowNanos();
        }
        if (action instanceof Action.Send send && cluster.isUp(send.node())) {
            Work.count(cluster, send, isInViewChange, coverage);
        }
        if (!Promises.isBorne(action)) {
            witness.stay(false);
        }
        if (action.strike(cluster)) {
            witness.after(action, state);
        }
        checkWindows();
        checkTold();
        switch (action) {
            case Promises.OneView(Duration within) -> requireOneView(within);
            case Promises.Stay(Duration within) -> {
                requireOneView(within);
                witness.stay(true);
                coverage.count("state.calm: one view, whatever it has to bear");
            }
            case Promises.Arrived(Duration within) -> requireArrived(within);
            case Promises.Joined(Duration within) -> {
                until("T1", "everybody who has joined is told", within, () ->
                        cluster.present().stream().allMatch(seat -> seat.application.isJoined()));
                coverage.count("state.joined-at-once: nobody was left in the group");
            }
            default -> {
                // Nothing is promised now.
            }
        }
    }

    /** Waits for one view. The time counts from the last fault, and an action of a trigger meanwhile restarts it. */
    private void requireOneView(Duration within) {
        while (!cluster.isOneView()) {
            long restNanos = troubleNanos + within.toNanos() - simulation.nowNanos();
            if (restNanos <= 0) {
                throw new Broken("L1", "all that are up were not in one view within " + within.toMillis() + " ms");
            }
            advance(Math.min(restNanos, LOOK_NANOS));
        }
        promptNanos = Math.max(promptNanos, witness.lastViewNanos() - troubleNanos);
        coverage.count("state.prompt: all in one view before any time-out");
    }

    private void requireArrived(Duration within) {
        cluster.quiet();
        long end = simulation.nowNanos() + within.toNanos();
        while (simulation.nowNanos() < end && !isEverythingThere()) {
            advance(LOOK_NANOS);
        }
        until("L2", "everything submitted", Duration.ZERO, () -> isAllSubmitted(cluster.present()));
        throwIfAny(missing(cluster.present()));
    }

    private boolean isEverythingThere() {
        return isAllSubmitted(cluster.present()) && missing(cluster.present()).isEmpty();
    }

    // ------------------------------------------------------------------ time

    private void advance(Duration duration) {
        advance(duration.toNanos());
    }

    private void advance(long nanos) {
        long end = simulation.nowNanos() + nanos;
        PropertyChecker checker = cluster.checker();
        PropertyChecker aside = cluster.neighbours() == null ? checker : cluster.neighbours().checker();
        MessageTrigger trigger = cluster.trigger();
        BooleanSupplier isBroken = () -> checker.isBroken()
                || aside.isBroken()
                || witness.broken() != null
                || liarWatch != null && liarWatch.broken() != null;
        BooleanSupplier isNews = () -> isBroken.getAsBoolean() || trigger.isDue();
        while (simulation.nowNanos() < end
                && simulation.advanceUntil(isNews, Duration.ofNanos(end - simulation.nowNanos()))
                && !isBroken.getAsBoolean()) {
            for (Action action : trigger.takeDue()) {
                coverage.count("fault." + ScheduledFault.AMBUSH);
                strike(action, true);
            }
        }
        throwIfAny(checker.violations());
        throwIfAny(aside.violations());
        Violation seen = witness.broken();
        if (seen != null) {
            throwIfAny(List.of(seen));
        }
        Violation brought = liarWatch == null ? null : liarWatch.broken();
        if (brought != null) {
            throwIfAny(List.of(brought));
        }
    }

    private void throwIfAny(List<Violation> violations) {
        if (!violations.isEmpty()) {
            throw new Broken(violations.getFirst().property(), violations.toString());
        }
    }

    /** Runs until the condition holds, checking it every 20 ms. */
    private void until(String property, String what, Duration limit, BooleanSupplier condition) {
        until(property, what, limit, LOOK_NANOS, condition);
    }

    private void until(String property, String what, Duration limit, long lookNanos, BooleanSupplier condition) {
        long end = simulation.nowNanos() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (simulation.nowNanos() >= end) {
                throw new Broken(property, "not within " + limit.toMillis() + " ms of the last fault: " + what);
            }
            advance(lookNanos);
        }
    }

    // ------------------------------------------------------------------ the end

    private void end() {
        witness.stay(false);
        TreeSet<Integer> core = core();
        cluster.quiet();
        cluster.trigger().clear();
        Schedule.Datagrams datagrams = schedule.world().datagrams();
        cluster.withPaths(
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
        simulation.note("no more faults");
        long begin = simulation.nowNanos();
        boolean isAsked = schedule.mode() == Schedule.Mode.SAFETY
                || schedule.mode() == Schedule.Mode.LIVENESS
                || schedule.mode() == Schedule.Mode.PROMPT;
        if (isAsked && cluster.neighbours() != null) {
            comeToRestAside(cluster.neighbours(), core);
        }
        consume(core);
        // A node that was paused may not know yet that it was excluded, and a delayed frame may still be under way.
        advance(schedule.world().path().tail().isZero() ? SECOND : SECOND.multipliedBy(11));
        switch (schedule.mode()) {
            case SAFETY, LIVENESS, PROMPT -> comeToRest(core, begin);
            case PRIMARY -> {
                startAll();
                if (!isPrimaryPossible()) {
                    return;
                }
                comeToRest(core, begin);
            }
            case SETTLING -> settle(begin);
            case LIAR -> {
                outlastLiar(core);
                comeToRest(core, simulation.nowNanos());
            }
            case APPLICATION -> throw new IllegalStateException("applications are run by a trial of their own");
        }
        checkMemory(core);
        checkTold();
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
        long end = simulation.nowNanos() + restMax.multipliedBy(2).toNanos();
        List<Violation> missing = List.of();
        boolean isOver = false;
        while (!isOver) {
            until("L1", "one view of the group beside", restMax, () -> neighbours.isOneViewOf(asideOf(neighbours, core)));
            seats = asideOf(neighbours, core);
            if (neighbours.isUnreliable()) {
                advance(SECOND);
            }
            for (SimulatedMember seat : seats) {
                probe(seat, seats);
            }
            until("L2", "everything submitted in the group beside", restMax, () -> isAllSubmitted(asideOf(neighbours, core)));
            advance(SECOND);
            List<Member> members = asideOf(neighbours, core).stream().map(SimulatedMember::member).toList();
            missing = neighbours.checker().violationsAtRest(members);
            isOver = missing.isEmpty() || simulation.nowNanos() >= end;
        }
        throwIfAny(missing);
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
                new Action.Start(node).strike(cluster);
                if (cluster.wasStarted(node) && !cluster.seat(node).isReleased()) {
                    new Action.JoinAgain(node).strike(cluster);
                }
            }
            advance(cluster.groupSettings().get(GroupSettings.LEAVE_TIMEOUT).multipliedBy(3).plus(SECOND));
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
            new Action.Leave(leaver).strike(cluster);
            outlast(watch, turnNanos / 8);
            new Action.JoinAgain(leaver).strike(cluster);
            watch.onTrouble();
            outlast(watch, turnNanos - turnNanos / 8);
        }
        outlast(watch, LIE_BOUNDS * turnNanos);
        watch.end();
        advance(0);
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
        long least = presentOf(core).stream().mapToLong(Trial::number).min().orElse(0);
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
        long end = simulation.nowNanos() + nanos;
        while (simulation.nowNanos() < end) {
            advance(LOOK_NANOS);
            watch.look(patience().toNanos());
        }
    }

    private void startAll(TreeSet<Integer> nodes) {
        for (int node : nodes) {
            new Action.Start(node).strike(cluster);
            new Action.JoinAgain(node).strike(cluster);
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
        long end = simulation.nowNanos() + restMax.toNanos();
        while (cluster.hasLostRecords() && !cluster.isOneView()) {
            if (simulation.nowNanos() >= end) {
                coverage.count("state.primary-lost: too many records were");
                return false;
            }
            advance(LOOK_NANOS);
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
            restNanos = simulation.nowNanos() - begin;
            if (restNanos > restMax.multipliedBy(2).toNanos()) {
                throw new Broken("L1", "views go on changing for " + restNanos / 1_000_000 + " ms after the last fault");
            }
            views = witness.viewCount();
            advance(calm.dividedBy(5));
        } while (witness.viewCount() != views && schedule.mode() != Schedule.Mode.LIVENESS);
        throwIfAny(missing(presentOf(core)));
        String suspected = MemberReports.suspected(presentOf(core));
        if (!suspected.isEmpty()) {
            throw new Broken("L1", "all hear each other, and at rest " + suspected);
        }
    }

    private void becomeOne(TreeSet<Integer> core) {
        until("L1", "one view of " + Action.names(core), restMax, () ->
                cluster.isOneViewOf(seat -> core.contains(cluster.numberOf(seat))));
        until("L2", "everything submitted", restMax, () -> isAllSubmitted(presentOf(core)));
        if (isUnreliable()) {
            // An unreliable group may lose messages under load, so that a probe is sent when nothing else is.
            advance(SECOND);
        }
        for (SimulatedMember seat : presentOf(core)) {
            probe(seat, presentOf(core));
        }
        advance(SECOND.dividedBy(100));
        long end = simulation.nowNanos() + restMax.toNanos();
        while (simulation.nowNanos() < end && !missing(presentOf(core)).isEmpty()) {
            advance(LOOK_NANOS);
        }
        throwIfAny(missing(presentOf(core)));
        if (isUnreliable()) {
            coverage.count("state.unreliable: probes arrived");
        }
    }

    private boolean isUnreliable() {
        return cluster.groupSettings().get(GroupSettings.STACK) == GroupSettings.StackKind.UNRELIABLE;
    }

    private static boolean isAllSubmitted(List<SimulatedMember> seats) {
        return seats.stream().allMatch(seat -> seat.ordersWaiting() == 0);
    }

    private List<Violation> missing(List<SimulatedMember> seats) {
        return cluster.checker().violationsAtRest(seats.stream().map(SimulatedMember::member).toList());
    }

    /** Waits until views stay, whichever these are; all members of a view have it, and all messages arrive in it. */
    private void settle(long begin) {
        until("L4", "views settled for " + calm.toSeconds() + " s", restMax.plus(calm.multipliedBy(4)), () ->
                simulation.nowNanos() - Math.max(begin, witness.lastViewNanos()) >= calm.toNanos());
        restNanos = Math.max(0, witness.lastViewNanos() - begin);
        long views = witness.viewCount();
        for (SimulatedMember seat : cluster.present()) {
            seat.send(null, 1, PROBE_BYTES);
        }
        advance(SECOND.multipliedBy(5));
        until("L2", "everything submitted", restMax, () -> isAllSubmitted(cluster.present()));
        advance(calm);
        if (witness.viewCount() != views) {
            throw new Broken("L4", "views changed again after they had been the same for " + calm.toSeconds() + " s");
        }
        TreeMap<ViewId, List<SimulatedMember>> byView = new TreeMap<>();
        for (SimulatedMember seat : cluster.present()) {
            byView.computeIfAbsent(cluster.view(cluster.numberOf(seat)).id(), id -> new ArrayList<>()).add(seat);
        }
        for (List<SimulatedMember> seats : byView.values()) {
            throwIfAny(missing(seats));
        }
        if (byView.size() > 1) {
            coverage.count("state.settled-apart: several views side by side under cuts that stay");
        }
    }

    // ------------------------------------------------------------------ notifications

    private void checkTold() {
        Violation untold = cluster.untold();
        if (untold != null) {
            throw new Broken(untold.property(), untold.toString());
        }
    }

    // ------------------------------------------------------------------ resources

    private double memoryShare() {
        double share = 0;
        for (int number = 1; number <= schedule.size(); number++) {
            share = Math.max(share, (double) cluster.node(number).memory().peakBytes() / bytesMax);
        }
        return share;
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
        until("S23", "memory back at nothing", SECOND.multipliedBy(20), LOOK_BESIDE_NANOS, () -> {
            holding.removeIf(number -> cluster.node(number).life() != SimulatedNode.Life.RUNNING
                    || cluster.node(number).memory().outstandingBlocks() == 0);
            return holding.isEmpty();
        });
    }

    private void checkWindows() {
        for (SimulatedMember seat : cluster.present()) {
            String excess = MemberReports.excess(seat, cluster.groupSettings());
            if (!excess.isEmpty()) {
                throw new Broken("S23", seat + ": " + excess);
            }
        }
    }

    /** Number of times that members leave while the liar goes on; then it lies for {@link #LIE_BOUNDS} patiences. */
    private static final int LIAR_LEAVES = 4;

    private static final int LIE_BOUNDS = 7;

    /** Distance of view numbers above which members refuse each other, reduced because views come meanwhile. */
    private static final long NUMBERS_APART = (1L << 32) - 1_000;

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final long LOOK_NANOS = 20_000_000;

    /** Interval that is no multiple of a heartbeat: a node that sends one at each look would always hold memory. */
    private static final long LOOK_BESIDE_NANOS = 20_700_011;
    private static final int PROBE_BYTES = 40;
}
