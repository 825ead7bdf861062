package dev.tutti.campaign.schedule;

import dev.tutti.campaign.cluster.Action;
import dev.tutti.campaign.cluster.Band;
import dev.tutti.campaign.cluster.Ends;
import dev.tutti.campaign.cluster.MessageTrigger;
import dev.tutti.campaign.cluster.Neighbours;
import dev.tutti.campaign.cluster.NetworkActions;
import dev.tutti.campaign.cluster.NodeActions;
import dev.tutti.campaign.cluster.ScheduledFault;
import dev.tutti.campaign.cluster.Traffic;
import dev.tutti.protocols.node.GroupSettings;
import dev.tutti.protocols.node.NodeSettings;
import dev.tutti.sim.Network;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * Draws a schedule from a seed. Each seed has some kinds of faults and not the others (swarm testing, Groce et al.,
 * 2012), so that a bug that one kind hides shows in schedules without that kind.
 */
public final class Swarm {

    /** Bytes of the longest message out of band. */
    private static final int URGENT_BYTES_MAX = 2_000;

    private final SplittableRandom random;
    private final Schedule.Mode mode;
    private final int size;
    private final EnumSet<ScheduledFault> faults = EnumSet.noneOf(ScheduledFault.class);
    private final List<Schedule.Step> steps = new ArrayList<>();
    private Schedule.World world;
    private final boolean isUnreliable;
    private final long seed;
    private long nowNanos;
    private long bytesLeft;

    private Swarm(long seed, Schedule.Mode mode) {
        this.seed = seed;
        this.mode = mode;
        this.random = new SplittableRandom(seed * 31 + mode.ordinal());
        this.size = 2 + Math.min(random.nextInt(8), random.nextInt(8));
        this.isUnreliable = random.nextInt(8) == 0;
        this.bytesLeft = 1L << 15 + random.nextInt(9);
        this.world = Schedule.World.plain();
    }

    /** Returns the mode of a seed when none is asked for. */
    static Schedule.Mode modeOf(long seed) {
        if (Math.floorMod(seed, 16L) == 12) {
            return Schedule.Mode.PRIMARY;
        }
        return switch ((int) Math.floorMod(seed, 8L)) {
            case 1, 5 -> Schedule.Mode.PROMPT;
            case 3, 6 -> Schedule.Mode.LIVENESS;
            case 7 -> Schedule.Mode.SETTLING;
            default -> Schedule.Mode.SAFETY;
        };
    }

    public static Schedule draw(long seed) {
        return draw(seed, modeOf(seed));
    }

    public static Schedule draw(long seed, Schedule.Mode mode) {
        return switch (mode) {
            case PROMPT -> new PromptSwarm(seed).draw();
            case PRIMARY -> new PrimarySwarm(seed).draw();
            case LIAR -> new LiarSwarm(seed).draw();
            case APPLICATION, SITES -> Schedule.ofNodes(seed, mode);
            case SAFETY, LIVENESS, SETTLING -> new Swarm(seed, mode).draw();
        };
    }

    private Schedule draw() {
        for (ScheduledFault fault : ScheduledFault.values()) {
            if (random.nextInt(5) < 2) {
                faults.add(fault);
            }
        }
        faults.add(ScheduledFault.WORK);
        world = new WorldDraw(random, seed, mode, size, faults, isUnreliable).draw();
        boolean isAtOnce = random.nextBoolean();
        for (int node = 1; node <= size; node++) {
            if (random.nextInt(12) > 0) {
                step(new NodeActions.Start(node));
                pass(isAtOnce ? 0 : random.nextLong(1L << 10 + random.nextInt(22)));
            }
        }
        pass(random.nextLong(1L << 20 + random.nextInt(14)));
        int storms = 1 + random.nextInt(8);
        for (int storm = 0; storm < storms; storm++) {
            int troubles = 3 + random.nextInt(50);
            boolean isFast = random.nextBoolean();
            for (int index = 0; index < troubles; index++) {
                trouble();
                pauseBetween(isFast);
            }
            if (random.nextInt(3) == 0) {
                lull();
            }
        }
        end();
        steps.sort(Comparator.comparingLong(Schedule.Step::timeNanos));
        return new Schedule(seed, mode, size, world, steps);
    }

    private boolean hasAside() {
        return world.settings().containsKey(Neighbours.PREFIX + GroupSettings.WINDOW.name());
    }

    // ------------------------------------------------------------------ time

    private void step(Action action) {
        steps.add(new Schedule.Step(nowNanos, action));
    }

    private void stepAfter(long nanos, Action action) {
        steps.add(new Schedule.Step(nowNanos + nanos, action));
    }

    private void pass(long nanos) {
        nowNanos += nanos;
    }

    private void pauseBetween(boolean isFast) {
        switch (random.nextInt(12)) {
            case 0, 1, 2 -> pass(0);
            case 3, 4, 5 -> pass(random.nextLong(300_000));
            case 6, 7 -> pass(random.nextLong(20_000_000));
            case 8, 9 -> pass(random.nextLong(600_000_000));
            case 10 -> pass(random.nextLong(isFast ? 600_000_000L : 5_000_000_000L));
            default -> pass(random.nextLong(isFast ? 3_000_000_000L : 20_000_000_000L));
        }
    }

    /** Adds a stretch of up to hours in which nothing new happens. */
    private void lull() {
        if (random.nextBoolean()) {
            step(new NetworkActions.HealAll());
        }
        step(new Traffic.Quiet());
        pass(1_000_000_000L * (1L << random.nextInt(13)));
    }

    // ------------------------------------------------------------------ faults

    private int node() {
        return 1 + random.nextInt(size);
    }

    private int otherThan(int node) {
        int other = 1 + random.nextInt(size - 1);
        return other < node ? other : other + 1;
    }

    private void trouble() {
        List<ScheduledFault> choice = List.copyOf(faults);
        ScheduledFault fault = choice.get(random.nextInt(choice.size()));
        if (random.nextInt(3) == 0) {
            fault = ScheduledFault.WORK;
        } else if (random.nextInt(6) == 0) {
            // A node that is down or paused has to come back, or soon no node is left to have faults.
            fault = ScheduledFault.START;
        }
        int node = node();
        switch (fault) {
            case WORK -> work(node);
            case START -> {
                step(new NodeActions.Start(node));
                step(new NodeActions.Resume(node));
                step(new NetworkActions.Unclog(node));
            }
            case KILL -> kill(node);
            case POWER_OFF -> {
                step(new NodeActions.PowerOff(node));
                startSoon(node);
            }
            case STOP -> {
                step(new NodeActions.Stop(node));
                startSoon(node);
            }
            case LEAVE -> {
                boolean isAside = hasAside() && random.nextBoolean();
                step(isAside ? new NodeActions.LeaveAside(node) : new NodeActions.Leave(node));
                stepAfter(
                        random.nextLong(1L << 20 + random.nextInt(13)),
                        isAside ? new NodeActions.JoinAside(node) : new NodeActions.JoinAgain(node));
                if (random.nextInt(3) == 0) {
                    // To a member that is about to leave, or has just left.
                    pass(random.nextLong(2_000_000));
                    send(otherThan(node), 1 + random.nextInt(20), random.nextInt(3_000), node);
                }
            }
            case PAUSE -> {
                step(new NodeActions.Pause(node));
                stepAfter(1_000_000L << random.nextInt(17), new NodeActions.Resume(node));
            }
            case SLOW_NODE -> step(new NodeActions.Compute(
                    node,
                    Duration.ofNanos(1 + random.nextLong(1L << 10 + random.nextInt(15))),
                    Duration.ofNanos(random.nextLong(20_000))));
            case SLOW_APPLICATION -> slowApplication(node);
            case WALL_CLOCK -> step(new NodeActions.SetWallClock(
                    node, Duration.ofMillis(random.nextLong(-3_600_000, 3_600_001))));
            case LEAP -> step(new NodeActions.Leap(node, Duration.ofMillis(random.nextLong(1L << random.nextInt(22)))));
            case DRIFT, TIMERS, TAIL -> work(node);
            case PARTITION -> partition();
            case ONE_WAY -> oneWay();
            case BRIDGE -> bridge();
            case RING -> ring();
            case FLAPPING -> flap();
            case COORDINATOR -> step(new Action.Coordinator(
                    random.nextBoolean() ? Action.Coordinator.Fate.KILLED : Action.Coordinator.Fate.CUT_OFF));
            case CLOG -> clog();
            case BREAK -> {
                for (int index = random.nextInt(3); index >= 0; index--) {
                    step(new NetworkActions.Break(
                            node, otherThan(node), Network.Notice.values()[random.nextInt(4)]));
                    pass(random.nextLong(1_000_000));
                }
            }
            case AMBUSH -> trigger();
            case DELAY -> delay();
            case GIVE_UP -> giveUp(node);
            case CORRUPTION -> step(new NetworkActions.Corrupt(node, otherThan(node)));
        }
    }

    private void work(int node) {
        int length = switch (random.nextInt(6)) {
            case 0 -> 0;
            case 1 -> 1 << random.nextInt(21);
            case 2 -> random.nextInt(70_000);
            default -> random.nextInt(4_000);
        };
        int count = switch (random.nextInt(4)) {
            case 0 -> 1;
            case 1 -> 1 + random.nextInt(300);
            default -> 1 + random.nextInt(40);
        };
        count = (int) Math.min(count, Math.max(1, bytesLeft / (length + 100)));
        if (length > bytesLeft) {
            length = random.nextInt(100);
        }
        int kind = random.nextInt(8);
        if (kind == 0) {
            step(new Traffic.Talk(node, Duration.ofMillis(20 + random.nextInt(500))));
        } else if (kind == 1) {
            for (int from = 1; from <= size; from++) {
                send(from, Math.max(1, count / size), length, 0);
            }
        } else {
            send(node, count, length, kind < 5 ? 0 : node());
        }
    }

    private void send(int from, int count, int length, int to) {
        bytesLeft -= (long) count * (length + 100);
        Band band = switch (random.nextInt(6)) {
            case 0 -> Band.SCOPED;
            case 1 -> Band.OUT_OF_BAND;
            default -> Band.ORDERED;
        };
        step(new Traffic.Send(from, count, band == Band.OUT_OF_BAND ? Math.min(length, URGENT_BYTES_MAX) : length, to, band));
    }

    private void kill(int node) {
        step(new NodeActions.Kill(node));
        if (random.nextInt(4) == 0) {
            pass(random.nextLong(5_000_000));
            step(new NodeActions.Kill(node()));
        }
        startSoon(node);
    }

    /** Starts the node again, often before any other has noticed that it was gone. */
    private void startSoon(int node) {
        if (faults.contains(ScheduledFault.START) && random.nextBoolean()) {
            stepAfter(random.nextLong(1L << 10 + random.nextInt(24)), new NodeActions.Start(node));
        }
    }

    private void slowApplication(int node) {
        Action slow = random.nextInt(3) == 0
                ? new Traffic.Consume(node, null)
                : new Traffic.Consume(node, Duration.ofNanos(random.nextLong(1L << 14 + random.nextInt(11))));
        step(slow);
        if (random.nextBoolean()) {
            stepAfter(random.nextLong(1L << 25 + random.nextInt(10)), new Traffic.Consume(node, Duration.ZERO));
        }
    }

    private TreeSet<Integer> side() {
        TreeSet<Integer> side = new TreeSet<>();
        int count = 1 + random.nextInt(size - 1);
        while (side.size() < count) {
            side.add(node());
        }
        return side;
    }

    private TreeSet<Integer> others(TreeSet<Integer> side) {
        TreeSet<Integer> others = new TreeSet<>();
        for (int node = 1; node <= size; node++) {
            if (!side.contains(node)) {
                others.add(node);
            }
        }
        return others;
    }

    private void lose(TreeSet<Integer> side, TreeSet<Integer> other, ScheduledFault fault) {
        step(new NetworkActions.Lose(side, other, fault));
        if (random.nextInt(3) > 0) {
            stepAfter(random.nextLong(1L << 24 + random.nextInt(12)), new NetworkActions.Find(side, other));
        } else if (random.nextBoolean()) {
            stepAfter(random.nextLong(1L << 24 + random.nextInt(12)), new NetworkActions.HealAll());
        }
    }

    /** Splits the nodes into two sides, or into as many as have two nodes each. */
    private void partition() {
        if (size < 4 || random.nextInt(3) > 0) {
            TreeSet<Integer> side = side();
            lose(side, others(side), ScheduledFault.PARTITION);
            return;
        }
        List<Integer> seats = new ArrayList<>(others(new TreeSet<>()));
        shuffle(seats);
        int length = 2 + random.nextInt(size / 2 - 1);
        for (int from = 0; from + length < size; from += length) {
            step(new NetworkActions.Lose(
                    new TreeSet<>(seats.subList(from, from + length)),
                    new TreeSet<>(seats.subList(from + length, size)),
                    ScheduledFault.PARTITION));
        }
        stepAfter(random.nextLong(1L << 24 + random.nextInt(13)), new NetworkActions.HealAll());
    }

    private void oneWay() {
        TreeSet<Integer> side = side();
        TreeSet<Integer> other = others(side);
        step(new NetworkActions.Miss(side, other));
        if (random.nextBoolean()) {
            stepAfter(random.nextLong(1L << 24 + random.nextInt(12)), new NetworkActions.Find(side, other));
        }
    }

    private void bridge() {
        if (size < 3) {
            return;
        }
        TreeSet<Integer> side = side();
        TreeSet<Integer> other = others(side);
        if (side.size() > 1) {
            side.remove(side.first());
        } else {
            other.remove(other.last());
        }
        lose(side, other, ScheduledFault.BRIDGE);
    }

    /** Lets each node hear only its neighbours in a ring: a majority, but a different one for each node. */
    private void ring() {
        List<Integer> seats = new ArrayList<>();
        for (int node = 1; node <= size; node++) {
            seats.add(node);
        }
        shuffle(seats);
        int reach = Math.max(1, size / 4);
        for (int index = 0; index < size; index++) {
            for (int other = index + 1; other < size; other++) {
                int distance = Math.min(other - index, size - other + index);
                if (distance > reach) {
                    step(new NetworkActions.Lose(
                            Action.setOf(seats.get(index)), Action.setOf(seats.get(other)), ScheduledFault.RING));
                }
            }
        }
        if (random.nextInt(3) > 0) {
            stepAfter(random.nextLong(1L << 24 + random.nextInt(12)), new NetworkActions.HealAll());
        }
    }

    private void flap() {
        TreeSet<Integer> side = side();
        TreeSet<Integer> other = others(side);
        long period = 1L << 24 + random.nextInt(11);
        for (int round = 2 + random.nextInt(6); round > 0; round--) {
            step(new NetworkActions.Lose(side, other, ScheduledFault.FLAPPING));
            stepAfter(random.nextLong(period), new NetworkActions.Find(side, other));
            pass(period);
        }
    }

    private void clog() {
        List<Integer> seats = new ArrayList<>(side());
        shuffle(seats);
        long gap = 1L << 20 + random.nextInt(11);
        for (int node : seats) {
            step(new NetworkActions.Clog(node));
            pass(random.nextLong(gap));
        }
        shuffle(seats);
        long at = 0;
        for (int node : seats) {
            at += random.nextLong(gap);
            stepAfter(at, new NetworkActions.Unclog(node));
        }
    }

    /** Delays frames from one node to some, or from some to one, until the end of the faults. */
    private void delay() {
        TreeSet<Integer> side = random.nextBoolean() ? Action.setOf(node()) : side();
        TreeSet<Integer> other = others(side);
        while (other.size() > 1 && random.nextBoolean()) {
            other.remove(other.first());
        }
        step(new NetworkActions.Delay(side, other, Duration.ofNanos(random.nextLong(1L << 20 + random.nextInt(12)))));
        if (random.nextBoolean()) {
            stepAfter(random.nextLong(1L << 24 + random.nextInt(12)), new NetworkActions.Delay(side, other, Duration.ZERO));
        }
    }

    /** Closes the node's session with one other or with all, sometimes at both ends. */
    private void giveUp(int node) {
        boolean isMutual = random.nextInt(3) == 0;
        TreeSet<Integer> others = random.nextInt(3) == 0
                ? others(Action.setOf(node))
                : Action.setOf(otherThan(node));
        for (int other : others) {
            step(new NetworkActions.GiveUp(node, other));
            if (isMutual) {
                step(new NetworkActions.GiveUp(other, node));
            }
        }
    }

    /** Adds one or two ambushes, and traffic while they strike. */
    private void trigger() {
        List<MessageTrigger.Message> messages = MessageTrigger.Message.ofAnyGroup();
        MessageTrigger.Message message = messages.get(random.nextInt(messages.size()));
        if (random.nextBoolean()) {
            step(new Action.Await(MessageTrigger.Message.PREPARE, 0, 1, Duration.ZERO,
                    new Traffic.Send(node(), 1 + random.nextInt(20), random.nextInt(3_000), 0)));
        }
        if (random.nextBoolean()) {
            // Messages of all kinds, so that some of each wait or are under way while the view changes.
            Band band = Band.values()[random.nextInt(Band.values().length)];
            int length = random.nextInt(8) == 0 && band != Band.OUT_OF_BAND ? random.nextInt(300_000) : random.nextInt(2_000);
            step(new Action.Await(message, 0, 1 + random.nextInt(size), Duration.ZERO,
                    new Traffic.Send(node(), 1 + random.nextInt(4), length, random.nextInt(3) == 0 ? 0 : node(), band)));
        }
        for (int index = random.nextInt(2); index >= 0; index--) {
            Duration later = random.nextBoolean()
                    ? Duration.ZERO
                    : Duration.ofNanos(random.nextLong(1L << 14 + random.nextInt(12)));
            step(new Action.Await(message, 0, 1 + random.nextInt(size + 1), later, ambushed()));
        }
    }

    private Action ambushed() {
        int node = node();
        TreeSet<Integer> side = side();
        return switch (random.nextInt(16)) {
            case 12, 13 -> new Ends.KillEnd(random.nextBoolean());
            case 14, 15 -> new NetworkActions.GiveUp(node, otherThan(node));
            case 0, 1, 2 -> new NodeActions.Kill(node);
            case 3 -> new NodeActions.PowerOff(node);
            case 4 -> new NodeActions.Leave(node);
            case 5 -> new NodeActions.Start(node);
            case 6 -> new Action.Coordinator(Action.Coordinator.Fate.KILLED);
            case 7 -> new NetworkActions.Lose(side, others(side), ScheduledFault.PARTITION);
            case 8 -> new NetworkActions.Lose(Action.setOf(node), Action.setOf(otherThan(node)), ScheduledFault.PARTITION);
            case 9 -> new NodeActions.Pause(node);
            case 10 -> new NetworkActions.Clog(node);
            default -> new NetworkActions.Break(node, otherThan(node), Network.Notice.values()[random.nextInt(4)]);
        };
    }

    private void shuffle(List<Integer> seats) {
        for (int index = seats.size() - 1; index > 0; index--) {
            Collections.swap(seats, index, random.nextInt(index + 1));
        }
    }

    // ------------------------------------------------------------------ the end

    private void end() {
        // The end comes after steps that were planned for later.
        for (Schedule.Step step : steps) {
            nowNanos = Math.max(nowNanos, step.timeNanos());
        }
        pass(1);
        switch (mode) {
            case SAFETY, PROMPT, PRIMARY -> {
                endCalmly();
                // Nodes that learn of each other only through some of them need all of these.
                if (random.nextBoolean() || world.settings().containsKey(NodeSettings.SEEDS.name())) {
                    for (int node = 1; node <= size; node++) {
                        step(new NodeActions.Start(node));
                    }
                }
                if (hasAside() && random.nextBoolean()) {
                    // The second group must not wait for it.
                    step(new NetworkActions.HealAll());
                    pass(5_000_000_000L);
                    step(new Traffic.Consume(node(), null));
                    step(new Traffic.Send(node(), 20, 1_000, 0));
                }
            }
            case LIVENESS -> endWithCore();
            case SETTLING -> endWithCuts();
        }
    }

    private void endCalmly() {
        if (!isUnreliable) {
            CalmEnd calm = new CalmEnd(seed, size, world, nowNanos);
            steps.addAll(calm.draw());
            nowNanos = calm.endNanos();
        }
    }

    /** Removes all nodes but the core for good, each in a way of its own. */
    private void endWithCore() {
        TreeSet<Integer> core = side();
        world.core().addAll(core);
        for (int node = 1; node <= size; node++) {
            if (core.contains(node)) {
                step(new NodeActions.Start(node));
                continue;
            }
            TreeSet<Integer> alone = Action.setOf(node);
            switch (random.nextInt(6)) {
                case 0 -> step(new NodeActions.Kill(node));
                case 1 -> step(new NodeActions.PowerOff(node));
                case 2 -> step(new NodeActions.Pause(node));
                case 3 -> step(new NetworkActions.Lose(alone, core, ScheduledFault.PARTITION));
                case 4 -> step(new NetworkActions.Miss(alone, core));
                default -> step(new NetworkActions.Miss(core, alone));
            }
        }
    }

    /** Starts all nodes, and leaves some pairs cut off from each other, in one direction or both. */
    private void endWithCuts() {
        step(new NetworkActions.HealAll());
        for (int node = 1; node <= size; node++) {
            step(new NodeActions.Start(node));
        }
        int cuts = 1 + random.nextInt(size);
        for (int index = 0; index < cuts; index++) {
            int node = node();
            TreeSet<Integer> one = Action.setOf(node);
            TreeSet<Integer> other = Action.setOf(otherThan(node));
            step(random.nextBoolean() ? new NetworkActions.Miss(one, other) : new NetworkActions.Lose(one, other, ScheduledFault.PARTITION));
        }
    }
}
