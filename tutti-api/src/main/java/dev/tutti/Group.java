package dev.tutti;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.driver.Driver;
import dev.tutti.core.settings.Settings;
import dev.tutti.internal.Host;
import dev.tutti.internal.state.StateTransfer;
import dev.tutti.protocols.node.GroupSettings;
import dev.tutti.protocols.node.NodeMachine;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A member's handle on its group.
 *
 * <p>All methods may be called from any thread, listeners included. What one thread sends is delivered in that order at
 * every member, the sender included; see {@code docs/guarantees.md}. A listener that sends and has to wait keeps the
 * members waiting whose messages it should be consuming: answer large requests from a thread of your own.
 */
public final class Group implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Group.class);

    /** Messages up to a size that may wait for the loop: enough to fill packets, little enough to be no second window. */
    private static final long SUBMISSION_BYTES_MAX = 512 * 1024;

    private final Node node;
    private final String name;
    private final Host host;
    private final Driver driver;
    private final NodeMachine machine;
    private final SubmissionQueue submissions;
    private final Lane lane;
    private final Duration leaveTimeout;
    private final Settings settings;
    private final Map<String, String> settingTexts;

    private final AtomicBoolean isSubmitPending = new AtomicBoolean();
    private final AtomicBoolean isConsumePending = new AtomicBoolean();
    private final Driver.Task submitTask = this::takeSubmitted;
    private final Driver.Task consumeTask = this::takeConsumed;
    private final CompletableFuture<Group> joined = new CompletableFuture<>();
    private final CompletableFuture<String> left = new CompletableFuture<>();
    private final AtomicBoolean isClosing = new AtomicBoolean();

    private final @Nullable StateTransfer state;

    private volatile @Nullable Member self;
    private volatile @Nullable View view;
    private volatile @Nullable StateException failure;
    private volatile boolean isSuspended;

    /** What was told last of the state's coming; guarded by it. */
    private @Nullable StateProgress told;

    Group(Node node, GroupBuilder builder, Settings settings, Host host, NodeMachine machine) {
        this.node = node;
        this.name = builder.name();
        this.host = host;
        this.driver = host.driver();
        this.machine = machine;
        long windowBytes = settings.get(GroupSettings.WINDOW).bytes();
        this.settings = settings;
        this.settingTexts = Inspector.texts(settings);
        this.leaveTimeout = settings.get(GroupSettings.LEAVE_TIMEOUT);
        this.submissions = new SubmissionQueue(
                host,
                node.spares(),
                Math.min(SUBMISSION_BYTES_MAX, windowBytes),
                node.packetSizes().less(GroupSettings.orderBytes(settings)),
                settings.get(GroupSettings.SEND_TIMEOUT),
                this::wakeForSubmitted,
                this::onWaited);
        Owner events = new Owner();
        this.lane = builder.lane(host, settings, windowBytes / 8, events);
        this.state = builder.transfer(host, settings, events);
        if (state != null) {
            lane.use(state);
        }
    }

    /** Joins on the loop; the future completes when the first view was delivered and everybody was asked. */
    CompletableFuture<Group> join(Settings settings) {
        driver.execute(now -> {
            try {
                self = machine.join(
                        now,
                        name,
                        settings,
                        host.application(name, settings, lane),
                        host.submissions(name, settings, submissions));
            } catch (IllegalStateException e) {
                joined.completeExceptionally(e);
                close(e.toString());
            }
        });
        return joined;
    }

    // ------------------------------------------------------------------ state

    public String name() {
        return name;
    }

    public Node node() {
        return node;
    }

    /** This member. */
    public Member self() {
        return Objects.requireNonNull(self, "the group is not joined");
    }

    /** The view that was installed last; listeners may still be at an earlier one. */
    public View view() {
        return Objects.requireNonNull(view, "the group is not joined");
    }

    /**
     * Groups with {@code partition: primary}: whether this member is in the primary partition, as far as it knows. It may be
     * cut off and not have noticed yet; what must not happen twice needs {@link View#epoch} as a fencing token besides.
     */
    public boolean isPrimary() {
        return view().isPrimary() && !isSuspended;
    }

    /** What a send would wait for now, for people; empty if it would proceed. */
    public String waitsFor() {
        return submissions.waitsFor();
    }

    /**
     * How far this member is on its way to the group's state.
     *
     * @throws IllegalStateException if the group has none, see {@link GroupBuilder#state}
     */
    public StateProgress stateProgress() {
        StateTransfer transfer = state;
        if (transfer == null) {
            throw new IllegalStateException("group " + name + " has no state that is handed over; see GroupBuilder.state");
        }
        return transfer.progress();
    }

    Map<String, Object> status() {
        return lane.status();
    }

    // ------------------------------------------------------------------ for inspections

    Settings settings() {
        return settings;
    }

    Map<String, String> settingTexts() {
        return settingTexts;
    }

    /** Null before the group is being joined. */
    @Nullable Member member() {
        return self;
    }

    /** Null before the first view. */
    @Nullable View installed() {
        return view;
    }

    /** Whether the group is joined, with its state where it has one. */
    boolean isReady() {
        StateTransfer transfer = state;
        return joined.isDone()
                && !joined.isCompletedExceptionally()
                && (transfer == null || transfer.progress().phase() == StateProgress.Phase.COMPLETE);
    }

    /** What this side of the group counts. */
    List<NodeInspection.Part> parts() {
        List<NodeInspection.Part> parts = new ArrayList<>();
        parts.add(lane.part());
        parts.add(submissions.part(settings));
        StateTransfer transfer = state;
        if (transfer != null) {
            Map<String, Long> values = new LinkedHashMap<>();
            Map<String, String> texts = new LinkedHashMap<>();
            transfer.status().forEach((key, value) -> {
                if (value instanceof Long number) {
                    values.put(key, number);
                } else {
                    texts.put(key, String.valueOf(value));
                }
            });
            parts.add(new NodeInspection.Part("state", Map.of(), values, texts));
        }
        return parts;
    }

    private void onWaited(long nanos, String reason) {
        node.chronicle().onFrequent(Event.Kind.SEND_WAITED, name, "a send has waited for " + nanos / 1_000_000 + " ms", reason,
                Map.of("millis", nanos / 1_000_000));
    }

    /** Tells of the state's coming what is new. From any thread. */
    private void tellOfState() {
        StateTransfer transfer = state;
        if (transfer == null) {
            return;
        }
        StateProgress now = transfer.progress();
        Member provider = now.provider();
        synchronized (transfer) {
            StateProgress before = told;
            boolean isSame = before != null
                    && before.phase() == now.phase()
                    && Objects.equals(before.provider(), provider)
                    && before.restarted() == now.restarted();
            boolean isNothing = before == null && now.phase() == StateProgress.Phase.AGREEING;
            if (isSame || isNothing) {
                return;
            }
            told = now;
        }
        String text = switch (now.phase()) {
            case AGREEING -> "members agree whose state goes on";
            case INSTALLING -> provider == null ? "the state is awaited" : "the state comes from " + provider;
            case COMPLETE -> "the state is here";
        };
        node.chronicle().on(Event.Kind.STATE, name, text, "", Map.of(
                "phase", now.phase().name().toLowerCase(Locale.ROOT),
                "bytes", now.bytes(),
                "resumed", now.resumed(),
                "restarted", now.restarted()));
    }

    // ------------------------------------------------------------------ sending

    /**
     * Sends to all members of the view, this one included. Blocks while the window is closed or a view changes.
     *
     * @throws SendException if it can't proceed within {@code send-timeout}, or the group is left
     */
    public void send(byte[] message) {
        submissions.send(null, message, 0, message.length);
    }

    /** Sends a range of an array, which may be used again when the method returns. */
    public void send(byte[] message, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, message.length);
        submissions.send(null, message, offset, length);
    }

    /** Sends text as UTF-8. */
    public void send(String text) {
        send(text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Sends to one member, which may be this one. In order with what else is sent to that member alone.
     *
     * @throws SendException also if {@code receiver} is not in the view
     */
    public void sendTo(Member receiver, byte[] message) {
        checkMember(receiver);
        submissions.send(receiver, message, 0, message.length);
    }

    /**
     * Sends to all members, in order with other messages in this scope only.
     *
     * @throws IllegalArgumentException if the message is out of band and larger than a packet
     */
    public void send(byte[] message, Scope scope) {
        submissions.send(null, message, scope);
    }

    /** Sends to one member, in order with other messages to it in this scope only. */
    public void sendTo(Member receiver, byte[] message, Scope scope) {
        checkMember(receiver);
        submissions.send(receiver, message, scope);
    }

    /** Sends if that is possible at once. {@link #waitsFor} says why it was not. */
    public boolean trySend(byte[] message) {
        return submissions.trySend(null, message, 0, message.length);
    }

    /** Sends a range of an array if that is possible at once; the array may be used again when the method returns. */
    public boolean trySend(byte[] message, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, message.length);
        return submissions.trySend(null, message, offset, length);
    }

    /** Sends a range of an array to one member if that is possible at once. */
    public boolean trySendTo(Member receiver, byte[] message, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, message.length);
        checkMember(receiver);
        return submissions.trySend(receiver, message, offset, length);
    }

    /** Sends when that is possible; completes when the message is accepted. The array must not change until then. */
    public CompletableFuture<Void> sendAsync(byte[] message) {
        return submissions.sendAsync(null, message);
    }

    /** Sends to one member when that is possible. */
    public CompletableFuture<Void> sendToAsync(Member receiver, byte[] message) {
        checkMember(receiver);
        return submissions.sendAsync(receiver, message);
    }

    private void checkMember(Member receiver) {
        View current = view();
        if (!current.contains(receiver)) {
            throw new SendException(
                    SendException.Reason.NO_MEMBER, receiver + " is not in view " + current + " of group " + name);
        }
    }

    // ------------------------------------------------------------------ leaving

    /** Sends what was accepted, says goodbye and leaves, within {@code leave-timeout}. Idempotent. */
    @Override
    public void close() {
        leave();
        awaitLeft();
    }

    /** Begins to leave. */
    void leave() {
        if (!isClosing.compareAndSet(false, true)) {
            return;
        }
        submissions.refuse("group " + name + " was left");
        try {
            driver.execute(now -> {
                Member member = self;
                if (member != null) {
                    machine.leave(now, member);
                } else {
                    left.complete("never joined");
                }
            });
        } catch (RejectedExecutionException e) {
            close("the node is closed");
        }
    }

    /** Waits until the others were told, as long as the layers may take for it. */
    void awaitLeft() {
        // Packing and reliability may each use the time-out; a second on top is the loop's.
        long boundMillis = leaveTimeout.toMillis() * 2 + 1_000;
        try {
            host.get(left, boundMillis, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            LOG.warn("group {}: not left within {} ms; the node goes on without it", name, boundMillis);
            close("left without an answer from the loop");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IllegalStateException("leaving failed", e);
        }
    }

    /** The group has ended, by leaving or with its node. */
    void close(String reason) {
        submissions.close(reason);
        StateTransfer transfer = state;
        if (transfer != null) {
            transfer.onLeft(reason);
        }
        StateException cause = failure;
        joined.completeExceptionally(
                cause != null ? cause : new IllegalStateException("group " + name + " was not joined: " + reason));
        // First: who waits for the end may join the same group again at once.
        node.forget(this);
        left.complete(reason);
    }

    // ------------------------------------------------------------------ meeting the loop

    private void wakeForSubmitted() {
        if (!isSubmitPending.get() && isSubmitPending.compareAndSet(false, true)) {
            execute(submitTask);
        }
    }

    private void takeSubmitted(long now) {
        isSubmitPending.set(false);
        Member member = self;
        if (member != null && !left.isDone()) {
            machine.onSubmitted(now, member);
        }
    }

    private void takeConsumed(long now) {
        isConsumePending.set(false);
        Packet packet = lane.takeConsumed();
        while (packet != null) {
            machine.onConsumed(now, self(), packet);
            packet = lane.takeConsumed();
        }
    }

    private void execute(Driver.Task task) {
        try {
            driver.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("group {}: the loop has ended", name);
        }
    }

    /** What the lane and the state tell. */
    private final class Owner implements Lane.Owner, StateTransfer.Owner {

        @Override
        public void send(@Nullable Member receiver, byte[] content, int length) {
            submissions.sendState(receiver, content, length);
        }

        @Override
        public void onChange() {
            lane.look();
            tellOfState();
        }

        @Override
        public void onFailed(String reason, @Nullable Throwable cause) {
            LOG.error("group {}: {}; it is left", name, reason, cause);
            node.chronicle().on(Event.Kind.STATE, name, "the state can't be had; the group is left", reason, Map.of("phase", "failed"));
            String text = "group " + name + ": " + reason;
            failure = cause == null ? new StateException(text) : new StateException(text, cause);
            leave();
        }

        @Override
        public void onConsumed() {
            if (!isConsumePending.get() && isConsumePending.compareAndSet(false, true)) {
                execute(consumeTask);
            }
        }

        @Override
        public void onSlow(Member sender, long nanos) {
            long millis = nanos / 1_000_000;
            node.chronicle().onFrequent(Event.Kind.SLOW_LISTENER, name,
                    "the listener has taken " + millis + " ms for a packet of " + sender, "",
                    Map.of("millis", millis, "sender", sender.name()));
        }

        @Override
        public void onInstalled(View installed) {
            View before = view;
            view = installed;
            isSuspended = false;
            node.chronicle().onView(name, before, installed);
            LOG.info("group {}: view {} with {} members {}", name, installed.id(), installed.size(), installed.members());
        }

        @Override
        public void onSuspended(String reason) {
            isSuspended = true;
            LOG.warn("group {}: {}", name, reason);
        }

        @Override
        public void onJoined() {
            if (joined.complete(Group.this)) {
                node.chronicle().on(Event.Kind.JOINED, name, "joined, in " + view, "", Map.of());
            }
        }

        @Override
        public String onLeft(String reason) {
            StateException cause = failure;
            String told = cause == null ? reason : String.valueOf(cause.getMessage());
            node.chronicle().on(Event.Kind.LEFT, name, "left", told, Map.of());
            close(told);
            return told;
        }
    }

    @Override
    public String toString() {
        return "group " + name + ", " + view;
    }
}
