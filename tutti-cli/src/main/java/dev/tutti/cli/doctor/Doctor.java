package dev.tutti.cli.doctor;

import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.NodeSpec;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Looks for faults that keep a node from meeting others: in its configuration, on this machine, and on the way to them.
 * It starts a node of its own with the same configuration, at another port, that joins no group.
 */
public final class Doctor {

    private static final List<Check> CHECKS = List.of(
            new CertificateCheck(),
            new StartCheck(),
            new SystemCheck(),
            new PortCheck(),
            new NameCheck(),
            new RouteCheck(),
            new MulticastCheck(),
            new ReachCheck(),
            new RendezvousCheck(),
            new MtuCheck(),
            new MemberCheck(),
            new RunningCheck());

    private final NodeSpec spec;
    private final Set<String> groups;
    private final InstantSource clock;
    private final boolean isExpected;

    /**
     * @param groups whose configuration is compared with that of others, besides those that the specification names
     * @param isExpected whether a node is expected at the seeds
     */
    public Doctor(NodeSpec spec, List<String> groups, InstantSource clock, boolean isExpected) {
        this.spec = spec;
        this.groups = new TreeSet<>(groups);
        this.groups.addAll(spec.groups().keySet());
        this.clock = clock;
        this.isExpected = isExpected;
    }

    /**
     * Runs all checks, one after the other.
     *
     * @param onBegin called with the name of each check before it runs
     * @param onFinding called with each finding at once
     */
    public List<Finding> run(Consumer<String> onBegin, Consumer<Finding> onFinding) throws InterruptedException {
        DoctorContext context = new DoctorContext(spec, groups, clock, isExpected);
        List<Finding> all = new ArrayList<>();
        try {
            for (Check check : CHECKS) {
                onBegin.accept(check.name());
                List<Finding> found = run(check, context);
                found.forEach(onFinding);
                all.addAll(found);
            }
        } finally {
            Node probe = context.probe;
            if (probe != null) {
                probe.close();
            }
        }
        return all;
    }

    private static List<Finding> run(Check check, DoctorContext context) throws InterruptedException {
        CompletableFuture<List<Finding>> result = new CompletableFuture<>();
        // Not a virtual thread: resolving names may block its carrier.
        Thread thread = new Thread(
                () -> {
                    try {
                        result.complete(check.run(context));
                    } catch (Exception e) {
                        result.completeExceptionally(e);
                    }
                },
                "tutti-doctor-" + check.name());
        thread.setDaemon(true);
        thread.start();
        try {
            return result.get(check.deadline().toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            thread.interrupt();
            return List.of(Finding.fault(
                    check.name(), "no result within " + seconds(check.deadline()), "try again; --debug shows what it does"));
        } catch (ExecutionException e) {
            return List.of(Finding.fault(check.name(), "can't be looked at: " + e.getCause(), ""));
        }
    }

    static String seconds(Duration duration) {
        return duration.toMillis() % 1_000 == 0 ? duration.toSeconds() + " s" : duration.toMillis() + " ms";
    }

    /** Returns a builder with the node's configuration, adapted to a probe. */
    static NodeBuilder probe(NodeSpec spec) {
        // A node with a certificate of its own has the name in that.
        boolean hasName = !spec.node().get(TransportSettings.TLS_CERTIFICATE).isEmpty();
        return Node.of(spec)
                .name(hasName ? "" : "doctor")
                .set("bind.port", "0")
                .set("bind.port-range", "0")
                .set("bind.advertise", "")
                .set("diagnostics.enabled", "false");
    }
}
