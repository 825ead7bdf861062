package dev.tutti.blocks.map;

import dev.tutti.blocks.internal.Blocks;
import dev.tutti.blocks.internal.LostSide;
import dev.tutti.blocks.internal.clock.HybridClock;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a map at this member, in either form: the store, the clock that dates writes, the events to report, and
 * the work of one member for all. {@link #get}, {@link #size} and {@link #bytes} may be called from any thread, everything
 * else is called under the map's lock.
 */
final class Entries<K, V> {

    private final MapBuilder<K, V> settings;
    private final Housekeeping<K, V> housekeeping;
    private final HybridClock time;
    private final List<EntryEvent<K, V>> untold = new ArrayList<>();
    private volatile Store<K, V> store = new Store<>();
    private long changes;
    private long broughtIn;
    private boolean isClockUntold;

    /** @param overflow policy of the housekeeping; {@link Overflow#REFUSE} if the map evicts entries itself */
    Entries(MapBuilder<K, V> settings, Overflow overflow, Housekeeping.Line<K, V> line) {
        this.settings = settings;
        this.time = settings.clock();
        Store.Bounds bounds = settings.bounds();
        this.housekeeping = new Housekeeping<>(
                new Store.Bounds(bounds.entriesMax(), bounds.bytesMax(), overflow),
                settings.merge(),
                settings.writeOrder(),
                line);
    }

    // ------------------------------------------------------------------ reading

    @Nullable V get(K key) {
        return store.get(key);
    }

    int size() {
        return store.size();
    }

    long bytes() {
        return store.bytes();
    }

    Store<K, V> store() {
        return store;
    }

    Housekeeping<K, V> housekeeping() {
        return housekeeping;
    }

    /** Returns the number of changes since the map was empty. */
    long changes() {
        return changes;
    }

    MapSnapshot<K, V> snapshot(View view) {
        return new MapSnapshot<>(view, changes, Collections.unmodifiableMap(Image.entries(store.live())));
    }

    void putStatus(Map<String, Long> status) {
        status.put("entries", (long) store.size());
        status.put("bytes", store.bytes());
        status.put("removed", (long) store.removedCount());
        status.put("to-bring-in", housekeeping.entriesToBringIn());
        status.put("brought-in", broughtIn);
        status.put("clock-error-millis", isByTime() ? time.errorMillis() : 0);
        status.put("clock-cut", time.cut());
        status.put("clock-refused", time.refused());
    }

    // ------------------------------------------------------------------ the clock

    boolean isByTime() {
        return settings.writeOrder() == WriteOrder.TIME;
    }

    HybridClock time() {
        return time;
    }

    /** Returns the time of a message that writes {@code written}: later than their present values. */
    HybridClock.Stamp stamp(List<K> written) {
        if (!isByTime()) {
            return HybridClock.Stamp.NONE;
        }
        long before = 0;
        for (K key : written) {
            before = Math.max(before, store.versionOf(key).written());
        }
        return time.stamp(before);
    }

    /** Notes the time of a message that has arrived. */
    void learn(HybridClock.Stamp stamp, Member sender) {
        if (isByTime() && stamp.written() > 0) {
            time.read(sender.node().address(), stamp.wallMillis());
            time.learn(stamp.written());
        }
    }

    /** Returns once after each installation that members which had the state do not know this member's clock. */
    boolean takeClockUntold() {
        boolean isUntold = isClockUntold;
        isClockUntold = false;
        return isUntold;
    }

    void onClockUntold() {
        isClockUntold = true;
    }

    // ------------------------------------------------------------------ changing

    /** Returns the next number of a change. */
    long count() {
        return ++changes;
    }

    void countBroughtIn(long entries) {
        broughtIn += entries;
    }

    /** Sets a register, and notes the event. */
    void set(Register<K, V> register, EntryEvent.Kind reason) {
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

    /** Removes all entries, and what is known of removed ones. */
    void clear() {
        Store<K, V> empty = new Store<>();
        untold.addAll(Changes.between(store, empty));
        store = empty;
        changes = 0;
        housekeeping.onInstalled();
    }

    List<EntryEvent<K, V>> takeEvents() {
        List<EntryEvent<K, V>> events = List.copyOf(untold);
        untold.clear();
        return events;
    }

    // ------------------------------------------------------------------ the state

    Image<K, V> image(Blocks.Origin origin, long clock, TreeMap<Member, Long> heard) {
        return new Image<>(
                origin, clock, changes, heard, isByTime() ? time.time() : HybridClock.Known.NONE, Image.registers(store));
    }

    /**
     * State that is to replace the present one.
     *
     * @param lost part of the present one that is to be brought in again; null if there is none
     */
    record Replacement<K, V>(
            Image<K, V> image,
            Store<K, V> store,
            @Nullable LostSide<List<Register<K, V>>> lost,
            List<EntryEvent<K, V>> events) {}

    /**
     * Compares a state with the present one, which does not change before it is replaced: not under the lock, because
     * this calls the application's rule for merges.
     *
     * @param from the view of the present state; null for a newcomer, which has none
     */
    Replacement<K, V> compare(Image<K, V> image, @Nullable View from) {
        Store<K, V> next = image.store();
        LostSide<List<Register<K, V>>> lost =
                from == null ? null : Wanted.of(settings.merge(), settings.writeOrder(), from, store, image, next);
        return new Replacement<>(image, next, lost, Changes.between(store, next));
    }

    /** @param changed number of changes from now on */
    void replace(Replacement<K, V> next, long changed) {
        store = next.store();
        changes = changed;
        if (isByTime()) {
            time.learn(next.image().time());
            isClockUntold = true;
        }
        untold.addAll(next.events());
        housekeeping.onInstalled();
        LostSide<List<Register<K, V>>> lost = next.lost();
        if (lost != null) {
            housekeeping.onLost(lost);
        }
    }
}
