package dev.tutti.sites.internal.relay;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import java.util.List;

/**
 * The members of a site as one of its masters sees them: all of them, or those of one part if the site is divided.
 *
 * @param self incarnation of the master's node at its site
 * @param view number of the site's view
 * @param members names of the nodes
 * @param incarnations of the nodes, in the order of {@code members}
 */
public record SitePart(long self, long view, List<String> members, List<Long> incarnations) {

    /** A master that has not joined its site's group. */
    public static final SitePart NONE = new SitePart(0, 0, List.of(), List.of());

    public SitePart {
        members = List.copyOf(members);
        incarnations = List.copyOf(incarnations);
    }

    /**
     * Returns whether the master of {@code other}, which is a member here, has gone on without the master of this one: that has
     * left its site, although the other masters may not have noticed it yet.
     */
    public boolean isLeftBy(SitePart other) {
        return other.view > view && incarnations.contains(other.self) && !other.incarnations.contains(self);
    }

    void put(ByteOutput out) {
        out.putLong(self).putLong(view);
        SiteFrame.putList(out, members, out::putText);
        SiteFrame.putList(out, incarnations, out::putLong);
    }

    static SitePart take(ByteInput in) {
        return new SitePart(
                in.takeLong(),
                in.takeLong(),
                SiteFrame.takeList(in, Integer.BYTES, ByteInput::takeText),
                SiteFrame.takeList(in, Long.BYTES, ByteInput::takeLong));
    }
}
