package dev.tutti.sites.internal.map;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;

/**
 * Place of a write among all writes of a key; no two writes have the same.
 *
 * @param term of the active site that has made it; 0 if all sites write
 * @param time by a hybrid logical clock; grows from one write of a writer to the next
 * @param site of the writer
 * @param writer incarnation of the node
 */
public record Stamp(long term, long time, String site, long writer) implements Comparable<Stamp> {

    static final int BYTES_MIN = 3 * Long.BYTES + Integer.BYTES;

    @Override
    public int compareTo(Stamp other) {
        int order = Long.compare(term, other.term);
        order = order != 0 ? order : Long.compare(time, other.time);
        order = order != 0 ? order : site.compareTo(other.site);
        return order != 0 ? order : Long.compare(writer, other.writer);
    }

    void put(ByteOutput out) {
        out.putLong(term).putLong(time).putText(site).putLong(writer);
    }

    static Stamp take(ByteInput in) {
        return new Stamp(in.takeLong(), in.takeLong(), in.takeText(), in.takeLong());
    }
}
