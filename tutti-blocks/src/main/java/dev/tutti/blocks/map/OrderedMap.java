package dev.tutti.blocks.map;

import dev.tutti.Snapshot;
import dev.tutti.blocks.internal.Blocks;
import dev.tutti.blocks.internal.argument.Arguments;
import dev.tutti.blocks.internal.block.ReplicatedBlock;
import dev.tutti.blocks.internal.block.Upkeep;
import dev.tutti.blocks.internal.clock.ClockCheck;
import dev.tutti.blocks.internal.clock.HybridClock;
import dev.tutti.blocks.machine.CommandException;
import dev.tutti.blocks.map.MapCommand.Condition;
import dev.tutti.blocks.map.MapCommand.Outcome;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The form in total order: a machine that runs at all members alike. A write's version is (number of the view, number
 * of the change), so that entries from a merge can be told from those written since, as in the other form.
 */
final class OrderedMap<K, V> implements TotalOrderMap<K, V> {

    private final MapBuilder<K, V> settings;
    private final String name;
    private final RegisterCodec<K, V> codec;
    private final Entries<K, V> entries;
    private final ReplicatedBlock<MapCommand<K, V>, Outcome<V>, EntryEvent<K, V>> block;
    private final Upkeep upkeep;

    private OrderedMap(MapBuilder<K, V> settings) {
        this.settings = settings;
        this.name = settings.group().name();
        this.block = new ReplicatedBlock<>(
                settings.group(), "map", "this member can't tell what expires or is to be merged", new Contents());
        this.upkeep = block.upkeep();
        this.codec = new RegisterCodec<>(settings.keys(), settings.values(), upkeep.deadlines()::nowNanos);
        // Entries are evicted together with the write that needs the room.
        this.entries = new Entries<>(settings, Overflow.REFUSE, new Line());
    }

    static <K, V> OrderedMap<K, V> join(MapBuilder<K, V> settings) {
        OrderedMap<K, V> map = new OrderedMap<>(settings);
        map.block.join(settings.merge(), MapCommand.codec(map.codec), settings::prepared);
        if (map.entries.isByTime()) {
            map.block.replica().group().watch(new ClockCheck(map.upkeep.lock(), map.entries.time()));
        }
        return map;
    }

    // ------------------------------------------------------------------ reading

    @Override
    public @Nullable V get(K key) {
        return entries.get(Arguments.required(key, "get: the key"));
    }

    @Override
    public int size() {
        return entries.size();
    }

    @Override
    public long bytes() {
        return entries.bytes();
    }

    @Override
    public MapSnapshot<K, V> snapshot() {
        upkeep.lock().lock();
        try {
            return entries.snapshot(view());
        } finally {
            upkeep.lock().unlock();
        }
    }

    @Override
    public void sync() {
        block.sync(settings.timeout());
    }

    @Override
    public Member self() {
        return upkeep.self();
    }

    @Override
    public View view() {
        return upkeep.view();
    }

    @Override
    public Map<String, Long> status() {
        return block.status();
    }

    // ------------------------------------------------------------------ writing

    private Register<K, V> register(K key, @Nullable V value, long timeToLiveNanos) {
        return new Register<>(key, value, 0, EntryVersion.NONE, timeToLiveNanos, upkeep.deadlines().nowNanos());
    }

    private MapCommand.Write<K, V> command(Condition<V> condition, List<Register<K, V>> registers) {
        return new MapCommand.Write<>(condition, stamp(), registers);
    }

    private HybridClock.Stamp stamp() {
        upkeep.lock().lock();
        try {
            return entries.stamp(List.of());
        } finally {
            upkeep.lock().unlock();
        }
    }

    private Outcome<V> write(Condition<V> condition, Register<K, V> register) {
        return checked(block.call(command(condition, List.of(register))));
    }

    private Outcome<V> write(Condition<V> condition, K key, @Nullable V value) {
        return write(condition, register(key, value, settings.timeToLiveNanos()));
    }

    private Outcome<V> checked(Outcome<V> outcome) {
        if (outcome.isRefused()) {
            throw new MapException(
                    MapException.Reason.FULL, "map " + name + " has as much as it may: " + settings.bounds());
        }
        return outcome;
    }

    @Override
    public void put(K key, V value) {
        MapBuilder.checkEntry(name, "put", key, value);
        write(new Condition.Always<>(), key, value);
    }

    @Override
    public void put(K key, V value, Duration timeToLive) {
        MapBuilder.checkEntry(name, "put", key, value);
        MapBuilder.checkTimeToLive(timeToLive);
        write(new Condition.Always<>(), register(key, value, timeToLive.toNanos()));
    }

    @Override
    public void putAll(Map<? extends K, ? extends V> entries) {
        Arguments.required(entries, "putAll: the map of entries")
                .forEach((key, value) -> MapBuilder.checkEntry(name, "putAll", key, value));
        List<CompletableFuture<Void>> written = new ArrayList<>();
        Waits waits = new Waits(settings.group().node().threads(), "map " + name, settings.timeout());
        List<Register<K, V>> batch = new ArrayList<>();
        for (Map.Entry<? extends K, ? extends V> entry : entries.entrySet()) {
            batch.add(register(entry.getKey(), entry.getValue(), settings.timeToLiveNanos()));
            if (batch.size() == BATCH) {
                written.add(submit(batch));
                batch = new ArrayList<>();
                if (written.size() == BATCHES_AHEAD) {
                    waits.await(written.removeFirst());
                }
            }
        }
        if (!batch.isEmpty()) {
            written.add(submit(batch));
        }
        written.forEach(waits::await);
    }

    private CompletableFuture<Void> submit(List<Register<K, V>> registers) {
        return block.submit(command(new Condition.Always<>(), registers)).handle((outcome, failure) -> {
            if (failure instanceof CommandException known) {
                throw new CompletionException(block.exception(known));
            }
            if (failure != null) {
                throw new CompletionException(failure);
            }
            checked(outcome);
            return null;
        });
    }

    @Override
    public void remove(K key) {
        Arguments.required(key, "remove: the key");
        write(new Condition.Always<>(), key, null);
    }

    @Override
    public CompletableFuture<Void> putAsync(K key, V value) {
        MapBuilder.checkEntry(name, "putAsync", key, value);
        return submit(List.of(register(key, value, settings.timeToLiveNanos())));
    }

    @Override
    public CompletableFuture<Void> putAsync(K key, V value, Duration timeToLive) {
        MapBuilder.checkEntry(name, "putAsync", key, value);
        MapBuilder.checkTimeToLive(timeToLive);
        return submit(List.of(register(key, value, timeToLive.toNanos())));
    }

    @Override
    public CompletableFuture<Void> removeAsync(K key) {
        Arguments.required(key, "removeAsync: the key");
        return submit(List.of(register(key, null, 0)));
    }

    @Override
    public @Nullable V getAndPut(K key, V value) {
        MapBuilder.checkEntry(name, "getAndPut", key, value);
        return write(new Condition.Always<>(), key, value).previous();
    }

    @Override
    public @Nullable V getAndRemove(K key) {
        Arguments.required(key, "getAndRemove: the key");
        return write(new Condition.Always<>(), key, null).previous();
    }

    @Override
    public @Nullable V putIfAbsent(K key, V value) {
        MapBuilder.checkEntry(name, "putIfAbsent", key, value);
        return write(new Condition.Absent<>(), key, value).previous();
    }

    @Override
    public @Nullable V replace(K key, V value) {
        MapBuilder.checkEntry(name, "replace", key, value);
        return write(new Condition.Present<>(), key, value).previous();
    }

    @Override
    public boolean replace(K key, V expected, V value) {
        Arguments.required(expected, "replace: the expected value");
        MapBuilder.checkEntry(name, "replace", key, value);
        return write(new Condition.Equal<>(expected), key, value).isDone();
    }

    @Override
    public boolean remove(K key, V expected) {
        Arguments.required(expected, "remove: the expected value");
        Arguments.required(key, "remove: the key");
        return write(new Condition.Equal<>(expected), key, null).isDone();
    }

    @Override
    public @Nullable V compute(K key, BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function) {
        Arguments.required(key, "compute: the key");
        Arguments.required(function, "compute: the function");
        for (int tries = 0; tries < TRIES_MAX; tries++) {
            Register<K, V> present;
            upkeep.lock().lock();
            try {
                present = entries.store().find(key);
            } finally {
                upkeep.lock().unlock();
            }
            V before = present == null ? null : present.value();
            V after = function.apply(key, before);
            if (before == null && after == null) {
                return null;
            }
            EntryVersion version = present == null ? EntryVersion.NONE : present.version();
            if (write(new Condition.Unchanged<>(version), key, after).isDone()) {
                return after;
            }
        }
        throw new MapException(
                MapException.Reason.CONTENDED, "map " + name + ": " + key + " was changed " + TRIES_MAX + " times meanwhile");
    }

    @Override
    public void close() {
        block.close();
    }

    // ------------------------------------------------------------------ the machine

    private final class Contents implements ReplicatedBlock.Contents<MapCommand<K, V>, Outcome<V>, EntryEvent<K, V>> {

        @Override
        public Outcome<V> apply(Member member, MapCommand<K, V> command) {
            return switch (command) {
                case MapCommand.Write<K, V> write -> OrderedMap.this.write(member, write);
                case MapCommand.Expire<K, V> expire -> expire(expire);
                case MapCommand.Again<K, V> again -> bringIn(member, again);
            };
        }

        @Override
        public void onView(View view, Member self) {
            entries.housekeeping().onView(view, self);
        }

        @Override
        public void clear() {
            entries.clear();
        }

        @Override
        public Snapshot snapshot(Blocks.Origin origin) {
            Image<K, V> image = entries.image(origin, entries.changes(), new TreeMap<>());
            return out -> image.write(codec, out);
        }

        @Override
        public Runnable read(InputStream in, @Nullable View from) throws IOException {
            Image<K, V> image = Image.read(codec, in);
            Entries.Replacement<K, V> next = entries.compare(image, from);
            return () -> entries.replace(next, image.changes());
        }

        @Override
        public List<EntryEvent<K, V>> takeEvents() {
            return entries.takeEvents();
        }

        @Override
        public void tell(EntryEvent<K, V> event) {
            upkeep.callbacks().call("onEntry", settings.entryListener(), event);
        }

        @Override
        public void putStatus(Map<String, Long> status) {
            entries.putStatus(status);
            status.put("changes", entries.changes());
        }

        @Override
        public void attend(View view, Member self) {
            if (entries.takeClockUntold()) {
                block.announce(command(new Condition.Always<>(), List.of()), entries::onClockUntold);
            }
            upkeep.continueAt(entries.housekeeping().attend(view, self, entries.store(), upkeep.deadlines().nowNanos()));
        }

        @Override
        public RuntimeException exception(CommandException failure, String message) {
            MapException.Reason reason =
                    switch (failure.reason()) {
                        case TOO_MANY, NOT_SENT, NOT_PRIMARY -> MapException.Reason.REFUSED;
                        case TIMED_OUT ->
                            failure.execution() == CommandException.Execution.NEVER
                                    ? MapException.Reason.REFUSED
                                    : MapException.Reason.TIMED_OUT;
                        case CLOSED -> MapException.Reason.CLOSED;
                        case REPLACED -> MapException.Reason.REPLACED;
                        case INTERRUPTED -> MapException.Reason.INTERRUPTED;
                        case MALFORMED -> MapException.Reason.UNREADABLE;
                        case FAILED -> throw failure;
                    };
            return new MapException(reason, message, failure);
        }

        @Override
        public void onClosed(String reason) {
            settings.closedListener().accept(reason);
        }
    }

    private Outcome<V> write(Member member, MapCommand.Write<K, V> write) {
        long written = write.stamp().written();
        entries.learn(write.stamp(), member);
        if (write.registers().isEmpty()) {
            return new Outcome<>(true, false, null);
        }
        K key = write.registers().getFirst().key();
        V previous = entries.get(key);
        boolean isMet =
                switch (write.condition()) {
                    case Condition.Always<V>() -> true;
                    case Condition.Absent<V>() -> previous == null;
                    case Condition.Present<V>() -> previous != null;
                    case Condition.Equal<V>(V expected) -> previous != null && Objects.deepEquals(previous, expected);
                    case Condition.Unchanged<V>(EntryVersion version) -> entries.store().versionOf(key).equals(version);
                };
        if (!isMet) {
            return new Outcome<>(false, false, previous);
        }
        if (settings.bounds().overflow() == Overflow.REFUSE && !hasRoom(write.registers())) {
            return new Outcome<>(false, true, previous);
        }
        long number = entries.count();
        long place = 0;
        for (Register<K, V> each : write.registers()) {
            EntryVersion version = EntryVersion.of(view().id().number(), number, writtenAfter(each.key(), written), 0, place);
            entries.set(each.with(version), EntryEvent.Kind.REMOVED);
            place++;
        }
        makeRoom();
        return new Outcome<>(true, false, previous);
    }

    /** The order decides: a write that is later in it has a later time, whatever clocks said. */
    private long writtenAfter(K key, long written) {
        long before = entries.store().versionOf(key).written();
        return written == 0 || written > before || before == Long.MAX_VALUE ? written : before + 1;
    }

    /** Returns whether new entries have room; present ones can be changed in any case. */
    private boolean hasRoom(List<Register<K, V>> registers) {
        int count = 0;
        long bytes = 0;
        for (Register<K, V> each : registers) {
            if (each.isLive() && entries.get(each.key()) == null) {
                count++;
                bytes += each.bytes();
            }
        }
        return count == 0 || settings.bounds().isWithin(entries.size() + count, entries.bytes() + bytes);
    }

    private Outcome<V> expire(MapCommand.Expire<K, V> command) {
        for (Register<K, V> each : command.registers()) {
            if (entries.store().versionOf(each.key()).equals(each.version())) {
                entries.count();
                entries.set(each.with(each.version().dropped()), EntryEvent.Kind.EXPIRED);
            }
        }
        makeRoom();
        return new Outcome<>(true, false, null);
    }

    private Outcome<V> bringIn(Member member, MapCommand.Again<K, V> again) {
        View present = view();
        if (again.view() != present.id().number()) {
            // Submitted before a view that may have changed what it depends on: it is submitted again in this one.
            return new Outcome<>(false, false, null);
        }
        int rank = present.members().indexOf(member);
        for (Register<K, V> each : again.registers()) {
            EntryVersion version = each.version().again(again.view(), rank, entries.count());
            if (version.isAfter(entries.store().versionOf(each.key()))) {
                entries.set(each.with(version), EntryEvent.Kind.REMOVED);
                entries.countBroughtIn(1);
            }
        }
        makeRoom();
        if (again.isLast()) {
            entries.housekeeping().onBroughtIn(again.side());
        }
        return new Outcome<>(true, false, null);
    }

    private void makeRoom() {
        Store<K, V> store = entries.store();
        if (settings.bounds().overflow() == Overflow.EVICT) {
            for (Register<K, V> each : store.excess(settings.bounds(), new TreeSet<>(), Integer.MAX_VALUE)) {
                entries.set(each.gone(), EntryEvent.Kind.EVICTED);
            }
        }
        Register<K, V> first = store.firstRemoved();
        while (first != null && store.removedCount() > settings.removedMax()) {
            store.forget(first.key());
            first = store.firstRemoved();
        }
    }

    // ------------------------------------------------------------------ housekeeping

    private final class Line implements Housekeeping.Line<K, V> {

        @Override
        public void drop(List<Register<K, V>> registers, boolean isExpired, Runnable unsent) {
            block.announce(new MapCommand.Expire<>(registers), unsent);
        }

        @Override
        public void again(String side, boolean isLast, List<Register<K, V>> registers, Runnable unsent) {
            block.announce(new MapCommand.Again<>(side, view().id().number(), isLast, registers), unsent);
        }
    }

    private static final int BATCH = 256;
    private static final int BATCHES_AHEAD = 8;

    @Override
    public String toString() {
        return block.block() + " of " + size() + " entries, " + upkeep.reached();
    }
}
