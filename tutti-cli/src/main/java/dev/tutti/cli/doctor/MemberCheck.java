package dev.tutti.cli.doctor;

import dev.tutti.Node;
import dev.tutti.NodeInspection;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Settings;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Checks that other members accept this node: cluster, version, secret, configuration of groups, and the clock. */
final class MemberCheck implements Check {

    private static final Duration PATIENCE = Duration.ofSeconds(8);

    /** Minimum time to listen: information on groups arrives after the session has begun. */
    private static final Duration SETTLED = Duration.ofSeconds(1);

    private static final Duration CLOCKS_APART = Duration.ofSeconds(2);
    private static final int LOOK_MILLIS = 50;

    /** Prefix of the groups that other nodes have and the probe has not, in an inspection. */
    private static final String ELSEWHERE = "elsewhere.";

    private static final int INCARNATION_RANDOM_BITS = 20;

    /** Settings of a group that members report only if they differ from the default. */
    private static final List<String> UNSAID = List.of("dissemination", "partition");

    @Override
    public String name() {
        return "members";
    }

    @Override
    public Duration deadline() {
        return Duration.ofSeconds(20);
    }

    @Override
    public List<Finding> run(DoctorContext context) throws InterruptedException {
        Node probe = context.probe;
        if (probe == null || context.open.isEmpty()) {
            return List.of(Finding.ok(name(), "nobody to ask"));
        }
        NodeInspection inspection = listen(context, probe);
        List<Finding> found = new ArrayList<>();
        Set<String> said = new LinkedHashSet<>(context.troubles);
        said.forEach(trouble -> found.add(explain(context, trouble)));
        List<String> met = new ArrayList<>();
        for (NodeInspection.LinkPart link : open(inspection)) {
            String peer = inspection.label(link);
            met.add(peer + " at " + link.peer().address());
            clock(context, peer, link.peer().incarnation(), found);
        }
        inspection.part("groups").texts().forEach((key, stack) -> {
            for (String group : context.groups) {
                if (key.startsWith(ELSEWHERE) && key.endsWith("." + group)) {
                    String node = key.substring(ELSEWHERE.length(), key.length() - group.length() - 1);
                    compare(context, node, group, stack, found);
                }
            }
        });
        boolean isUdp = context.isUdp();
        if (met.isEmpty() && said.isEmpty() && (context.isExpected || !isUdp)) {
            String where = String.join(", ", context.open.stream().map(DoctorContext.Peer::toString).toList());
            found.add(Finding.fault(
                    name(),
                    "no member answers at " + where + " within " + Doctor.seconds(PATIENCE),
                    isUdp
                            ? "start it, with transport.protocol: udp; allow UDP to that port in firewalls"
                            : "is that a node of tutti, and its loop alive? tutti view all, there"));
        } else if (!met.isEmpty()) {
            found.add(Finding.ok(name(), "taken as one of theirs by " + String.join(", ", met)));
        }
        return found;
    }

    /** Waits until each peer that takes connections has been met or has reported trouble, or the time is up. */
    private static NodeInspection listen(DoctorContext context, Node probe) throws InterruptedException {
        long startNanos = System.nanoTime();
        while (true) {
            NodeInspection inspection = probe.inspection();
            int met = open(inspection).size();
            long waitedNanos = System.nanoTime() - startNanos;
            boolean isDone = met + context.troubles.size() >= context.open.size() && waitedNanos > SETTLED.toNanos();
            if (isDone || waitedNanos > PATIENCE.toNanos()) {
                return inspection;
            }
            Thread.sleep(LOOK_MILLIS);
        }
    }

    private static List<NodeInspection.LinkPart> open(NodeInspection inspection) {
        return inspection.links().stream().filter(link -> link.state().equals("open")).toList();
    }

    private Finding explain(DoctorContext context, String trouble) {
        boolean hasSecret = !context.get(TransportSettings.SECRET).isEmpty()
                || !context.get(TransportSettings.SECRET_FILE).isEmpty();
        if (trouble.contains("of cluster '")) {
            return Finding.fault("cluster", trouble, "set cluster to the same name at all nodes");
        }
        if (trouble.contains("protocol version")) {
            return Finding.fault("version", trouble, "run versions of tutti that have a protocol version in common");
        }
        if (trouble.contains("expired")) {
            return Finding.fault("certificates", trouble, "tutti certs node makes a new one");
        }
        if (trouble.contains("not valid yet")) {
            return Finding.fault("clock", trouble, "set the clock of the machine that is behind: timedatectl set-ntp true");
        }
        boolean isTrust = trouble.contains("trust") || trouble.contains("TLS");
        if (isTrust && hasSecret) {
            return Finding.fault(
                    "secret",
                    trouble,
                    "the cluster secret is another one there, or none: copy the file of --secret-file (security.secret) from a"
                            + " node that works");
        }
        if (isTrust) {
            return Finding.fault("certificates", trouble, "use TLS at all nodes or at none, and one tls.authority for all");
        }
        return Finding.fault(name(), trouble, "the log of that node says more");
    }

    /** An incarnation begins with its node's start time. Only a start in the future shows that a clock is off. */
    private static void clock(DoctorContext context, String name, long incarnation, List<Finding> found) {
        Instant started = Instant.ofEpochMilli(incarnation >>> INCARNATION_RANDOM_BITS);
        Duration ahead = Duration.between(context.clock.instant(), started);
        if (ahead.compareTo(CLOCKS_APART) > 0) {
            found.add(Finding.fault(
                    "clock",
                    name + " has started at " + started + " by its clock, which is " + Doctor.seconds(Duration.ofSeconds(ahead.toSeconds()))
                            + " from now: this machine's clock is behind by at least that, or that one's ahead",
                    "timedatectl set-ntp true, at both; chronyc tracking or timedatectl show how far off each is"));
        }
    }

    private static void compare(DoctorContext context, String node, String group, String there, List<Finding> found) {
        Settings here = context.spec.group(group);
        Map<String, String> values = new LinkedHashMap<>();
        UNSAID.forEach(setting -> values.put(setting, DoctorContext.text(Settings.of(here.definitions()), setting)));
        for (String line : there.split(", ", -1)) {
            int colon = line.indexOf(": ");
            if (colon > 0) {
                values.put(line.substring(0, colon), line.substring(colon + 2));
            }
        }
        boolean isStateSet = here.explicit().containsKey("state.of");
        boolean isEqual = true;
        for (var entry : values.entrySet()) {
            String setting = entry.getKey();
            String own = DoctorContext.text(here, setting);
            // The program usually sets state.of, so it is compared only if it is set here.
            boolean isCompared = !setting.equals("state.of") || isStateSet;
            if (isCompared && !own.equals(entry.getValue())) {
                isEqual = false;
                found.add(Finding.fault(
                        "stack",
                        "group " + group + ": " + setting + " is " + own + " here and " + entry.getValue() + " at " + node
                                + "; the two do not meet in it",
                        "set groups." + group + "." + setting + " to the same at all members"));
            }
        }
        if (isEqual) {
            found.add(Finding.ok("stack", "group " + group + " is set up as at " + node));
        }
    }
}
