package dev.tutti.protocols.packing;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Layer;
import dev.tutti.core.stack.Outbox;
import dev.tutti.core.stack.Report;
import dev.tutti.core.stack.Signal;
import dev.tutti.core.stack.Timer;
import dev.tutti.protocols.reliability.Charge;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Highest layer: takes the messages that the application has submitted and sends them as far as the windows allow.
 * During a view change those to all wait for the new view, and those to single members go on.
 *
 * <p>No timer delays a message to fill a packet. A single one leaves in the turn in which it is seen; under load many
 * share a packet because they have waited for the turn.
 */
public final class Packing implements Layer {

    enum PackingTimer implements Timer {

        /** A leave has waited long enough for accepted messages to be sent. */
        LEAVE
    }

    /** Position and limit of a stream. */
    private static final class Stream {
        private long sentBytes;
        private long limitBytes;
        private @Nullable Member waitsFor;

        Stream(long limitBytes) {
            this.limitBytes = limitBytes;
        }
    }

    /** Obstacle that submissions wait for; see {@link Submissions#explain}. */
    private record Obstacle(String waitsFor, @Nullable Member closedBy) {

        static final Obstacle NONE = new Obstacle("", null);

        /** Returns the obstacle with one more receiver. */
        Obstacle and(String reason, @Nullable Member closer) {
            boolean isSame = this == NONE || closer != null && closer.equals(closedBy);
            return new Obstacle(reason, isSame ? closer : null);
        }
    }

    /**
     * Headers that layers between this one and reliability add, which windows count.
     *
     * @param toAllBytes bytes of a multicast
     * @param toOneBytes bytes of a packet to one member
     */
    public record Headers(int toAllBytes, int toOneBytes) {

        static final Headers NONE = new Headers(0, 0);

        int bytes(@Nullable Member receiver) {
            return receiver == null ? toAllBytes : toOneBytes;
        }
    }

    private final Submissions submissions;
    private final long leaveTimeoutNanos;
    private final Headers headers;
    private final long windowBytes;
    private final @Nullable LargeMessages large;
    private final Stream toAll = new Stream(0);

    /** Streams to single members. Any other member, of possibly thousands, has a whole window and was sent nothing. */
    private final TreeMap<Member, Stream> toOne = new TreeMap<>();

    private List<Member> members = List.of();
    private boolean isFrozen;

    /** State in which nothing is sent, not even to single members: before the first steady view, and outside of the primary partition. */
    private boolean isSuspended = true;

    private boolean isLeaving;
    private boolean isPending;
    private long allowanceBytes = Long.MAX_VALUE;
    private String allowanceReason = "";

    /** Position of the receiver that is served first: not again the one that has exhausted the allowance. */
    private int firstReceiver;

    private long packetsSent;
    private long payloadBytesSent;
    private long windowClosed;

    public Packing(Submissions submissions, long leaveTimeoutNanos, long windowBytes) {
        this(submissions, leaveTimeoutNanos, windowBytes, Headers.NONE, null);
    }

    /**
     * @param windowBytes initial window of a stream to one member, unless another one is signalled
     * @param large null where only {@link Reassembly#MESSAGE_BYTES_MAX} bounds messages
     */
    public Packing(
            Submissions submissions,
            long leaveTimeoutNanos,
            long windowBytes,
            Headers headers,
            @Nullable LargeMessages large) {
        this.submissions = submissions;
        this.leaveTimeoutNanos = leaveTimeoutNanos;
        this.windowBytes = windowBytes;
        this.headers = headers;
        this.large = large;
        if (large != null) {
            large.begin(submissions);
        }
    }

    @Override
    public void onSend(Packet packet, Outbox out) {
        throw new IllegalStateException("packing is the highest layer");
    }

    @Override
    public void onReceive(Packet packet, Outbox out) {
        if (!Records.isTurn(packet)) {
            out.deliver(packet);
            return;
        }
        isPending = true;
        if (large == null || !large.onPacket(packet)) {
            out.drop(packet.slice(), DropReason.MALFORMED);
        }
        out.consumed(packet);
    }

    @Override
    public void onSignal(Signal signal, Outbox out) {
        if (signal instanceof Signal.ViewChange.Installed) {
            submissions.restart(null);
        }
        if (large != null) {
            large.onSignal(signal);
        }
        switch (signal) {
            case Signal.Flow.Submitted() -> isPending = true;
            case Signal.Flow.Window(Member receiver, long limitBytes, Member waitsFor) -> {
                Stream stream = receiver == null ? toAll : toOne.computeIfAbsent(receiver, key -> new Stream(0));
                stream.limitBytes = limitBytes;
                stream.waitsFor = waitsFor == null ? receiver : waitsFor;
                isPending = true;
            }
            case Signal.Flow.Allowance(long bytes, String reason) -> {
                allowanceBytes = bytes;
                allowanceReason = reason;
                isPending = true;
            }
            case Signal.Flow.StreamReset(Member receiver, boolean isMember) -> {
                toOne.remove(receiver);
                submissions.discard(receiver, receiver + (isMember ? " has been in another view" : " is not in the view"));
                isPending = true;
            }
            case Signal.ViewChange.Freeze(ViewId ballot) -> {
                isFrozen = true;
                submissions.explain(Submissions.VIEW_CHANGING, null);
                out.lower(new Signal.ViewChange.Frozen(ballot, new TreeMap<>()));
            }
            case Signal.Primary.Suspended(String reason) -> {
                isSuspended = true;
                submissions.explain(reason, null);
                out.forward(signal);
            }
            case Signal.ViewChange.Installed(View view, int version, boolean isSteady) -> {
                isFrozen = !isSteady;
                isSuspended &= !isSteady;
                members = view.members();
                isPending = true;
                out.raise(signal);
            }
            case Signal.Peer.MessageLimit(Member member, long bytes) -> isPending = true;
            case Signal.Departure.Leave() -> {
                isLeaving = true;
                isPending = true;
                out.arm(PackingTimer.LEAVE, leaveTimeoutNanos);
            }
            default -> out.forward(signal);
        }
    }

    @Override
    public void onTurnEnd(Outbox out) {
        if (!isPending) {
            return;
        }
        isPending = false;
        if (isFrozen) {
            if (!isSuspended && isReliable()) {
                sendToOne(out);
            }
            return;
        }
        Turns turns = large == null ? null : large.turns();
        if (turns != null) {
            turns.settle();
        }
        Obstacle obstacle = sendAll(turns, out);
        if (turns != null) {
            // The coordinator itself gets its turn, and the next one, at once.
            turns.settle();
            while (askForTurns(turns)) {
                obstacle = sendAll(turns, out);
                turns.settle();
            }
            tell(turns, out);
        }
        submissions.explain(obstacle.waitsFor(), obstacle.closedBy());
        if (isLeaving && submissions.isEmpty()) {
            leave(out);
        }
    }

    /** Asks for turns. Returns whether a message has now got one. */
    private boolean askForTurns(Turns turns) {
        for (Member receiver : submissions.receivers()) {
            Submissions.Large wanted = submissions.wantsTurn(receiver);
            if (wanted != null && turns.ask(receiver, wanted)) {
                return true;
            }
        }
        return false;
    }

    private void tell(Turns turns, Outbox out) {
        Turns.Addressed next = turns.takeWord();
        while (next != null) {
            Stream stream = stream(next.receiver());
            if (stream != null) {
                Packet packet = Packet.create(out.memory(), Turns.BYTES);
                next.word().write(packet);
                // Sent regardless of the window: other members wait for it.
                stream.sentBytes += packet.length() + Charge.OVERHEAD_BYTES + headers.bytes(next.receiver());
                out.send(packet.withPeer(next.receiver()));
            }
            next = turns.takeWord();
        }
    }

    private Obstacle sendAll(@Nullable Turns turns, Outbox out) {
        Obstacle obstacle = Obstacle.NONE;
        List<@Nullable Member> receivers = submissions.receivers();
        int first = firstReceiver;
        for (int index = 0; index < receivers.size(); index++) {
            int position = (first + index) % receivers.size();
            Member receiver = receivers.get(position);
            Stream stream = stream(receiver);
            if (stream == null) {
                // It was submitted after the view without the receiver was installed, or before any with it.
                submissions.discard(Objects.requireNonNull(receiver), receiver + " is not in the view");
                continue;
            }
            boolean mayTake = allowanceBytes > 0;
            send(receiver, stream, out);
            if (mayTake && allowanceBytes <= 0) {
                firstReceiver = position + 1;
            }
            if (turns != null && turns.isAwaited(receiver)) {
                obstacle = obstacle.and("a large message waits for its turn, because others fill the memory of the group's members "
                        + "(message-bytes-max)", null);
            } else if (allowanceBytes <= 0 && submissions.isWaiting(receiver)) {
                obstacle = obstacle.and(allowanceReason, null);
            } else if (stream.waitsFor != null && submissions.isWaiting(receiver)) {
                windowClosed++;
                obstacle = obstacle.and(Submissions.WINDOW_CLOSED + stream.waitsFor, stream.waitsFor);
            }
        }
        return obstacle;
    }

    private boolean isReliable() {
        return large == null || large.turns() != null;
    }

    /**
     * Sends messages to single members of the present view while the next one is being agreed on. Their streams go on from view to view,
     * so that the receiver takes them in either. In an unreliable group it would drop them in the next view, so there they wait.
     */
    private void sendToOne(Outbox out) {
        for (Member receiver : submissions.receivers()) {
            Stream stream = receiver == null ? null : stream(receiver);
            if (stream != null) {
                send(receiver, stream, out);
            }
        }
    }

    private @Nullable Stream stream(@Nullable Member receiver) {
        if (receiver == null) {
            return toAll;
        }
        Stream stream = toOne.get(receiver);
        if (stream == null && members.contains(receiver)) {
            stream = new Stream(windowBytes);
            stream.waitsFor = receiver;
            toOne.put(receiver, stream);
        }
        return stream;
    }

    private void send(@Nullable Member receiver, Stream stream, Outbox out) {
        int overheadBytes = Charge.OVERHEAD_BYTES + headers.bytes(receiver);
        Packet packet = take(receiver, stream.limitBytes - stream.sentBytes - overheadBytes);
        while (packet != null) {
            packetsSent++;
            payloadBytesSent += packet.length();
            allowanceBytes -= packet.length();
            stream.sentBytes += packet.length() + overheadBytes;
            out.send(packet.withPeer(receiver));
            packet = take(receiver, stream.limitBytes - stream.sentBytes - overheadBytes);
        }
    }

    private @Nullable Packet take(@Nullable Member receiver, long bytesMax) {
        return allowanceBytes > 0 ? submissions.take(receiver, bytesMax) : null;
    }

    @Override
    public List<? extends Timer> timers() {
        return List.of(PackingTimer.values());
    }

    @Override
    public void onTimer(Timer timer, Outbox out) {
        if (isLeaving) {
            leave(out);
        }
    }

    private void leave(Outbox out) {
        isLeaving = false;
        out.disarm(PackingTimer.LEAVE);
        out.lower(new Signal.Departure.Leave());
    }

    @Override
    public void report(Report report) {
        Report section = report.section("packing");
        section.put("sent-packets", packetsSent);
        section.put("sent-bytes", payloadBytesSent);
        section.put("window-closed", windowClosed);
        section.put("frozen", isFrozen ? 1 : 0);
        if (large != null) {
            large.report(section);
        }
    }
}
