package dev.tutti.campaign.sites;

import dev.tutti.campaign.nodes.EventCounts;
import dev.tutti.campaign.nodes.Findings;
import dev.tutti.testkit.Cluster;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;

/** Things that all members of a run share: the plan, time, randomness, and what was sent. */
final class SitesRun {

    final SitesPlan plan;
    final Cluster cluster;
    final SplittableRandom random;
    final EventCounts reached = new EventCounts("sites");
    final Findings findings = new Findings();

    /** All members that there were: one for each start of a process. */
    final List<SiteMember> members = new ArrayList<>();

    final List<Sent> sent = new ArrayList<>();

    /** Sites that were divided: two parts of them have met again. */
    final TreeSet<String> divided = new TreeSet<>();

    SitesRun(SitesPlan plan, Cluster cluster) {
        this.plan = plan;
        this.cluster = cluster;
        this.random = new SplittableRandom(plan.seed() * 77 + 6);
    }

    long nowNanos() {
        return cluster.elapsed().toNanos();
    }
}
