package dev.tutti.blocks.map.distributed;

import dev.tutti.blocks.map.distributed.Report.OfShard;
import dev.tutti.blocks.map.distributed.Report.Stage;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The reports of the other members of a view of the map, and what they permit this member.
 *
 * @param asked this member's state before it asked the others
 * @param reports by member; those that have not answered are missing
 * @param isComplete whether all others have answered
 */
record Survey(NodeId self, Asked asked, Map<NodeId, Report> reports, boolean isComplete) {

    /**
     * State of the member that asks.
     *
     * @param views views that its copies had reached, by shard
     */
    record Asked(Layout layout, Map<Integer, View> views) {}

    Layout layout() {
        return asked.layout;
    }

    /** Returns the view that the copy of a shard had reached when the others were asked; null without a copy. */
    @Nullable View view(int shard) {
        return asked.views.get(shard);
    }

    /**
     * Returns whether this member may serve a shard as its home in its view of then, once it has executed everything before: nobody
     * holds the shard in another view, which would have to be merged first, and nobody of this view still brings entries in.
     *
     * <p>Of two members that begin a shard apart from each other, neither serves it. Each has reached its view before it asked, so
     * the one that asks later finds the other.
     */
    boolean mayServe(int shard) {
        View view = view(shard);
        if (view == null) {
            return false;
        }
        List<NodeId> inView = view.members().stream().map(Member::node).toList();
        if (!isComplete || !inView.stream().allMatch(node -> node.equals(self) || reports.containsKey(node))) {
            return false;
        }
        return reports.entrySet().stream().allMatch(each -> {
            OfShard of = each.getValue().shards().get(shard);
            return switch (of.stage()) {
                case ABSENT, JOINING -> true;
                case HELD, LEAVING -> inView.contains(each.getKey()) && of.isSettledIn(view.id());
            };
        });
    }

    /**
     * Returns whether this member may give its copy of a shard up: all members that are to hold the shard have it in the same view. They agree that they are to hold it, so that none of them relies on this member for the same.
     */
    boolean mayLeave(int shard) {
        View view = view(shard);
        return view != null && layout().holders(shard).stream().allMatch(node -> {
            Report report = reports.get(node);
            return report != null
                    && report.members().equals(layout().members())
                    && report.shards().get(shard).stage() == Stage.HELD
                    && report.shards().get(shard).isSettledIn(view.id());
        });
    }

    /** Returns whether a shard was ever served, as far as any member knows. */
    boolean isKnown(int shard) {
        return reports.values().stream().anyMatch(report -> report.shards().get(shard).isKnown());
    }
}
