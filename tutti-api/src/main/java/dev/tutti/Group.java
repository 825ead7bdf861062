package dev.tutti;

import dev.tutti.core.Delivery;
import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.driver.Driver;
import dev.tutti.core.settings.Settings;
import dev.tutti.internal.Check;
import dev.tutti.internal.Fence;
import dev.tutti.internal.Host;
import dev.tutti.internal.Logs;
import dev.tutti.internal.delivery.AwaitedMembers;
import dev.tutti.internal.delivery.Calls;
import dev.tutti.internal.delivery.DeliveryExecutor;
import dev.tutti.internal.diagnostics.CallbackFailures;
import dev.tutti.internal.diagnostics.Progress;
import dev.tutti.internal.inspection.InspectedGroup;
import dev.tutti.internal.inspection.InspectionBuilder;
import dev.tutti.internal.state.StateTransfer;
import dev.tutti.internal.submission.Ordering;
import dev.tutti.internal.submission.SubmissionOwner;
import dev.tutti.internal.submission.SubmissionQueue;
import dev.tutti.protocols.node.GroupSettings;
import dev.tutti.protocols.node.NodeMachine;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * A member's handle on its group.
 *
 * <p>All methods may be called from any thread, listeners included. Messages of one thread are delivered in the order
 * of sending at every member, the sender included; see {@code docs/guarantees.md}.
 *
 * <p>A listener that waits in a send holds up the members whose messages it should consume. A window also counts what
 * its member has sent to itself, so a listener of messages in order that sends more than fits into the window would
 * wait for itself: that fails at once, with {@link SendException.Reason#LISTENER}. Answer large requests with {@link
 * #sendAsync}, or on another thread. Listeners may wait for other members, a view, or another group; those of messages
 * with a {@link Scope} may wait, too: delivery in order goes on beside them. {@code send-timeout} bounds the wait.
 */
public final class Group implements AutoCloseable {

    private static final Logger LOG = Logs.of(Group.class);

    /** Bytes of small messages that may wait for the loop: enough to fill packets, no second window. */
    private static final long SUBMISSION_BYTES_MAX = 512 * 1024;

    private final Node node;
    private final String name;
    private final Host host;
    private final Driver driver;
    private final NodeMachine machine;
    private final SubmissionQueue submissions;
    private final DeliveryExecutor executor;
    private final Duration leaveTimeout;
    private final Settings settings;
    private final Map<String, String> settingTexts;

    private final AtomicBoolean isSubmitPending = new AtomicBoolean();
    private final AtomicBoolean isConsumePending = new AtomicBoolean();
    private final Driver.Task submitTask = this::takeSubmitted;
    private final Driver.Task consumeTask = this::takeConsumed;
    private final CompletableFuture<Group> joined = new CompletableFuture<>();
    private final CompletableFuture<String> left = new CompletableFuture<>();

    /** Completed when the last listener has returned. */
    private final CompletableFuture<String> ended = new CompletableFuture<>();

    private final AtomicBoolean isClosing = new AtomicBoolean();

    private final @Nullable StateTransfer state;
    private final CallbackFailures failures;
    private final AwaitedMembers awaited;
    private final CopyOnWriteArrayList<Check> checks = new CopyOnWriteArrayList<>();

    private volatile @Nullable Member self;
    private volatile @Nullable View view;
    private volatile @Nullable RuntimeException failure;

    /** Reason why this member is outside of the primary partition; null if it is inside. */
    private volatile @Nullable String suspendedBecause;

    private final Progress progress;

    /** Progress of the state transfer that was last reported; guarded by itself. */
    private @Nullable StateProgress told;

    Group(Node node, GroupBuilder builder, Settings settings, Host host, NodeMachine machine) {
        this.node = node;
        this.name = builder.name();
        this.host = host;
        this.awaited = new AwaitedMembers(host);
        this.driver = host.driver();
        this.machine = machine;
        long windowBytes = settings.get(GroupSettings.WINDOW).bytes();
        this.settings = settings;
        this.settingTexts = InspectionBuilder.texts(settings);
        this.leaveTimeout = settings.get(GroupSettings.LEAVE_TIMEOUT);
        this.submissions = new SubmissionQueue(
                host,
                node.spares(),
                Math.min(SUBMISSION_BYTES_MAX, windowBytes),
                node.packetSizes().less(GroupSettings.orderBytes(settings)),
                settings.get(GroupSettings.SEND_TIMEOUT),
                settings.get(GroupSettings.RECEIPT_TIMEOUT),
                new Sending());
        this.failures = new CallbackFailures(name, host, node.journal());
        Owner events = new Owner();
        this.executor = builder.executor(this, host, settings, windowBytes / 8, events);
        this.state = builder.transfer(host, settings, events);
        if (state != null) {
            executor.use(state);
        }
        this.progress = new Progress(events, executor, submissions, state, stuckNanosMax(settings));
    }

    private static long stuckNanosMax(Settings settings) {
        return settings.get(GroupSettings.ON_STUCK) == GroupSettings.OnStuck.WAIT
                ? Long.MAX_VALUE
                : settings.get(GroupSettings.STUCK_TIMEOUT).toNanos();
    }

    /** Joins on the loop; the future completes when the first view was delivered and everybody was asked. */
    CompletableFuture<Group> join(Settings settings) {
        driver.execute(now -> {
            try {
                self = machine.join(
                        now,
                        name,
                        settings,
                        host.application(name, settings, executor),
                        host.submissions(name, settings, submissions.submitted()));
            } catch (RuntimeException e) {
                // Refused before anything has changed: no reason for the node to stop.
                completeExceptionally(e);
                close(e.toString());
            }
        });
        var unused = joined.whenComplete((group, failed) -> {
            if (joined.isCancelled()) {
                leave();
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

    /** Returns this member. */
    public Member self() {
        return Objects.requireNonNull(self, "the group is not joined");
    }

    /** Returns the view that was installed last; listeners may still be at an earlier one. */
    public View view() {
        return Objects.requireNonNull(view, "the group is not joined");
    }

    /**
     * Returns whether this member is in the primary partition, as far as it knows, in groups with {@code partition:
     * primary}. It may be cut off and not have noticed yet; an action that must not happen twice also needs {@link
     * View#epoch} as a fencing token. Returns false as soon as this member begins to leave, or has lost the group.
     */
    public boolean isPrimary() {
        return view().isPrimary() && suspendedBecause == null && !isClosing.get() && !left.isDone();
    }

    /**
     * Returns the reason why this member has left the group unasked: a callback threw an error, no member could give
     * the state, or the node stopped. Null while it is a member, and after an ordinary {@link #close}.
     */
    public @Nullable Throwable failure() {
        return failure;
    }

    /**
     * Waits until the view has at least {@code count} members.
     *
     * @return whether it had within {@code within}; otherwise, or if the group is left meanwhile, false
     * @throws IllegalStateException if called by a listener that runs on the loop
     */
    public boolean awaitMembers(int count, Duration within) {
        node.checkMayWait("awaitMembers");
        return awaited.await(count, within, () -> view, left::isDone);
    }

    /** Returns what a send would wait for now, as a text for people; empty if it would proceed. */
    public String waitsFor() {
        return submissions.waitsFor();
    }

    /**
     * Returns this member's progress towards the group's state.
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
        return executor.status();
    }

    // ------------------------------------------------------------------ for the node

    /** Returns the group's progress, for the watch. */
    Progress progress() {
        return progress;
    }

    /** Returns the facts that an inspection contains besides the report of the layers. */
    InspectedGroup inspected() {
        StateTransfer transfer = state;
        boolean isReady = joined.isDone()
                && !joined.isCompletedExceptionally()
                && (transfer == null || transfer.progress().phase() == StateProgress.Phase.COMPLETE);
        return new InspectedGroup(name, self, view, isReady, settings, settingTexts, parts(), waitsFor());
    }

    /** Returns the counters of this side of the group. */
    private List<NodeInspection.Part> parts() {
        List<NodeInspection.Part> parts = new ArrayList<>();
        parts.add(executor.part(failures.recent()));
        parts.add(submissions.part(settings));
        StateTransfer transfer = state;
        if (transfer != null) {
            parts.add(transfer.part());
        }
        return parts;
    }

    /** Reports changes in the progress of the state transfer. From any thread. */
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
        node.journal().on(Event.Kind.STATE, name, text, "", Map.of(
                "phase", now.phase().name().toLowerCase(Locale.ROOT),
                "bytes", now.bytes(),
                "resumed", now.resumed(),
                "restarted", now.restarted()));
    }

    // ------------------------------------------------------------------ sending

    /**
     * Sends to all members of the view, this one included. Blocks while the window is closed or a view changes.
     *
     * @throws SendException if it can't proceed within {@code send-timeout}, or the group is left; at once if called by
     *     a listener that would wait for messages that it has to consume itself
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
     * Sends to one member, which may be this one. Ordered only with other messages sent to that member alone.
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
     * @throws SendException also if the message is out of band and larger than a packet
     */
    public void send(byte[] message, Scope scope) {
        submissions.send(null, message, scope.ordering());
    }

    /** Sends to one member, in order with other messages to it in this scope only. */
    public void sendTo(Member receiver, byte[] message, Scope scope) {
        checkMember(receiver);
        submissions.send(receiver, message, scope.ordering());
    }

    /** Sends if that is possible at once. Otherwise {@link #waitsFor} gives the reason. */
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

    /**
     * Sends to all members of the view, this one included, as {@link #send(byte[])} does, and gives a receipt.
     *
     * @return completes when the message is stable, with the members that deliver it. Completes with an {@link
     *     UnstableException}, which has what is known, if the view changes or the group is left before, or {@code
     *     receipt-timeout} passes
     * @throws SendException if the message was not accepted
     * @throws IllegalStateException if the group is {@linkplain GroupBuilder#unreliable unreliable}, or {@linkplain
     *     GroupBuilder#causal causal}: a member that has the message and is cut off may miss another one that it depends on
     */
    public CompletableFuture<Delivery> sendStable(byte[] message, Stability stability) {
        checkReceiptsOfAll();
        return submissions.sendStable(self(), view(), null, message, Ordering.ALL, stability);
    }

    /** Sends to all members, in order with other messages in this scope only, and gives a receipt. */
    public CompletableFuture<Delivery> sendStable(byte[] message, Scope scope, Stability stability) {
        checkReceiptsOfAll();
        return submissions.sendStable(self(), view(), null, message, scope.ordering(), stability);
    }

    /**
     * Sends to one member, which may be this one, and gives a receipt.
     *
     * @return completes when the receiver has the message; else as {@link #sendStable(byte[], Stability)}
     * @throws SendException if the message was not accepted, or {@code receiver} is not in the view
     */
    public CompletableFuture<Delivery> sendStableTo(Member receiver, byte[] message) {
        checkReceipts();
        checkMember(receiver);
        return submissions.sendStable(self(), view(), receiver, message, Ordering.ALL, Stability.ALL);
    }

    private void checkReceiptsOfAll() {
        checkReceipts();
        if (settings.get(GroupSettings.STACK) == GroupSettings.StackKind.CAUSAL) {
            throw new IllegalStateException("group " + name + " is causal: a member that has a message to all delivers it only with"
                    + " those it depends on, so there are no receipts for it; send to one member, or choose fifo or total");
        }
    }

    private void checkReceipts() {
        if (settings.get(GroupSettings.STACK) == GroupSettings.StackKind.UNRELIABLE) {
            throw new IllegalStateException("group " + name + " is unreliable: its members acknowledge nothing, so there are "
                    + "no receipts; send without one, or choose another stack");
        }
    }

    private void checkMember(Member receiver) {
        View current = view();
        if (!current.contains(receiver)) {
            throw new SendException(
                    SendException.Reason.NO_MEMBER, receiver + " is not in view " + current + " of group " + name);
        }
    }

    // ------------------------------------------------------------------ leaving

    /**
     * Sends what was accepted, says goodbye and leaves, within {@code leave-timeout}. Idempotent.
     *
     * <p>When this method returns, no listener of the group is called any more. If a listener calls it, {@code onClosed} follows
     * <p>No listener of the group is called after this method has returned. If a listener calls it, {@code onClosed}
     * follows when that listener has returned, and no other callback does. A listener that does not return within
     * {@code leave-timeout} is abandoned, with a warning.
     * @throws IllegalStateException if called by a listener of a group that is {@link GroupBuilder#inline}: the loop
     *     would wait for itself
     */
    @Override
    public void close() {
        node.checkMayWait("close of group " + name);
        if (executor.isCalledBy(Thread.currentThread())) {
            executor.silence();
        }
        leave();
        awaitLeft();
        awaitEndedUnlessCalled();
    }

    /** Begins to leave. */
    void leave() {
        if (!isClosing.compareAndSet(false, true)) {
            return;
        }
        RuntimeException cause = failure;
        boolean isNode = node.isClosed();
        String why = isNode ? "node " + node.name() + " is closed" : "group " + name + " was left";
        submissions.refuse(
                cause != null ? SendException.Reason.LOST : isNode ? SendException.Reason.NODE_CLOSED : SendException.Reason.LEFT,
                cause == null ? why : String.valueOf(cause.getMessage()),
                cause);
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

    /** Waits until the other members have been told, for as long as the layers may take for it. */
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

    /**
     * Returns the fence around the callbacks of this group, for components on top of groups. An exception that passes
     * through it is counted and reported like a listener's; an error makes this member leave the group.
     */
    @SuppressWarnings("exports") // who may use it can see it
    public Fence fence() {
        return executor.fence();
    }

    /**
     * Asks {@code check} once a second, until the group is left, whether anything is wrong with a component on this
     * group. Findings are reported like other {@linkplain Problem problems}.
     */
    @SuppressWarnings("exports") // who may use it can see it
    public void watch(Check check) {
        checks.add(check);
    }

    /**
     * Leaves the group at once, because a component on it can't continue as at the other members. Only {@code onClosed}
     * is still called; sends and {@link GroupBuilder#join} fail with the cause. From any thread; never waits.
     *
     * @param callback name of the callback that has failed, such as {@code apply}
     * @param consequence reason why this member can't continue, as a sentence without its full stop
     */
    public void fail(String callback, String consequence, Throwable cause) {
        boolean isOver = left.isDone();
        String text = "callback " + callback + " has thrown " + cause + ": " + consequence;
        if (!isOver) {
            fail(new IllegalStateException("group " + name + ": " + text + "; the group is left", cause));
        }
        executor.countFailure();
        failures.report(cause, callback, text, isOver ? "the group is over" : "the group is left");
        host.onCallbackFailed(name, callback, cause);
    }

    /** Returns whether {@code thread} is in a listener that runs in the middle of a turn of the loop. */
    boolean isInline(Thread thread) {
        return executor.isInline(thread);
    }

    /** Waits until the last listener has returned, unless the current thread is in a listener itself. */
    void awaitEndedUnlessCalled() {
        if (executor.isCalledBy(Thread.currentThread())) {
            executor.silence();
        } else {
            awaitEnded();
        }
    }

    private void awaitEnded() {
        try {
            host.get(ended, leaveTimeout.toMillis() + 1_000, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            executor.silence();
            Calls.Running running = executor.running();
            LOG.warn("group {}: closed while {} has not returned; it is not called again", name,
                    running == null ? "a listener" : running.callback());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            executor.silence();
        } catch (ExecutionException e) {
            throw new IllegalStateException("leaving failed", e);
        }
    }

    /**
     * Leaves because this member can't continue. No listener is called any more but {@code onClosed}; sends and {@code
     * join} fail with the cause. From any thread, callbacks included; never waits.
     */
    private void fail(RuntimeException cause) {
        executor.silence();
        if (failure == null) {
            failure = cause;
        }
        // A joining caller learns of it when the group is left, so that it can join again at once.
        leave();
    }

    /** Ends the group because the node's loop has ended: nobody can leave in order. */
    void lose(RuntimeException cause) {
        boolean isFirst = !left.isDone();
        if (failure == null) {
            failure = cause;
        }
        isClosing.set(true);
        String reason = String.valueOf(cause.getMessage());
        close(reason);
        if (isFirst) {
            executor.onLost(reason);
        }
    }

    /** Completes the join with a failure, on a thread of its own: code that depends on the future may wait. */
    private void completeExceptionally(Throwable cause) {
        if (!joined.isDone()) {
            host.start("tutti-joined-" + name, () -> joined.completeExceptionally(cause));
        }
    }

    /** Ends the group, because it was left or its node has ended. */
    void close(String reason) {
        // Unless sends are refused already, the end was not asked for.
        submissions.close(node.isClosed() ? SendException.Reason.NODE_CLOSED : SendException.Reason.LOST, reason, failure);
        StateTransfer transfer = state;
        if (transfer != null) {
            transfer.onLeft(reason);
        }
        // First: a caller that waits for the end may join the same group again at once.
        node.forget(this);
        RuntimeException cause = failure;
        completeExceptionally(cause != null ? cause : new IllegalStateException("group " + name + " was not joined: " + reason));
        left.complete(reason);
        awaited.onEnd();
    }

    // ------------------------------------------------------------------ meeting the loop

    private void wakeForSubmitted() {
        if (!isSubmitPending.get() && isSubmitPending.compareAndSet(false, true)) {
            execute(submitTask);
        }
    }

    private void look(long now) {
        takeConsumed(now);
        takeSubmitted(now);
        submissions.onLook();
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
        Packet packet = executor.takeConsumed();
        while (packet != null) {
            machine.onConsumed(now, self(), packet);
            packet = executor.takeConsumed();
        }
    }

    private void execute(Driver.Task task) {
        try {
            driver.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("group {}: the loop has ended", name);
        }
    }

    /** Answers the questions of sends. */
    private final class Sending implements SubmissionOwner {

        @Override
        public SubmissionQueue.Caller caller() {
            Thread thread = Thread.currentThread();
            return executor.isInline(thread)
                    ? SubmissionQueue.Caller.LOOP
                    : executor.isDeliveredBy(thread) ? SubmissionQueue.Caller.LISTENER : SubmissionQueue.Caller.OTHER;
        }

        @Override
        public void wake() {
            wakeForSubmitted();
        }

        @Override
        public void look() {
            execute(Group.this::look);
        }

        @Override
        public @Nullable Member self() {
            return self;
        }

        @Override
        public boolean isConsumingAside() {
            return executor.isConsumingAside();
        }

        @Override
        public UnstableException unstable(
                UnstableException.Reason reason,
                String message,
                Member sender,
                Delivery known,
                CompletableFuture<Delivery> settled) {
            return new UnstableException(reason, message, sender, known, settled);
        }

        @Override
        public void onWaited(long nanos, String reason) {
            node.journal().onFrequent(Event.Kind.SEND_WAITED, name, "a send has waited for " + nanos / 1_000_000 + " ms", reason,
                    Map.of("millis", nanos / 1_000_000));
        }
    }

    /** Reacts to events of the executor and of the state transfer, and answers the watch. */
    private final class Owner implements DeliveryExecutor.Owner, StateTransfer.Owner, Progress.Owner {

        @Override
        public String name() {
            return name;
        }

        @Override
        public List<Check> checks() {
            return checks;
        }

        @Override
        public boolean hasJoined() {
            return joined.isDone();
        }

        @Override
        public @Nullable String suspendedBecause() {
            return suspendedBecause;
        }

        @Override
        public void leaveStuck(Calls.Running stuck, long nanos) {
            if (isClosing.get()) {
                return;
            }
            Member sender = stuck.sender();
            String text = "callback " + stuck.callback() + (sender == null ? "" : " for a message of " + sender) + " has not returned for "
                    + nanos / 1_000_000_000 + " s while messages wait behind it (on-stuck, stuck-timeout)";
            IllegalStateException cause = new IllegalStateException("group " + name + ": " + text + "; the group is left");
            executor.abandon();
            Group.this.fail(cause);
            failures.report(cause, stuck.callback(), text, "the group is left");
        }

        @Override
        public void send(@Nullable Member receiver, byte[] content, int length) {
            submissions.sendState(receiver, content, length);
        }

        @Override
        public boolean isQuiet() {
            return !executor.isConsumingAside();
        }

        @Override
        public void onChange() {
            executor.look();
            tellOfState();
        }

        @Override
        public void onFailed(String reason, @Nullable Throwable cause) {
            LOG.error("group {}: {}; the group is left", name, reason, cause);
            node.journal().on(Event.Kind.STATE, name, "state transfer failed; the group is left", reason, Map.of("phase", "failed"));
            String text = "group " + name + ": " + reason;
            fail(cause == null ? new StateException(text) : new StateException(text, cause));
        }

        @Override
        public void handOver(List<byte[]> messages) {
            int sent = 0;
            try {
                for (byte[] message : messages) {
                    Group.this.send(message);
                    sent++;
                }
            } catch (SendException e) {
                failures.report(e, "handOver", (messages.size() - sent) + " of " + messages.size()
                        + " messages that were handed over with the state are not sent: " + e.getMessage(), "they are lost");
            }
        }

        @Override
        public void onCallbackFailed(String callback, Throwable thrown) {
            onFailed(callback, null, thrown);
        }

        @Override
        public boolean onFailed(String callback, @Nullable Message message, Throwable thrown) {
            boolean isGoingOn = thrown instanceof Exception
                    && settings.get(GroupSettings.ON_EXCEPTION) == GroupSettings.OnException.GO_ON;
            boolean isOver = left.isDone();
            String place = message == null ? callback : callback + " for " + message.length() + " bytes from " + message.sender();
            String text = "callback " + place + " has thrown " + thrown;
            String next = isOver ? "the group is over" : isGoingOn ? "delivery goes on" : "the group is left";
            if (!isGoingOn && !isOver) {
                // First: the report may fail for the same lack of memory.
                fail(new IllegalStateException("group " + name + ": " + text + "; the group is left", thrown));
            }
            failures.report(thrown, callback, text, next);
            host.onCallbackFailed(name, callback, thrown);
            return isGoingOn;
        }

        @Override
        public void onBroken(Throwable thrown) {
            String text = "delivery has failed with " + thrown;
            fail(new IllegalStateException("group " + name + ": " + text + "; the group is left", thrown));
            failures.report(thrown, "delivery", text, "the group is left");
        }

        @Override
        public void onUnreadable(@Nullable Member sender) {
            node.journal().onFrequent(Event.Kind.UNREADABLE, name, "a packet of " + sender + " can't be decoded; its messages are not"
                    + " delivered at any member", "", Map.of("sender", sender == null ? "" : sender.name()));
        }

        @Override
        public void onEnded() {
            ended.complete("");
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
            node.journal().onFrequent(Event.Kind.SLOW_LISTENER, name,
                    "the listener has taken " + millis + " ms for a packet of " + sender, "",
                    Map.of("millis", millis, "sender", sender.name()));
        }

        @Override
        public void onInstalled(View installed) {
            View before = view;
            view = before == null ? installed : installed.after(before);
            suspendedBecause = null;
            awaited.onView(installed);
            node.journal().onView(name, before, installed);
            LOG.info("group {}: view {} with {} members {}", name, installed.id(), installed.size(), installed.members());
        }

        @Override
        public void onKnown(long ticket, Delivery delivery) {
            submissions.onKnown(ticket, delivery);
        }

        @Override
        public void onSuspended(String reason) {
            suspendedBecause = reason;
            LOG.warn("group {}: {}", name, reason);
        }

        @Override
        public void onJoined() {
            if (!joined.isDone()) {
                node.journal().on(Event.Kind.JOINED, name, "joined, in " + view, "", Map.of());
                // Code that depends on the future may wait, and deliveries must not.
                host.start("tutti-joined-" + name, () -> joined.complete(Group.this));
            }
        }

        @Override
        public String onLeft(String reason) {
            RuntimeException cause = failure;
            String told = cause == null ? reason : String.valueOf(cause.getMessage());
            node.journal().on(Event.Kind.LEFT, name, "left", told, Map.of());
            if (cause != null || !isClosing.get()) {
                node.onLost(name, told);
            }
            close(told);
            return told;
        }
    }

    @Override
    public String toString() {
        return "group " + name + ", " + view;
    }
}
