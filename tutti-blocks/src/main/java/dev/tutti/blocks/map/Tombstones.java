package dev.tutti.blocks.map;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Decides when a removal can be forgotten. A removal of the present view is kept until it is stable: every member has
 * sent a message with a higher clock in this view, and has nothing to bring in from another side, so that no older write
 * can follow. Removals of earlier views are kept for merges. Either is forgotten only beyond the map's bound. Under the
 * map's lock.
 */
final class Tombstones {

    private final int removedMax;

    /** The sequence of the last message of each member of the view. */
    private final TreeMap<Member, Long> heard = new TreeMap<>();

    /** Members that have said in this view that they have nothing to bring in. */
    private final TreeSet<Member> unburdened = new TreeSet<>();

    private int askedAtRemoved;
    private long forgotten;

    /** @param removedMax number of removals up to which none is forgotten */
    Tombstones(int removedMax) {
        this.removedMax = removedMax;
    }

    void onView(View view) {
        heard.keySet().retainAll(view.members());
        unburdened.clear();
        askedAtRemoved = 0;
    }

    /** Notes a message: none with a lower sequence comes from its sender any more. */
    void onMessage(MapMessage.Header header, Member sender, View view) {
        heard.put(sender, header.sequence());
        if (header.isMerging()) {
            unburdened.remove(sender);
        } else if (header.view() == view.id().number()) {
            unburdened.add(sender);
        }
    }

    /** Returns the sequence of the last message of each member, for a state. */
    TreeMap<Member, Long> heard() {
        return new TreeMap<>(heard);
    }

    /** Returns the number of removals that were forgotten. */
    long forgotten() {
        return forgotten;
    }

    /** Forgets the oldest removals beyond the bound, as far as they are stable. */
    void forget(Store<?, ?> store, View view) {
        if (store.removedCount() > removedMax) {
            forget(store, view.id().number(), stable(view));
        }
    }

    private <K, V> void forget(Store<K, V> store, long viewNumber, long stable) {
        Register<K, V> first = store.firstRemoved();
        while (first != null && store.removedCount() > removedMax) {
            EntryVersion version = first.version();
            boolean isStable = version.sequence() <= stable && stable > 0;
            if (version.view() >= viewNumber && !isStable) {
                return;
            }
            store.forget(first.key());
            forgotten++;
            askedAtRemoved = 0;
            first = store.firstRemoved();
        }
    }

    /** Returns the sequence up to which every message of the view was delivered; 0 if a member may bring in others. */
    private long stable(View view) {
        long stable = Long.MAX_VALUE;
        for (Member member : view.members()) {
            stable = Math.min(stable, unburdened.contains(member) ? heard.getOrDefault(member, 0L) : 0);
        }
        return stable;
    }

    /** Returns whether members are to be asked for a message, so that removals become stable: not too often. */
    boolean takeAsk(int removedCount) {
        boolean isDue = removedCount > removedMax + askedAtRemoved;
        if (isDue) {
            askedAtRemoved = removedCount - removedMax + removedMax / 4;
        }
        return isDue;
    }

    void onAskUnsent() {
        askedAtRemoved = 0;
    }
}
