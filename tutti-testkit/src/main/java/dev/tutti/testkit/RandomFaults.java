package dev.tutti.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Injects faults into a cluster for a while, and undoes them. */
final class RandomFaults {

    private record Undo(long timeNanos, Runnable action) {}

    private final Cluster cluster;
    private final SiteMap sites;
    private final SplittableRandom random;
    private final Fault[] kinds;
    private final List<Undo> undos = new ArrayList<>();

    /** @param kinds kinds of faults; empty for all that the cluster can have */
    RandomFaults(Cluster cluster, SiteMap sites, SplittableRandom random, Fault... kinds) {
        this.cluster = cluster;
        this.sites = sites;
        this.random = random;
        EnumSet<Fault> possible = EnumSet.allOf(Fault.class);
        if (sites.names().isEmpty()) {
            possible.remove(Fault.SITE_CUT);
        }
        if (!possible.containsAll(List.of(kinds))) {
            throw new IllegalArgumentException(Fault.SITE_CUT + " among " + List.of(kinds) + ", and the cluster has no sites");
        }
        this.kinds = kinds.length == 0 ? possible.toArray(Fault[]::new) : kinds.clone();
    }

    void run(Duration duration) {
        long end = nowNanos() + duration.toNanos();
        while (nowNanos() < end) {
            long pause = Math.min(end - nowNanos(), 1 + exponential(PAUSE_EXPONENT_MAX));
            cluster.advance(Duration.ofNanos(pause));
            undo(nowNanos());
            inject(kinds[random.nextInt(kinds.length)]);
        }
        undo(Long.MAX_VALUE);
    }

    private long nowNanos() {
        return cluster.elapsed().toNanos();
    }

    /** Returns a random time that is as likely below 2 ms as between 2 ms and 4 ms, and so on. */
    private long exponential(int exponentMax) {
        return random.nextLong(1_000_000L << random.nextInt(exponentMax + 1));
    }

    private void undo(long untilNanos) {
        for (Undo undo : List.copyOf(undos)) {
            if (undo.timeNanos() <= untilNanos) {
                undos.remove(undo);
                undo.action().run();
            }
        }
    }

    private void undoLater(Runnable action) {
        undos.add(new Undo(nowNanos() + exponential(LENGTH_EXPONENT_MAX), action));
    }

    private void inject(Fault fault) {
        int number = 1 + random.nextInt(cluster.size());
        int other = 1 + random.nextInt(cluster.size());
        switch (fault) {
            case CRASH, POWER_LOSS, STOP -> end(number, fault);
            case PAUSE -> pause(number);
            case PARTITION -> part();
            case CUT -> {
                if (number != other) {
                    cluster.cut(number, other);
                    undoLater(() -> cluster.heal(number, other));
                }
            }
            case BREAK -> {
                if (number != other) {
                    cluster.breakConnections(number, other);
                }
            }
            case SLOWNESS -> {
                cluster.slow(number, Duration.ofMillis(1 + random.nextInt(SLOW_MILLIS_MAX)));
                undoLater(() -> cluster.slow(number, Duration.ZERO));
            }
            case SITE_CUT -> {
                cluster.partition(sites.at(sites.names().get(random.nextInt(sites.names().size()))));
                undoLater(cluster::heal);
            }
        }
    }

    private void end(int number, Fault how) {
        int[] fellows = sites.fellows(number);
        long down = IntStream.of(fellows).filter(each -> !cluster.isRunning(each)
                || cluster.process(each).isStopping()).count();
        if (!cluster.isRunning(number) || cluster.process(number).isStopping() || 2 * (down + 1) >= fellows.length) {
            return;
        }
        switch (how) {
            case POWER_LOSS -> cluster.powerOff(number);
            case STOP -> cluster.process(number).stop();
            default -> cluster.crash(number);
        }
        undoLater(() -> restart(number));
    }

    private void restart(int number) {
        if (cluster.process(number).isStopping()) {
            cluster.advanceUntil("end of n" + number, Duration.ofMinutes(1), () -> !cluster.isUp(number));
        }
        if (!cluster.isUp(number)) {
            cluster.begin(number);
        }
    }

    private void pause(int number) {
        if (cluster.isRunning(number) && !cluster.process(number).isStopping()) {
            cluster.pause(number);
            undoLater(() -> {
                if (cluster.isUp(number)) {
                    cluster.resume(number);
                }
            });
        }
    }

    private void part() {
        int[] side = IntStream.rangeClosed(1, cluster.size()).filter(number -> random.nextBoolean()).toArray();
        if (side.length > 0 && side.length < cluster.size()) {
            cluster.partition(side);
            undoLater(cluster::heal);
        }
    }

    private static final int PAUSE_EXPONENT_MAX = 9;
    private static final int LENGTH_EXPONENT_MAX = 13;
    private static final int SLOW_MILLIS_MAX = 10;
}
