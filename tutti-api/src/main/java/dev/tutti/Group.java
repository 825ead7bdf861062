package dev.tutti;

import dev.tutti.core.Delivery;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.core.settings.Settings;
import dev.tutti.internal.Check;
import dev.tutti.internal.Fence;
import dev.tutti.internal.Host;
import dev.tutti.internal.diagnostics.EventJournal;
import dev.tutti.internal.group.Home;
import dev.tutti.internal.group.LocalMember;
import dev.tutti.internal.submission.SubmissionQueue;
import dev.tutti.protocols.node.GroupSettings;
import dev.tutti.protocols.node.NodeMachine;
import dev.tutti.protocols.packing.Marks;
import dev.tutti.protocols.packing.PacketSizes;
import dev.tutti.protocols.packing.SpareArrays;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A member's handle on its group.
 *
 * <p>All methods may be called from any thread, listeners included. Messages of one thread are delivered in the order
 * of sending at every member, the sender included; see {@code docs/guarantees.md}.
 *
 * <p>A listener that waits in a send holds up the members whose messages it should consume. A window also counts what
 * its member has sent to itself, so a listener of messages in order that sends more than fits into the window would
 * wait for itself: that fails at once, with {@link SendException.Reason#LISTENER}. Answer large requests with {@link
 * #sendAsync}, or on another thread, or {@linkplain SendOptions#NOT_TO_SELF not to yourself}. Listeners may wait for other members, a view, or another group; those of messages
 * with a {@link Scope} may wait, too: delivery in order goes on beside them. {@code send-timeout} bounds the wait.
 */
public final class Group implements AutoCloseable {

    private final Node node;
    private final String name;
    private final Settings settings;
    private final LocalMember member;
    private final SubmissionQueue submissions;

    Group(Node node, GroupBuilder builder, Settings settings, Host host, NodeMachine machine) {
        this.node = node;
        this.name = builder.name();
        this.settings = settings;
        this.member = new LocalMember(
                name,
                settings,
                builder.layers(),
                builder.listeners(this, host),
                builder.stateFor(settings),
                host,
                machine,
                new NodeHome());
        this.submissions = member.submissions();
    }

    /** Returns the member that this is a handle on, for the node. */
    LocalMember member() {
        return member;
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
        return Objects.requireNonNull(member.self(), "the group is not joined");
    }

    /** Returns the view that was installed last; listeners may still be at an earlier one. */
    public View view() {
        return Objects.requireNonNull(member.view(), "the group is not joined");
    }

    /**
     * Returns whether this member is in the primary partition, as far as it knows, in groups with {@code partition:
     * primary}. It may be cut off and not have noticed yet; an action that must not happen twice also needs {@link
     * View#epoch} as a fencing token. Returns false as soon as this member begins to leave, or has lost the group.
     */
    public boolean isPrimary() {
        return view().isPrimary() && member.isActive();
    }

    /**
     * Returns the reason why this member has left the group unasked: a callback threw an error, no member could give
     * the state, or the node stopped. Null while it is a member, and after an ordinary {@link #close}.
     */
    public @Nullable Throwable failure() {
        return member.failure();
    }

    /**
     * Waits until the view has at least {@code count} members.
     *
     * @return whether it had within {@code within}; otherwise, or if the group is left meanwhile, false
     * @throws IllegalStateException if called by a listener that runs on the loop
     */
    public boolean awaitMembers(int count, Duration within) {
        node.checkMayWait("awaitMembers");
        return member.awaitMembers(count, within);
    }

    /** Returns what a send would wait for now, as a text for people; empty if it would proceed. */
    public String waitsFor() {
        return submissions.waitsFor();
    }

    /** Returns the state of delivery, for {@code tutti view}. */
    Map<String, Object> status() {
        Map<String, Object> status = new LinkedHashMap<>(member.status());
        status.put("send-waits-for", waitsFor());
        return status;
    }

    /**
     * Returns this member's progress towards the group's state.
     *
     * @throws IllegalStateException if the group has none, see {@link GroupBuilder#state}
     */
    public StateProgress stateProgress() {
        StateProgress progress = member.stateProgress();
        if (progress == null) {
            throw new IllegalStateException("group " + name + " has no state that is handed over; see GroupBuilder.state");
        }
        return progress;
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
     * Sends to all members, with options: in a {@link Scope}, or {@linkplain SendOptions#NOT_TO_SELF not to this one}.
     *
     * @throws SendException also if the message is out of band and larger than a packet
     */
    public void send(byte[] message, SendOptions options) {
        submissions.send(null, message, options.marks());
    }

    /** Sends to one member, in order with other messages to it in this scope only. */
    public void sendTo(Member receiver, byte[] message, Scope scope) {
        checkMember(receiver);
        submissions.send(receiver, message, scope.marks());
    }

    /** Sends if that is possible at once. Otherwise {@link #waitsFor} gives the reason. */
    public boolean trySend(byte[] message) {
        return submissions.trySend(null, message, 0, message.length, Marks.NONE);
    }

    /**
     * Sends with options if that is possible at once.
     *
     * @throws SendException if the message is out of band and larger than a packet, or the group is left
     */
    public boolean trySend(byte[] message, SendOptions options) {
        return submissions.trySend(null, message, 0, message.length, options.marks());
    }

    /** Sends a range of an array if that is possible at once; the array may be used again when the method returns. */
    public boolean trySend(byte[] message, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, message.length);
        return submissions.trySend(null, message, offset, length, Marks.NONE);
    }

    /** Sends a range of an array to one member if that is possible at once. */
    public boolean trySendTo(Member receiver, byte[] message, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, message.length);
        checkMember(receiver);
        return submissions.trySend(receiver, message, offset, length, Marks.NONE);
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
        return submissions.sendStable(self(), view(), null, message, Marks.NONE, stability);
    }

    /** Sends to all members, with options, and gives a receipt. */
    public CompletableFuture<Delivery> sendStable(byte[] message, SendOptions options, Stability stability) {
        checkReceiptsOfAll();
        return submissions.sendStable(self(), view(), null, message, options.marks(), stability);
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
        return submissions.sendStable(self(), view(), receiver, message, Marks.NONE, Stability.ALL);
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
     * <p>No listener of the group is called after this method has returned. If a listener calls it, {@code onClosed}
     * follows when that listener has returned, and no other callback does. A listener that does not return within
     * {@code leave-timeout} is abandoned, with a warning.
     *
     * @throws IllegalStateException if called by a listener of a group that is {@link GroupBuilder#inline}: the loop
     *     would wait for itself
     */
    @Override
    public void close() {
        node.checkMayWait("close of group " + name);
        if (member.isCalledBy(Thread.currentThread())) {
            member.silence();
        }
        member.leave();
        member.awaitLeft();
        member.awaitEndedUnlessCalled();
    }

    /**
     * Returns the fence around the callbacks of this group, for components on top of groups. An exception that passes
     * through it is counted and reported like a listener's; an error makes this member leave the group.
     */
    @SuppressWarnings("exports") // who may use it can see it
    public Fence fence() {
        return member.fence();
    }

    /**
     * Asks {@code check} once a second, until the group is left, whether anything is wrong with a component on this
     * group. Findings are reported like other {@linkplain Problem problems}.
     */
    @SuppressWarnings("exports") // who may use it can see it
    public void watch(Check check) {
        member.watch(check);
    }

    /**
     * Leaves the group at once, because a component on it can't continue as at the other members. Only {@code onClosed}
     * is still called; sends and {@link GroupBuilder#join} fail with the cause. From any thread; never waits.
     *
     * @param callback name of the callback that has failed, such as {@code apply}
     * @param consequence reason why this member can't continue, as a sentence without its full stop
     */
    public void fail(String callback, String consequence, Throwable cause) {
        member.fail(callback, consequence, cause);
    }

    /** The node, for the member. */
    private final class NodeHome implements Home {

        @Override
        public Group group() {
            return Group.this;
        }

        @Override
        public String name() {
            return node.name();
        }

        @Override
        public boolean isClosed() {
            return node.isClosed();
        }

        @Override
        public EventJournal journal() {
            return node.journal();
        }

        @Override
        public SpareArrays spares() {
            return node.spares();
        }

        @Override
        public PacketSizes packetSizes() {
            return node.packetSizes();
        }

        @Override
        public void onLost(String reason) {
            node.onLost(name, reason);
        }

        @Override
        public void forget() {
            node.forget(Group.this);
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
    }

    @Override
    public String toString() {
        return "group " + name + ", " + member.view();
    }
}
