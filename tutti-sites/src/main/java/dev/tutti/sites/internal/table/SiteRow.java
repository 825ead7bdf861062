package dev.tutti.sites.internal.table;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.sites.internal.relay.SiteFrame;
import java.util.List;

/**
 * A site in a list of sites.
 *
 * @param members names of its nodes, the oldest first; the last that were known if it is not up
 */
public record SiteRow(String name, State state, List<String> members) {

    /** State of a site as the masters of the others see it. */
    public enum State {
        /** One of its masters is there. */
        UP,
        /** Its last master has just gone; another one may come. */
        SUSPECTED,
        /** It has had no master for a while. */
        AWAY
    }

    public SiteRow {
        members = List.copyOf(members);
    }

    SiteRow in(State next) {
        return new SiteRow(name, next, members);
    }

    static final int BYTES_MIN = Integer.BYTES + 1 + Integer.BYTES;

    public void put(ByteOutput out) {
        out.putText(name).putByte(state.ordinal());
        SiteFrame.putList(out, members, out::putText);
    }

    /** @throws MalformedException if there is none */
    public static SiteRow take(ByteInput in) {
        String name = in.takeText();
        int state = in.takeByte();
        if (state < 0 || state >= State.values().length) {
            throw new MalformedException("a site has state " + state);
        }
        return new SiteRow(name, State.values()[state], SiteFrame.takeList(in, Integer.BYTES, ByteInput::takeText));
    }

    /** Takes a count and that number of sites. */
    public static List<SiteRow> takeList(ByteInput in) {
        return SiteFrame.takeList(in, BYTES_MIN, SiteRow::take);
    }
}
