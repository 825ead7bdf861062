package dev.tutti.protocols.reliability;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Packets of views that this member has not installed yet, in the order in which they came; at most a window for each
 * sender (decision D8 of docs/design/membership.md).
 */
final class Held {

    /**
     * @param viewNumber of the view that it waits for
     * @param packet as it came, header included
     */
    private record Entry(long viewNumber, Packet packet) {}

    private final long bytesMaxPerSender;
    private final ArrayDeque<Entry> entries = new ArrayDeque<>();
    private final Map<Member, Long> bytesOf = new HashMap<>();

    Held(long bytesMaxPerSender) {
        this.bytesMaxPerSender = bytesMaxPerSender;
    }

    int size() {
        return entries.size();
    }

    /** Keeps the packet, or says that there is no room for it. */
    boolean hold(Member sender, long viewNumber, Packet packet) {
        long bytes = bytesOf.getOrDefault(sender, 0L) + Charge.of(packet);
        if (bytes > bytesMaxPerSender) {
            return false;
        }
        bytesOf.put(sender, bytes);
        entries.add(new Entry(viewNumber, packet));
        return true;
    }

    /** Takes out what waited for views up to {@code viewNumber}, in order; what waits for later ones stays. */
    List<Packet> takeUpTo(long viewNumber) {
        List<Packet> due = new ArrayList<>();
        List<Entry> later = new ArrayList<>();
        for (Entry entry : entries) {
            if (entry.viewNumber() <= viewNumber) {
                due.add(entry.packet());
            } else {
                later.add(entry);
            }
        }
        entries.clear();
        bytesOf.clear();
        for (Entry entry : later) {
            Member sender = entry.packet().peer();
            if (sender != null) {
                bytesOf.merge(sender, Charge.of(entry.packet()), Long::sum);
            }
            entries.add(entry);
        }
        return due;
    }
}
