package dev.tutti.sites.internal.table;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.MalformedException;
import java.util.ArrayList;
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
        out.putText(name).putByte(state.ordinal()).putInt(members.size());
        members.forEach(out::putText);
    }

    /** @throws MalformedException if there is none */
    public static SiteRow take(ByteInput in) {
        String name = in.takeText();
        int state = in.takeByte();
        if (state < 0 || state >= State.values().length) {
            throw new MalformedException("a site has state " + state);
        }
        int count = in.takeCount(Integer.BYTES);
        List<String> members = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            members.add(in.takeText());
        }
        return new SiteRow(name, State.values()[state], members);
    }

    /** Takes a list of sites. */
    public static List<SiteRow> takeList(ByteInput in) {
        int count = in.takeCount(BYTES_MIN);
        List<SiteRow> rows = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            rows.add(take(in));
        }
        return rows;
    }
}
