package dev.tutti.blocks.map.distributed;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.internal.MemberCodec;
import dev.tutti.core.NodeId;
import dev.tutti.core.ViewId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One member's account of the shards: which it holds, and in which view.
 *
 * @param copies number of copies that the member wants
 * @param members members among which it lays out the shards
 * @param shards its accounts of all shards, in their order
 */
record Report(int copies, List<NodeId> members, List<OfShard> shards) {

    /** Stages of a shard at a member; their order is that of the numbers in messages. */
    enum Stage {
        /** The member has no copy. */
        ABSENT,
        /** It is about to get one. */
        JOINING,
        /** It has a copy. */
        HELD,
        /** It has a copy, and is about to give it up. */
        LEAVING
    }

    /**
     * Account of one shard.
     *
     * @param view view that the copy has reached; null without a copy
     * @param isBurdened whether entries of a side that was given up are still to be brought in from here
     * @param isKnown whether the shard was ever served, as far as the member knows
     */
    record OfShard(Stage stage, @Nullable ViewId view, boolean isBurdened, boolean isKnown) {

        /** Returns whether the member has a copy in {@code own} view, and nothing to bring in. */
        boolean isSettledIn(ViewId own) {
            return own.equals(view) && !isBurdened;
        }
    }

    static final Codec<NodeId> NODE = Codec.of(Report::takeNode, Report::putNode);
    static final Codec<Report> CODEC = Codec.of(Report::take, Report::put);

    private static final Codec<List<NodeId>> NODES = Codec.list(NODE);
    private static final Stage[] STAGES = Stage.values();
    private static final int BURDENED = 4;
    private static final int KNOWN = 8;

    private static void putNode(NodeId node, ByteOutput out) {
        out.putLong(node.incarnation()).putText(node.name()).putText(node.address());
    }

    private static NodeId takeNode(ByteInput in) {
        long incarnation = in.takeLong();
        String name = in.takeText();
        String address = in.takeText();
        try {
            return new NodeId(incarnation, name, address);
        } catch (IllegalArgumentException e) {
            throw new MalformedException("a node: " + e.getMessage());
        }
    }

    private static void put(Report report, ByteOutput out) {
        out.putInt(report.copies);
        NODES.put(report.members, out);
        out.putInt(report.shards.size());
        for (OfShard each : report.shards) {
            ViewId view = each.view;
            out.putByte(each.stage.ordinal() | (each.isBurdened ? BURDENED : 0) | (each.isKnown ? KNOWN : 0));
            out.putBoolean(view != null);
            if (view != null) {
                out.putLong(view.number()).putInt(view.attempt());
                MemberCodec.MEMBER.put(view.proposer(), out);
            }
        }
    }

    private static Report take(ByteInput in) {
        int copies = in.takeInt();
        List<NodeId> members = NODES.take(in);
        int count = in.takeCount(2);
        if (count > DistributedMapBuilder.SHARDS_MAX) {
            throw new MalformedException(count + " shards, at most " + DistributedMapBuilder.SHARDS_MAX);
        }
        List<OfShard> shards = new ArrayList<>();
        for (int index = 0; index < count; index++) {
            int flags = in.takeByte();
            if (flags < 0 || flags >= 2 * KNOWN) {
                throw new MalformedException("a shard with flags " + flags);
            }
            ViewId view = in.takeBoolean() ? new ViewId(in.takeLong(), in.takeInt(), MemberCodec.MEMBER.take(in)) : null;
            shards.add(new OfShard(STAGES[flags & 3], view, (flags & BURDENED) != 0, (flags & KNOWN) != 0));
        }
        return new Report(copies, members, List.copyOf(shards));
    }
}
