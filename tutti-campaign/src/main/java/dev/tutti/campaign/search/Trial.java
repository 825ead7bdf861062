package dev.tutti.campaign.search;

import dev.tutti.campaign.application.ApplicationTrial;
import dev.tutti.campaign.cluster.Action;
import dev.tutti.campaign.cluster.MemberReports;
import dev.tutti.campaign.cluster.Neighbours;
import dev.tutti.campaign.cluster.NodeMaker;
import dev.tutti.campaign.cluster.Promises;
import dev.tutti.campaign.cluster.ScheduledFault;
import dev.tutti.campaign.cluster.SimulatedCluster;
import dev.tutti.campaign.cluster.SimulatedMember;
import dev.tutti.campaign.cluster.Traffic;
import dev.tutti.campaign.lies.Theme;
import dev.tutti.campaign.nodes.NodeTrial;
import dev.tutti.campaign.schedule.LiarSwarm;
import dev.tutti.campaign.schedule.Schedule;
import dev.tutti.campaign.sites.SitesTrial;
import dev.tutti.protocols.node.GroupSettings;
import dev.tutti.protocols.node.NodeMachine;
import dev.tutti.protocols.node.NodeSettings;
import dev.tutti.sim.DatagramPath;
import dev.tutti.sim.Simulation;
import dev.tutti.sim.SimulationException;
import dev.tutti.sim.Trace;
import dev.tutti.sim.check.Violation;
import java.time.Duration;
import java.util.List;

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

    private final Schedule schedule;
    private final SimulatedCluster cluster;
    private final Simulation simulation;
    private final Coverage coverage = new Coverage();
    private final Witness witness;
    private final long bytesMax;
    private final CheckedTime time;
    private final Rest rest;
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
        cluster.paths().set(world.path(), datagrams == null ? DatagramPath.LOCAL : datagrams.path());
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
        this.witness = new Witness(cluster, coverage);
        LiarWatch liarWatch = schedule.mode() == Schedule.Mode.LIAR ? new LiarWatch(cluster, schedule) : null;
        this.time = new CheckedTime(cluster, witness, liarWatch, this::onTrigger);
        this.rest = new Rest(schedule, cluster, time, witness, liarWatch, coverage);
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
        if (datagrams.isSecure()) {
            cluster.withSecurity();
        }
        coverage.count("state.on-datagrams: " + (datagrams.isMulticast() ? "with multicast" : "one to one")
                + (datagrams.isSecure() ? ", encrypted" : ""));
    }

    static Outcome run(Schedule schedule) {
        return run(schedule, NodeMachine::new);
    }

    /** Runs the schedule of a mode of nodes. */
    static NodeTrial.Result runNodes(Schedule schedule) {
        return schedule.mode() == Schedule.Mode.SITES ? SitesTrial.run(schedule.seed()) : ApplicationTrial.run(schedule.seed());
    }

    private static Outcome outcome(Schedule schedule, NodeTrial.Result result) {
        Coverage coverage = new Coverage();
        result.reached().forEach(coverage::add);
        coverage.count(schedule.mode() + ".schedules");
        String failure = result.isFailed() ? result.drawn() + result.failure() : "";
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
        if (schedule.mode().isOfNodes()) {
            return outcome(schedule, runNodes(schedule));
        }
        return new Trial(schedule, maker).run();
    }

    private Outcome run() {
        String property = "";
        String failure = "";
        try {
            for (Schedule.Step step : schedule.steps()) {
                time.advance(step.timeNanos() - simulation.nowNanos());
                strike(step.action());
            }
            if (rest.run()) {
                checkTold();
            }
        } catch (CheckedTime.Broken e) {
            property = e.property();
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
                rest.restNanos(),
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

    private void onTrigger(Action action) {
        coverage.count("fault." + ScheduledFault.AMBUSH);
        strike(action, true);
    }

    private void strike(Action action, boolean isInViewChange) {
        String state = witness.before(action);
        simulation.note(action.toString());
        if (action.fault() != ScheduledFault.WORK) {
            troubleNanos = simulation.nowNanos();
        }
        if (action instanceof Traffic.Send send && cluster.isUp(send.node())) {
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
                time.until("T1", "everybody who has joined is told", within, () ->
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
                throw new CheckedTime.Broken("L1", "all that are up were not in one view within " + within.toMillis() + " ms");
            }
            time.advance(Math.min(restNanos, CheckedTime.LOOK_NANOS));
        }
        promptNanos = Math.max(promptNanos, witness.lastViewNanos() - troubleNanos);
        coverage.count("state.prompt: all in one view before any time-out");
    }

    private void requireArrived(Duration within) {
        cluster.quiet();
        long end = simulation.nowNanos() + within.toNanos();
        while (simulation.nowNanos() < end && !isEverythingThere()) {
            time.advance(CheckedTime.LOOK_NANOS);
        }
        time.until("L2", "everything submitted", Duration.ZERO, () -> Rest.isAllSubmitted(cluster.present()));
        time.throwIfAny(cluster.missing());
    }

    private boolean isEverythingThere() {
        return Rest.isAllSubmitted(cluster.present()) && cluster.missing().isEmpty();
    }

    // ------------------------------------------------------------------ notifications

    private void checkTold() {
        Violation untold = cluster.untold();
        if (untold != null) {
            throw new CheckedTime.Broken(untold.property(), untold.toString());
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

    private void checkWindows() {
        for (SimulatedMember seat : cluster.present()) {
            String excess = MemberReports.excess(seat, cluster.groupSettings());
            if (!excess.isEmpty()) {
                throw new CheckedTime.Broken("S23", seat + ": " + excess);
            }
        }
    }
}
