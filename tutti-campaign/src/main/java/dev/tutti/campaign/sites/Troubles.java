package dev.tutti.campaign.sites;

import dev.tutti.sim.Path;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.Components;
import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.stream.IntStream;

/** The faults of a plan, as they strike and end. */
final class Troubles {

    private record Due(long atNanos, int order, Runnable action) {}

    private final SitesRun run;
    private final Cluster cluster;
    private final Components<SiteMember> members;
    private final PriorityQueue<Due> due =
            new PriorityQueue<>(Comparator.comparingLong(Due::atNanos).thenComparingInt(Due::order));
    private int count;

    Troubles(SitesRun run, Components<SiteMember> members) {
        this.run = run;
        this.cluster = run.cluster;
        this.members = members;
    }

    /** Lets all faults strike in their time, and undoes those that have not ended by then. Then all processes run. */
    void pass() {
        long begin = run.nowNanos();
        run.plan.troubles().forEach(trouble -> add(begin + trouble.atMillis() * MILLI, () -> strike(trouble)));
        if (run.plan.late() > 0) {
            add(begin + run.plan.worked().toNanos() / 2, () -> start(run.plan.late()));
        }
        long end = begin + run.plan.worked().toNanos();
        while (!due.isEmpty()) {
            Due next = due.remove();
            advanceTo(Math.min(end, next.atNanos()));
            next.action().run();
        }
        advanceTo(end);
    }

    private void advanceTo(long nanos) {
        if (nanos > run.nowNanos()) {
            cluster.advance(Duration.ofNanos(nanos - run.nowNanos()));
        }
    }

    private void add(long atNanos, Runnable action) {
        due.add(new Due(atNanos, count++, action));
    }

    private void endLater(Trouble trouble, Runnable action) {
        add(run.nowNanos() + trouble.millis() * MILLI, action);
    }

    private void strike(Trouble trouble) {
        int[] own = run.plan.numbers(trouble.site());
        int number = own[trouble.member()];
        int[] others = IntStream.rangeClosed(1, run.plan.size())
                .filter(each -> IntStream.of(own).noneMatch(fellow -> fellow == each))
                .toArray();
        boolean hasStruck = true;
        switch (trouble.kind()) {
            case CRASH_MASTER -> {
                int master = master(own);
                hasStruck = master > 0;
                if (hasStruck) {
                    crash(trouble, master);
                }
            }
            case CRASH_MEMBER -> {
                hasStruck = cluster.isUp(number);
                if (hasStruck) {
                    crash(trouble, number);
                }
            }
            case POWER_LOSS -> {
                hasStruck = cluster.isUp(number);
                if (hasStruck) {
                    cluster.powerOff(number);
                    endLater(trouble, () -> start(number));
                }
            }
            case STOP -> {
                hasStruck = cluster.isRunning(number);
                if (hasStruck) {
                    cluster.stop(number);
                    endLater(trouble, () -> start(number));
                }
            }
            case RESTART_SITE -> {
                IntStream.of(own).filter(cluster::isUp).forEach(cluster::crash);
                endLater(trouble, () -> start(own));
            }
            case CUT_SITE -> cut(trouble, own, others);
            case CUT_PAIR -> cut(trouble, own, run.plan.numbers((trouble.site() + 1) % run.plan.sizes().size()));
            case CUT_MEMBER -> cut(trouble, new int[] {number}, others);
            case DIVIDE -> {
                int[] rest = IntStream.of(own).filter(each -> each != number).toArray();
                hasStruck = rest.length > 0;
                if (hasStruck) {
                    cut(trouble, new int[] {number}, rest);
                }
            }
            case PAUSE -> {
                hasStruck = cluster.isRunning(number);
                if (hasStruck) {
                    cluster.pause(number);
                    endLater(trouble, () -> {
                        if (cluster.isUp(number)) {
                            cluster.resume(number);
                        }
                    });
                }
            }
            case BREAK -> IntStream.of(others).forEach(other -> cluster.breakConnections(number, other));
            case SLOW_LISTENER -> {
                cluster.slow(number, Duration.ofMillis(1 + run.random.nextInt(10)));
                endLater(trouble, () -> cluster.slow(number, Duration.ZERO));
            }
            case SLOW_LINK -> {
                setLink(4, SLOW_BYTES_PER_SECOND);
                endLater(trouble, () -> setLink(1, Path.LOCAL.bytesPerSecond()));
            }
            case BURST -> IntStream.of(own).filter(cluster::isRunning).forEach(each -> members.on(each).sendMuch());
        }
        if (hasStruck) {
            run.reached.count("fault." + trouble.kind());
        }
    }

    void setLink(int times, long bytesPerSecond) {
        Duration latency = run.plan.latency().multipliedBy(times);
        cluster.latencyBetweenSites(latency, latency.dividedBy(10)).bandwidthBetweenSites(bytesPerSecond);
    }

    /** Returns the first master at a site; 0 if there is none. */
    private int master(int... own) {
        return IntStream.of(own)
                .filter(cluster::isRunning)
                .filter(each -> members.on(each).group().local().view().coordinator().node().equals(cluster.node(each).id()))
                .findFirst()
                .orElse(0);
    }

    private void crash(Trouble trouble, int number) {
        cluster.crash(number);
        endLater(trouble, () -> start(number));
    }

    private void start(int... numbers) {
        for (int number : numbers) {
            if (!cluster.isUp(number)) {
                cluster.start(number);
            }
        }
    }

    private void cut(Trouble trouble, int[] side, int[] other) {
        cluster.partition(side, other);
        endLater(trouble, () -> {
            for (int one : side) {
                for (int two : other) {
                    cluster.heal(one, two).heal(two, one);
                }
            }
        });
    }

    private static final long MILLI = 1_000_000;
    private static final long SLOW_BYTES_PER_SECOND = 200_000;
}
