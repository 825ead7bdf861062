package dev.tutti.testkit;

import dev.tutti.Group;
import dev.tutti.GroupState;
import dev.tutti.Message;
import dev.tutti.Node;
import dev.tutti.SendException;
import dev.tutti.Snapshot;
import dev.tutti.core.View;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Keeps every message that it gets, and fails on a duplicate; with ballast, so that the transfer takes a while. */
final class Ledger implements GroupState, AutoCloseable {

    /** Settings of the ledgers of a test. */
    static final class Plan {
        int ballastBytes = 500_000;
        boolean isReproducible = true;
        boolean isAtomic;
        long installPauseNanos;

        /** Name of the node that installs with these pauses; empty for all. */
        String slow = "";
        String stack = "fifo";
        String policy = "largest";
        String heldMemory = "2 MiB";
        String heldFile = "64 MiB";
        String directory = "";
        int messageBytes = 20;
        boolean isFailingToInstall;

        /** Futures for which the nodes of these names wait while they take a snapshot. */
        final Map<String, CompletableFuture<Boolean>> snapshotsWaitFor = new TreeMap<>();
    }

    final TreeSet<String> entries = new TreeSet<>();
    final Group group;
    private final Cluster cluster;
    private final Node node;
    private final Plan plan;
    private long sent;
    int taken;
    int closed;
    int written;
    int installs;

    /** A state is being installed, so that no listener may be called. */
    private boolean isInstalling;

    Ledger(Cluster cluster, Node node, Plan plan) {
        this.cluster = cluster;
        this.node = node;
        this.plan = plan;
        this.group = node.group("ledger")
                .set("stack", plan.stack)
                .set("state.of", plan.policy)
                .set("state.transfer-window", "128 KiB")
                .set("state.timeout", "5 s")
                .set("state.held-memory", plan.heldMemory)
                .set("state.held-file", plan.heldFile)
                .set("state.directory", plan.directory)
                .set("window", "256 KiB")
                .state(this)
                .onView(this::onView)
                .onMessage(this::onMessage)
                .join();
    }

    private void onView(View view) {
        if (isInstalling) {
            throw new IllegalStateException("a view while the state is installed: " + view);
        }
    }

    private void onMessage(Message message) {
        if (isInstalling) {
            throw new IllegalStateException("a message while the state is installed: " + message.text());
        }
        String text = message.text().stripTrailing();
        if (!entries.add(text)) {
            throw new IllegalStateException(node.name() + " has " + text + " already");
        }
    }

    void write() {
        sent++;
        String text = node.name() + "/" + node.id().incarnation() + "/" + sent;
        byte[] padded = Arrays.copyOf(text.getBytes(StandardCharsets.UTF_8), Math.max(plan.messageBytes, text.length()));
        Arrays.fill(padded, text.length(), padded.length, (byte) ' ');
        try {
            group.send(padded);
            written++;
        } catch (SendException e) {
            if (!e.reason().isFinal()) {
                throw e;
            }
        }
    }

    @Override
    public Snapshot snapshot() {
        if (isInstalling) {
            throw new IllegalStateException("a snapshot of half a state");
        }
        taken++;
        byte[] image = image();
        CompletableFuture<Boolean> awaited = plan.snapshotsWaitFor.get(node.name());
        if (awaited != null) {
            node.threads().join(awaited);
        }
        return new Snapshot() {
            private boolean isOver;

            @Override
            public void write(OutputStream out) throws IOException {
                if (isOver) {
                    throw new IllegalStateException("written after it was closed");
                }
                for (int at = 0; at < image.length; at += 10_000) {
                    out.write(image, at, Math.min(10_000, image.length - at));
                }
            }

            @Override
            public long bytes() {
                return image.length;
            }

            @Override
            public void close() {
                if (isOver) {
                    throw new IllegalStateException("closed twice");
                }
                isOver = true;
                closed++;
            }
        };
    }

    private byte[] image() {
        byte[] list = String.join("\n", entries).getBytes(StandardCharsets.UTF_8);
        byte[] image = Arrays.copyOf(new byte[plan.ballastBytes], plan.ballastBytes + list.length);
        byte[] ballast = new byte[plan.ballastBytes];
        new SplittableRandom(plan.isReproducible ? list.length : node.id().incarnation()).nextBytes(ballast);
        System.arraycopy(ballast, 0, image, 0, ballast.length);
        System.arraycopy(list, 0, image, plan.ballastBytes, list.length);
        return image;
    }

    @Override
    public void install(InputStream in) throws IOException {
        isInstalling = true;
        installs++;
        try {
            installWhole(in);
        } finally {
            // A failed atomic install has changed nothing; others have to be repeated.
            isInstalling = isInstalling && !plan.isAtomic;
        }
    }

    private void installWhole(InputStream in) throws IOException {
        if (plan.isFailingToInstall) {
            throw new IllegalStateException("no room for the state");
        }
        byte[] image = new byte[0];
        byte[] buffer = new byte[50_000];
        int count = in.read(buffer);
        while (count >= 0) {
            image = Arrays.copyOf(image, image.length + count);
            System.arraycopy(buffer, 0, image, image.length - count, count);
            if (plan.installPauseNanos > 0 && (plan.slow.isEmpty() || plan.slow.equals(node.name()))) {
                cluster.process(cluster.numberOf(node)).threads().sleep(plan.installPauseNanos);
            }
            count = in.read(buffer);
        }
        entries.clear();
        String list = new String(image, plan.ballastBytes, image.length - plan.ballastBytes, StandardCharsets.UTF_8);
        if (!list.isEmpty()) {
            entries.addAll(Arrays.asList(list.split("\n")));
        }
        isInstalling = false;
    }

    @Override
    public boolean isReproducible() {
        return plan.isReproducible;
    }

    @Override
    public boolean isAtomic() {
        return plan.isAtomic;
    }

    int openSnapshots() {
        return taken - closed;
    }

    static @Nullable Ledger present(Cluster cluster, int number) {
        return cluster.process(number).component() instanceof Ledger ledger ? ledger : null;
    }

    @Override
    public void close() {
        group.close();
    }
}
