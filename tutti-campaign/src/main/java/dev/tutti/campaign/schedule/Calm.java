package dev.tutti.campaign.schedule;

import dev.tutti.campaign.cluster.Action;
import dev.tutti.campaign.cluster.Band;
import dev.tutti.campaign.cluster.NetworkActions;
import dev.tutti.campaign.cluster.Promises;
import dev.tutti.campaign.cluster.Traffic;
import dev.tutti.sim.Network;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Draws stretches with only such events as must not change the view: heavy traffic, connections that break, and outages
 * shorter than a time-out. A fault of a session, which the next view change would hide, shows as a view without a
 * reason.
 */
final class Calm {

    private final SplittableRandom random;
    private final int size;
    private final List<Schedule.Step> steps = new ArrayList<>();
    private long nowNanos;

    /** @param beginNanos when the stretch begins */
    Calm(SplittableRandom random, int size, long beginNanos) {
        this.random = random;
        this.size = size;
        this.nowNanos = beginNanos;
    }

    /**
     * Draws one stretch.
     *
     * @param within time in which all nodes that are up come to one view
     * @param timeout time of silence after which a node is suspected
     * @param isBreaking whether connections break, and short outages happen
     * @param connectTimeout time after which a dial without an answer fails
     */
    List<Schedule.Step> draw(Duration within, Duration timeout, boolean isBreaking, Duration connectTimeout) {
        // A third of the timeout may have passed since the last heartbeat, and a second dial has to be answered too.
        boolean isDialRepeated = connectTimeout.compareTo(timeout.dividedBy(2)) <= 0;
        step(new Promises.Stay(within));
        int rounds = 2 + random.nextInt(5);
        for (int round = 0; round < rounds; round++) {
            work();
            pass(random.nextLong(timeout.toNanos() / 16));
            if (isBreaking) {
                trouble(timeout, isDialRepeated);
            }
        }
        pass(timeout.toNanos() / 2);
        step(new Promises.Arrived(within));
        pass(2 * timeout.toNanos());
        return steps;
    }

    /** Sends enough that links acknowledge received frames before a heartbeat is due. */
    private void work() {
        int from = node();
        int to = random.nextInt(3) > 0 ? 0 : node();
        Band band = Band.values()[random.nextInt(Band.values().length)];
        switch (random.nextInt(3)) {
            case 0 -> step(new Traffic.Send(from, 50 + random.nextInt(150), random.nextInt(1_500), to, band));
            case 1 -> step(new Traffic.Send(from, 1 + random.nextInt(20), random.nextInt(2_000), to, band));
            default -> {
                Band large = band == Band.OUT_OF_BAND ? Band.ORDERED : band;
                step(new Traffic.Send(from, 1, 100_000 + random.nextInt(200_000), to, large));
            }
        }
    }

    private void trouble(Duration timeout, boolean isDialRepeated) {
        int node = node();
        int other = otherThan(node);
        switch (random.nextInt(4)) {
            case 0 -> step(new NetworkActions.Break(node, other, Network.Notice.values()[random.nextInt(3)]));
            case 1 -> step(new NetworkActions.Outage(node, other, Duration.ofNanos(random.nextLong(timeout.toNanos() / 8))));
            case 2 -> {
                Duration time = Duration.ofNanos(random.nextLong(timeout.toNanos() / 8));
                if (isDialRepeated) {
                    // Both ends dial, and get no answer.
                    step(new NetworkActions.Outage(node, other, time));
                    step(new NetworkActions.Break(node, other, Network.Notice.BOTH));
                }
            }
            default -> {}
        }
        pass(timeout.toNanos() / 2 + random.nextLong(timeout.toNanos()));
    }

    private int node() {
        return 1 + random.nextInt(size);
    }

    private int otherThan(int node) {
        int other = 1 + random.nextInt(size - 1);
        return other < node ? other : other + 1;
    }

    private void step(Action action) {
        steps.add(new Schedule.Step(nowNanos, action));
    }

    private void pass(long nanos) {
        nowNanos += nanos;
    }
}
