package dev.tutti.campaign.application;

import dev.tutti.Threads;
import dev.tutti.campaign.nodes.EventCounts;
import dev.tutti.campaign.nodes.Findings;
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

/** State that the applications of all processes of a run share. Used by one thread at a time. */
final class Context {

    final Plan plan;
    final Cluster cluster;
    final SplittableRandom random;
    final EventCounts reached = new EventCounts("application");
    final Findings findings = new Findings();
    final Mischief mischief;

    /** State of a member at the moment of a view. */
    record Cut(GroupMember seat, String view, long hash, String image) {
        @Override
        public String toString() {
            return seat + " has " + image;
        }
    }

    /** Cut of the first member to arrive, by group, view and next view. */
    private final Map<String, Cut> cuts = new TreeMap<>();

    /** Tasks of a queue that were acknowledged. */
    final TreeSet<String> done = new TreeSet<>();

    /** Numbers that a counter has returned, by era. */
    final TreeSet<String> counted = new TreeSet<>();

    /** Highest token with which a lock was granted. */
    long token;

    /** Number of times that each request of a call was handled, by request and member. */
    final TreeMap<String, TreeMap<Member, Integer>> handled = new TreeMap<>();

    /** True if no new work starts. */
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
     * Checks that members which went on together from one view to the next, and are still together, had the same state
     * at the first. A member that has lost all others with its state may go on with another state.
     *
     * @param former state of the member at the view before
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
            // The wait is over.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }
}
