package dev.tutti.campaign.application;

import dev.tutti.Threads;
import dev.tutti.core.Member;
import dev.tutti.testkit.Cluster;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** What the applications of all processes of a run share. One thread at a time uses it. */
final class Context {

    final Plan plan;
    final Cluster cluster;
    final SplittableRandom random;
    final Reached reached = new Reached();
    final Findings findings = new Findings();
    final Mischief mischief;

    /** The state of a member where it came to a view. */
    record Cut(Seat seat, String view, long hash, String image) {
        @Override
        public String toString() {
            return seat + " has " + image;
        }
    }

    /** By group, view and next view, of who came there first. */
    private final Map<String, Cut> cuts = new TreeMap<>();

    /** Tasks of a queue that were acknowledged. */
    final TreeSet<String> done = new TreeSet<>();

    /** Numbers that a counter has given, by era. */
    final TreeSet<String> counted = new TreeSet<>();

    /** The highest that a lock was given with. */
    long token;

    /** How often each request of a call was handled, by request and member. */
    final TreeMap<String, TreeMap<Member, Integer>> handled = new TreeMap<>();

    /** Nothing new is begun. */
    boolean isQuiet;

    Context(Plan plan, Cluster cluster) {
        this.plan = plan;
        this.cluster = cluster;
        this.random = new SplittableRandom(plan.seed() * 77 + 5);
        this.mischief = new Mischief(random.split(), plan.thrown(), plan.thrownOneIn(), reached);
    }

    long nowNanos() {
        return cluster.elapsed().toNanos();
    }

    /**
     * The state of a group was the same at a view at all who have gone on together to the next, and are together still: whoever
     * has lost all who had it may go on with another one.
     *
     * @param former where the member came to the view before
     */
    void onCut(String group, Cut former, Cut next) {
        Cut known = cuts.putIfAbsent(group + " " + former.view() + " " + next.view(), former);
        if (known != null && known.hash() != former.hash() && known.seat().isWith(former.seat())) {
            findings.report("S19", group + " in " + former.view() + ": " + former + ", " + known);
        }
        reached.count(known == null ? "cuts" : "cuts-compared");
    }

    /** Waits in virtual time. */
    static void sleep(Threads threads, long nanos) {
        try {
            threads.get(new CompletableFuture<Void>(), nanos, TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            // That was the point.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }
}
