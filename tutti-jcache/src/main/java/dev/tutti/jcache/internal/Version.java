package dev.tutti.jcache.internal;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;

/**
 * Version of an entry, the same at all members and never used again: an operation names the one that it has seen.
 *
 * @param view number of the view in which the entry was written
 * @param number of the change
 */
public record Version(long view, long number) implements Comparable<Version> {

    /** Version of a key without an entry. */
    public static final Version NONE = new Version(0, 0);

    public static final int BYTES = 2 * Long.BYTES;

    public static Version take(ByteInput in) {
        return new Version(in.takeLong(), in.takeLong());
    }

    public void put(ByteOutput out) {
        out.putLong(view).putLong(number);
    }

    @Override
    public int compareTo(Version other) {
        int byView = Long.compare(view, other.view);
        return byView != 0 ? byView : Long.compare(number, other.number);
    }
}
