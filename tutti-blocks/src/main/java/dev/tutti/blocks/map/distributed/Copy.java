package dev.tutti.blocks.map.distributed;

import dev.tutti.blocks.map.TotalOrderMap;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import java.util.function.Supplier;

/**
 * The copy of a shard at this member: a map in total order on the group of the members that hold the shard.
 *
 * @param installed returns the view that the map's group has installed last, which the map may not have reached yet
 */
record Copy(int shard, TotalOrderMap<EntryKey, byte[]> map, Supplier<View> installed) {

    /** Returns the home of the shard, in the view that the copy has reached. */
    NodeId home() {
        return Layout.home(shard, map.view());
    }

    /**
     * Returns whether this copy is in a view: the copy has reached it, and the group has installed no later one, in which another
     * member may be home already.
     */
    boolean isIn(ViewId view) {
        return view.equals(map.view().id()) && view.equals(installed.get().id());
    }

    /** Returns whether entries that another side of a partition gave up are still to be brought in again from here. */
    boolean isBurdened() {
        return map.status().getOrDefault("to-bring-in", 0L) > 0;
    }

    /** Returns the number of entries, without the one that every shard has. */
    int entries() {
        return map.size() - (map.containsKey(EntryKey.OPENED) ? 1 : 0);
    }

    /** Returns whether {@code next} only lacks members of {@code view}: nobody came, and nobody was apart. */
    static boolean isRest(View view, View next) {
        return next.parts().size() == 1
                && next.parts().getFirst().previous().equals(view.id())
                && view.members().containsAll(next.members());
    }
}
