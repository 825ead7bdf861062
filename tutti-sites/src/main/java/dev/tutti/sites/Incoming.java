package dev.tutti.sites;

import dev.tutti.Group;
import dev.tutti.SendException;
import dev.tutti.Stability;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.sites.internal.relay.ArrivedMessages;
import dev.tutti.sites.internal.relay.BridgeFrame;
import dev.tutti.sites.internal.relay.OutgoingStream;
import dev.tutti.sites.internal.relay.RelayItem;
import dev.tutti.sites.internal.relay.SequenceVector;
import dev.tutti.sites.internal.relay.SiteFrame;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Streams of one site group from other sites, at the master that receives them: it passes batches on to its site, and
 * acknowledges them when the site has them. Thread-safe, under the group's lock.
 */
final class Incoming {

    /** Stream from a master of another site. */
    private record Stream(String site, Member sender, long number) {}

    /** Batch of a stream. */
    private static final class Batch {
        private final Stream stream;
        private final List<RelayItem> items;
        private final SequenceVector last;

        /** The view in which this member has delivered it; null before. */
        private @Nullable ViewId deliveredIn;

        private boolean isStable;

        Batch(Stream stream, List<RelayItem> items, SequenceVector last) {
            this.stream = stream;
            this.items = items;
            this.last = last;
        }
    }

    /** Least time between two acknowledgements to one site: each of them is work for all members there, and for the line. */
    private static final long ACKNOWLEDGE_NANOS = 100_000_000;

    /** Bytes that are acknowledged at once, unless the window is small. */
    private static final long PROMPT_BYTES = 64 << 10;

    private final String name;
    private final Bridge bridge;
    private final Stable stable;
    private final long bytesMax;
    private final Function<String, ArrivedMessages> arrived;
    private final ReentrantLock lock;
    private final Pump pump;
    private final Pump acknowledgements;
    /** Bytes whose acknowledgement does not wait for that of later ones. */
    private final long promptBytes;
    private final TreeMap<Member, Stream> streams = new TreeMap<>();

    /** Batches that this master still has to pass on. */
    private final ArrayDeque<Batch> waiting = new ArrayDeque<>();

    /** Batches that were passed on and not acknowledged, in order. */
    private final ArrayDeque<Batch> passedOn = new ArrayDeque<>();

    /** Messages that this site has, by the stream whose sender has still to be told. */
    private final LinkedHashMap<Stream, SequenceVector> unsaid = new LinkedHashMap<>();

    private long unsaidBytes;
    private long waitingBytes;
    private long refused;
    private long stale;
    private @Nullable Group group;
    private @Nullable View view;

    /**
     * @param arrived gives the messages of a site that this member has delivered
     * @param onFailure gets what the thread that passes on throws
     */
    Incoming(SiteGroupBuilder settings, Function<String, ArrivedMessages> arrived, ReentrantLock lock, Consumer<RuntimeException> onFailure) {
        this.name = settings.group().name();
        this.bridge = settings.sites().bridge();
        this.stable = settings.stable();
        // Twice the window: the sender counts messages from the time they are sent, and may use a larger one.
        this.bytesMax = 2 * settings.windowBytes();
        this.promptBytes = Math.min(settings.windowBytes() / 8, PROMPT_BYTES);
        this.arrived = arrived;
        this.lock = lock;
        this.pump = new Pump(settings.sites().node().threads(), "tutti-sites-" + name + "-in", this::passOn, onFailure);
        this.acknowledgements = new Pump(settings.sites().node().threads(), "tutti-sites-" + name + "-acknowledge", ACKNOWLEDGE_NANOS,
                this::sendAcknowledgements, onFailure);
    }

    void open(Group joined) {
        group = joined;
        pump.wake();
    }

    // ------------------------------------------------------------------ from the other site

    /**
     * Answers the beginning of a stream; under the lock. A stream that begins behind messages which this member lacks is not taken.
     *
     * @param behind messages that it begins behind; none if its sender waits for the answer
     */
    void onOpen(String site, Member sender, long number, SequenceVector behind) {
        SequenceVector delivered = arrived.apply(site).delivered().copy();
        bridge.sendAsync(sender, new BridgeFrame.Resume(name, number, delivered));
        if (!delivered.covers(behind)) {
            streams.remove(sender);
            return;
        }
        Stream stream = new Stream(site, sender, number);
        streams.put(sender, stream);
        // A batch without items is stable when all that this member has delivered is.
        add(new Batch(stream, List.of(), delivered));
    }

    /** Takes the next items of a stream; under the lock. */
    void onBatch(Member sender, BridgeFrame.Batch batch) {
        Stream stream = streams.get(sender);
        if (stream == null || stream.number != batch.stream()) {
            // The stream is over; its messages come again with the next one.
            stale++;
            return;
        }
        if (waitingBytes > bytesMax) {
            refuse(stream, "more than " + bytesMax + " bytes wait to be passed on at node " + sender.name()
                    + "; the windows of both sites should be equal");
            return;
        }
        SequenceVector last = new SequenceVector();
        batch.items().forEach(item -> last.raise(item.member(), item.sequence()));
        add(new Batch(stream, batch.items(), last));
    }

    private void refuse(Stream stream, String reason) {
        refused++;
        streams.remove(stream.sender, stream);
        bridge.sendAsync(stream.sender, new BridgeFrame.Refuse(name, stream.number, reason));
    }

    private void add(Batch batch) {
        waiting.add(batch);
        waitingBytes += OutgoingStream.bytes(batch.items);
        pump.wake();
    }

    /** Ends the streams of masters that did not come along to a view of the bridge; under the lock. */
    void onBridgeView(View next, Set<Member> together) {
        streams.keySet().removeIf(sender -> !next.contains(sender) || !together.contains(sender));
    }

    /** Ends all streams, since this member has another state: they begin anew behind what that contains. Under the lock. */
    void onInstalled() {
        refuseAll("the site goes on with another state");
    }

    /** Ends all streams, which begin anew later; under the lock. */
    void refuseAll(String reason) {
        List.copyOf(streams.values()).forEach(stream -> refuse(stream, reason));
    }

    /** Ends all streams; under the lock. */
    void clear() {
        streams.clear();
    }

    // ------------------------------------------------------------------ to this site

    /** Passes batches on until there are none. On a thread of its own; waits while the window is closed. */
    private void passOn() {
        Group joined = group;
        while (joined != null) {
            Batch batch;
            lock.lock();
            try {
                batch = waiting.poll();
                if (batch == null) {
                    return;
                }
                waitingBytes -= OutgoingStream.bytes(batch.items);
                if (streams.get(batch.stream.sender) != batch.stream) {
                    continue;
                }
                passedOn.add(batch);
            } finally {
                lock.unlock();
            }
            passOn(joined, batch);
        }
    }

    private void passOn(Group joined, Batch batch) {
        byte[] frame = new SiteFrame.Relayed(batch.stream.site, batch.items).encode();
        try {
            CompletableFuture<?> receipt =
                    switch (stable) {
                        case ALL -> joined.sendStable(frame, Stability.ALL);
                        case MAJORITY -> joined.sendStable(frame, Stability.MAJORITY);
                        case MASTER -> {
                            joined.send(frame);
                            yield CompletableFuture.completedFuture(null);
                        }
                    };
            receipt.whenComplete((known, failure) -> {
                if (failure == null) {
                    onStable(batch);
                }
            });
        } catch (SendException e) {
            lock.lock();
            try {
                passedOn.remove(batch);
                if (e.reason() == SendException.Reason.TOO_LARGE && !batch.items.isEmpty()) {
                    split(batch);
                    return;
                }
                refuse(batch.stream, "node " + joined.node().name() + " can't pass messages on to its site: " + e.getMessage());
            } finally {
                lock.unlock();
            }
        }
    }

    /** Passes on the items of a batch one by one, and tells of a single one that is too long for this group as lost. */
    private void split(Batch batch) {
        RelayItem last = batch.items.getLast();
        List<RelayItem> items = batch.items.size() > 1
                ? batch.items
                : List.of(new RelayItem.Lost(last.member(), last.first(), last.sequence()));
        for (RelayItem item : items.reversed()) {
            SequenceVector only = new SequenceVector();
            only.raise(item.member(), item.sequence());
            Batch single = new Batch(batch.stream, List.of(item), only);
            waiting.addFirst(single);
            waitingBytes += OutgoingStream.bytes(single.items);
        }
    }

    private void onStable(Batch batch) {
        lock.lock();
        try {
            batch.isStable = true;
            acknowledge();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes a view of this site. What this member delivered in the views before is with all that came along: no receipt
     * is needed for it. Under the lock.
     */
    void onView(View next) {
        view = next;
        acknowledge();
    }

    /** Looks at what may be acknowledged; under the lock. */
    void attend() {
        acknowledge();
        pump.wake();
    }

    /** Acknowledges what this site has: soon, once for many batches, and at once if they are much of the window. */
    private void acknowledge() {
        for (Iterator<Batch> batches = passedOn.iterator(); batches.hasNext(); ) {
            Batch batch = batches.next();
            if (isWithSite(batch)) {
                batches.remove();
                unsaid.computeIfAbsent(batch.stream, key -> new SequenceVector()).raise(batch.last);
                unsaidBytes += OutgoingStream.bytes(batch.items);
            }
        }
        unsaid.keySet().removeIf(stream -> streams.get(stream.sender) != stream);
        if (unsaidBytes >= promptBytes) {
            sendAcknowledgements();
        } else if (!unsaid.isEmpty()) {
            acknowledgements.wake();
        }
    }

    /** Returns whether there was something to acknowledge. */
    private boolean sendAcknowledgements() {
        LinkedHashMap<Stream, SequenceVector> all;
        lock.lock();
        try {
            all = new LinkedHashMap<>(unsaid);
            unsaid.clear();
            unsaidBytes = 0;
            all.forEach((stream, has) -> bridge.sendAsync(stream.sender, new BridgeFrame.Acknowledge(name, stream.number, has))
                    .whenComplete((sent, failure) -> {
                        if (failure != null) {
                            acknowledgeLater(stream, has);
                        }
                    }));
        } finally {
            lock.unlock();
        }
        return !all.isEmpty();
    }

    /** Keeps an acknowledgement that was not accepted until the next look. */
    private void acknowledgeLater(Stream stream, SequenceVector has) {
        lock.lock();
        try {
            unsaid.computeIfAbsent(stream, key -> new SequenceVector()).raise(has);
        } finally {
            lock.unlock();
        }
    }

    private boolean isWithSite(Batch batch) {
        View now = view;
        return batch.deliveredIn != null
                && (batch.isStable || now != null && !now.id().equals(batch.deliveredIn))
                && arrived.apply(batch.stream.site).delivered().covers(batch.last);
    }

    /** Notes that this member has delivered the next of its own batches; under the lock. */
    void onDelivered(ViewId deliveredIn) {
        for (Batch batch : passedOn) {
            if (batch.deliveredIn == null) {
                batch.deliveredIn = deliveredIn;
                break;
            }
        }
        acknowledge();
    }

    /** Puts counts; under the lock. */
    void putStatus(Map<String, Long> status) {
        status.put("incoming-waiting-bytes", waitingBytes);
        status.put("incoming-unacknowledged", (long) passedOn.size());
        status.put("incoming-refused", refused);
        status.put("incoming-stale", stale);
    }
}
