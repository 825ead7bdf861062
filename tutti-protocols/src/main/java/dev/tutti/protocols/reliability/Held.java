package dev.tutti.protocols.reliability;

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
 * <p>None may be lost as long as its session lasts, since nothing would repair that. What a sender can have under way is
 * bounded: in one view a window to all and a window to this member. Once it sends in a later view, what it sent in those
 * before is of no use: this member will come to the later one from where it is, or fetch. Of what is absolute, the latest
 * stands for all.
 */
final class Held {

    /**
     * @param viewNumber of the view that it waits for
     * @param kind of {@link Reliability}
     * @param packet as it came, header included
     */
    private record Entry(Member sender, long viewNumber, int kind, Packet packet) {}

    /** What is held of one sender. */
    private static final class Share {
        private long viewNumber;

        /** By stream: what is its own, and what it passes on of each other member. */
        private final Map<Integer, Long> bytes = new TreeMap<>();

        private long totalBytes;
    }

    /** Streams of one sender that may be full at a time: those who send at once share one and a half windows. */
    private static final int STREAMS_FULL = 4;

    private final long windowBytes;
    private final List<Entry> entries = new ArrayList<>();
    private final Map<Member, Share> shares = new TreeMap<>();

    Held(long windowBytes) {
        this.windowBytes = windowBytes;
    }

    int size() {
        return entries.size();
    }

    /**
     * Keeps the packet, or says that there is no room for it: then its sender does not keep to the window.
     *
     * @param stream 0 for what is the sender's own; else one more than the rank of whose packet it passes on
     * @param isAbsolute the latest of its kind is all that counts
     * @param isRepeated if there is no room it may be dropped: it comes again when it is asked for
     */
    boolean hold(
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
            // Headers are smaller than what a window counts for each packet besides its payload.
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

    /** The view that its packets wait for may never be installed here; what is needed of them comes again. */
    void forget(Member sender, Outbox out) {
        remove(sender, entry -> true, out);
        shares.remove(sender);
    }

    /**
     * A view has begun: what waits for later ones and was sent by members that are neither in it nor have a session is of no
     * use, however high the number of the view that it waits for.
     */
    void forgetStrangers(View begun, Set<Member> closed, Outbox out) {
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

    /** Takes out what waited for views up to {@code viewNumber}, in order; what waits for later ones stays. */
    List<Packet> takeUpTo(long viewNumber) {
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

    void free() {
        entries.forEach(entry -> entry.packet().release());
        entries.clear();
    }
}
