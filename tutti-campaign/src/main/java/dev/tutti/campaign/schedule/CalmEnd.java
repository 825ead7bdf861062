package dev.tutti.campaign.schedule;

import dev.tutti.campaign.cluster.Action;
import dev.tutti.campaign.cluster.NetworkActions;
import dev.tutti.campaign.cluster.NodeActions;
import dev.tutti.campaign.cluster.Promises;
import dev.tutti.campaign.cluster.ScheduledFault;
import dev.tutti.campaign.cluster.Traffic;
import dev.tutti.core.settings.Durations;
import dev.tutti.protocols.node.NodeSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * Draws a last part of a schedule, in which all is well again, from a random stream of its own: a calm stretch, the
 * loss of the only seed, or a few messages on datagrams that are lost and sent again.
 */
final class CalmEnd {

    /** Time after which the effects of all faults are over. */
    private static final Duration LONG = Duration.ofSeconds(300);

    private final SplittableRandom lasts;
    private final int size;
    private final Schedule.World world;
    private final List<Schedule.Step> steps = new ArrayList<>();
    private long nowNanos;

    /** @param nowNanos time of the first step */
    CalmEnd(long seed, int size, Schedule.World world, long nowNanos) {
        this.lasts = new SplittableRandom(~seed * 53);
        this.size = size;
        this.world = world;
        this.nowNanos = nowNanos;
    }

    /** Draws the steps; none in three of four schedules on streams. */
    List<Schedule.Step> draw() {
        Duration timeout = timeout();
        if (lasts.nextInt(4) > 0 && world.datagrams() == null) {
            return steps;
        }
        allWell();
        boolean isSeedLost = size > 2 && WorldDraw.FIRST_ONLY.equals(world.settings().get(NodeSettings.SEEDS.name()));
        if (isSeedLost) {
            loseTheSeed(timeout);
        } else if (world.datagrams() == null) {
            boolean isBreaking = world.connectTimeout().compareTo(timeout.dividedBy(3).multipliedBy(2)) <= 0
                    && world.noticeDelayMax().compareTo(timeout.dividedBy(8)) <= 0
                    && world.endDelayMax().compareTo(timeout.dividedBy(8)) <= 0;
            add(new Calm(lasts, size, nowNanos).draw(LONG, timeout, isBreaking, world.connectTimeout()));
        } else if (!world.settings().containsKey(NodeSettings.DETECTION_TIMEOUT.name())) {
            // Lost datagrams are sent again, even if no message follows.
            step(new Promises.OneView(LONG));
            for (int from = 1; from <= size; from++) {
                step(new Traffic.Send(from, 1 + lasts.nextInt(10), lasts.nextInt(1_000), 0));
            }
            step(new Promises.Arrived(Duration.ofSeconds(30)));
        }
        return steps;
    }

    /** Returns the time at which the schedule goes on. */
    long endNanos() {
        return nowNanos;
    }

    private Duration timeout() {
        String drawn = world.settings().get(NodeSettings.DETECTION_TIMEOUT.name());
        return drawn == null ? NodeSettings.DETECTION_TIMEOUT.defaultValue() : Durations.parse(drawn);
    }

    private void add(List<Schedule.Step> more) {
        steps.addAll(more);
        nowNanos = more.getLast().timeNanos() + 1;
    }

    /** Heals everything and waits until nothing is under way that could cause another view. */
    private void allWell() {
        step(new Promises.Disarm());
        step(new NetworkActions.HealAll());
        for (int node = 1; node <= size; node++) {
            step(new NodeActions.Start(node));
            step(new NodeActions.Resume(node));
            step(new NetworkActions.Unclog(node));
            step(new Traffic.Consume(node, Duration.ZERO));
            step(new NodeActions.Compute(node, Duration.ofNanos(1_000), Duration.ofNanos(200)));
            step(new NetworkActions.Delay(Action.setOf(node), others(Action.setOf(node)), Duration.ZERO));
        }
        nowNanos += 1_000_000;
        step(new Promises.OneView(LONG));
        nowNanos += LONG.toNanos();
    }

    /** Kills the only seed, then cuts the others into two sides, which have to find each other without it. */
    private void loseTheSeed(Duration timeout) {
        step(new NodeActions.Kill(1));
        TreeSet<Integer> side = new TreeSet<>();
        TreeSet<Integer> other = new TreeSet<>();
        for (int node = 2; node <= size; node++) {
            (node == 2 || node < size && lasts.nextBoolean() ? side : other).add(node);
        }
        step(new NetworkActions.Lose(side, other, ScheduledFault.PARTITION));
        nowNanos += timeout.toNanos() * 10;
        step(new NetworkActions.HealAll());
        nowNanos += 1_000_000;
        step(new Promises.OneView(LONG));
    }

    private void step(Action action) {
        steps.add(new Schedule.Step(nowNanos, action));
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
}
