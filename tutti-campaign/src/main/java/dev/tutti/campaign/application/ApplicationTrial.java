package dev.tutti.campaign.application;

import dev.tutti.Group;
import dev.tutti.StateProgress;
import dev.tutti.campaign.nodes.NodeTrial;
import dev.tutti.campaign.nodes.NodeTrial.Result;
import dev.tutti.core.Member;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.Components;
import dev.tutti.testkit.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** One run of the applications of a seed, from their first start until they have come to rest and ended. */
public final class ApplicationTrial {

    private final Plan plan;
    private final Cluster cluster;
    private final Context context;
    private long restNanos;

    private ApplicationTrial(Plan plan, Cluster cluster) {
        this.plan = plan;
        this.cluster = cluster;
        this.context = new Context(plan, cluster);
    }

    /** Describes the plan that a seed draws. */
    public static String drawn(long seed) {
        return Plan.draw(seed).toString();
    }

    /** Runs the plan that a seed draws. */
    public static Result run(long seed) {
        return NodeTrial.run("the application of seed " + seed, () -> {
            Plan plan = Plan.draw(seed);
            try (Cluster cluster = Cluster.of(plan.size(), seed)) {
                return new ApplicationTrial(plan, cluster).run();
            }
        });
    }

    private Result run() {
        String property = "";
        String failure = "";
        try {
            play();
            if (!context.findings.all().isEmpty()) {
                property = context.findings.all().getFirst().property();
                failure = context.findings.all() + "\n" + cluster.describe();
            }
        } catch (AssertionError | RuntimeException e) {
            property = property(e);
            failure = e + NodeTrial.trace(e) + "\n" + context.findings.all() + "\n" + waits() + cluster.describe();
        } catch (StackOverflowError | OutOfMemoryError e) {
            if (!Mischief.isMeant(e)) {
                throw e;
            }
            property = property(e);
            failure = e + NodeTrial.trace(e) + "\n" + context.findings.all() + "\n" + cluster.describe();
        }
        return new Result(
                plan.toString(),
                property,
                failure,
                context.nowNanos(),
                cluster.events(),
                cluster.fingerprint(),
                restNanos,
                new TreeMap<>(context.reached.counts()),
                cluster.story());
    }

    /** Describes, for each group of each process, the reason why sends would wait. */
    private String waits() {
        StringBuilder text = new StringBuilder();
        for (int number = 1; number <= plan.size(); number++) {
            if (cluster.isRunning(number)) {
                for (Group group : cluster.node(number).groups()) {
                    text.append("    n").append(number).append(" in ").append(group.name()).append(" waits for '")
                            .append(group.waitsFor()).append("'\n");
                }
            }
        }
        return text.toString();
    }

    /** Returns the property that a failure breaks; an earlier finding takes precedence over an endless wait. */
    private String property(Throwable thrown) {
        if (Mischief.isMeant(thrown)) {
            // An exception of a callback has ended a thread.
            return "T7";
        }
        Matcher named = PROPERTY.matcher(String.valueOf(thrown.getMessage()));
        if (named.find()) {
            return named.group(1);
        }
        if (!context.findings.all().isEmpty()) {
            return context.findings.all().getFirst().property();
        }
        String text = String.valueOf(thrown.getMessage());
        return text.contains("not one view") ? "L1" : text.contains("rest") ? "L2" : "T0";
    }

    // ------------------------------------------------------------------ the course of a run

    private void play() {
        cluster.distinctMessages(group -> plan.groups().stream().anyMatch(each -> each.name().equals(group)))
                .expectCallbackFailures(Mischief::isMeant)
                .configure(node -> node.set("records.directory", "simulated"))
                .latency(plan.latency(), plan.latency());
        Components<Application> applications = cluster.deploy(node -> new Application(context, node));
        cluster.start(IntStream.rangeClosed(1, plan.size() - plan.late()).toArray());
        applications.keep(plan.pause(), Application::work);
        cluster.advance(Duration.ofMillis(200 + context.random.nextInt(400)));
        if (plan.late() > 0) {
            cluster.start(IntStream.rangeClosed(plan.size() - plan.late() + 1, plan.size()).toArray());
            loseProvider();
        }
        if (!plan.faults().isEmpty()) {
            cluster.randomFaults(plan.troubled(), plan.faults().toArray(Fault[]::new));
        } else {
            cluster.advance(plan.troubled());
        }
        cluster.advance(Duration.ofMillis(context.random.nextInt(500)));
        comeToRest(applications);
        end(applications);
    }

    /** Crashes the provider of a newcomer's state in the middle of the transfer, so that another has to go on. */
    private void loseProvider() {
        boolean isGiven = plan.size() - plan.late() > 1 && plan.groups().stream().anyMatch(GroupPlan::isOneState);
        for (int look = 0; isGiven && look < LOOKS_MAX; look++) {
            cluster.advance(Duration.ofMillis(2));
            int provider = provider();
            if (provider > 0) {
                cluster.crash(provider).advance(Duration.ofMillis(200)).start(provider);
                context.reached.count("provider-lost");
                return;
            }
        }
    }

    /** Returns the process from which a late one has received a part of a state; 0 if there is none. */
    private int provider() {
        for (int number = plan.size() - plan.late() + 1; number <= plan.size(); number++) {
            for (Group group : cluster.isRunning(number) ? cluster.node(number).groups() : List.<Group>of()) {
                if (plan.groups().stream().noneMatch(each -> each.isOneState() && each.name().equals(group.name()))) {
                    continue;
                }
                StateProgress progress = group.stateProgress();
                Member provider = progress.provider();
                if (progress.phase() == StateProgress.Phase.INSTALLING && progress.bytes() > 0 && provider != null) {
                    return Integer.parseInt(provider.name().substring(1));
                }
            }
        }
        return 0;
    }

    private void comeToRest(Components<Application> applications) {
        context.isQuiet = true;
        context.mischief.end();
        if (plan.isLeaving() && plan.groups().stream().anyMatch(GroupPlan::isPrimary)) {
            // No new work starts, but members whose votes the others need come back.
            cluster.advance(LEAVE_MAX);
        }
        long beginNanos = context.nowNanos();
        cluster.quiet().awaitRest(REST_MAX);
        restNanos = context.nowNanos() - beginNanos;
        Map<String, String> probes = probe(applications, true);
        cluster.advance(Duration.ofMillis(50)).awaitRest(REST_MAX);
        checkProbes(applications, probes);
        probeUnreliable(applications);
        checkStates(applications);
        checkBlocks(applications);
        for (Application application : applications.running()) {
            application.talkers().forEach(talker -> talker.seats().forEach(GroupMember::checkRest));
            application.talkers().forEach(talker -> talker.seats().forEach(GroupMember::checkErrors));
        }
        cluster.assertSafe();
    }

    /** Sends something to each group, and returns what to which. */
    private Map<String, String> probe(Components<Application> applications, boolean isReliable) {
        Map<String, String> probes = new TreeMap<>();
        for (int number = 1; number <= plan.size(); number++) {
            if (!cluster.isRunning(number)) {
                continue;
            }
            applications.run(number, application -> {
                for (Talker talker : application.talkers()) {
                    GroupMember seat = talker.plan().isReliable() == isReliable ? talker.open() : null;
                    String id = seat == null ? null : seat.probe();
                    if (id != null) {
                        probes.put(id, talker.plan().name());
                    }
                }
            });
        }
        return probes;
    }

    private void checkProbes(Components<Application> applications, Map<String, String> probes) {
        for (GroupMember seat : openSeats(applications)) {
            probes.forEach((id, group) -> {
                if (seat.isOf(group) && !seat.isTold(id)) {
                    context.findings.report("L2", seat + " was never told of " + id + ", which was sent at rest");
                }
            });
        }
    }

    /** Probes unreliable groups repeatedly: they may lose messages while connections come back, but not for ever. */
    private void probeUnreliable(Components<Application> applications) {
        if (plan.groups().stream().allMatch(GroupPlan::isReliable)) {
            return;
        }
        Map<String, String> probes = new TreeMap<>();
        boolean isTold = false;
        for (int round = 0; round < ROUNDS_MAX && !isTold; round++) {
            probes = probe(applications, false);
            cluster.advance(Duration.ofMillis(500));
            isTold = openSeats(applications).stream().allMatch(allTold(probes));
        }
        checkProbes(applications, probes);
    }

    private static Predicate<GroupMember> allTold(Map<String, String> probes) {
        return seat -> probes.entrySet().stream().allMatch(each -> !seat.isOf(each.getValue()) || seat.isTold(each.getKey()));
    }

    private void checkStates(Components<Application> applications) {
        Map<String, String> images = new TreeMap<>();
        for (Application application : applications.running()) {
            for (Talker talker : application.talkers()) {
                GroupMember seat = talker.open();
                if (seat != null && talker.plan().isOneState()) {
                    String known = images.putIfAbsent(talker.plan().name(), seat.image().toString());
                    if (known != null && !known.equals(seat.image().toString())) {
                        context.findings.report("S19", seat + " has at rest " + seat.image() + ", another has " + known);
                    }
                }
            }
        }
    }

    private void checkBlocks(Components<Application> applications) {
        if (plan.blocks().isEmpty()) {
            return;
        }
        // A member that acts for all does so after the events that it sees, also on a timer.
        cluster.advance(Duration.ofMillis(1_500)).awaitRest(REST_MAX);
        for (int number = 1; number <= plan.size(); number++) {
            if (cluster.isRunning(number)) {
                applications.run(number, application -> application.works().forEach(Works.Work::probe));
            }
        }
        cluster.awaitRest(REST_MAX);
        Map<String, String> contents = new TreeMap<>();
        for (Application application : applications.running()) {
            for (Works.Work work : application.works()) {
                String content = work.content();
                String known = contents.putIfAbsent(work.getClass().getSimpleName(), content);
                if (known != null && !known.equals(content)) {
                    work.report("B1", "has at rest " + content + ", another has " + known);
                }
                work.checkRest();
            }
        }
    }

    private static List<GroupMember> openSeats(Components<Application> applications) {
        List<GroupMember> seats = new ArrayList<>();
        for (Application application : applications.running()) {
            for (Talker talker : application.talkers()) {
                GroupMember seat = talker.open();
                if (seat != null) {
                    seats.add(seat);
                }
            }
        }
        return seats;
    }

    /** Ends all processes, one after the other or at once; all are told of the end, and no memory is left. */
    private void end(Components<Application> applications) {
        List<Application> ending = applications.running();
        int[] numbers = IntStream.rangeClosed(1, plan.size()).filter(cluster::isRunning).toArray();
        cluster.stop(numbers);
        cluster.advance(Duration.ofMillis(100));
        // A slow listener is still told of messages from before the end.
        for (int look = 0; look < LOOKS_MAX && IntStream.of(numbers).anyMatch(number -> cluster.heldBytes(number) > 0); look++) {
            cluster.advance(Duration.ofMillis(100));
        }
        for (Application application : ending) {
            application.talkers().forEach(talker -> talker.seats().forEach(GroupMember::checkEnd));
        }
        cluster.assertSafe();
        for (int number : numbers) {
            if (cluster.heldBytes(number) > 0) {
                context.findings.report("S23", "n" + number + " holds " + cluster.heldBytes(number) + " bytes after its end");
            }
        }
    }

    private static final Duration REST_MAX = Duration.ofSeconds(120);

    /** Longest time to leave: three layers wait for leave-timeout, one after the other. */
    private static final Duration LEAVE_MAX = Duration.ofSeconds(7);

    private static final int ROUNDS_MAX = 20;
    private static final int LOOKS_MAX = 150;
    private static final Pattern PROPERTY = Pattern.compile("\\b([SLT]\\d{1,2}): ");
}
