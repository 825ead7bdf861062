package dev.tutti.sites.internal.relay;

import dev.tutti.sites.internal.log.OriginMember;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Messages of one other site at one member of this site: each is delivered once, in the order of its sender. Not
 * thread-safe.
 *
 * <p>Masters pass on streams that begin after the messages that they have themselves; two masters may pass on the same
 * messages, and a member may hear the second before the first. A message whose predecessors are still under way waits
 * for them. They come at the latest with the next view: whoever passed on a successor had delivered them in this one.
 *
 * <p>The last messages are kept, for another part of this site that takes over from this one, or the other way round, and may lack them.
 */
public final class ArrivedMessages {

    /** Most items that wait for their predecessors; more of them are no longer waited for. */
    public static final int WAITING_MAX = 1 << 16;

    /** Size of the last items that are kept; the oldest are forgotten beyond it. */
    static final long RECENT_BYTES_MAX = 512 << 10;

    /** Receiver of messages. */
    public interface Receiver {

        /** Delivers a message. */
        void onMessage(RelayItem.Sent message);

        /** Is told that messages of {@code member} from {@code first} to {@code last} are lost. */
        void onLost(OriginMember member, long first, long last);

        /** Returns the time at this member. */
        long nanoTime();
    }

    private final SequenceVector delivered;
    private final TreeMap<OriginMember, TreeMap<Long, RelayItem>> waiting = new TreeMap<>();
    private int waitingCount;

    /** The last items, in order. */
    private final ArrayDeque<Recent.Item> recent = new ArrayDeque<>();

    private long recentBytes;

    /** Time of the last item that is not among them. */
    private long recentSinceNanos;

    private Skipped skipped;
    private long duplicates;

    /** @param delivered messages that were delivered before */
    public ArrivedMessages(SequenceVector delivered, long nowNanos) {
        this(delivered, new Skipped(), nowNanos);
    }

    /** @param skipped messages that were left out before, and have not come */
    public ArrivedMessages(SequenceVector delivered, Skipped skipped, long nowNanos) {
        this.delivered = delivered;
        this.skipped = skipped;
        this.recentSinceNanos = nowNanos;
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
        if (item instanceof RelayItem.Skip && item.first() == 1 && isForThisSite(member, item.sequence())) {
            // A part of this site has acknowledged them all, and handed over the last ones: the others are lost.
            tellMissing(member, receiver);
        }
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

    /** Returns whether one of the messages up to a number is here, and waits for its predecessors. */
    private boolean isForThisSite(OriginMember member, long last) {
        TreeMap<Long, RelayItem> later = waiting.get(member);
        return later != null && later.headMap(last, true).values().stream().anyMatch(RelayItem.Sent.class::isInstance);
    }

    private void deliver(RelayItem item, Receiver receiver) {
        OriginMember member = item.member();
        long last = delivered.of(member);
        delivered.raise(member, item.sequence());
        remember(item, receiver.nanoTime());
        switch (item) {
            case RelayItem.Sent sent -> receiver.onMessage(sent);
            case RelayItem.Lost lost -> receiver.onLost(member, last + 1, lost.sequence());
            case RelayItem.Skip skip -> {
                if (skip.first() == 1) {
                    skipped.add(member, skip.sequence());
                }
            }
        }
    }

    private void remember(RelayItem item, long nowNanos) {
        recent.add(new Recent.Item(item, nowNanos));
        recentBytes += OutgoingStream.bytes(List.of(item));
        while (recentBytes > RECENT_BYTES_MAX) {
            Recent.Item oldest = recent.removeFirst();
            recentBytes -= OutgoingStream.bytes(List.of(oldest.item()));
            recentSinceNanos = oldest.nanos();
        }
    }

    /** Remembers what another member has taken lately, whose state this one goes on with. */
    public void remember(Recent theirs) {
        recent.clear();
        recent.addAll(theirs.items());
        recentBytes = OutgoingStream.bytes(theirs.items().stream().map(Recent.Item::item).toList());
        recentSinceNanos = theirs.sinceNanos();
        skipped = theirs.skipped().copy();
    }

    /** Returns the last items: those that may be lacking in another part of this site. */
    public Recent recent() {
        return new Recent(recentSinceNanos, List.copyOf(recent), skipped.copy());
    }

    /**
     * Takes what another part of this site has delivered. The other site may have left such messages out meanwhile, since this site had
     * acknowledged them: those that can't be delivered in order any more are told as lost.
     */
    public void acceptOfOtherPart(List<RelayItem> items, Receiver receiver) {
        SequenceVector late = new SequenceVector();
        TreeMap<OriginMember, Long> lateSince = new TreeMap<>();
        for (RelayItem item : items) {
            OriginMember member = item.member();
            if (!(item instanceof RelayItem.Sent sent && skipped.covers(member, item.sequence()))) {
                accept(item, receiver);
                continue;
            }
            boolean isInOrder = skipped.isLast(member, delivered);
            long first = skipped.take(member, item.sequence());
            if (!isInOrder) {
                lateSince.putIfAbsent(member, first);
                late.raise(member, item.sequence());
                continue;
            }
            if (first < item.sequence()) {
                receiver.onLost(member, first, item.sequence() - 1);
            }
            remember(item, receiver.nanoTime());
            receiver.onMessage(sent);
        }
        lateSince.forEach((member, first) -> receiver.onLost(member, first, late.of(member)));
    }

    /**
     * Takes what another part of this site has delivered whose state goes on, and tells what is missing of it.
     *
     * @param theirs what it has taken lately
     * @param theirDelivered all that it has delivered
     * @param since time before which messages were not for this member; null if there is none
     */
    public void catchUp(Recent theirs, SequenceVector theirDelivered, @Nullable Long since, Receiver receiver) {
        boolean hasAll = since != null && theirs.sinceNanos() - since <= 0;
        List<RelayItem> items = new ArrayList<>();
        SequenceVector last = delivered.copy();
        for (Recent.Item each : theirs.items()) {
            RelayItem item = each.item();
            if (since == null || each.nanos() - since > 0) {
                if (hasAll && item.first() > last.of(item.member()) + 1) {
                    items.add(new RelayItem.Skip(item.member(), last.of(item.member()) + 1, item.first() - 1));
                }
                items.add(item.takenByOne());
                last.raise(item.member(), item.sequence());
            }
        }
        acceptOfOtherPart(items, receiver);
        onView(receiver);
        if (!hasAll) {
            theirDelivered.asMap().forEach((member, end) -> {
                if (end > delivered.of(member)) {
                    deliver(new RelayItem.Lost(member, delivered.of(member) + 1, end), receiver);
                }
            });
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
            tellMissing(member, receiver);
        }
    }

    /** Delivers all that waits of a member, and tells the gaps before it. */
    private void tellMissing(OriginMember member, Receiver receiver) {
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

    /** Returns the number of messages that wait for their predecessors. */
    public int waiting() {
        return waitingCount;
    }
}
