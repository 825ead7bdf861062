package dev.tutti.blocks.map;

import dev.tutti.blocks.internal.LostSide;
import dev.tutti.blocks.internal.LostSides;
import dev.tutti.blocks.merge.Merge;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Housekeeping of one member for all: the oldest of the view announces expired and evicted entries; the first member of a
 * side that was given up brings in again what the merge keeps of it. Under the map's lock.
 */
final class Housekeeping<K, V> {

    /** Sends the messages, in the map's own form. */
    interface Line<K, V> {

        /** @param unsent runs, under the map's lock, if the message can't be sent */
        void drop(List<Register<K, V>> registers, boolean isExpired, Runnable unsent);

        void again(String side, boolean isLast, List<Register<K, V>> registers, Runnable unsent);
    }

    /** Maximum number of entries in a message. */
    static final int COUNT_MAX = 1_024;

    private static final int BYTES_ENOUGH = 64 * 1024;

    private final Store.Bounds bounds;
    private final Merge<Map<K, V>> rule;
    private final WriteOrder order;
    private final Line<K, V> line;
    private final LostSides<List<Register<K, V>>> lostSides = new LostSides<>();

    /** Versions whose removal was announced, and not delivered yet. */
    private final TreeSet<EntryVersion> dropping = new TreeSet<>();

    Housekeeping(Store.Bounds bounds, Merge<Map<K, V>> rule, WriteOrder order, Line<K, V> line) {
        this.bounds = bounds;
        this.rule = rule;
        this.order = order;
        this.line = line;
    }

    void onView(View next, Member self) {
        dropping.clear();
        lostSides.onView(next, self);
    }

    /** Notes that another side's state goes on: changes for the former one are to be brought into this one. */
    void onInstalled() {
        dropping.clear();
        lostSides.onInstalled();
    }

    void onLost(LostSide<List<Register<K, V>>> side) {
        lostSides.add(side);
    }

    /** Notes that all of a side was brought in again. */
    void onBroughtIn(String side) {
        lostSides.onBroughtIn(side);
    }

    void onReplaced(EntryVersion version) {
        dropping.remove(version);
    }

    /** Returns whether there is something to bring in again, by this member or another one. */
    boolean isBurdened() {
        return !lostSides.isEmpty();
    }

    long entriesToBringIn() {
        return lostSides.count(List::size);
    }

    /** @return when this member has to do something next; {@code Long.MAX_VALUE} for never */
    long attend(View view, Member self, Store<K, V> store, long nowNanos) {
        lostSides.takeDue(view, self).forEach(side -> bringIn(side, store));
        if (!self.equals(view.coordinator())) {
            return Long.MAX_VALUE;
        }
        drop(store.due(nowNanos, dropping, COUNT_MAX), true);
        if (bounds.overflow() == Overflow.EVICT) {
            drop(store.excess(bounds, dropping, COUNT_MAX), false);
        }
        return store.nextDueNanos(dropping);
    }

    private void drop(List<Register<K, V>> registers, boolean isExpired) {
        if (!registers.isEmpty()) {
            registers.forEach(each -> dropping.add(each.version()));
            line.drop(registers, isExpired, () -> registers.forEach(each -> dropping.remove(each.version())));
        }
    }

    private void bringIn(LostSide<List<Register<K, V>>> side, Store<K, V> store) {
        List<Register<K, V>> batch = new ArrayList<>();
        long bytes = 0;
        for (Register<K, V> each : Wanted.untouched(side, store, rule, order)) {
            if (batch.size() == COUNT_MAX || bytes >= BYTES_ENOUGH) {
                line.again(side.id(), false, batch, side::onUnsent);
                batch = new ArrayList<>();
                bytes = 0;
            }
            batch.add(each);
            bytes += each.bytes();
        }
        line.again(side.id(), true, batch, side::onUnsent);
    }
}
