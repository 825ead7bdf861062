package dev.tutti.protocols.reliability.buffer;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Outbox;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Packets of views that this member has not installed yet, in the order in which they came (decision D8 of
 * docs/design/membership.md).
 *
 * <p>None may be lost as long as its session lasts, since nothing would repair that. The packets of a sender are
 * bounded: in one view by a window to all and a window to this member. Once it sends in a later view, its packets of
 * earlier ones are useless: this member will come to the later view from its present one, or fetch. Of packets with
 * absolute values the latest replaces all.
 */
public final class FutureViewBuffer {

    /**
     * @param viewNumber number of the view that it waits for
     * @param kind first byte of the packet
     * @param packet packet as it arrived, including its header
     */
    private record Entry(Member sender, long viewNumber, int kind, Packet packet) {}

    /** Packets held of one sender. */
    private static final class Share {
        private long viewNumber;

        /** Bytes by stream: its own, and the packets it passes on of each other member. */
        private final Map<Integer, Long> bytes = new TreeMap<>();

        private long totalBytes;
    }

    /** Streams of one sender that may be full at a time: members that send at once share one and a half windows. */
    private static final int STREAMS_FULL = 4;

    private final long windowBytes;
    private final List<Entry> entries = new ArrayList<>();
    private final Map<Member, Share> shares = new TreeMap<>();

    public FutureViewBuffer(long windowBytes) {
        this.windowBytes = windowBytes;
    }

    public int size() {
        return entries.size();
    }

    /**
     * Keeps the packet, or returns false if there is no room for it, because its sender violates the window.
     *
     * @param stream 0 for the sender's own packets; else one more than the rank of the member whose packet it passes on
     * @param isAbsolute only the latest of its kind counts
     * @param isRepeated it may be dropped if there is no room: it comes again on request
     */
    public boolean hold(
            Member sender,
            int stream,
            long viewNumber,
            int kind,
            boolean isAbsolute,
            boolean isRepeated,
            Packet packet,
            Outbox out) {
        Share share = shares.computeIfAbsent(sender, key -> new Share());
        if (viewNumber > share.viewNumber) {
            remove(sender, entry -> true, out);
            share.viewNumber = viewNumber;
            share.bytes.clear();
            share.totalBytes = 0;
        } else if (viewNumber < share.viewNumber) {
            out.drop(packet, DropReason.OLD_VIEW);
            return true;
        }
        if (isAbsolute) {
            remove(sender, entry -> entry.kind() == kind, out);
        } else {
            // Headers are smaller than the overhead that a window counts for each packet.
            long heldBytes = share.bytes.merge(stream, (long) packet.length(), Long::sum);
            share.totalBytes += packet.length();
            if (heldBytes > 2 * windowBytes || share.totalBytes > STREAMS_FULL * 2 * windowBytes) {
                share.totalBytes -= packet.length();
                share.bytes.put(stream, heldBytes - packet.length());
                if (isRepeated) {
                    out.drop(packet, DropReason.HELD_FULL);
                }
                return isRepeated;
            }
        }
        entries.add(new Entry(sender, viewNumber, kind, packet));
        return true;
    }

    /** Forgets the packets of a sender: their view may never be installed here, and needed ones will come again. */
    public void forget(Member sender, Outbox out) {
        remove(sender, entry -> true, out);
        shares.remove(sender);
    }

    /**
     * Forgets packets of senders that are neither in the new view nor have a session: they are useless, however high
     * the number of their view is.
     */
    public void forgetStrangers(View begun, Set<Member> closed, Outbox out) {
        for (Member sender : List.copyOf(shares.keySet())) {
            if (closed.contains(sender) && !begun.contains(sender)) {
                forget(sender, out);
            }
        }
    }

    private void remove(Member sender, Predicate<Entry> isObsolete, Outbox out) {
        for (Iterator<Entry> iterator = entries.iterator(); iterator.hasNext(); ) {
            Entry entry = iterator.next();
            if (entry.sender().equals(sender) && isObsolete.test(entry)) {
                iterator.remove();
                out.drop(entry.packet(), DropReason.OLD_VIEW);
            }
        }
    }

    /** Removes and returns the packets of views up to {@code viewNumber}, in order; those of later views stay. */
    public List<Packet> takeUpTo(long viewNumber) {
        List<Packet> due = new ArrayList<>();
        for (Iterator<Entry> iterator = entries.iterator(); iterator.hasNext(); ) {
            Entry entry = iterator.next();
            if (entry.viewNumber() <= viewNumber) {
                iterator.remove();
                due.add(entry.packet());
            }
        }
        shares.values().removeIf(share -> share.viewNumber <= viewNumber);
        return due;
    }

    public void free() {
        entries.forEach(entry -> entry.packet().release());
        entries.clear();
    }
}
