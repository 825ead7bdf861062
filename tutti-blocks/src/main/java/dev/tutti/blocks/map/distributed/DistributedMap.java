package dev.tutti.blocks.map.distributed;

import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.Subscription;
import dev.tutti.Threads;
import dev.tutti.blocks.calls.Calls;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.internal.Callbacks;
import dev.tutti.blocks.internal.argument.Arguments;
import dev.tutti.blocks.map.MapBuilder;
import dev.tutti.blocks.map.MapException;
import dev.tutti.blocks.map.MapException.Reason;
import dev.tutti.blocks.map.ReplicatedMap;
import dev.tutti.blocks.map.TotalOrderMap;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.internal.Logs;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * A map of which each entry is at some members, {@linkplain DistributedMapBuilder#copies two} by default, and not at all of them: the
 * more members there are, the more entries have room. It has a group for its members, and one for each of its shards.
 *
 * <p>The keys are divided into <em>shards</em> by a hash of their encoded bytes, so equal keys have to have equal bytes. A shard is held
 * by as many members as there are copies, which follow from the members of the view alone. One of them is its <em>home</em>: it
 * executes all operations on the shard. An operation is a call to the home, or none if that is this member.
 *
 * <p><b>Reads and changes</b> are linearizable as long as no member is cut off or taken for crashed: a read sees every change that had
 * returned to anybody before. A change returns when all members that hold the shard have it.
 *
 * <p><b>Crashes.</b> A change that has returned is lost only if all members that have the entry crash before others have it:
 * with {@code k} copies, {@code k} - 1 may crash at once, and again when the copies are complete again. Then {@link
 * DistributedMapBuilder#onLost} is called, and the shard begins again without entries. Operations under way at a home that crashes: reads
 * are made again; a change fails as {@link Reason#UNKNOWN}, because it may have been made, and making it again could overwrite what others
 * have written since.
 *
 * <p><b>Join and leave.</b> Members that join get the shards that they are to hold, a few at a time; those that hold one too many give it up
 * when all others have it. {@link #close} hands copies over before it leaves. Operations on a shard wait while its home changes.
 *
 * <p><b>Partition.</b> Each side goes on with the entries of which it has a copy, and begins shards of which it has none without
 * entries, which {@code onLost} reports. <b>Merge.</b> Both sides' entries are brought together as {@link DistributedMapBuilder#merge} says.
 *
 * <p>Keys and values are encoded by the caller; members have them as bytes. {@code null} is no value. All methods may be called from any
 * thread, but not by listeners of groups, because they wait for the network. They throw {@link MapException} at the deadline at the latest.
 */
public final class DistributedMap<K, V> implements AutoCloseable {

    private static final Logger LOG = Logs.of(DistributedMap.class);

    private final DistributedMapBuilder<K, V> settings;
    private final Node node;
    private final String name;
    private final Threads threads;
    private final Callbacks callbacks;
    private final Shards shards;
    private final Rebalancing rebalancing;
    private final Home home;
    private final Calls calls;
    private final Router router;
    private final Subscription draining;
    private final AtomicBoolean isClosing = new AtomicBoolean();
    private final AtomicInteger asynchronous = new AtomicInteger();

    private DistributedMap(DistributedMapBuilder<K, V> settings) {
        this.settings = settings;
        this.node = settings.node();
        this.name = settings.name();
        this.threads = node.threads();
        this.callbacks = new Callbacks(settings.group(name));
        this.shards = new Shards(node.id(), threads, settings.shards(), settings.copies(), this::wake);
        this.rebalancing = new Rebalancing(name, threads, shards, this::joinShard, this::onLost);
        this.home = new Home(shards);
        this.calls = joinCalls(settings);
        this.router = new Router(name, threads, shards, home, calls, settings.timeout());
        // In place of that of the calls, which are needed until the copies are handed over.
        this.draining = node.operations().onDrain(name, this::drain);
    }

    /**
     * Returns a builder for a map on a node.
     *
     * @param name of the group of the map's members, and with a number after a slash of those of its shards
     * @param keys equal keys have equal bytes
     */
    public static <K, V> DistributedMapBuilder<K, V> on(Node node, String name, Codec<K> keys, Codec<V> values) {
        return new DistributedMapBuilder<>(node, name, keys, values);
    }

    static <K, V> DistributedMap<K, V> join(DistributedMapBuilder<K, V> settings) {
        DistributedMap<K, V> map = new DistributedMap<>(settings);
        String difference = map.rebalancing.difference(map.calls);
        if (difference != null) {
            map.end();
            throw new IllegalStateException(difference);
        }
        map.rebalancing.start(map.calls);
        map.awaitSettled(settings.timeout());
        return map;
    }

    private Calls joinCalls(DistributedMapBuilder<K, V> builder) {
        return Calls.on(builder.group(name))
                .handleInline(Wire.READ, (request, _) -> home.read(request))
                .handle(Wire.CHANGE, (request, _) -> home.change(request))
                .handle(Wire.REPORT, (_, _) -> shards.report())
                .handle(Wire.SIZES, (_, _) -> shards.sizes())
                .handleInline(Wire.LEAVING, (_, context) -> {
                    shards.onLeaving(context.caller().node());
                    return true;
                })
                .handleInline(Wire.OPENED, (numbers, _) -> {
                    shards.learn(numbers);
                    return true;
                })
                .handlersMax(HANDLERS_MAX)
                .onView(view -> {
                    shards.onMainView(view);
                    builder.viewListener().accept(view);
                })
                .onClosed(reason -> {
                    rebalancing.end();
                    shards.onClosed();
                    builder.closedListener().accept(reason);
                })
                .join();
    }

    private void wake() {
        rebalancing.wake();
    }

    /** Joins the group of a shard. */
    private Copy joinShard(int shard) {
        String group = name + "/" + shard;
        MapBuilder<EntryKey, byte[]> map = ReplicatedMap.on(
                        settings.group(group).set("total.delivery", "safe"), EntryKey.CODEC, Codec.BYTES)
                .timeout(settings.timeout())
                .merge(settings.merge())
                .removedMax(Math.max(REMOVED_MIN, REMOVED_MAX / settings.shards()))
                .onView(view -> shards.onView(shard, view))
                .onClosed(reason -> shards.onClosed(shard));
        TotalOrderMap<EntryKey, byte[]> joined =
                (settings.timeToLive().isZero() ? map : map.timeToLive(settings.timeToLive())).totalOrder();
        for (Group each : node.groups()) {
            if (each.name().equals(group)) {
                return new Copy(shard, joined, each::view);
            }
        }
        throw new IllegalStateException("group " + group + " was left at once");
    }

    private void onLost(List<Integer> numbers) {
        LOG.warn("map {}: shards {} begin again without entries: no member that can be reached has a copy of them", name, numbers);
        node.components().tell("distributed-map", name, "shards-lost", name,
                "shards " + numbers + " of map " + name + " begin again without entries: no member that can be reached has a copy of them");
        threads.start("tutti-map-" + name, () -> callbacks.call("onLost", settings.lossListener(), numbers));
    }

    // ------------------------------------------------------------------ operations

    /** Returns the value; null if there is none. */
    public @Nullable V get(K key) {
        return decoded(read(encoded(key, "get")));
    }

    public boolean containsKey(K key) {
        return read(encoded(key, "containsKey")) != null;
    }

    /** Writes, with the map's time to live. */
    public void put(K key, V value) {
        var unused = write(Request.Kind.PUT, encoded(key, "put"), encodedValue(value, "put"), 0);
    }

    /** Writes an entry that lives for a time, 1 ms to 10 years; it may be there a little longer. */
    public void put(K key, V value, Duration timeToLive) {
        long nanos = DistributedMapBuilder.checkedTimeToLive(timeToLive).toNanos();
        var unused = write(Request.Kind.PUT, encoded(key, "put"), encodedValue(value, "put"), nanos);
    }

    /** Writes; returns the previous value. */
    public @Nullable V getAndPut(K key, V value) {
        return decoded(write(Request.Kind.GET_AND_PUT, encoded(key, "getAndPut"), encodedValue(value, "getAndPut"), 0).previous());
    }

    /** Writes if there is no entry; returns the present value, null if there was none. */
    public @Nullable V putIfAbsent(K key, V value) {
        return decoded(write(Request.Kind.PUT_IF_ABSENT, encoded(key, "putIfAbsent"), encodedValue(value, "putIfAbsent"), 0).previous());
    }

    /** Writes if there is an entry; returns its previous value, null if there was none. */
    public @Nullable V replace(K key, V value) {
        return decoded(write(Request.Kind.REPLACE, encoded(key, "replace"), encodedValue(value, "replace"), 0).previous());
    }

    /** Writes if the value is {@code expected}, compared by {@code equals} at the caller, or for arrays by their elements. */
    public boolean replace(K key, V expected, V value) {
        return changeIfEqual(encoded(key, "replace"), expected, encodedValue(value, "replace"), "replace");
    }

    public void remove(K key) {
        EntryKey encoded = encoded(key, "remove");
        var unused = router.execute(Request.of(Request.Kind.REMOVE, shard(encoded), encoded));
    }

    /** Removes if the value is {@code expected}, compared as {@link #replace(Object, Object, Object)} does. */
    public boolean remove(K key, V expected) {
        return changeIfEqual(encoded(key, "remove"), expected, null, "remove");
    }

    /** Removes; returns the previous value. */
    public @Nullable V getAndRemove(K key) {
        EntryKey encoded = encoded(key, "getAndRemove");
        return decoded(router.execute(Request.of(Request.Kind.GET_AND_REMOVE, shard(encoded), encoded)).previous());
    }

    /**
     * Writes the result of a function of the present value, or removes the entry; again and again until nobody has changed it
     * meanwhile, {@value TotalOrderMap#TRIES_MAX} times at most.
     *
     * @param function gets null if there is no entry, and returns null to remove it. Runs on the calling thread, maybe several times
     * @return the new value
     * @throws MapException as {@link Reason#CONTENDED} if others were faster each time
     */
    public @Nullable V compute(K key, BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function) {
        Arguments.required(function, "compute: the function");
        EntryKey encoded = encoded(key, "compute");
        for (int tries = 0; tries < TotalOrderMap.TRIES_MAX; tries++) {
            byte[] before = read(encoded);
            V after = function.apply(key, decoded(before));
            byte[] value = after == null ? null : encodedValue(after, "compute");
            if (before == null && value == null || changeFrom(encoded, before, value)) {
                return after;
            }
        }
        throw contended(encoded);
    }

    /** Changes an entry from one state to another, null for none, unless it is in a third one. */
    private boolean changeFrom(EntryKey key, byte @Nullable [] before, byte @Nullable [] after) {
        int shard = shard(key);
        if (before == null) {
            return router.execute(new Request(Request.Kind.PUT_IF_ABSENT, shard, key, after, null, 0)).previous() == null;
        }
        Request.Kind kind = after == null ? Request.Kind.REMOVE_IF_EQUAL : Request.Kind.REPLACE_IF_EQUAL;
        return router.execute(new Request(kind, shard, key, after, before, 0)).isDone();
    }

    private boolean changeIfEqual(EntryKey key, V expected, byte @Nullable [] after, String method) {
        Arguments.required(expected, method + ": the expected value");
        for (int tries = 0; tries < TotalOrderMap.TRIES_MAX; tries++) {
            byte[] before = read(key);
            if (before == null || !Objects.deepEquals(decoded(before), expected)) {
                return false;
            }
            if (changeFrom(key, before, after)) {
                return true;
            }
        }
        throw contended(key);
    }

    private MapException contended(EntryKey key) {
        return new MapException(
                Reason.CONTENDED, "map " + name + ": " + key + " was changed " + TotalOrderMap.TRIES_MAX + " times meanwhile");
    }

    /** Returns the entries of some keys, each as {@link #get} returns it; some at a time. Keys without an entry are left out. */
    public Map<K, V> getAll(Collection<? extends K> keys) {
        Map<K, CompletableFuture<@Nullable V>> asked = new LinkedHashMap<>();
        Window window = new Window();
        for (K key : Arguments.required(keys, "getAll: the keys")) {
            window.add(asked.computeIfAbsent(key, this::getAsync));
        }
        window.end();
        Map<K, V> found = new LinkedHashMap<>();
        asked.forEach((key, answer) -> {
            V value = answer.getNow(null);
            if (value != null) {
                found.put(key, value);
            }
        });
        return Collections.unmodifiableMap(found);
    }

    /** Writes entries, each as {@link #put} does; some at a time. If one fails, others may be written. */
    public void putAll(Map<? extends K, ? extends V> entries) {
        Window window = new Window();
        Arguments.required(entries, "putAll: the map of entries").forEach((key, value) -> window.add(putAsync(key, value)));
        window.end();
    }

    /**
     * Returns the number of entries: asks all members for those that they are home of, each at some moment during the call.
     *
     * @throws MapException as {@link Reason#TIMED_OUT} if some shards are served by nobody
     */
    public long size() {
        return router.size();
    }

    /**
     * Returns the value; completes with null if there is none. Operations that are under way at one time are executed in any order. At most
     * 4,096 may be; further ones fail as {@link Reason#REFUSED}.
     */
    public CompletableFuture<@Nullable V> getAsync(K key) {
        EntryKey encoded = encoded(key, "getAsync");
        return start(() -> decoded(read(encoded)));
    }

    /** Writes; completes as {@link #put(Object, Object)} returns or throws. */
    public CompletableFuture<@Nullable Void> putAsync(K key, V value) {
        EntryKey encoded = encoded(key, "putAsync");
        byte[] bytes = encodedValue(value, "putAsync");
        return start(() -> {
            var unused = write(Request.Kind.PUT, encoded, bytes, 0);
            return null;
        });
    }

    /** Removes; completes as {@link #remove(Object)} returns or throws. */
    public CompletableFuture<@Nullable Void> removeAsync(K key) {
        EntryKey encoded = encoded(key, "removeAsync");
        return start(() -> {
            var unused = router.execute(Request.of(Request.Kind.REMOVE, shard(encoded), encoded));
            return null;
        });
    }

    /** Runs an operation on a thread of its own; refuses it if there are too many. */
    private <T extends @Nullable Object> CompletableFuture<T> start(Supplier<T> operation) {
        if (asynchronous.incrementAndGet() > ASYNCHRONOUS_MAX) {
            asynchronous.decrementAndGet();
            return CompletableFuture.failedFuture(new MapException(
                    Reason.REFUSED, "map " + name + ": " + ASYNCHRONOUS_MAX + " operations are under way, which is as many as may"));
        }
        CompletableFuture<T> result = new CompletableFuture<>();
        threads.start("tutti-map-" + name, () -> {
            try {
                T value = operation.get();
                asynchronous.decrementAndGet();
                result.complete(value);
            } catch (RuntimeException e) {
                asynchronous.decrementAndGet();
                result.completeExceptionally(e);
            }
        });
        return result;
    }

    /** Operations of one caller, of which so many are under way at a time. */
    private final class Window {

        private final ArrayDeque<CompletableFuture<?>> open = new ArrayDeque<>();

        void add(CompletableFuture<?> operation) {
            open.add(operation);
            if (open.size() == WINDOW) {
                await(open.remove());
            }
        }

        void end() {
            open.forEach(this::await);
        }

        private void await(CompletableFuture<?> operation) {
            try {
                var unused = threads.get(operation);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new MapException(Reason.INTERRUPTED, "map " + name + ": the thread was interrupted", e);
            } catch (ExecutionException e) {
                // Rethrown on the caller's own stack.
                throw e.getCause() instanceof MapException known
                        ? new MapException(known.reason(), String.valueOf(known.getMessage()), known)
                        : new IllegalStateException("map " + name + ": an operation has failed", e.getCause());
            }
        }
    }

    // ------------------------------------------------------------------ bytes

    private byte @Nullable [] read(EntryKey key) {
        return router.execute(Request.of(Request.Kind.GET, shard(key), key)).previous();
    }

    private Answer.Done write(Request.Kind kind, EntryKey key, byte[] value, long timeToLiveNanos) {
        return router.execute(new Request(kind, shard(key), key, value, null, timeToLiveNanos));
    }

    private int shard(EntryKey key) {
        return key.shard(shards.count());
    }

    private EntryKey encoded(K key, String method) {
        Arguments.required(key, method + ": the key");
        ByteOutput out = new ByteOutput();
        settings.keys().put(key, out);
        if (out.length() == 0) {
            throw new IllegalArgumentException("map " + name + ", " + method + ": key " + key + " has no bytes; a key has at least one");
        }
        return new EntryKey(out.copy());
    }

    /** Encodes a value, and reads it back: if the caller can read it, others can. */
    private byte[] encodedValue(V value, String method) {
        if (value == null) {
            throw new NullPointerException("map " + name + ", " + method + ": the value is null; remove(key) removes an entry");
        }
        ByteOutput out = new ByteOutput();
        settings.values().put(value, out);
        byte[] bytes = out.copy();
        try {
            var unused = decoded(bytes);
        } catch (RuntimeException e) {
            throw new MapException(Reason.UNREADABLE, "map " + name + ", " + method + ": the codec can't read what it has written", e);
        }
        return bytes;
    }

    private @Nullable V decoded(byte @Nullable [] bytes) {
        if (bytes == null) {
            return null;
        }
        ByteInput in = new ByteInput(bytes);
        V value = settings.values().take(in);
        in.end();
        return value;
    }

    // ------------------------------------------------------------------ state

    public String name() {
        return name;
    }

    /** Returns this member. */
    public Member self() {
        return calls.self();
    }

    /** Returns the view of the map's members. */
    public View view() {
        return calls.view();
    }

    /** Returns the number of shards. */
    public int shards() {
        return shards.count();
    }

    /** Returns the number of the shard of a key, from 0. */
    public int shardOf(K key) {
        return shard(encoded(key, "shardOf"));
    }

    /**
     * Waits until this member has nothing to move: it has the copies that it is to hold and no others, and serves the shards that it is
     * home of. Other members may still have something to move.
     *
     * @return whether that is so within {@code within}
     */
    public boolean awaitSettled(Duration within) {
        try {
            return shards.await(within.toNanos(), () -> !shards.isUnsettled());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /**
     * Returns counters by name, for people: {@code copies} is the number of shards that this member has, {@code homes} of those that it
     * serves, {@code unsettled} of those that are still to be got, given up or served, {@code lost} of those that it has begun again without
     * entries; {@code entries} and {@code bytes} count what is in its copies.
     */
    public Map<String, Long> status() {
        Map<String, Long> status = shards.status();
        rebalancing.putStatus(status);
        router.putStatus(status);
        return status;
    }

    // ------------------------------------------------------------------ leaving

    /** Gives this member's copies to others; then lets them call it no more. */
    boolean drain(Duration within) {
        long endNanos = threads.nanoTime() + within.toNanos();
        if (!handOver(within)) {
            return false;
        }
        return calls.drain(Duration.ofNanos(Math.max(0, endNanos - threads.nanoTime())));
    }

    private boolean handOver(Duration within) {
        shards.onLeaving(shards.self());
        try {
            return shards.await(within.toNanos(), () -> shards.isEmpty() || shards.isClosed());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /**
     * Leaves the map: gives this member's copies to others, within {@link DistributedMapBuilder#handOver}, and leaves the groups.
     * Operations under way here fail as {@link Reason#CLOSED}. Idempotent.
     */
    @Override
    public void close() {
        if (isClosing.compareAndSet(false, true)) {
            if (!handOver(settings.handOver())) {
                LOG.warn("map {}: left with copies of {} shards, of which others may have too few: not handed over within {} ms",
                        name, shards.all().size(), settings.handOver().toMillis());
            }
            end();
        }
    }

    private void end() {
        draining.close();
        rebalancing.end();
        shards.onClosed();
        shards.all().forEach(copy -> copy.map().close());
        calls.close();
    }

    @Override
    public String toString() {
        return "map " + name + " of " + shards.count() + " shards, " + calls.view();
    }

    private static final int HANDLERS_MAX = 4_096;
    private static final int ASYNCHRONOUS_MAX = 4_096;
    private static final int WINDOW = 64;
    private static final int REMOVED_MAX = 100_000;
    private static final int REMOVED_MIN = 1_000;
}
