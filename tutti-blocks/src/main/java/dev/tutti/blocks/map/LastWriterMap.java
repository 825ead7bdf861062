package dev.tutti.blocks.map;

import dev.tutti.Group;
import dev.tutti.GroupState;
import dev.tutti.Message;
import dev.tutti.Snapshot;
import dev.tutti.Threads;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.internal.BlockMembers;
import dev.tutti.blocks.internal.Blocks;
import dev.tutti.blocks.internal.Callbacks;
import dev.tutti.blocks.internal.Deadlines;
import dev.tutti.blocks.internal.LostSide;
import dev.tutti.blocks.internal.Retry;
import dev.tutti.blocks.internal.argument.Arguments;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.internal.Logs;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
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
import java.util.concurrent.locks.ReentrantLock;
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
    private final Threads threads;
    private final String name;
    private final RegisterCodec<K, V> codec;
    private final Callbacks callbacks;
    private final Waits waits;
    private final Deadlines deadlines;
    private final Housekeeping<K, V> housekeeping;
    private final ReentrantLock lock = new ReentrantLock();
    private final Retry retry;

    // Guarded by the lock, except for volatile ones, which are read without it.
    private volatile Store<K, V> store = new Store<>();
    private volatile @Nullable View view;
    private volatile @Nullable Member self;
    private volatile @Nullable Group group;
    private volatile @Nullable String closedBecause;
    private final HybridClock time;
    private long clock;
    private boolean isClockUntold;
    private long changes;

    /** The sequence of the last message of each member of the view. */
    private final TreeMap<Member, Long> heard = new TreeMap<>();

    /** Members that have said in this view that they have nothing to bring in. */
    private final TreeSet<Member> unburdened = new TreeSet<>();

    /**
     * A write of this member.
     *
     * @param body read back from its bytes before it is sent: if the writer can read it, the others can
     */
    private record Own<K, V>(CompletableFuture<Void> written, MapMessage.Body<K, V> body) {}

    private final TreeMap<Long, Own<K, V>> open = new TreeMap<>();
    /** Events of the installed state, to be reported with the view that follows. */
    private final List<EntryEvent<K, V>> untold = new ArrayList<>();

    private int askedAtRemoved;
    private long malformed;
    private long overruled;
    private long forgotten;
    private long broughtIn;

    private LastWriterMap(MapBuilder<K, V> settings) {
        this.settings = settings;
        this.threads = settings.group().node().threads();
        this.name = settings.group().name();
        this.callbacks = new Callbacks(settings.group());
        this.waits = new Waits(threads, "map " + name, settings.timeout());
        this.deadlines = new Deadlines(threads, "tutti-map-" + name, this::onDeadline);
        this.retry = new Retry(lock, deadlines);
        this.housekeeping = new Housekeeping<>(settings.bounds(), settings.merge(), settings.writeOrder(), new Line());
        this.time = settings.clock();
        this.codec = new RegisterCodec<>(settings.keys(), settings.values(), deadlines::nowNanos);
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
        map.onJoined(joined);
        if (map.isByTime()) {
            joined.watch(new ClockCheck(map.lock, map.time));
        }
        return map;
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
    public Member self() {
        return Objects.requireNonNull(self, "no view was told yet");
    }

    @Override
    public View view() {
        return Objects.requireNonNull(view, "no view was told yet");
    }

    @Override
    public Map<String, Long> status() {
        Map<String, Long> status = new LinkedHashMap<>();
        lock.lock();
        try {
            status.put("entries", (long) store.size());
            status.put("bytes", store.bytes());
            status.put("removed", (long) store.removedCount());
            status.put("open", (long) open.size());
            status.put("to-bring-in", housekeeping.entriesToBringIn());
            status.put("brought-in", broughtIn);
            status.put("overruled", overruled);
            status.put("forgotten", forgotten);
            status.put("malformed", malformed);
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

    @Override
    public void put(K key, V value) {
        checkEntry("put", key, value);
        waits.await(putAsync(key, value));
    }

    @Override
    public void put(K key, V value, Duration timeToLive) {
        checkEntry("put", key, value);
        MapBuilder.checkTimeToLive(timeToLive);
        ByteOutput out = begin(MapMessage.WRITE, 1);
        codec.putWrite(key, value, timeToLive.toNanos(), 0, out);
        waits.await(write(out, List.of(key), true));
    }

    @Override
    public void remove(K key) {
        waits.await(removeAsync(key));
    }

    @Override
    public CompletableFuture<Void> putAsync(K key, V value) {
        checkEntry("putAsync", key, value);
        ByteOutput out = begin(MapMessage.WRITE, 1);
        codec.putWrite(key, value, settings.timeToLiveNanos(), 0, out);
        return write(out, List.of(key), true);
    }

    @Override
    public CompletableFuture<Void> removeAsync(K key) {
        Arguments.required(key, "remove: the key");
        ByteOutput out = begin(MapMessage.WRITE, 1);
        codec.putWrite(key, null, 0, 0, out);
        return write(out, List.of(key), false);
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
                written.add(write(MapMessage.counted(out, keys.size()), keys, true));
                if (written.size() == BATCHES_AHEAD) {
                    waits.await(written.removeFirst());
                }
                out = begin(MapMessage.WRITE, 0);
                keys = new ArrayList<>();
            }
        }
        if (!keys.isEmpty()) {
            written.add(write(MapMessage.counted(out, keys.size()), keys, true));
        }
        written.forEach(waits::await);
    }

    private void checkEntry(String method, @Nullable K key, @Nullable V value) {
        MapBuilder.checkEntry(name, method, key, value);
    }

    private static ByteOutput begin(int kind, int count) {
        return MapMessage.begin(kind).putInt(count);
    }

    /** @param needsRoom whether new keys must have room */
    private CompletableFuture<Void> write(ByteOutput out, List<K> keys, boolean needsRoom) {
        CompletableFuture<Void> written = new CompletableFuture<>();
        CompletableFuture<Void> accepted;
        long sequence;
        MapMessage.Body<K, V> body = readBack(out);
        lock.lock();
        try {
            Group joined = group;
            if (closedBecause != null || joined == null) {
                throw new MapException(MapException.Reason.CLOSED, "map " + name + ": " + closedBecause);
            }
            if (needsRoom) {
                checkRoom(keys, out.length());
            }
            byte[] message = stamp(out, keys);
            sequence = clock;
            open.put(sequence, new Own<>(written, body));
            accepted = joined.sendAsync(message);
        } catch (MapException e) {
            written.completeExceptionally(e);
            return written;
        } finally {
            lock.unlock();
        }
        accepted.whenComplete((done, failure) -> {
            if (failure != null) {
                onUnsent(sequence, failure);
            }
        });
        return written;
    }

    private MapMessage.Body<K, V> readBack(ByteOutput out) {
        try {
            ByteInput in = new ByteInput(ByteBuffer.wrap(out.array(), 0, out.length()));
            return MapMessage.body(MapMessage.header(in).kind(), codec, in);
        } catch (RuntimeException e) {
            throw new MapException(
                    MapException.Reason.UNREADABLE, "map " + name + ": its codecs can't read what they have written: " + e, e);
        }
    }

    private void onUnsent(long sequence, Throwable failure) {
        Own<K, V> own;
        lock.lock();
        try {
            own = open.remove(sequence);
        } finally {
            lock.unlock();
        }
        if (own != null) {
            MapException.Reason reason =
                    closedBecause == null ? MapException.Reason.REFUSED : MapException.Reason.CLOSED;
            own.written().completeExceptionally(new MapException(reason, "map " + name + ": " + failure.getMessage(), failure));
        }
    }

    private void checkRoom(List<K> added, int bytes) {
        Store.Bounds bounds = settings.bounds();
        if (bounds.overflow() == Overflow.EVICT) {
            return;
        }
        int more = 0;
        for (K key : added) {
            more += store.get(key) == null ? 1 : 0;
        }
        if (more > 0 && !bounds.isWithin(store.size() + more, store.bytes() + bytes)) {
            throw new MapException(
                    MapException.Reason.FULL,
                    "map " + name + " has " + store.size() + " entries of " + store.bytes() + " bytes, and " + more
                            + " more of " + bytes + " bytes would be beyond " + bounds);
        }
    }

    private boolean isByTime() {
        return settings.writeOrder() == WriteOrder.TIME;
    }

    /**
     * Writes the sender's part of the message's header: the next sequence, the view that was reported, whether there is
     * more to merge, the time.
     *
     * @param written keys that the message writes: it is later than their present values
     */
    private byte[] stamp(ByteOutput out, List<K> written) {
        HybridClock.Stamp stamp = HybridClock.Stamp.NONE;
        if (isByTime()) {
            long before = 0;
            for (K key : written) {
                before = Math.max(before, store.versionOf(key).written());
            }
            stamp = time.stamp(before);
        }
        clock = Math.max(clock + 1, stamp.written());
        View told = view;
        return MapMessage.stamp(out, clock, told == null ? 0 : told.id().number(), housekeeping.isBurdened(), stamp);
    }

    private void learn(HybridClock.Stamp stamp, Member sender) {
        if (isByTime() && stamp.written() > 0) {
            time.read(sender.node().address(), stamp.wallMillis());
            time.learn(stamp.written());
        }
    }

    // ------------------------------------------------------------------ inputs

    private void onJoined(Group joined) {
        lock.lock();
        try {
            group = joined;
        } finally {
            lock.unlock();
        }
        attendGuarded();
    }

    private void onView(View next) {
        List<EntryEvent<K, V>> events;
        lock.lock();
        try {
            Member own = BlockMembers.of(settings.group().node().id(), next);
            self = own;
            view = next;
            heard.keySet().retainAll(next.members());
            unburdened.clear();
            askedAtRemoved = 0;
            housekeeping.onView(next, own);
            events = List.copyOf(untold);
            untold.clear();
        } finally {
            lock.unlock();
        }
        attendGuarded();
        tell(events);
        settings.viewListener().accept(next);
    }

    private void onMessage(Message message) {
        Arrival arrival = new Arrival(message);
        Throwable unfit;
        lock.lock();
        try {
            unfit = callbacks.attempt(arrival::take);
        } finally {
            lock.unlock();
        }
        if (unfit instanceof MalformedException) {
            // Not bytes of the writer's codec: ignored at all members alike.
            callbacks.report("codec", unfit);
        } else if (unfit != null) {
            callbacks.fail("codec", "a message of map " + name + " may be at other members and is not here", unfit);
        }
        attendGuarded();
        tell(arrival.events);
        arrival.complete();
    }

    /** A message being received; under the lock. */
    private final class Arrival {
        private final Message message;
        private final List<EntryEvent<K, V>> events = new ArrayList<>();
        private @Nullable Own<K, V> own;

        Arrival(Message message) {
            this.message = message;
        }

        void take() {
            View present = message.view();
            Member sender = message.sender();
            ByteInput in = new ByteInput(message.buffer());
            MapMessage.Header header = header(in);
            if (header == null) {
                return;
            }
            clock = Math.max(clock, header.sequence());
            learn(header.stamp(), sender);
            note(header, sender, present);
            own = sender.equals(self) ? open.remove(header.sequence()) : null;
            LastWriterMap.this.take(header, own == null ? body(header, in) : own.body(), sender, present, events);
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
            Own<K, V> done = own;
            if (done != null) {
                done.written().complete(null);
            }
        }
    }

    /** Notes that no message with a lower clock comes from this member any more. */
    private void note(MapMessage.Header header, Member sender, View present) {
        heard.put(sender, header.sequence());
        if (header.isMerging()) {
            unburdened.remove(sender);
        } else if (header.view() == present.id().number()) {
            unburdened.add(sender);
        }
    }

    private void take(
            MapMessage.Header header,
            MapMessage.Body<K, V> body,
            Member sender,
            View present,
            List<EntryEvent<K, V>> events) {
        int rank = present.members().indexOf(sender);
        long viewNumber = present.id().number();
        switch (body) {
            case MapMessage.Body.Write<K, V>(List<Register<K, V>> registers) -> {
                int place = 0;
                for (Register<K, V> each : registers) {
                    EntryVersion version = EntryVersion.of(viewNumber, header.sequence(), header.stamp().written(), rank, place);
                    apply(each.with(version), EntryEvent.Kind.REMOVED, events);
                    place++;
                }
            }
            case MapMessage.Body.Drop<K, V>(boolean isExpired, List<Register<K, V>> registers) -> {
                EntryEvent.Kind reason = isExpired ? EntryEvent.Kind.EXPIRED : EntryEvent.Kind.EVICTED;
                registers.forEach(each -> apply(each, reason, events));
            }
            case MapMessage.Body.Again<K, V> again -> bringIn(header, again, viewNumber, rank, events);
            case MapMessage.Body.Ask<K, V>() -> send(MapMessage.begin(MapMessage.TELL), () -> {});
            case MapMessage.Body.Tell<K, V>() -> {
                // Its header contains it.
            }
        }
    }

    private void bringIn(
            MapMessage.Header header,
            MapMessage.Body.Again<K, V> again,
            long viewNumber,
            int rank,
            List<EntryEvent<K, V>> events) {
        if (header.view() != viewNumber) {
            // Sent before a view that may have changed what it depends on: it is sent again in this one.
            return;
        }
        int place = 0;
        for (Register<K, V> each : again.registers()) {
            EntryVersion version = each.version().again(viewNumber, rank, header.sequence() << PLACE_BITS | place);
            apply(each.with(version), EntryEvent.Kind.REMOVED, events);
            place++;
        }
        broughtIn += again.registers().size();
        if (again.isLast()) {
            housekeeping.onBroughtIn(again.side());
        }
    }

    private void apply(Register<K, V> register, EntryEvent.Kind reason, List<EntryEvent<K, V>> events) {
        if (!register.version().isAfter(store.versionOf(register.key()))) {
            overruled++;
            return;
        }
        Register<K, V> previous = store.set(register);
        changes++;
        V before = previous == null ? null : previous.value();
        if (previous != null) {
            housekeeping.onReplaced(previous.version());
        }
        EntryEvent<K, V> event = Changes.event(register.key(), before, register.value(), reason);
        if (event != null) {
            events.add(event);
        }
    }

    private void tell(List<EntryEvent<K, V>> events) {
        Changes.tell(callbacks, events, settings.entryListener());
    }

    private void onClosed(String reason) {
        List<Own<K, V>> lost;
        lock.lock();
        try {
            closedBecause = reason;
            lost = new ArrayList<>(open.values());
            open.clear();
            retry.end();
        } finally {
            lock.unlock();
        }
        lost.forEach(each -> each.written().completeExceptionally(
                new MapException(MapException.Reason.CLOSED, "map " + name + ": " + reason)));
        settings.closedListener().accept(reason);
    }

    @Override
    public void close() {
        Group joined = group;
        if (joined != null) {
            joined.close();
        }
    }

    private long onDeadline(long nowNanos) {
        attendGuarded();
        // The call has set the next one.
        return Long.MAX_VALUE;
    }

    // ------------------------------------------------------------------ housekeeping

    /** Announces this member's clock to the members that had the installed state already; under the lock. */
    private void tellClock() {
        if (isClockUntold && group != null) {
            isClockUntold = false;
            send(MapMessage.begin(MapMessage.TELL), () -> isClockUntold = true);
        }
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
            callbacks.fail("codec", "this member can't tell what expires, has to make room, or is to be merged", thrown);
        }
    }

    /** Performs this member's present housekeeping; under the lock. */
    private void attend() {
        View present = view;
        Member own = self;
        if (present == null || own == null || group == null || retry.isOver()) {
            return;
        }
        tellClock();
        deadlines.watch(retry.notInPause(housekeeping.attend(present, own, store, deadlines.nowNanos())));
        forget(present);
        if (own.equals(present.coordinator()) && store.removedCount() > settings.removedMax() + askedAtRemoved) {
            askedAtRemoved = store.removedCount() - settings.removedMax() + settings.removedMax() / 4;
            send(MapMessage.begin(MapMessage.ASK), () -> askedAtRemoved = 0);
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
            send(out, unsent);
        }

        @Override
        public void again(String side, boolean isLast, List<Register<K, V>> registers, Runnable unsent) {
            ByteOutput out =
                    MapMessage.begin(MapMessage.AGAIN).putText(side).putBoolean(isLast).putInt(registers.size());
            registers.forEach(each -> codec.put(each, out));
            send(out, unsent);
        }
    }

    /** Forgets the oldest removals beyond the bound, if no message can come that they would have to overrule. */
    private void forget(View present) {
        if (store.removedCount() <= settings.removedMax()) {
            return;
        }
        long stable = Long.MAX_VALUE;
        for (Member member : present.members()) {
            stable = Math.min(stable, unburdened.contains(member) ? heard.getOrDefault(member, 0L) : 0);
        }
        Register<K, V> first = store.firstRemoved();
        while (first != null && store.removedCount() > settings.removedMax()) {
            EntryVersion version = first.version();
            boolean isStable = version.sequence() <= stable && stable > 0;
            if (version.view() >= present.id().number() && !isStable) {
                return;
            }
            store.forget(first.key());
            forgotten++;
            askedAtRemoved = 0;
            first = store.firstRemoved();
        }
    }

    /** Sends without waiting; under the lock. A failed attempt is repeated a little later. */
    private void send(ByteOutput out, Runnable unsent) {
        Group joined = group;
        if (joined != null && !retry.isOver()) {
            retry.watch(joined.sendAsync(stamp(out, List.of())), unsent);
        }
    }

    // ------------------------------------------------------------------ the state

    private final class State implements GroupState {

        @Override
        public Snapshot snapshot() {
            lock.lock();
            try {
                View from = view();
                Image<K, V> image = new Image<>(
                        new Blocks.Origin(from.id(), from.members()),
                        clock,
                        changes,
                        new TreeMap<>(heard),
                        isByTime() ? time.time() : Image.Time.NONE,
                        Image.registers(store));
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
            LastWriterMap.this.install(image);
        }

        @Override
        public boolean isAtomic() {
            return true;
        }
    }

    private void install(Image<K, V> image) {
        Store<K, V> next = image.store();
        View from = view;
        // Nothing changes here before this method returns, so the user's function need not run under the lock.
        LostSide<List<Register<K, V>>> lost = from == null ? null : Wanted.of(settings.merge(), settings.writeOrder(), from, store, image, next);
        List<EntryEvent<K, V>> events = Changes.between(store, next);
        List<Own<K, V>> written = new ArrayList<>();
        lock.lock();
        try {
            store = next;
            clock = Math.max(clock, image.clock());
            untold.addAll(events);
            if (isByTime()) {
                time.learn(image.time());
                isClockUntold = true;
            }
            changes += events.size();
            housekeeping.onInstalled();
            if (lost != null) {
                housekeeping.onLost(lost);
            }
            Member own = self;
            long last = own == null ? 0 : image.heard().getOrDefault(own, 0L);
            Map<Long, Own<K, V>> contained = open.headMap(last, true);
            written.addAll(contained.values());
            contained.clear();
        } finally {
            lock.unlock();
        }
        written.forEach(each -> each.written().complete(null));
    }

    private static final int BATCHES_AHEAD = 8;

    /** Bits for places, which are below {@link Housekeeping#COUNT_MAX} or a little above. */
    private static final int PLACE_BITS = 16;

    @Override
    public String toString() {
        return "map " + name + " of " + size() + " entries, " + view;
    }
}
