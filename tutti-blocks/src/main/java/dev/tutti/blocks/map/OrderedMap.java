package dev.tutti.blocks.map;

import dev.tutti.Snapshot;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.internal.BlockMembers;
import dev.tutti.blocks.internal.Blocks;
import dev.tutti.blocks.internal.Callbacks;
import dev.tutti.blocks.internal.Deadlines;
import dev.tutti.blocks.internal.LostSide;
import dev.tutti.blocks.internal.Retry;
import dev.tutti.blocks.internal.argument.Arguments;
import dev.tutti.blocks.machine.CommandException;
import dev.tutti.blocks.machine.Replica;
import dev.tutti.blocks.machine.StateMachine;
import dev.tutti.blocks.map.MapCommand.Condition;
import dev.tutti.blocks.map.MapCommand.Outcome;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The form in total order: a machine that runs at all members alike. A write's version is (number of the view, number
 * of the change), so that entries from a merge can be told from those written since, as in the other form.
 */
final class OrderedMap<K, V> implements TotalOrderMap<K, V> {

    private final MapBuilder<K, V> settings;
    private final String name;
    private final RegisterCodec<K, V> codec;
    private final Callbacks callbacks;
    private final Deadlines deadlines;
    private final Housekeeping<K, V> housekeeping;
    private final ReentrantLock lock = new ReentrantLock();
    private final Retry retry;

    // Guarded by the lock, except for volatile ones, which are read without it.
    private volatile Store<K, V> store = new Store<>();
    private volatile @Nullable View view;
    private volatile @Nullable Member self;
    private volatile @Nullable Replica<MapCommand<K, V>, Outcome<V>> replica;
    private final HybridClock time;
    private boolean isClockUntold;
    private long changes;
    private long broughtIn;
    private final List<EntryEvent<K, V>> untold = new ArrayList<>();

    private OrderedMap(MapBuilder<K, V> settings) {
        this.settings = settings;
        this.name = settings.group().name();
        this.callbacks = new Callbacks(settings.group());
        this.deadlines = new Deadlines(settings.group().node().threads(), "tutti-map-" + name, this::onDeadline);
        this.retry = new Retry(lock, deadlines);
        this.codec = new RegisterCodec<>(settings.keys(), settings.values(), deadlines::nowNanos);
        Store.Bounds bounds = settings.bounds();
        // Entries are evicted together with the write that needs the room.
        this.housekeeping = new Housekeeping<>(
                new Store.Bounds(bounds.entriesMax(), bounds.bytesMax(), Overflow.REFUSE),
                settings.merge(),
                settings.writeOrder(),
                new Line());
        this.time = settings.clock();
    }

    static <K, V> OrderedMap<K, V> join(MapBuilder<K, V> settings) {
        OrderedMap<K, V> map = new OrderedMap<>(settings);
        Replica<MapCommand<K, V>, Outcome<V>> joined = settings.prepared(Replica.on(
                        settings.group().set("state.of", settings.merge().stateOf()),
                        map.new Machine(),
                        MapCommand.codec(map.codec)))
                .onClosed(map::onClosed)
                .join();
        map.replica = joined;
        if (map.isByTime()) {
            joined.group().watch(new ClockCheck(map.lock, map.time));
        }
        map.onDeadline(0);
        return map;
    }

    private Replica<MapCommand<K, V>, Outcome<V>> replica() {
        return Objects.requireNonNull(replica, "the map is not joined");
    }

    // ------------------------------------------------------------------ reading

    @Override
    public @Nullable V get(K key) {
        return store.get(Arguments.required(key, "get: the key"));
    }

    @Override
    public int size() {
        return store.size();
    }

    @Override
    public long bytes() {
        return store.bytes();
    }

    @Override
    public MapSnapshot<K, V> snapshot() {
        lock.lock();
        try {
            return new MapSnapshot<>(view(), changes, Collections.unmodifiableMap(Image.entries(store.live())));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void sync() {
        guarded(() -> replica().ask(() -> true, settings.timeout()));
    }

    @Override
    public Member self() {
        return Objects.requireNonNull(self, "no view was told yet");
    }

    @Override
    public View view() {
        return Objects.requireNonNull(view, "no view was told yet");
    }

    @Override
    public Map<String, Long> status() {
        Map<String, Long> status = new LinkedHashMap<>(replica().status());
        lock.lock();
        try {
            status.put("entries", (long) store.size());
            status.put("bytes", store.bytes());
            status.put("removed", (long) store.removedCount());
            status.put("changes", changes);
            status.put("to-bring-in", housekeeping.entriesToBringIn());
            status.put("brought-in", broughtIn);
            status.put("tried-again", retry.count());
            status.put("clock-error-millis", isByTime() ? time.errorMillis() : 0);
            status.put("clock-cut", time.cut());
            status.put("clock-refused", time.refused());
        } finally {
            lock.unlock();
        }
        return status;
    }

    // ------------------------------------------------------------------ writing

    private Register<K, V> register(K key, @Nullable V value, long timeToLiveNanos) {
        return new Register<>(key, value, 0, EntryVersion.NONE, timeToLiveNanos, deadlines.nowNanos());
    }

    private boolean isByTime() {
        return settings.writeOrder() == WriteOrder.TIME;
    }

    private MapCommand.Write<K, V> command(Condition<V> condition, List<Register<K, V>> registers) {
        return new MapCommand.Write<>(condition, stamp(), registers);
    }

    private HybridClock.Stamp stamp() {
        if (!isByTime()) {
            return HybridClock.Stamp.NONE;
        }
        lock.lock();
        try {
            return time.stamp(0);
        } finally {
            lock.unlock();
        }
    }

    private Outcome<V> write(Condition<V> condition, Register<K, V> register) {
        return guarded(() -> checked(replica().call(command(condition, List.of(register)))));
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
        return replica().submit(command(new Condition.Always<>(), registers)).handle((outcome, failure) -> {
            if (failure instanceof CommandException known) {
                throw new CompletionException(exception(known));
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
            lock.lock();
            try {
                present = store.find(key);
            } finally {
                lock.unlock();
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

    private <T> T guarded(Supplier<T> call) {
        try {
            return call.get();
        } catch (CommandException e) {
            throw exception(e);
        }
    }

    private MapException exception(CommandException e) {
        MapException.Reason reason =
                switch (e.reason()) {
                    case TOO_MANY, NOT_SENT -> MapException.Reason.REFUSED;
                    case TIMED_OUT ->
                        e.execution() == CommandException.Execution.NEVER
                                ? MapException.Reason.REFUSED
                                : MapException.Reason.TIMED_OUT;
                    case CLOSED -> MapException.Reason.CLOSED;
                    case REPLACED -> MapException.Reason.REPLACED;
                    case NOT_PRIMARY -> MapException.Reason.REFUSED;
                    case INTERRUPTED -> MapException.Reason.INTERRUPTED;
                    case MALFORMED -> MapException.Reason.UNREADABLE;
                    case FAILED -> throw e;
                };
        return new MapException(reason, "map " + name + ": " + e.getMessage(), e);
    }

    @Override
    public void close() {
        replica().close();
    }

    private void onClosed(String reason) {
        retry.end();
        settings.closedListener().accept(reason);
    }

    // ------------------------------------------------------------------ the machine

    private final class Machine implements StateMachine<MapCommand<K, V>, Outcome<V>> {

        @Override
        public Outcome<V> apply(Member member, MapCommand<K, V> command) {
            lock.lock();
            try {
                return switch (command) {
                    case MapCommand.Write<K, V> write -> OrderedMap.this.write(member, write);
                    case MapCommand.Expire<K, V> expire -> expire(expire);
                    case MapCommand.Again<K, V> again -> bringIn(member, again);
                };
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void onView(View next) {
            lock.lock();
            try {
                Member own = BlockMembers.of(settings.group().node().id(), next);
                self = own;
                view = next;
                housekeeping.onView(next, own);
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void begin(long era) {
            lock.lock();
            try {
                Store<K, V> empty = new Store<>();
                untold.addAll(Changes.between(store, empty));
                store = empty;
                changes = 0;
                housekeeping.onInstalled();
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void onStable() {
            attendGuarded();
            List<EntryEvent<K, V>> events;
            lock.lock();
            try {
                events = List.copyOf(untold);
                untold.clear();
            } finally {
                lock.unlock();
            }
            Changes.tell(callbacks, events, settings.entryListener());
        }

        @Override
        public Snapshot snapshot() {
            lock.lock();
            try {
                View from = view();
                Image<K, V> image = new Image<>(
                        new Blocks.Origin(from.id(), from.members()), changes, changes, new TreeMap<>(), isByTime() ? time.time() : Image.Time.NONE, Image.registers(store));
                return out -> image.write(codec, out);
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void install(InputStream in) throws IOException {
            Image<K, V> image;
            try {
                image = Image.read(codec, in);
            } catch (MalformedException e) {
                throw new IOException("the state of map " + name + " can't be read", e);
            }
            OrderedMap.this.install(image);
        }

        @Override
        public boolean isAtomic() {
            return true;
        }
    }

    private Outcome<V> write(Member member, MapCommand.Write<K, V> write) {
        long written = write.stamp().written();
        if (isByTime() && written > 0) {
            time.read(member.node().address(), write.stamp().wallMillis());
            time.learn(written);
        }
        if (write.registers().isEmpty()) {
            return new Outcome<>(true, false, null);
        }
        K key = write.registers().getFirst().key();
        V previous = store.get(key);
        boolean isMet =
                switch (write.condition()) {
                    case Condition.Always<V>() -> true;
                    case Condition.Absent<V>() -> previous == null;
                    case Condition.Present<V>() -> previous != null;
                    case Condition.Equal<V>(V expected) -> previous != null && Objects.deepEquals(previous, expected);
                    case Condition.Unchanged<V>(EntryVersion version) -> store.versionOf(key).equals(version);
                };
        if (!isMet) {
            return new Outcome<>(false, false, previous);
        }
        if (settings.bounds().overflow() == Overflow.REFUSE && !hasRoom(write.registers())) {
            return new Outcome<>(false, true, previous);
        }
        long number = ++changes;
        long place = 0;
        for (Register<K, V> each : write.registers()) {
            EntryVersion version = EntryVersion.of(view().id().number(), number, writtenAfter(each.key(), written), 0, place);
            set(each.with(version), EntryEvent.Kind.REMOVED);
            place++;
        }
        makeRoom();
        return new Outcome<>(true, false, previous);
    }

    /** The order decides: a write that is later in it has a later time, whatever clocks said. */
    private long writtenAfter(K key, long written) {
        long before = store.versionOf(key).written();
        return written == 0 || written > before || before == Long.MAX_VALUE ? written : before + 1;
    }

    /** Returns whether new entries have room; present ones can be changed in any case. */
    private boolean hasRoom(List<Register<K, V>> registers) {
        int entries = 0;
        long bytes = 0;
        for (Register<K, V> each : registers) {
            if (each.isLive() && store.get(each.key()) == null) {
                entries++;
                bytes += each.bytes();
            }
        }
        return entries == 0 || settings.bounds().isWithin(store.size() + entries, store.bytes() + bytes);
    }

    private Outcome<V> expire(MapCommand.Expire<K, V> command) {
        for (Register<K, V> each : command.registers()) {
            if (store.versionOf(each.key()).equals(each.version())) {
                changes++;
                set(each.with(each.version().dropped()), EntryEvent.Kind.EXPIRED);
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
            changes++;
            EntryVersion version = each.version().again(again.view(), rank, changes);
            if (version.isAfter(store.versionOf(each.key()))) {
                set(each.with(version), EntryEvent.Kind.REMOVED);
                broughtIn++;
            }
        }
        makeRoom();
        if (again.isLast()) {
            housekeeping.onBroughtIn(again.side());
        }
        return new Outcome<>(true, false, null);
    }

    private void set(Register<K, V> register, EntryEvent.Kind reason) {
        Register<K, V> previous = store.set(register);
        V before = previous == null ? null : previous.value();
        if (previous != null) {
            housekeeping.onReplaced(previous.version());
        }
        EntryEvent<K, V> event = Changes.event(register.key(), before, register.value(), reason);
        if (event != null) {
            untold.add(event);
        }
    }

    private void makeRoom() {
        if (settings.bounds().overflow() == Overflow.EVICT) {
            for (Register<K, V> each : store.excess(settings.bounds(), new TreeSet<>(), Integer.MAX_VALUE)) {
                set(each.gone(), EntryEvent.Kind.EVICTED);
            }
        }
        Register<K, V> first = store.firstRemoved();
        while (first != null && store.removedCount() > settings.removedMax()) {
            store.forget(first.key());
            first = store.firstRemoved();
        }
    }

    private void install(Image<K, V> image) {
        Store<K, V> next = image.store();
        View from = view;
        // Nothing changes here before this method returns, so the user's function need not run under the lock.
        LostSide<List<Register<K, V>>> lost = from == null ? null : Wanted.of(settings.merge(), settings.writeOrder(), from, store, image, next);
        List<EntryEvent<K, V>> events = Changes.between(store, next);
        lock.lock();
        try {
            store = next;
            changes = image.changes();
            if (isByTime()) {
                time.learn(image.time());
                isClockUntold = true;
            }
            untold.addAll(events);
            housekeeping.onInstalled();
            if (lost != null) {
                housekeeping.onLost(lost);
            }
        } finally {
            lock.unlock();
        }
    }

    // ------------------------------------------------------------------ housekeeping

    private long onDeadline(long nowNanos) {
        attendGuarded();
        // The call has set the next one.
        return Long.MAX_VALUE;
    }

    /** Codecs run where this member acts for all. If they fail, another member has to do so. */
    private void attendGuarded() {
        Throwable thrown;
        lock.lock();
        try {
            thrown = callbacks.attempt(this::attend);
        } finally {
            lock.unlock();
        }
        if (thrown != null) {
            callbacks.fail("codec", "this member can't tell what expires or is to be merged", thrown);
        }
    }

    private void attend() {
        View present = view;
        Member own = self;
        if (present != null && own != null && replica != null && !retry.isOver()) {
            tellClock();
            deadlines.watch(retry.notInPause(housekeeping.attend(present, own, store, deadlines.nowNanos())));
        }
    }

    /** Announces this member's clock to the members that had the installed state already. */
    private void tellClock() {
        if (isClockUntold) {
            isClockUntold = false;
            retry.watch(replica().submit(command(new Condition.Always<>(), List.of())), () -> isClockUntold = true);
        }
    }

    private final class Line implements Housekeeping.Line<K, V> {

        @Override
        public void drop(List<Register<K, V>> registers, boolean isExpired, Runnable unsent) {
            send(new MapCommand.Expire<>(registers), unsent);
        }

        @Override
        public void again(String side, boolean isLast, List<Register<K, V>> registers, Runnable unsent) {
            send(new MapCommand.Again<>(side, view().id().number(), isLast, registers), unsent);
        }

        private void send(MapCommand<K, V> command, Runnable unsent) {
            retry.watch(replica().submit(command), unsent);
        }
    }

    private static final int BATCH = 256;
    private static final int BATCHES_AHEAD = 8;

    @Override
    public String toString() {
        return "map " + name + " of " + size() + " entries, " + view;
    }
}
