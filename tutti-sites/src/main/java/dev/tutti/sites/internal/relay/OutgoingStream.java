package dev.tutti.sites.internal.relay;

import dev.tutti.core.Member;
import dev.tutti.sites.internal.log.Entry;
import dev.tutti.sites.internal.log.OriginMember;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Stream of a site group's messages to one other site, at the master that sends it: open from the answer of the other
 * site's master on, until the other side or this one loses its part. It may begin to send before that answer. Not thread-safe.
 */
public final class OutgoingStream {

    /** Messages that were sent together, and are not acknowledged. */
    private record InFlight(SequenceVector last, long bytes, long sentNanos) {}

    /** Most bytes that are sent before the answer: all of them in vain if the receiver does not take the stream. */
    private static final long UNANSWERED_BYTES_MAX = 512 << 10;

    private final String site;
    private final Member receiver;
    private final long number;
    private final long windowBytes;
    private final SequenceVector sent = new SequenceVector();
    private final ArrayDeque<InFlight> inFlight = new ArrayDeque<>();

    /** Items that tell the receiver of messages that are not for it; sent first. */
    private final List<RelayItem> opening = new ArrayList<>();

    private SequenceVector batch = new SequenceVector();
    private long position = -1;
    private long inFlightBytes;
    private long acknowledgedAfterNanos = -1;
    private boolean isOpen;

    /** Messages that the stream begins behind; null if it waits for the answer, which says it. */
    private @Nullable SequenceVector behind;

    /**
     * @param site that it goes to
     * @param receiver master there
     * @param number of the stream, never used twice by this master
     * @param windowBytes that may be under way without an acknowledgement
     */
    public OutgoingStream(String site, Member receiver, long number, long windowBytes) {
        this.site = site;
        this.receiver = receiver;
        this.number = number;
        this.windowBytes = windowBytes;
    }

    public String site() {
        return site;
    }

    public Member receiver() {
        return receiver;
    }

    public long number() {
        return number;
    }

    /** Returns whether the receiver has answered. */
    public boolean isOpen() {
        return isOpen;
    }

    /** Returns the bytes that are under way. */
    public long inFlightBytes() {
        return inFlightBytes;
    }

    /** Returns the time from the sending of the last messages that were acknowledged to their acknowledgement; -1 before the first. */
    public long acknowledgedAfterNanos() {
        return acknowledgedAfterNanos;
    }

    SequenceVector sent() {
        return sent;
    }

    long position() {
        return position;
    }

    void advance() {
        position++;
    }

    void moveTo(long first) {
        position = first;
    }

    void onSent(OriginMember member, long sequence) {
        sent.raise(member, sequence);
        batch.raise(member, sequence);
    }

    /**
     * Begins without an answer, behind the messages that the receiver's site has acknowledged. What it has delivered besides is sent again.
     */
    public void begin(Retention retention) {
        SequenceVector acknowledged = retention.acknowledged(site).copy();
        behind = acknowledged;
        sent.raise(acknowledged);
    }

    /** Returns the messages that the stream begins behind; null if it waits for the answer. */
    public @Nullable SequenceVector behind() {
        return behind;
    }

    /**
     * Returns whether the stream can go on with this answer: without it, the receiver has not taken what was sent, since that begins
     * behind messages which it lacks.
     */
    public boolean isTaken(SequenceVector delivered) {
        return behind == null || delivered.covers(behind);
    }

    /** Takes the answer: the receiver's site has delivered these messages. */
    public void open(SequenceVector delivered, Retention retention) {
        isOpen = true;
        sent.raise(delivered);
        retention.acknowledged(site).asMap().forEach((member, last) -> {
            long first = sent.of(member) + 1;
            if (first <= last) {
                // Either the site knows nothing of the sender, since it is new or was restarted as a whole, or it was divided
                // and goes on with the state of another part than the one that has acknowledged.
                opening.add(first == 1 ? new RelayItem.Skip(member, first, last) : new RelayItem.Lost(member, first, last));
                sent.raise(member, last);
            }
        });
    }

    /** Returns whether as many bytes are under way as may be. */
    public boolean isFull() {
        return inFlightBytes >= limitBytes();
    }

    private long limitBytes() {
        return isOpen ? windowBytes : Math.min(windowBytes, UNANSWERED_BYTES_MAX);
    }

    /** Returns the next items to send; none if there are none, or the window is full. */
    public List<RelayItem> next(Retention retention, int bytesMax, long nowNanos) {
        if (!mayGoOn(retention) || isFull()) {
            return List.of();
        }
        batch = new SequenceVector();
        List<RelayItem> items = new ArrayList<>(opening);
        opening.clear();
        items.addAll(retention.next(this, Math.min(bytesMax, limitBytes() - inFlightBytes)));
        if (!items.isEmpty()) {
            long bytes = bytes(items);
            inFlight.add(new InFlight(batch, bytes, nowNanos));
            inFlightBytes += bytes;
        }
        return items;
    }

    /** Messages that were dropped are told as lost, and only the answer says which of them the receiver's site has. */
    private boolean mayGoOn(Retention retention) {
        return isOpen || behind != null && sent.covers(retention.dropped());
    }

    /** Takes an acknowledgement. */
    public void onAcknowledged(SequenceVector has, long nowNanos) {
        while (!inFlight.isEmpty() && has.covers(inFlight.getFirst().last)) {
            InFlight arrived = inFlight.removeFirst();
            inFlightBytes -= arrived.bytes;
            acknowledgedAfterNanos = nowNanos - arrived.sentNanos;
        }
    }

    /** Returns the size of items, for windows. */
    public static long bytes(List<RelayItem> items) {
        long bytes = 0;
        for (RelayItem item : items) {
            bytes += Entry.OVERHEAD_BYTES + (item instanceof RelayItem.Sent sent ? sent.content().length : 0);
        }
        return bytes;
    }
}
