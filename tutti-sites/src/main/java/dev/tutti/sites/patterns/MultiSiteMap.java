package dev.tutti.sites.patterns;

import static java.util.Objects.requireNonNull;

import dev.tutti.GroupState;
import dev.tutti.SendException;
import dev.tutti.Snapshot;
import dev.tutti.Threads;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.internal.Callbacks;
import dev.tutti.blocks.internal.argument.Arguments;
import dev.tutti.blocks.internal.clock.ClockCheck;
import dev.tutti.blocks.internal.clock.HybridClock;
import dev.tutti.blocks.map.EntryEvent;
import dev.tutti.blocks.map.MapException;
import dev.tutti.blocks.map.MapException.Reason;
import dev.tutti.sites.Reach;
import dev.tutti.sites.SiteGroup;
import dev.tutti.sites.SiteGroupBuilder;
import dev.tutti.sites.SiteMessage;
import dev.tutti.sites.internal.map.Entries;
import dev.tutti.sites.internal.map.MapSync;
import dev.tutti.sites.internal.map.SiteMapFrame;
import dev.tutti.sites.internal.map.SiteMapFrame.KeyWrite;
import dev.tutti.sites.internal.map.SiteMapFrame.Wire;
import dev.tutti.sites.internal.map.Stamp;
import dev.tutti.sites.internal.map.Write;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A map that all members of all sites have, and that all of them may write: a site goes on when the others are away, and all are
 * equal again when they are back.
 *
 * <p>A write is kept for sites that are away as any message of a {@link SiteGroup} is. Of two writes of a key that did not know of each
 * other, the later one stands, by the time of a hybrid logical clock and, at the same time, by the name of the site; or the
 * {@linkplain MultiSiteMapBuilder#merge function} of the application joins their values. A site that begins without a state, or has
 * missed writes since too many were kept for it, is told all entries by another one.
 *
 * <p>A site may also be a {@linkplain MultiSiteMapBuilder#readOnly copy} that only reads, or write
 * {@linkplain MultiSiteMapBuilder#onlyIfActive while it is the active one}.
 *
 * <p>All methods may be called from any thread. Reading never waits. Listeners must not write.
 */
public final class MultiSiteMap<K, V> implements AutoCloseable {

    /** Time between two looks at sites that have to be asked. */
    private static final long TICK_NANOS = 1_000_000_000;

    private final MultiSiteMapBuilder<K, V> settings;
    private final String name;
    private final String site;
    private final Threads threads;
    private final Callbacks callbacks;
    private final Wire<K, V> wire;
    private final EntrySender<K, V> sender;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final Entries<K, V> entries;
    private final HybridClock clock;
    private final MapSync sync = new MapSync();
    private final TreeMap<Long, CompletableFuture<Void>> open = new TreeMap<>();
    private long malformed;
    private long unmerged;
    private @Nullable Throwable mergeFailure;

    private volatile @Nullable Thread telling;
    private volatile @Nullable SiteGroup group;
    private volatile boolean isClosed;

    private MultiSiteMap(MultiSiteMapBuilder<K, V> settings) {
        this.settings = settings;
        SiteGroupBuilder builder = settings.group();
        this.name = builder.name();
        this.site = builder.sites().site();
        this.threads = builder.sites().node().threads();
        this.callbacks = new Callbacks(builder.sites().node().group(name));
        this.wire = new Wire<>(settings.keys(), settings.values());
        this.sender = new EntrySender<>(wire);
        Entries.Merger<K, V> merger = settings.merger();
        this.entries = new Entries<>(
                merger == null ? null : (key, earlier, later) -> merge(merger, key, earlier, later), settings.removedMax());
        this.clock = new HybridClock(
                name, threads, site + "/" + builder.sites().node().name(), settings.clockErrorMax().toMillis());
    }

    static <K, V> MultiSiteMap<K, V> join(MultiSiteMapBuilder<K, V> settings) {
        MultiSiteMap<K, V> map = new MultiSiteMap<>(settings);
        SiteGroup joined = settings.group()
                .timeout(settings.timeout())
                .state(map.new State())
                .onMessage(map::onMessage)
                .onGap(gap -> map.onGap(gap.site()))
                .onClosed(map::onClosed)
                .join();
        map.group = joined;
        joined.local().watch(new ClockCheck(map.lock, map.clock));
        map.tick();
        return map;
    }

    /**
     * Begins to configure a map on a group of its own.
     *
     * @param group with the sites that it is {@linkplain SiteGroupBuilder#expect kept} for; the map sets its listeners and state
     */
    public static <K, V> MultiSiteMapBuilder<K, V> on(SiteGroupBuilder group, Codec<K> keys, Codec<V> values) {
        return new MultiSiteMapBuilder<>(group, keys, values);
    }

    // ------------------------------------------------------------------ reading

    /** Returns the value of a key as this member knows it; null if there is none. */
    public @Nullable V get(K key) {
        return entries.value(Arguments.required(key, "get: the key"));
    }

    public int size() {
        return entries.size();
    }

    /** Returns a copy of all entries, at one moment of this member. */
    public Map<K, V> snapshot() {
        lock.lock();
        try {
            return entries.copy();
        } finally {
            lock.unlock();
        }
    }

    /** Returns the group of the map. */
    public SiteGroup group() {
        return requireNonNull(group, "the map is not joined");
    }

    /** Returns whether this member's site may write now. */
    public boolean isWritable() {
        return settings.refusal() == null;
    }

    /** Returns the other sites whose entries are being asked for, since they may have some that are missing here. */
    public List<String> missingSites() {
        SiteGroup joined = group();
        lock.lock();
        try {
            return sync.missing(joined.knownSites());
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns counts: entries, removals that are remembered and that were forgotten, writes that others overruled or that stood beside
     * others, messages that could not be read, and calls of the application's function that have failed.
     */
    public Map<String, Long> status() {
        TreeMap<String, Long> status = new TreeMap<>();
        lock.lock();
        try {
            entries.putStatus(status);
            status.put("open", (long) open.size());
            status.put("malformed", malformed);
            status.put("unmerged", unmerged);
            status.put("clock-refused", clock.refused());
            sync.putStatus(status);
        } finally {
            lock.unlock();
        }
        return status;
    }

    // ------------------------------------------------------------------ writing

    /**
     * Writes a value. Returns when this member has it, and this site's group has accepted it for all others.
     *
     * @throws MapException if it was refused, or its result is unknown
     */
    public void put(K key, V value) {
        Arguments.required(key, "put: the key");
        if (value == null) {
            throw new NullPointerException("map " + name + ": the value of key " + key + " is null; remove(key) removes an entry");
        }
        write(key, value);
    }

    /**
     * Removes a key, if it has a value. A write of another site that does not know of the removal is not removed by it if writes are
     * merged; otherwise the later one of the two stands.
     *
     * @throws MapException as {@link #put}
     */
    public void remove(K key) {
        write(Arguments.required(key, "remove: the key"), null);
    }

    private void write(K key, @Nullable V value) {
        if (Thread.currentThread().equals(telling)) {
            throw new IllegalStateException("a listener of map " + name + " must not write, since the map waits for it; hand the write to"
                    + " another thread");
        }
        SiteGroup joined = group();
        long term = settings.term();
        String refusal = settings.refusal();
        if (refusal != null) {
            throw new MapException(Reason.READ_ONLY, "map " + name + ": " + refusal);
        }
        CompletableFuture<Void> written = new CompletableFuture<>();
        byte[] bytes;
        long time;
        lock.lock();
        try {
            checkRoom(key, value);
            HybridClock.Stamp stamp = clock.stamp(entries.timeOf(key));
            time = stamp.written();
            bytes = encode(stamp.wallMillis(), key, new Write<>(
                    new Stamp(term, time, site, joined.sites().node().id().incarnation()),
                    value,
                    settings.merger() == null ? Map.of() : entries.seen(key)));
            open.put(time, written);
        } finally {
            lock.unlock();
        }
        try {
            send(joined, bytes);
            await(written);
        } finally {
            forget(time);
        }
    }

    private void checkRoom(K key, @Nullable V value) {
        if (isClosed) {
            throw new MapException(Reason.CLOSED, "map " + name + " is closed");
        }
        boolean isNew = value != null && entries.value(key) == null;
        if (isNew && entries.size() >= settings.entriesMax()) {
            throw new MapException(Reason.FULL, "map " + name + " has " + entries.size() + " entries, its maximum (entriesMax)");
        }
    }

    /** Encodes a write, and reads it back: what others can't read is not sent. */
    private byte[] encode(long wallMillis, K key, Write<V> write) {
        byte[] bytes = wire.encode(new SiteMapFrame.Written<>(wallMillis, new KeyWrite<>(key, write)));
        Throwable unreadable = callbacks.attempt(() -> wire.decode(bytes));
        if (unreadable != null) {
            throw new MapException(Reason.UNREADABLE, "map " + name + ": the codecs can't read what they have written", unreadable);
        }
        return bytes;
    }

    private void send(SiteGroup joined, byte[] bytes) {
        try {
            joined.send(bytes);
        } catch (SendException e) {
            throw new MapException(Reason.REFUSED, "map " + name + ": " + e.getMessage(), e);
        }
    }

    private void await(CompletableFuture<Void> written) {
        try {
            threads.get(written, settings.timeout().toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new MapException(
                    Reason.TIMED_OUT, "map " + name + ": not delivered within " + settings.timeout() + "; it may still be", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MapException(Reason.INTERRUPTED, "map " + name + ": the thread was interrupted; the write may still be delivered", e);
        } catch (ExecutionException e) {
            throw new MapException(Reason.CLOSED, "map " + name + ": " + requireNonNull(e.getCause()).getMessage(), e);
        }
    }

    private void forget(long time) {
        lock.lock();
        try {
            open.remove(time);
        } finally {
            lock.unlock();
        }
    }

    /** Leaves the map's group. */
    @Override
    public void close() {
        isClosed = true;
        group().close();
        onClosed("it was closed");
    }

    // ------------------------------------------------------------------ inputs

    private void onClosed(String reason) {
        List<CompletableFuture<Void>> left;
        isClosed = true;
        lock.lock();
        try {
            left = List.copyOf(open.values());
            open.clear();
        } finally {
            lock.unlock();
        }
        left.forEach(each -> each.completeExceptionally(new IllegalStateException("the group has ended: " + reason)));
    }

    private void onGap(String from) {
        lock.lock();
        try {
            sync.onGap(from);
        } finally {
            lock.unlock();
        }
    }

    private void onMessage(SiteMessage message) {
        Callbacks.Asked<SiteMapFrame<K, V>> decoded = callbacks.ask(() -> wire.decode(message.bytes()));
        Throwable unfit = decoded.thrown();
        if (unfit != null) {
            onUnreadable(unfit);
            return;
        }
        switch (decoded.value()) {
            case SiteMapFrame.Written<K, V> written -> onWritten(message, written);
            case SiteMapFrame.Ask<K, V> ask -> answer(message.site(), ask.gaps());
            case SiteMapFrame.Tell<K, V> tell -> onTold(message.site(), tell);
        }
        tell();
    }

    private void onUnreadable(Throwable unfit) {
        lock.lock();
        try {
            malformed++;
        } finally {
            lock.unlock();
        }
        if (unfit instanceof MalformedException) {
            // Not bytes of the writer's codec: ignored at all members alike.
            callbacks.report("codec", unfit);
        } else {
            callbacks.fail("codec", "a message of map " + name + " may be at other members and is not here", unfit);
        }
    }

    private void onWritten(SiteMessage message, SiteMapFrame.Written<K, V> written) {
        CompletableFuture<Void> own = null;
        lock.lock();
        try {
            Stamp stamp = written.write().write().stamp();
            if (!stamp.site().equals(message.site()) || stamp.writer() != message.incarnation()) {
                malformed++;
                return;
            }
            clock.read(message.site() + "/" + message.sender(), written.wallMillis());
            take(written.write());
            if (stamp.writer() == group().sites().node().id().incarnation()) {
                own = open.remove(stamp.time());
            }
        } finally {
            lock.unlock();
        }
        if (own != null) {
            own.complete(null);
        }
    }

    private void take(KeyWrite<K, V> write) {
        clock.learn(write.write().stamp().time());
        entries.take(write);
    }

    private V merge(Entries.Merger<K, V> merger, K key, V earlier, V later) {
        Callbacks.Asked<V> asked = callbacks.ask(() -> requireNonNull(merger.merge(key, earlier, later), "merge has returned null"));
        Throwable thrown = asked.thrown();
        if (thrown != null) {
            unmerged++;
            mergeFailure = thrown;
            return later;
        }
        return asked.value();
    }

    /** Tells the application what has changed, and that its function has failed. */
    private void tell() {
        Throwable failed;
        lock.lock();
        try {
            failed = mergeFailure;
            mergeFailure = null;
        } finally {
            lock.unlock();
        }
        if (failed != null) {
            callbacks.report("merge", failed);
        }
        telling = Thread.currentThread();
        try {
            for (EntryEvent<K, V> event = nextEvent(); event != null; event = nextEvent()) {
                callbacks.call("onEntry", settings.onEntry(), event);
            }
        } finally {
            telling = null;
        }
    }

    private @Nullable EntryEvent<K, V> nextEvent() {
        lock.lock();
        try {
            return entries.nextEvent();
        } finally {
            lock.unlock();
        }
    }

    // ------------------------------------------------------------------ sites that lack entries

    private void tick() {
        threads.startAfter(TICK_NANOS, "tutti-map-" + name, () -> {
            if (!isClosed) {
                ask(group());
                tick();
            }
        });
    }

    /** Asks, as the master of this site, sites whose entries may be missing here. */
    private void ask(SiteGroup joined) {
        if (!joined.isMaster()) {
            return;
        }
        Map<String, Long> due;
        List<String> connected = joined.connectedSites();
        lock.lock();
        try {
            due = sync.takeDue(connected, threads.nanoTime());
        } finally {
            lock.unlock();
        }
        due.forEach((other, gaps) -> sender.trySend(joined, new SiteMapFrame.Ask<>(gaps), Reach.oneAt(other)));
    }

    /** Tells another site all that stands here, on a thread of its own. */
    private void answer(String other, long gaps) {
        List<KeyWrite<K, V>> all;
        lock.lock();
        try {
            if (!sync.beginAnswer(other)) {
                return;
            }
            all = entries.writes();
        } finally {
            lock.unlock();
        }
        threads.start("tutti-map-" + name + "-answer", () -> {
            try {
                sender.tellAll(group(), other, gaps, all);
            } finally {
                lock.lock();
                try {
                    sync.endAnswer(other);
                } finally {
                    lock.unlock();
                }
            }
        });
    }

    private void onTold(String from, SiteMapFrame.Tell<K, V> told) {
        lock.lock();
        try {
            told.writes().forEach(this::take);
            if (told.isLast()) {
                sync.onAnswered(from, told.gaps());
            }
        } finally {
            lock.unlock();
        }
    }

    /** Entries for a member that joins, or comes from another part of this site: it takes them beside its own. */
    private final class State implements GroupState {

        @Override
        public Snapshot snapshot() {
            lock.lock();
            try {
                HybridClock.Known time = clock.time();
                List<KeyWrite<K, V>> all = entries.writes();
                ByteOutput head = new ByteOutput();
                head.putLong(time.stamp()).putInt(time.walls().size());
                time.walls().forEach((address, wall) -> head.putText(address).putLong(wall));
                sync.put(head);
                return to -> {
                    // Entries never change: they are encoded without the lock, for each member that gets them.
                    ByteOutput out = new ByteOutput().putRaw(head.array(), 0, head.length());
                    out.putInt(all.size());
                    all.forEach(write -> wire.put(write, out));
                    to.write(out.array(), 0, out.length());
                };
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void install(InputStream in) throws IOException {
            try {
                install(new ByteInput(in.readAllBytes()));
            } catch (MalformedException e) {
                throw new IOException("the state of map " + name + " can't be read: " + e.getMessage(), e);
            }
            tell();
        }

        /** Writes of a part of this site whose state is given up reach the other part through its members, not through the group. */
        private void install(ByteInput in) {
            List<KeyWrite<K, V>> lacking;
            lock.lock();
            try {
                Map<Stamp, KeyWrite<K, V>> own = new TreeMap<>();
                entries.writes().forEach(write -> own.put(write.write().stamp(), write));
                long stamp = in.takeLong();
                TreeMap<String, Long> walls = new TreeMap<>();
                for (int left = in.takeCount(Integer.BYTES + Long.BYTES); left > 0; left--) {
                    walls.put(in.takeText(), in.takeLong());
                }
                clock.learn(new HybridClock.Known(stamp, walls));
                sync.take(in);
                for (int left = in.takeCount(1); left > 0; left--) {
                    KeyWrite<K, V> write = wire.take(in);
                    own.remove(write.write().stamp());
                    take(write);
                }
                in.end();
                lacking = List.copyOf(own.values());
            } finally {
                lock.unlock();
            }
            SiteGroup joined = group;
            if (!lacking.isEmpty() && joined != null) {
                threads.start("tutti-map-" + name + "-merge", () -> sender.tellHere(joined, lacking));
            }
        }
    }

    @Override
    public String toString() {
        return "map " + name + " of " + size() + " entries at " + site;
    }
}
