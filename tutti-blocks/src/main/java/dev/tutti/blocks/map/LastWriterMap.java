package dev.tutti.blocks.map;

import dev.tutti.Group;
import dev.tutti.GroupState;
import dev.tutti.Message;
import dev.tutti.Snapshot;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.internal.Blocks;
import dev.tutti.blocks.internal.argument.Arguments;
import dev.tutti.blocks.internal.block.Upkeep;
import dev.tutti.blocks.internal.clock.ClockCheck;
import dev.tutti.blocks.map.WriteSender.OpenWrite;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.internal.Logs;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The form in which the last writer wins.
 *
 * <p>A write gets its {@link EntryVersion} where it is delivered: (number of that view, the sequence that the sender gave
 * it, its rank), which is the same at all members. A sequence is above all that the sender has seen and not below its
 * {@link HybridClock}: in a view the later write stands, as far as clocks are right, and a writer that has seen a write
 * overrules it in any case. Members of two sides of a partition compare the time of writing instead. So members of a
 * view end equal in whatever order writes of different members arrive, and nothing delivered in a view is older than
 * what was removed before it. A removal of this view is kept until every member has sent a message with a higher clock
 * in it, and that it has nothing to bring in from another side; others are kept for merges, up to a number.
 */
final class LastWriterMap<K, V> implements ReplicatedMap<K, V> {

    private static final Logger LOG = Logs.of(LastWriterMap.class);

    private final MapBuilder<K, V> settings;
    private final String name;
    private final RegisterCodec<K, V> codec;
    private final Waits waits;
    private final Upkeep upkeep;

    // Guarded by the lock of the upkeep, which these classes take where they say so.
    private final Entries<K, V> entries;
    private final Tombstones tombstones;
    private final WriteSender<K, V> sender;
    private long malformed;
    private long overruled;

    private LastWriterMap(MapBuilder<K, V> settings) {
        this.settings = settings;
        this.name = settings.group().name();
        this.waits = new Waits(settings.group().node().threads(), "map " + name, settings.timeout());
        this.upkeep = new Upkeep(
                settings.group(),
                "map-" + name,
                "this member can't tell what expires, has to make room, or is to be merged",
                this::attend);
        this.codec = new RegisterCodec<>(settings.keys(), settings.values(), upkeep.deadlines()::nowNanos);
        this.entries = new Entries<>(settings, settings.bounds().overflow(), new Line());
        this.tombstones = new Tombstones(settings.removedMax());
        this.sender = new WriteSender<>("map " + name, settings.bounds(), codec, entries, upkeep);
    }

    static <K, V> LastWriterMap<K, V> join(MapBuilder<K, V> settings) {
        LastWriterMap<K, V> map = new LastWriterMap<>(settings);
        Group joined = settings.group()
                .set("state.of", settings.merge().stateOf())
                .state(map.new State())
                .onView(map::onView)
                .onMessage(map::onMessage)
                .onClosed(map::onClosed)
                .join();
        map.sender.open(joined);
        map.upkeep.open();
        if (map.entries.isByTime()) {
            joined.watch(new ClockCheck(map.upkeep.lock(), map.entries.time()));
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
    public Member self() {
        return upkeep.self();
    }

    @Override
    public View view() {
        return upkeep.view();
    }

    @Override
    public Map<String, Long> status() {
        Map<String, Long> status = new LinkedHashMap<>();
        upkeep.lock().lock();
        try {
            entries.putStatus(status);
            status.put("open", (long) sender.openCount());
            status.put("overruled", overruled);
            status.put("forgotten", tombstones.forgotten());
            status.put("malformed", malformed);
            status.put("tried-again", upkeep.retries());
        } finally {
            upkeep.lock().unlock();
        }
        return status;
    }

    // ------------------------------------------------------------------ writing

    @Override
    public void put(K key, V value) {
        checkEntry("put", key, value);
        waits.await(putAsync(key, value));
    }

    @Override
    public void put(K key, V value, Duration timeToLive) {
        checkEntry("put", key, value);
        waits.await(putAsync(key, value, timeToLive));
    }

    @Override
    public void remove(K key) {
        waits.await(removeAsync(key));
    }

    @Override
    public CompletableFuture<Void> putAsync(K key, V value) {
        return write(key, value, settings.timeToLiveNanos());
    }

    @Override
    public CompletableFuture<Void> putAsync(K key, V value, Duration timeToLive) {
        MapBuilder.checkTimeToLive(timeToLive);
        return write(key, value, timeToLive.toNanos());
    }

    private CompletableFuture<Void> write(K key, V value, long timeToLiveNanos) {
        checkEntry("putAsync", key, value);
        ByteOutput out = begin(MapMessage.WRITE, 1);
        codec.putWrite(key, value, timeToLiveNanos, 0, out);
        return sender.write(out, List.of(key), true);
    }

    @Override
    public CompletableFuture<Void> removeAsync(K key) {
        Arguments.required(key, "remove: the key");
        ByteOutput out = begin(MapMessage.WRITE, 1);
        codec.putWrite(key, null, 0, 0, out);
        return sender.write(out, List.of(key), false);
    }

    @Override
    public void putAll(Map<? extends K, ? extends V> entries) {
        Arguments.required(entries, "putAll: the map of entries").forEach((key, value) -> checkEntry("putAll", key, value));
        List<CompletableFuture<Void>> written = new ArrayList<>();
        ByteOutput out = begin(MapMessage.WRITE, 0);
        List<K> keys = new ArrayList<>();
        for (Map.Entry<? extends K, ? extends V> entry : entries.entrySet()) {
            codec.putWrite(entry.getKey(), entry.getValue(), settings.timeToLiveNanos(), 0, out);
            keys.add(entry.getKey());
            if (MapMessage.isEnough(keys.size(), out)) {
                written.add(sender.write(MapMessage.counted(out, keys.size()), keys, true));
                if (written.size() == BATCHES_AHEAD) {
                    waits.await(written.removeFirst());
                }
                out = begin(MapMessage.WRITE, 0);
                keys = new ArrayList<>();
            }
        }
        if (!keys.isEmpty()) {
            written.add(sender.write(MapMessage.counted(out, keys.size()), keys, true));
        }
        written.forEach(waits::await);
    }

    private void checkEntry(String method, @Nullable K key, @Nullable V value) {
        MapBuilder.checkEntry(name, method, key, value);
    }

    private static ByteOutput begin(int kind, int count) {
        return MapMessage.begin(kind).putInt(count);
    }

    // ------------------------------------------------------------------ inputs

    private void onView(View next) {
        List<EntryEvent<K, V>> events;
        upkeep.lock().lock();
        try {
            Member own = upkeep.onView(next);
            tombstones.onView(next);
            entries.housekeeping().onView(next, own);
            events = entries.takeEvents();
        } finally {
            upkeep.lock().unlock();
        }
        upkeep.run();
        tell(events);
        settings.viewListener().accept(next);
    }

    private void onMessage(Message message) {
        Arrival arrival = new Arrival(message);
        Throwable unfit;
        List<EntryEvent<K, V>> events;
        upkeep.lock().lock();
        try {
            unfit = upkeep.callbacks().attempt(arrival::take);
            events = entries.takeEvents();
        } finally {
            upkeep.lock().unlock();
        }
        if (unfit instanceof MalformedException) {
            // Not bytes of the writer's codec: ignored at all members alike.
            upkeep.callbacks().report("codec", unfit);
        } else if (unfit != null) {
            upkeep.callbacks().fail("codec", "a message of map " + name + " may be at other members and is not here", unfit);
        }
        upkeep.run();
        tell(events);
        arrival.complete();
    }

    /** A message being received; under the lock. */
    private final class Arrival {
        private final Message message;
        private @Nullable OpenWrite<K, V> own;

        Arrival(Message message) {
            this.message = message;
        }

        void take() {
            View present = message.view();
            Member from = message.sender();
            ByteInput in = new ByteInput(message.buffer());
            MapMessage.Header header = header(in);
            if (header == null) {
                return;
            }
            sender.learn(header.sequence());
            entries.learn(header.stamp(), from);
            tombstones.onMessage(header, from, present);
            own = upkeep.isSelf(from) ? sender.take(header.sequence()) : null;
            LastWriterMap.this.take(header, own == null ? body(header, in) : own.body(), from, present);
        }

        private MapMessage.@Nullable Header header(ByteInput in) {
            try {
                return MapMessage.header(in);
            } catch (MalformedException e) {
                malformed++;
                LOG.warn("map {}: a message of {} is ignored: {}", name, message.sender(), e.getMessage());
                return null;
            }
        }

        private MapMessage.Body<K, V> body(MapMessage.Header header, ByteInput in) {
            try {
                return MapMessage.body(header.kind(), codec, in);
            } catch (MalformedException e) {
                malformed++;
                throw e;
            }
        }

        void complete() {
            OpenWrite<K, V> done = own;
            if (done != null) {
                done.written().complete(null);
            }
        }
    }

    private void take(MapMessage.Header header, MapMessage.Body<K, V> body, Member from, View present) {
        int rank = present.members().indexOf(from);
        long viewNumber = present.id().number();
        switch (body) {
            case MapMessage.Body.Write<K, V>(List<Register<K, V>> registers) -> {
                int place = 0;
                for (Register<K, V> each : registers) {
                    EntryVersion version = EntryVersion.of(viewNumber, header.sequence(), header.stamp().written(), rank, place);
                    apply(each.with(version), EntryEvent.Kind.REMOVED);
                    place++;
                }
            }
            case MapMessage.Body.Drop<K, V>(boolean isExpired, List<Register<K, V>> registers) -> {
                EntryEvent.Kind reason = isExpired ? EntryEvent.Kind.EXPIRED : EntryEvent.Kind.EVICTED;
                registers.forEach(each -> apply(each, reason));
            }
            case MapMessage.Body.Again<K, V> again -> bringIn(header, again, viewNumber, rank);
            case MapMessage.Body.Ask<K, V>() -> sender.send(MapMessage.begin(MapMessage.TELL), () -> {});
            case MapMessage.Body.Tell<K, V>() -> {
                // Its header contains it.
            }
        }
    }

    private void bringIn(MapMessage.Header header, MapMessage.Body.Again<K, V> again, long viewNumber, int rank) {
        if (header.view() != viewNumber) {
            // Sent before a view that may have changed what it depends on: it is sent again in this one.
            return;
        }
        int place = 0;
        for (Register<K, V> each : again.registers()) {
            EntryVersion version = each.version().again(viewNumber, rank, header.sequence() << PLACE_BITS | place);
            apply(each.with(version), EntryEvent.Kind.REMOVED);
            place++;
        }
        entries.countBroughtIn(again.registers().size());
        if (again.isLast()) {
            entries.housekeeping().onBroughtIn(again.side());
        }
    }

    private void apply(Register<K, V> register, EntryEvent.Kind reason) {
        if (register.version().isAfter(entries.store().versionOf(register.key()))) {
            entries.count();
            entries.set(register, reason);
        } else {
            overruled++;
        }
    }

    private void tell(List<EntryEvent<K, V>> events) {
        Changes.tell(upkeep.callbacks(), events, settings.entryListener());
    }

    private void onClosed(String reason) {
        upkeep.end();
        sender.close(reason);
        settings.closedListener().accept(reason);
    }

    @Override
    public void close() {
        sender.leave();
    }

    // ------------------------------------------------------------------ housekeeping

    private void attend(View present, Member own) {
        if (entries.takeClockUntold()) {
            sender.send(MapMessage.begin(MapMessage.TELL), entries::onClockUntold);
        }
        Store<K, V> store = entries.store();
        upkeep.continueAt(entries.housekeeping().attend(present, own, store, upkeep.deadlines().nowNanos()));
        tombstones.forget(store, present);
        if (own.equals(present.coordinator()) && tombstones.takeAsk(store.removedCount())) {
            sender.send(MapMessage.begin(MapMessage.ASK), tombstones::onAskUnsent);
        }
    }

    private final class Line implements Housekeeping.Line<K, V> {

        @Override
        public void drop(List<Register<K, V>> registers, boolean isExpired, Runnable unsent) {
            ByteOutput out = MapMessage.begin(MapMessage.DROP).putBoolean(isExpired).putInt(registers.size());
            for (Register<K, V> each : registers) {
                settings.keys().put(each.key(), out);
                EntryVersion.CODEC.put(each.version(), out);
            }
            sender.send(out, unsent);
        }

        @Override
        public void again(String side, boolean isLast, List<Register<K, V>> registers, Runnable unsent) {
            ByteOutput out =
                    MapMessage.begin(MapMessage.AGAIN).putText(side).putBoolean(isLast).putInt(registers.size());
            registers.forEach(each -> codec.put(each, out));
            sender.send(out, unsent);
        }
    }

    // ------------------------------------------------------------------ the state

    private final class State implements GroupState {

        @Override
        public Snapshot snapshot() {
            upkeep.lock().lock();
            try {
                View from = view();
                Image<K, V> image =
                        entries.image(new Blocks.Origin(from.id(), from.members()), sender.sequence(), tombstones.heard());
                return out -> image.write(codec, out);
            } finally {
                upkeep.lock().unlock();
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
            LastWriterMap.this.install(image);
        }

        @Override
        public boolean isAtomic() {
            return true;
        }
    }

    private void install(Image<K, V> image) {
        // Nothing changes here before this method returns, so the user's function need not run under the lock.
        Entries.Replacement<K, V> next = entries.compare(image, upkeep.reached());
        List<OpenWrite<K, V>> written = List.of();
        upkeep.lock().lock();
        try {
            sender.learn(image.clock());
            entries.replace(next, entries.changes() + next.events().size());
            if (upkeep.reached() != null) {
                written = sender.takeUpTo(image.heard().getOrDefault(upkeep.self(), 0L));
            }
        } finally {
            upkeep.lock().unlock();
        }
        written.forEach(each -> each.written().complete(null));
    }

    private static final int BATCHES_AHEAD = 8;

    /** Bits for places, which are below {@link Housekeeping#COUNT_MAX} or a little above. */
    private static final int PLACE_BITS = 16;

    @Override
    public String toString() {
        return "map " + name + " of " + size() + " entries, " + upkeep.reached();
    }
}
