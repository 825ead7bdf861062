package dev.tutti.protocols.link;

/**
 * Range of protocol versions that a node speaks (docs/wire.md, section Versions). Two nodes use the highest version that
 * both speak.
 *
 * @param min lowest version, 1 or more
 * @param max highest version, at most 255
 */
public record Versions(int min, int max) {

    /** Versions that this build speaks: its own, and the one before it. */
    public static final Versions SPOKEN = new Versions(1, 2);

    /** First version in which GROUP_JOINED has the version of the member and marks defaults. */
    public static final int ANNOUNCED = 2;

    private static final int VERSION_MAX = 255;

    public Versions {
        if (min < 1 || max < min || VERSION_MAX < max) {
            throw new IllegalArgumentException("versions " + min + " to " + max + "; both are 1 to " + VERSION_MAX + ", the lower first");
        }
    }

    /** Returns the versions that this build speaks, without those after {@code max}. */
    public static Versions upTo(int max) {
        return new Versions(Math.min(SPOKEN.min, max), max);
    }

    boolean contains(int version) {
        return min <= version && version <= max;
    }

    /** Returns the highest version that both speak; 0 if there is none. */
    int common(Versions other) {
        int highest = Math.min(max, other.max);
        return highest < Math.max(min, other.min) ? 0 : highest;
    }

    @Override
    public String toString() {
        return min + " to " + max;
    }
}
