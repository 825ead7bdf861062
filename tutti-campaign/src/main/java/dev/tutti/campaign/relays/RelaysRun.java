package dev.tutti.campaign.relays;

import dev.tutti.campaign.chaos.journal.Check;
import dev.tutti.campaign.chaos.process.Child;
import dev.tutti.campaign.chaos.process.ProcessPool;
import dev.tutti.campaign.host.Pause;
import dev.tutti.internal.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Nodes behind two routers that meet through servers, and what happens when servers end: one of three, the only one for three seconds,
 * and the only one for long.
 */
final class RelaysRun {

    private static final Duration AGREE_MAX = Duration.ofSeconds(60);
    private static final long SETTLE_MILLIS = 3_000;
    private static final long SHORT_MILLIS = 3_000;

    /** Time that nodes need to notice an outage that is long: the detector's, and the view change. */
    private static final Duration PART_MAX = Duration.ofSeconds(40);

    record Outcome(
            double seconds, long meetMillis, long backMillis, int parts, Check.Result result, List<String> violations) {

        String text() {
            StringBuilder text = new StringBuilder(String.format(
                    Locale.ROOT,
                    "%n%d nodes behind two routers and in the open, %d servers, %.0f s%n"
                            + "one view of all %,d ms after the last node was up; %,d ms after the server was back%n"
                            + "%d views side by side while it was away for long%n"
                            + "%,d entries checked: %,d views, %,d messages submitted, %,d deliveries%n",
                    NatNetwork.NODES, NatNetwork.SERVERS, seconds, meetMillis, backMillis, parts, result.entries(), result.views(),
                    result.submitted(), result.delivered()));
            violations.forEach(violation -> text.append("VIOLATION ").append(violation).append('\n'));
            return text.append(violations.size()).append(" violations\n").toString();
        }

        String json() {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("seconds", seconds);
            map.put("meetMillis", meetMillis);
            map.put("backMillis", backMillis);
            map.put("parts", parts);
            map.put("views", result.views());
            map.put("submitted", result.submitted());
            map.put("delivered", result.delivered());
            map.put("violations", violations);
            return Json.write(map) + "\n";
        }
    }

    private final ProcessPool nodes;
    private final Servers servers;
    private final Consumer<String> progress;
    private final List<String> violations = new ArrayList<>();
    private long meetMillis;
    private long backMillis;
    private int parts;

    RelaysRun(ProcessPool nodes, Servers servers, Consumer<String> progress) {
        this.nodes = nodes;
        this.servers = servers;
        this.progress = progress;
    }

    /** @param longMillis time for which the only server is away */
    void run(long longMillis) {
        if (!agree("the start")) {
            return;
        }
        long lastUp = nodes.present().stream().mapToLong(child -> child.views().getFirst().atNanos()).max().orElse(0);
        meetMillis = (ProcessPool.agreedAtNanos(nodes.present()) - lastUp) / 1_000_000;
        progress.accept("one view of all " + nodes.size() + ", " + meetMillis + " ms after the last node was up");
        nodes.setSending(true);
        Pause.millis(SETTLE_MILLIS);
        for (int server = 0; server < NatNetwork.SERVERS; server++) {
            int number = server;
            withoutViewChange("server " + server + " of " + NatNetwork.SERVERS + " was killed", () -> servers.kill(number));
            servers.start(server);
            Pause.millis(SETTLE_MILLIS);
        }
        withoutViewChange("two of three servers were killed", () -> {
            servers.kill(1);
            servers.kill(2);
        });
        withoutViewChange("the only server was killed, and started again", () -> {
            servers.kill(0);
            Pause.millis(SHORT_MILLIS);
            servers.start(0);
        });
        beAwayForLong(longMillis);
        nodes.setSending(false);
        nodes.rest(nodes.present(), AGREE_MAX).forEach(silent -> violations.add("S0: " + silent + " does not answer"));
        nodes.all().forEach(child -> child.remarks().forEach(remark -> violations.add("S0: " + child + " says: " + remark)));
    }

    private boolean agree(String what) {
        if (nodes.await(AGREE_MAX, () -> ProcessPool.isAgreed(nodes.present()))) {
            return true;
        }
        violations.add("L1: there was no view of all within " + AGREE_MAX.toSeconds() + " s of " + what + nodes.views());
        return false;
    }

    /** Causes an outage that no member may notice: no view changes, and all messages arrive. */
    private void withoutViewChange(String what, Runnable outage) {
        List<Integer> before = nodes.present().stream().map(child -> child.views().size()).toList();
        outage.run();
        Pause.millis(SETTLE_MILLIS);
        // All that was sent before and during the outage arrives.
        nodes.setSending(false);
        nodes.rest(nodes.present(), AGREE_MAX);
        List<Long> delivered = new ArrayList<>();
        for (Child child : nodes.present()) {
            Child.Count count = child.count();
            delivered.add(count == null ? -1 : count.delivered());
        }
        nodes.setSending(true);
        List<Integer> after = nodes.present().stream().map(child -> child.views().size()).toList();
        if (!before.equals(after)) {
            violations.add("L3: the view changed when " + what + nodes.views());
        }
        progress.accept(what + ": " + (before.equals(after) ? "no view change" : "THE VIEW CHANGED") + ", delivered " + delivered);
    }

    private void beAwayForLong(long millis) {
        long began = System.nanoTime();
        servers.kill(0);
        // Nodes behind one router reach each other, and the one in the open.
        if (!nodes.await(PART_MAX, () -> List.of(3, 2).stream().allMatch(this::hasPart))) {
            violations.add("L1: nodes that reach each other were not in one view " + PART_MAX.toSeconds()
                    + " s after the only server was killed" + nodes.views());
        }
        Pause.millis(Math.max(0, millis - (System.nanoTime() - began) / 1_000_000));
        parts = (int) nodes.present().stream().map(Child::seen).map(seen -> seen == null ? "" : seen.id()).distinct().count();
        progress.accept("the only server was away for " + (System.nanoTime() - began) / 1_000_000_000 + " s: " + parts
                + " views side by side" + nodes.views());
        servers.start(0);
        long back = System.nanoTime();
        if (agree("the server's return")) {
            backMillis = (ProcessPool.agreedAtNanos(nodes.present()) - back) / 1_000_000;
            progress.accept("one view of all again after " + backMillis + " ms");
        }
    }

    /** Returns whether the nodes behind the router with this many are in one view, without those behind the other. */
    private boolean hasPart(int size) {
        List<Child> part = size == 3 ? nodes.present().subList(0, 3) : nodes.present().subList(3, 5);
        List<Child> others = size == 3 ? nodes.present().subList(3, 5) : nodes.present().subList(0, 3);
        Child.Seen first = part.getFirst().seen();
        return first != null
                && part.stream().allMatch(child -> {
                    Child.Seen seen = child.seen();
                    return seen != null && seen.id().equals(first.id()) && first.members().contains(seen.self());
                })
                && others.stream().noneMatch(other -> first.members().contains(other.self()));
    }

    Outcome check(double seconds, long beganNanos) {
        List<Check.Source> sources = nodes.all().stream().map(child -> new Check.Source(child.journal(), 0)).toList();
        Check.Result result = Check.run(sources, beganNanos);
        List<String> all = new ArrayList<>(violations);
        all.addAll(result.violations());
        return new Outcome(seconds, meetMillis, backMillis, parts, result, all);
    }
}
