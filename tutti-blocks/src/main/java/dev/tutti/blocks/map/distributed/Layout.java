package dev.tutti.blocks.map.distributed;

import dev.tutti.blocks.internal.placement.Rendezvous;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The members that are to hold each shard: the first ones by score. A pure function of the members, so that all members of a view
 * agree on it without a message. Nodes stand for members, because a node is a different member in each group. Immutable.
 */
final class Layout {

    private final List<NodeId> members;
    private final int copies;
    private final List<List<NodeId>> orders;

    /** @param members in any order; none if all of them leave */
    Layout(Collection<NodeId> members, int shards, int copies) {
        this.members = members.stream().sorted().toList();
        this.copies = copies;
        if (members.isEmpty()) {
            this.orders = Collections.nCopies(shards, List.of());
        } else {
            Rendezvous<NodeId> nodes = new Rendezvous<>(this.members, Layout::hash);
            this.orders = IntStream.range(0, shards).mapToObj(shard -> nodes.order(key(shard))).toList();
        }
    }

    /** Returns the members that take shards, in the order of their ids. */
    List<NodeId> members() {
        return members;
    }

    /** Returns all members by their score for a shard. */
    List<NodeId> order(int shard) {
        return orders.get(shard);
    }

    /** Returns the members that are to hold a shard, the one to be its home first. */
    List<NodeId> holders(int shard) {
        List<NodeId> order = orders.get(shard);
        return order.subList(0, Math.min(copies, order.size()));
    }

    boolean isHolder(int shard, NodeId node) {
        return holders(shard).contains(node);
    }

    /** Returns the home of a shard in a view of its group: the member with the largest score. */
    static NodeId home(int shard, View view) {
        return new Rendezvous<>(view.members().stream().map(Member::node).toList(), Layout::hash).first(key(shard));
    }

    private static String key(int shard) {
        return "shard " + shard;
    }

    /** Returns a number of a node, the same at all members. */
    static long hash(NodeId node) {
        return Rendezvous.hash(node.incarnation(), node.address());
    }

    @Override
    public String toString() {
        return orders.size() + " shards at " + members;
    }
}
