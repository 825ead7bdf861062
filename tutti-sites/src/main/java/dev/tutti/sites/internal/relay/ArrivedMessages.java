package dev.tutti.sites.internal.relay;

import dev.tutti.sites.internal.log.OriginMember;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * Messages of one other site at one member of this site: each is delivered once, in the order of its sender. Not
 * thread-safe.
 *
 * <p>Masters pass on streams that begin after the messages that they have themselves; two masters may pass on the same
 * messages, and a member may hear the second before the first. A message whose predecessors are still under way waits
 * for them. They come at the latest with the next view: whoever passed on a successor had delivered them in this one.
 */
public final class ArrivedMessages {

    /** Most items that wait for their predecessors; more of them are no longer waited for. */
    public static final int WAITING_MAX = 1 << 16;

    /** Receiver of messages. */
    public interface Receiver {

        /** Delivers a message. */
        void onMessage(RelayItem.Sent message);

        /** Is told that messages of {@code member} from {@code first} to {@code last} are lost. */
        void onLost(OriginMember member, long first, long last);
    }

    private final SequenceVector delivered;
    private final TreeMap<OriginMember, TreeMap<Long, RelayItem>> waiting = new TreeMap<>();
    private int waitingCount;
    private long duplicates;

    /** @param delivered messages that were delivered before */
    public ArrivedMessages(SequenceVector delivered) {
        this.delivered = delivered;
    }

    /** Returns the messages that were delivered; changes with the next. */
    public SequenceVector delivered() {
        return delivered;
    }

    /** Returns the number of messages that came more than once, and were dropped. */
    public long duplicates() {
        return duplicates;
    }

    /** Takes what a master has passed on. */
    public void accept(List<RelayItem> items, Receiver receiver) {
        for (RelayItem item : items) {
            accept(item, receiver);
        }
    }

    private void accept(RelayItem item, Receiver receiver) {
        OriginMember member = item.member();
        long last = delivered.of(member);
        if (item.sequence() <= last) {
            duplicates++;
            return;
        }
        if (item.first() > last + 1) {
            boolean isNew = waiting.computeIfAbsent(member, key -> new TreeMap<>()).putIfAbsent(item.first(), item) == null;
            waitingCount += isNew ? 1 : 0;
            if (waitingCount > WAITING_MAX) {
                onView(receiver);
            }
            return;
        }
        deliver(item, receiver);
        deliverWaiting(member, receiver);
    }

    private void deliver(RelayItem item, Receiver receiver) {
        OriginMember member = item.member();
        long last = delivered.of(member);
        delivered.raise(member, item.sequence());
        switch (item) {
            case RelayItem.Sent sent -> receiver.onMessage(sent);
            case RelayItem.Lost lost -> receiver.onLost(member, last + 1, lost.sequence());
            case RelayItem.Skip skip -> {
                // Nothing of it was for this site.
            }
        }
    }

    private void deliverWaiting(OriginMember member, Receiver receiver) {
        TreeMap<Long, RelayItem> later = waiting.get(member);
        while (later != null && !later.isEmpty() && later.firstKey() <= delivered.of(member) + 1) {
            RelayItem item = later.pollFirstEntry().getValue();
            waitingCount--;
            if (item.sequence() > delivered.of(member)) {
                deliver(item, receiver);
            }
        }
        if (later != null && later.isEmpty()) {
            waiting.remove(member);
        }
    }

    /**
     * Takes a new view of this site: nothing is under way any more. Messages whose predecessors did not come, because a
     * member brought them from another part of its site, are delivered, and the gap is told.
     */
    public void onView(Receiver receiver) {
        for (OriginMember member : new ArrayList<>(waiting.keySet())) {
            TreeMap<Long, RelayItem> later = waiting.get(member);
            while (later != null && !later.isEmpty()) {
                long next = later.firstKey();
                if (next > delivered.of(member) + 1) {
                    deliver(new RelayItem.Lost(member, delivered.of(member) + 1, next - 1), receiver);
                }
                deliverWaiting(member, receiver);
                later = waiting.get(member);
            }
        }
    }

    /** Returns the number of messages that wait for their predecessors. */
    public int waiting() {
        return waitingCount;
    }
}
