package dev.tutti.sites;

import dev.tutti.Group;
import dev.tutti.SendException;
import dev.tutti.Threads;
import dev.tutti.core.Member;
import dev.tutti.core.Printable;
import dev.tutti.core.View;
import dev.tutti.internal.Logs;
import dev.tutti.sites.internal.relay.BridgeFrame;
import dev.tutti.sites.internal.relay.OutgoingStream;
import dev.tutti.sites.internal.relay.RelayItem;
import dev.tutti.sites.internal.relay.Retention;
import dev.tutti.sites.internal.relay.SequenceVector;
import dev.tutti.sites.internal.relay.SiteFrame;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** Streams of one site group to other sites, at the master that sends them. Thread-safe, under the group's lock. */
final class Outgoing {

    private static final Logger LOG = Logs.of(Outgoing.class);

    /** Content of a batch, in bytes, unless a single message is larger. */
    private static final int BATCH_BYTES = 48 << 10;

    /** Time after which a stream that was not answered is opened anew, and waits for the answer. */
    private static final long ANSWER_NANOS = 5_000_000_000L;

    private final String name;
    private final Bridge bridge;
    private final Retention retention;
    private final ReentrantLock lock;
    private final Threads threads;
    private final long windowBytes;
    private final long lingerNanos;
    private final Consumer<RuntimeException> onFailure;
    private final Pump acknowledgements;
    private final TreeMap<String, OutgoingStream> streams = new TreeMap<>();
    private final TreeMap<String, Long> openedNanos = new TreeMap<>();
    private final TreeMap<String, Pump> pumps = new TreeMap<>();

    /** Number of the last stream to each site whose beginning was sent. */
    private final TreeMap<String, Long> begun = new TreeMap<>();

    /** Acknowledgements that were not passed on to this site yet. */
    private final TreeMap<String, SequenceVector> unsaid = new TreeMap<>();

    /** Sites whose last stream was not taken as it began: the next one waits for the answer. */
    private final TreeSet<String> asked = new TreeSet<>();

    /** Last reason for which each site has refused a stream. */
    private final TreeMap<String, String> refusals = new TreeMap<>();

    private long lastStream;
    private long opened;
    private @Nullable Group group;

    /** @param onFailure gets what the threads that send throw, such as that the log can't be read */
    Outgoing(SiteGroupBuilder settings, Retention retention, ReentrantLock lock, Consumer<RuntimeException> onFailure) {
        this.onFailure = onFailure;
        this.name = settings.group().name();
        this.bridge = settings.sites().bridge();
        this.retention = retention;
        this.lock = lock;
        this.threads = settings.sites().node().threads();
        this.windowBytes = settings.windowBytes();
        this.lingerNanos = settings.linger().toNanos();
        this.acknowledgements = new Pump(threads, "tutti-sites-" + name + "-acknowledged", lingerNanos, this::sayAcknowledged, onFailure);
    }

    void open(Group joined) {
        group = joined;
    }

    /** Opens and closes streams as the views require, and says what was not said; under the lock. */
    void attend(boolean isMaster) {
        if (!isMaster || !bridge.isOpen()) {
            clear();
            return;
        }
        for (String site : bridge.sitesWith(name)) {
            if (!retention.knows(site) && !site.equals(retention.site())) {
                send(new SiteFrame.Added(site, retention.seen().copy()));
            }
        }
        long now = threads.nanoTime();
        for (String site : retention.sites()) {
            attend(site, bridge.masterOf(site, name), now);
        }
        streams.keySet().removeIf(site -> !retention.knows(site));
        if (!unsaid.isEmpty()) {
            acknowledgements.wake();
        }
    }

    private void attend(String site, @Nullable Member receiver, long now) {
        OutgoingStream stream = streams.get(site);
        if (receiver == null) {
            streams.remove(site);
        } else if (stream == null || !stream.receiver().equals(receiver)) {
            open(site, receiver, now);
        } else if (isOverdue(stream, now)) {
            asked.add(site);
            open(site, receiver, now);
        } else {
            wake(site);
        }
    }

    /** Opens a stream. The thread that sends its messages sends its beginning too, so that nothing can overtake that. */
    private void open(String site, Member receiver, long now) {
        OutgoingStream next = new OutgoingStream(site, receiver, ++lastStream, windowBytes);
        if (!asked.contains(site)) {
            next.begin(retention);
        }
        streams.put(site, next);
        openedNanos.put(site, now);
        opened++;
        pumpTo(site).wakeNow();
    }

    private boolean isOverdue(OutgoingStream stream, long now) {
        return !stream.isOpen() && now - openedNanos.getOrDefault(stream.site(), now) > ANSWER_NANOS;
    }

    /** Ends all streams: this member is no master, or its log has changed. Under the lock. */
    void clear() {
        streams.clear();
    }

    /** Ends the streams to masters that did not come along to a view of the bridge; under the lock. */
    void onBridgeView(View view, Set<Member> together) {
        streams.values().removeIf(stream -> !view.contains(stream.receiver()) || !together.contains(stream.receiver()));
    }

    /** Sends what was kept since, unless a window is full; under the lock. */
    void onKept() {
        streams.values().stream().filter(stream -> !stream.isFull()).forEach(stream -> wake(stream.site()));
    }

    private void wake(String site) {
        pumpTo(site).wake();
    }

    private Pump pumpTo(String site) {
        return pumps.computeIfAbsent(
                site, key -> new Pump(threads, "tutti-sites-" + name + "-" + site, lingerNanos, () -> pump(site), onFailure));
    }

    /**
     * Sends to a site until there is nothing to send, or the window is full. On a thread of its own.
     *
     * @return whether anything was sent
     */
    private boolean pump(String site) {
        boolean hasSent = false;
        while (true) {
            OutgoingStream stream;
            BridgeFrame frame;
            lock.lock();
            try {
                stream = streams.get(site);
                frame = stream == null ? null : next(stream);
            } finally {
                lock.unlock();
            }
            if (stream == null || frame == null || !send(stream, frame)) {
                return hasSent;
            }
            hasSent = true;
        }
    }

    /** Returns the next message of a stream, its beginning first; null if there is nothing to send, or the window is full. */
    private @Nullable BridgeFrame next(OutgoingStream stream) {
        if (begun.getOrDefault(stream.site(), 0L) < stream.number()) {
            begun.put(stream.site(), stream.number());
            SequenceVector behind = stream.behind();
            return behind == null
                    ? new BridgeFrame.Open(name, stream.number())
                    : new BridgeFrame.Begin(name, stream.number(), behind);
        }
        List<RelayItem> items = stream.next(retention, BATCH_BYTES, threads.nanoTime());
        return items.isEmpty() ? null : new BridgeFrame.Batch(name, stream.number(), items);
    }

    /** Sends a message; if that fails, the stream is opened anew at the next look. */
    private boolean send(OutgoingStream stream, BridgeFrame frame) {
        try {
            bridge.send(stream.receiver(), frame);
            return true;
        } catch (SendException | IllegalStateException e) {
            lock.lock();
            try {
                streams.remove(stream.site(), stream);
            } finally {
                lock.unlock();
            }
            return false;
        }
    }

    // ------------------------------------------------------------------ answers

    private @Nullable OutgoingStream find(Member sender, long number) {
        for (OutgoingStream stream : streams.values()) {
            if (stream.number() == number && stream.receiver().equals(sender)) {
                return stream;
            }
        }
        return null;
    }

    /**
     * Begins to send, or goes on, if this is the answer to the present stream. If the receiver did not take what was sent, another stream
     * waits for its answer. Under the lock.
     */
    void onResume(Member sender, BridgeFrame.Resume resume) {
        OutgoingStream stream = find(sender, resume.stream());
        if (stream == null || stream.isOpen()) {
            return;
        }
        if (refusals.remove(stream.site()) != null) {
            LOG.info("site group {}: site {} takes messages again", name, stream.site());
        }
        if (stream.isTaken(resume.delivered())) {
            asked.remove(stream.site());
            stream.open(resume.delivered(), retention);
            pumpTo(stream.site()).wakeNow();
        } else {
            asked.add(stream.site());
            open(stream.site(), sender, threads.nanoTime());
        }
    }

    /** Gives up a stream until the next look; under the lock. */
    void onRefuse(Member sender, BridgeFrame.Refuse refuse) {
        OutgoingStream stream = find(sender, refuse.stream());
        if (stream != null) {
            streams.remove(stream.site());
            if (!refuse.reason().equals(refusals.put(stream.site(), refuse.reason()))) {
                LOG.warn("site group {}: site {} refuses messages, and is tried again: {}", name, stream.site(),
                        Printable.escape(refuse.reason()));
            }
        }
    }

    /** Frees the window, and tells this site soon, once for many; under the lock. */
    void onAcknowledge(Member sender, BridgeFrame.Acknowledge acknowledge) {
        OutgoingStream stream = find(sender, acknowledge.stream());
        if (stream != null) {
            boolean wasFull = stream.isFull();
            stream.onAcknowledged(acknowledge.has(), threads.nanoTime());
            unsaid(stream.site(), acknowledge.has());
            acknowledgements.wake();
            if (wasFull) {
                pumpTo(stream.site()).wakeNow();
            } else {
                wake(stream.site());
            }
        }
    }

    private void unsaid(String site, SequenceVector has) {
        unsaid.computeIfAbsent(site, key -> new SequenceVector()).raise(has);
    }

    /**
     * Tells this site what others have acknowledged. On a thread of its own.
     *
     * @return whether there was something to tell
     */
    private boolean sayAcknowledged() {
        Group joined = group;
        if (joined == null) {
            return false;
        }
        TreeMap<String, SequenceVector> all;
        lock.lock();
        try {
            all = new TreeMap<>(unsaid);
            unsaid.clear();
        } finally {
            lock.unlock();
        }
        all.forEach((site, has) -> joined.sendAsync(new SiteFrame.Acknowledged(site, has).encode()).whenComplete((sent, failure) -> {
            if (failure != null) {
                lock.lock();
                try {
                    unsaid(site, has);
                } finally {
                    lock.unlock();
                }
            }
        }));
        return !all.isEmpty();
    }

    private void send(SiteFrame frame) {
        Group joined = group;
        if (joined != null) {
            joined.sendAsync(frame.encode());
        }
    }

    // ------------------------------------------------------------------ status

    /** Returns the stream to a site; null if there is none. Under the lock. */
    @Nullable OutgoingStream stream(String site) {
        return streams.get(site);
    }

    /** Returns the last reason for which a site has refused a stream, and takes none since; empty if there is none. Under the lock. */
    String refusal(String site) {
        return refusals.getOrDefault(site, "");
    }

    /** Puts counts; under the lock. */
    void putStatus(Map<String, Long> status) {
        status.put("streams", streams.values().stream().filter(OutgoingStream::isOpen).count());
        status.put("streams-opened", opened);
        status.put("in-flight-bytes", streams.values().stream().mapToLong(OutgoingStream::inFlightBytes).sum());
    }
}
