package dev.tutti.jcache.internal;

/**
 * Bounds of a cache, the same at all members.
 *
 * @param entriesMax maximum number of entries
 * @param bytesMax maximum of their memory in bytes, about
 * @param entryBytesMax maximum size of a serialized key and value
 * @param whenFull policy for a new entry that has no room
 */
public record Bounds(long entriesMax, long bytesMax, int entryBytesMax, WhenFull whenFull) {

    /** Policies for a new entry that has no room. */
    public enum WhenFull {
        /** Drops the entries that were not written for the longest time. */
        EVICT,
        /** Refuses the new entry. */
        REFUSE
    }

    public Bounds {
        check("entriesMax", entriesMax, 1, Integer.MAX_VALUE);
        check("bytesMax", bytesMax, 1_024, Long.MAX_VALUE);
        check("entryBytesMax", entryBytesMax, 64, ENTRY_BYTES_LIMIT);
        if (entryBytesMax > bytesMax) {
            throw new IllegalArgumentException("entryBytesMax is " + entryBytesMax + " and bytesMax " + bytesMax
                    + ": an entry must fit into the cache");
        }
    }

    private static void check(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + " is " + value + ", " + least + " to " + most + " is allowed");
        }
    }

    public boolean isWithin(long entries, long bytes) {
        return entries <= entriesMax && bytes <= bytesMax;
    }

    public static final int ENTRY_BYTES_LIMIT = 64 * 1024 * 1024;
}
