package dev.tutti.campaign.sites;

import dev.tutti.campaign.nodes.Findings.Finding;
import dev.tutti.campaign.nodes.NodeTrial;
import dev.tutti.campaign.nodes.NodeTrial.Result;
import dev.tutti.sim.Path;
import dev.tutti.sites.Site;
import dev.tutti.sites.SitesView;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.Components;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** One run of the sites of a seed, from their first start until all is at rest. */
public final class SitesTrial {

    private final SitesRun run;
    private final Cluster cluster;
    private final Components<SiteMember> members;
    private long restNanos;

    private SitesTrial(SitesPlan plan, Cluster cluster, Disks disks) {
        this.cluster = cluster;
        this.run = new SitesRun(plan, cluster);
        for (int site = 0; site < plan.sizes().size(); site++) {
            cluster.site(plan.siteName(site), plan.numbers(site));
        }
        this.members = cluster.deploy(node -> new SiteMember(
                run, node, cluster.siteOf(cluster.numberOf(node)), plan.isSpilling() ? disks.next(node.name()) : null));
    }

    /** Describes the plan that a seed draws. */
    public static String drawn(long seed) {
        return SitesPlan.draw(seed).toString();
    }

    /** Runs the plan that a seed draws. */
    public static Result run(long seed) {
        return run(SitesPlan.draw(seed));
    }

    static Result run(SitesPlan plan) {
        return NodeTrial.run("the sites of seed " + plan.seed(), () -> {
            try (Disks disks = new Disks();
                    Cluster cluster = Cluster.of(plan.size(), plan.seed())) {
                return new SitesTrial(plan, cluster, disks).run();
            }
        });
    }

    private Result run() {
        List<Finding> findings = run.findings.all();
        String thrown = "";
        String property = "";
        try {
            play();
        } catch (AssertionError | RuntimeException e) {
            thrown = e + NodeTrial.trace(e) + "\n";
            property = String.valueOf(e.getMessage()).contains("not one view") ? "L1" : "L2";
        }
        if (!findings.isEmpty()) {
            property = findings.getFirst().property();
        }
        return new Result(
                run.plan.toString(),
                property,
                property.isEmpty() ? "" : thrown + findings + "\n" + cluster.describe(),
                run.nowNanos(),
                cluster.events(),
                cluster.fingerprint(),
                restNanos,
                new TreeMap<>(run.reached.counts()),
                cluster.story());
    }

    // ------------------------------------------------------------------ the course of a run

    private void play() {
        Troubles troubles = new Troubles(run, members);
        troubles.setLink(1, Path.LOCAL.bytesPerSecond());
        cluster.start(IntStream.rangeClosed(1, run.plan.size()).filter(number -> number != run.plan.late()).toArray());
        cluster.advanceUntil("sites that know each other", REST_MAX, () -> members.running().stream().allMatch(this::isConnected));
        members.keep(run.plan.pause(), SiteMember::work);
        troubles.pass();
        comeToRest();
        new SitesCheck(run, members.running()).check();
        cluster.assertSafe();
    }

    private boolean isConnected(SiteMember member) {
        int sites = run.plan.sizes().size();
        return member.group().knownSites().size() == sites - 1 && member.sites().view().up().size() == sites;
    }

    /** Waits until all is delivered everywhere; twice, the second time with a last message of each member. */
    private void comeToRest() {
        long begin = run.nowNanos();
        cluster.quiet();
        settle();
        restNanos = run.nowNanos() - begin;
        IntStream.rangeClosed(1, run.plan.size()).forEach(number -> members.run(number, SiteMember::probe));
        settle();
        members.running().forEach(SiteMember::countStatus);
    }

    private void settle() {
        cluster.awaitRest(REST_MAX);
        await("X3", "messages are still kept for other sites", () -> kept(members.running()));
        await("X6", "lists of sites are not those of all", () -> wrongLists(members.running()));
        cluster.awaitRest(REST_MAX);
    }

    /** Waits until nobody is left of whom something is true. */
    private void await(String property, String what, Supplier<List<String>> left) {
        long end = run.nowNanos() + REST_MAX.toNanos();
        while (!left.get().isEmpty() && run.nowNanos() < end) {
            cluster.advance(LOOK);
        }
        if (!left.get().isEmpty()) {
            run.findings.report(property, what + ", " + REST_MAX.toSeconds() + " s after the last fault: " + left.get());
            throw new AssertionError("no rest: " + what);
        }
    }

    private static List<String> kept(List<SiteMember> running) {
        return running.stream()
                .filter(member -> member.group().status().getOrDefault("retained", 0L) > 0)
                .map(member -> member + " " + member.group().status())
                .toList();
    }

    /** Returns the members whose list of sites is not that of all, with all sites up and all of their members. */
    private static List<String> wrongLists(List<SiteMember> running) {
        TreeMap<String, List<String>> names = new TreeMap<>();
        running.forEach(member -> names.computeIfAbsent(member.site(), key -> new ArrayList<>()).add(member.node().name()));
        SitesView first = running.getFirst().sites().view();
        List<String> wrong = new ArrayList<>();
        for (SiteMember member : running) {
            SitesView list = member.sites().view();
            boolean isWhole = list.up().size() == names.size()
                    && list.sites().stream().allMatch(site -> isWhole(site, names.getOrDefault(site.name(), List.of())));
            if (!isWhole || !list.equals(first)) {
                wrong.add(member + " " + list);
            }
        }
        return wrong;
    }

    private static boolean isWhole(Site site, List<String> names) {
        return site.members().stream().sorted().toList().equals(names.stream().sorted().toList());
    }

    private static final Duration REST_MAX = Duration.ofSeconds(90);
    private static final Duration LOOK = Duration.ofMillis(20);
}
