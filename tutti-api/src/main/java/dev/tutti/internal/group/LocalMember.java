package dev.tutti.internal.group;

import dev.tutti.Group;
import dev.tutti.GroupState;
import dev.tutti.Message;
import dev.tutti.NodeInspection;
import dev.tutti.SendException;
import dev.tutti.StateException;
import dev.tutti.StateProgress;
import dev.tutti.UnstableException;
import dev.tutti.core.Delivery;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.stack.LayerProvider;
import dev.tutti.internal.Check;
import dev.tutti.internal.Fence;
import dev.tutti.internal.Host;
import dev.tutti.internal.Logs;
import dev.tutti.internal.delivery.AwaitedMembers;
import dev.tutti.internal.delivery.Calls;
import dev.tutti.internal.delivery.DeliveryExecutor;
import dev.tutti.internal.delivery.Listeners;
import dev.tutti.internal.diagnostics.CallbackFailures;
import dev.tutti.internal.diagnostics.Progress;
import dev.tutti.internal.inspection.InspectedGroup;
import dev.tutti.internal.inspection.InspectionBuilder;
import dev.tutti.internal.state.StateTransfer;
import dev.tutti.internal.submission.SubmissionOwner;
import dev.tutti.internal.submission.SubmissionQueue;
import dev.tutti.protocols.node.GroupSettings;
import dev.tutti.protocols.node.NodeMachine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * This node's member of a group, from the join to its end: joins and leaves, and reacts to what delivery, the state
 * transfer and the application's callbacks do. {@link Group} is the application's handle on it. From any thread.
 */
public final class LocalMember {

    private static final Logger LOG = Logs.of(Group.class);

    /** Bytes of small messages that may wait for the loop: enough to fill packets, no second window. */
    private static final long SUBMISSION_BYTES_MAX = 512 * 1024;

    /** Settings that may be changed while the group is joined. */
    private static final SortedSet<String> CHANGEABLE = new TreeSet<>(Stream.of(
                    GroupSettings.SEND_TIMEOUT, GroupSettings.LEAVE_TIMEOUT, GroupSettings.ON_STUCK, GroupSettings.STUCK_TIMEOUT)
            .map(Setting::name)
            .toList());

    private final String name;
    private volatile Settings settings;
    private final List<LayerProvider> layers;
    private volatile Map<String, String> settingTexts;
    private final Host host;
    private final Home home;
    private final SubmissionQueue submissions;
    private final DeliveryExecutor executor;
    private final @Nullable StateTransfer state;
    private final GroupTasks tasks;
    private final FailurePolicy failures;
    private final GroupEvents events;
    private final Progress progress;
    private final AwaitedMembers awaited;
    private final CopyOnWriteArrayList<Check> checks = new CopyOnWriteArrayList<>();
    private final Life life;
    private volatile @Nullable View view;

    /** Reason why this member is outside of the primary partition; null if it is inside. */
    private volatile @Nullable String suspendedBecause;

    /**
     * @param layers besides those of tutti
     * @param replicated state of the application that members hand over; null if the group has none
     * @throws IllegalStateException if the settings, listeners and state do not go together
     */
    public LocalMember(
            String name,
            Settings settings,
            List<LayerProvider> layers,
            Listeners listeners,
            @Nullable GroupState replicated,
            Host host,
            NodeMachine machine,
            Home home) {
        this.name = name;
        this.settings = settings;
        this.layers = layers;
        this.settingTexts = InspectionBuilder.texts(settings);
        this.host = host;
        this.home = home;
        this.awaited = new AwaitedMembers(host);
        this.life = new Life(name, host);
        this.failures = new FailurePolicy(
                name,
                settings.get(GroupSettings.ON_EXCEPTION),
                host,
                new CallbackFailures(name, host, home.journal()),
                new Leaving());
        this.events = new GroupEvents(name, home.journal());
        long windowBytes = settings.get(GroupSettings.WINDOW).bytes();
        this.submissions = new SubmissionQueue(
                host,
                home.spares(),
                Math.min(SUBMISSION_BYTES_MAX, windowBytes),
                home.packetSizes().less(headerBytes(settings, layers)),
                settings.get(GroupSettings.SEND_TIMEOUT),
                settings.get(GroupSettings.RECEIPT_TIMEOUT),
                new Sending());
        Owner owner = new Owner();
        this.executor = DeliveryExecutor.of(name, settings, listeners, windowBytes / 8, host, home.spares(), owner);
        this.state = replicated == null ? null : new StateTransfer(name, replicated, settings, host, owner);
        if (state != null) {
            executor.use(state);
        }
        this.tasks = new GroupTasks(name, host.driver(), machine, submissions, executor, life::isLeft);
        this.progress = new Progress(owner, executor, submissions, state, stuckNanosMax(settings));
    }

    /** Returns the bytes that a datagram has to hold besides the payload and the headers of every stack. */
    private static int headerBytes(Settings settings, List<LayerProvider> layers) {
        return GroupSettings.orderBytes(settings)
                + layers.stream().mapToInt(LayerProvider::headerBytes).sum();
    }

    private static long stuckNanosMax(Settings settings) {
        return settings.get(GroupSettings.ON_STUCK) == GroupSettings.OnStuck.WAIT
                ? Long.MAX_VALUE
                : settings.get(GroupSettings.STUCK_TIMEOUT).toNanos();
    }

    // ------------------------------------------------------------------ parts and facts

    /** Returns the queue of messages that this member sends. */
    public SubmissionQueue submissions() {
        return submissions;
    }

    /** Returns the fence around the callbacks of the group. */
    public Fence fence() {
        return executor.fence();
    }

    /** Returns the group's progress, for the watch. */
    public Progress progress() {
        return progress;
    }

    /** Has a component on the group looked at once a second. */
    public void watch(Check check) {
        checks.add(check);
    }

    /** Returns this member; null before it has joined. */
    public @Nullable Member self() {
        return tasks.self();
    }

    /** Returns the view that was installed last; null before the first. */
    public @Nullable View view() {
        return view;
    }

    /** Returns whether this member neither leaves, nor has lost the group or the primary partition. */
    public boolean isActive() {
        return suspendedBecause == null && !life.isLeaving() && !life.isLeft();
    }

    /** Returns the reason why this member has left unasked; null if it has not. */
    public @Nullable RuntimeException failure() {
        return life.failure();
    }

    /** Waits until the view has at least {@code count} members; returns false if it has not {@code within} that time. */
    public boolean awaitMembers(int count, Duration within) {
        return awaited.await(count, within, () -> view, life::isLeft);
    }

    /** Returns the progress towards the group's state; null if it has none. */
    public @Nullable StateProgress stateProgress() {
        StateTransfer transfer = state;
        return transfer == null ? null : transfer.progress();
    }

    /** Returns the state of delivery, for {@code tutti view} and tests. */
    public Map<String, Object> status() {
        return executor.status();
    }

    /** Returns the facts that an inspection contains besides the report of the layers. */
    public InspectedGroup inspected() {
        StateProgress coming = stateProgress();
        boolean isReady = life.hasJoined() && (coming == null || coming.phase() == StateProgress.Phase.COMPLETE);
        return new InspectedGroup(
                name, self(), view, isReady, settings, settingTexts, parts(), submissions.waitsFor());
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

    /** Returns whether {@code thread} is in a listener of this group. */
    public boolean isCalledBy(Thread thread) {
        return executor.isCalledBy(thread);
    }

    /** Returns whether {@code thread} is in a listener that runs in the middle of a turn of the loop. */
    public boolean isInline(Thread thread) {
        return executor.isInline(thread);
    }

    /**
     * Changes a setting of this member, from the next use of its value on.
     *
     * @throws IllegalArgumentException if it can't be changed in a group that is joined
     * @throws dev.tutti.core.settings.SettingException if the value is wrong
     */
    public synchronized void change(String setting, String value) {
        if (!CHANGEABLE.contains(setting)) {
            throw new IllegalArgumentException("'" + setting + "' can't be changed while a group is joined; these can: "
                    + String.join(", ", CHANGEABLE));
        }
        Settings changed = settings.with(setting, value, Settings.Source.BUILDER, "an operator");
        settings = changed;
        settingTexts = InspectionBuilder.texts(changed);
        submissions.changeTimeout(changed.get(GroupSettings.SEND_TIMEOUT));
        progress.changeStuckNanosMax(stuckNanosMax(changed));
    }

    // ------------------------------------------------------------------ joining and leaving

    /**
     * Joins on the loop; the future completes when the first view was delivered and everybody was asked. Once.
     *
     * @throws RejectedExecutionException if the loop has ended
     */
    public CompletableFuture<Group> join() {
        tasks.join(
                settings,
                layers,
                host.application(name, settings, executor),
                host.submissions(name, settings, submissions.submitted()),
                refused -> {
                    life.onJoinFailed(refused);
                    close(refused.toString());
                });
        CompletableFuture<Group> joined = life.joined();
        var unused = joined.whenComplete((group, failed) -> {
            if (joined.isCancelled()) {
                leave();
            }
        });
        return joined;
    }

    /** Begins to leave. Idempotent; never waits. */
    public void leave() {
        if (!life.startLeaving()) {
            return;
        }
        RuntimeException cause = life.failure();
        boolean isNode = home.isClosed();
        String why = isNode ? "node " + home.name() + " is closed" : "group " + name + " was left";
        submissions.refuse(
                cause != null ? SendException.Reason.LOST : isNode ? SendException.Reason.NODE_CLOSED : SendException.Reason.LEFT,
                cause == null ? why : String.valueOf(cause.getMessage()),
                cause);
        try {
            tasks.leave(() -> life.onLeft("never joined"));
        } catch (RejectedExecutionException e) {
            close("the node is closed");
        }
    }

    /** Waits until the other members have been told, for as long as the layers may take for it. */
    public void awaitLeft() {
        // Packing and reliability may each use the time-out; a second on top is the loop's.
        long boundMillis = leaveTimeoutMillis() * 2 + 1_000;
        if (!life.awaitLeft(boundMillis)) {
            LOG.warn("group {}: not left within {} ms; the node goes on without it", name, boundMillis);
            close("left without an answer from the loop");
        }
    }

    /** Stops calling listeners, except for {@code onClosed}; a running callback is not interrupted. */
    public void silence() {
        executor.silence();
    }

    /** Waits until the last listener has returned, unless the current thread is in a listener itself. */
    public void awaitEndedUnlessCalled() {
        if (executor.isCalledBy(Thread.currentThread())) {
            executor.silence();
        } else {
            awaitEnded();
        }
    }

    private void awaitEnded() {
        try {
            if (!life.awaitEnded(leaveTimeoutMillis() + 1_000)) {
                executor.silence();
                Calls.Running running = executor.running();
                LOG.warn("group {}: closed while {} has not returned; it is not called again", name,
                        running == null ? "a listener" : running.callback());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            executor.silence();
        }
    }

    private long leaveTimeoutMillis() {
        return settings.get(GroupSettings.LEAVE_TIMEOUT).toMillis();
    }

    /** Leaves because the callback of a component can't continue, as {@link Group#fail} does. */
    public void fail(String callback, String consequence, Throwable cause) {
        executor.countFailure();
        failures.onComponentFailed(callback, consequence, cause);
    }

    /**
     * Leaves because this member can't continue. No listener is called any more but {@code onClosed}; sends and {@code
     * join} fail with the cause. From any thread, callbacks included; never waits.
     */
    private void fail(RuntimeException cause) {
        executor.silence();
        life.onFailed(cause);
        // A joining caller learns of it when the group is left, so that it can join again at once.
        leave();
    }

    /** Ends the group because the node's loop has ended: nobody can leave in order. */
    public void lose(RuntimeException cause) {
        boolean isFirst = !life.isLeft();
        life.onFailed(cause);
        life.startLeaving();
        String reason = String.valueOf(cause.getMessage());
        close(reason);
        if (isFirst) {
            executor.onLost(reason);
        }
    }

    /** Ends the group, because it was left or its node has ended. */
    public void close(String reason) {
        // Unless sends are refused already, the end was not asked for.
        submissions.close(home.isClosed() ? SendException.Reason.NODE_CLOSED : SendException.Reason.LOST, reason, life.failure());
        StateTransfer transfer = state;
        if (transfer != null) {
            transfer.onLeft(reason);
        }
        // First: a caller that waits for the end may join the same group again at once.
        home.forget();
        RuntimeException cause = life.failure();
        life.onJoinFailed(cause != null ? cause : new IllegalStateException("group " + name + " was not joined: " + reason));
        life.onLeft(reason);
        awaited.onEnd();
    }

    /** Leaves because of a failure. */
    private final class Leaving implements FailurePolicy.Leaver {

        @Override
        public boolean isLeft() {
            return life.isLeft();
        }

        @Override
        public void fail(RuntimeException cause) {
            LocalMember.this.fail(cause);
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
            tasks.onSubmitted();
        }

        @Override
        public void look() {
            tasks.look();
        }

        @Override
        public @Nullable Member self() {
            return LocalMember.this.self();
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
            return home.unstable(reason, message, sender, known, settled);
        }

        @Override
        public void onWaited(long nanos, String reason) {
            events.onSendWaited(nanos, reason);
        }
    }

    /** Reacts to events of the executor and of the state transfer, and answers the watch. */
    private final class Owner implements DeliveryExecutor.Owner, StateTransfer.Owner, Progress.Owner {

        @Override
        public String name() {
            return name;
        }

        @Override
        public @Nullable Member self() {
            return LocalMember.this.self();
        }

        @Override
        public List<Check> checks() {
            return checks;
        }

        @Override
        public boolean hasJoined() {
            return life.isJoinOver();
        }

        @Override
        public @Nullable String suspendedBecause() {
            return suspendedBecause;
        }

        @Override
        public void leaveStuck(Calls.Running stuck, long nanos) {
            if (!life.isLeaving()) {
                executor.abandon();
                failures.onStuck(stuck, nanos);
            }
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
            StateTransfer transfer = state;
            if (transfer != null) {
                events.onState(transfer.progress());
            }
        }

        @Override
        public void onFailed(String reason, @Nullable Throwable cause) {
            events.onStateFailed(reason, cause);
            String text = "group " + name + ": " + reason;
            LocalMember.this.fail(cause == null ? new StateException(text) : new StateException(text, cause));
        }

        @Override
        public void handOver(List<byte[]> messages) {
            int sent = 0;
            try {
                for (byte[] message : messages) {
                    submissions.send(null, message, 0, message.length);
                    sent++;
                }
            } catch (SendException e) {
                failures.onNotHandedOver(e, messages.size() - sent, messages.size());
            }
        }

        @Override
        public void onCallbackFailed(String callback, Throwable thrown) {
            failures.onFailed(callback, null, thrown);
        }

        @Override
        public boolean onFailed(String callback, @Nullable Message message, Throwable thrown) {
            return failures.onFailed(callback, message, thrown);
        }

        @Override
        public void onBroken(Throwable thrown) {
            failures.onBroken(thrown);
        }

        @Override
        public void onUnreadable(@Nullable Member sender) {
            events.onUnreadable(sender);
        }

        @Override
        public void onEnded() {
            life.onEnded();
        }

        @Override
        public void onConsumed() {
            tasks.onConsumed();
        }

        @Override
        public void onSlow(Member sender, long nanos) {
            events.onSlowListener(sender, nanos);
        }

        @Override
        public void onInstalled(View installed) {
            View before = view;
            view = before == null ? installed : installed.after(before);
            suspendedBecause = null;
            awaited.onView(installed);
            events.onView(before, installed);
        }

        @Override
        public void onKnown(long ticket, Delivery delivery) {
            submissions.onKnown(ticket, delivery);
        }

        @Override
        public void onSuspended(String reason) {
            suspendedBecause = reason;
            events.onSuspended(reason);
        }

        @Override
        public void onJoined() {
            if (!life.isJoinOver()) {
                events.onJoined(view);
                life.onJoined(home.group());
            }
        }

        @Override
        public String onLeft(String reason) {
            RuntimeException cause = life.failure();
            String told = cause == null ? reason : String.valueOf(cause.getMessage());
            events.onLeft(told);
            if (cause != null || !life.isLeaving()) {
                home.onLost(told);
            }
            close(told);
            return told;
        }
    }
}
