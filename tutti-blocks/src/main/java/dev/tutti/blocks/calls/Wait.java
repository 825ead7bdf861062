package dev.tutti.blocks.calls;

/**
 * The number of members' values that a call to several waits for. A call ends at its deadline in any case, and as soon
 * as that number can't be reached any more.
 */
public final class Wait {

    private enum Kind {
        NONE,
        SOME,
        MAJORITY,
        ALL
    }

    /** Waits for nobody: the call is over when it is sent, and asks for no answers. */
    public static final Wait NONE = new Wait(Kind.NONE, 0);

    /** Waits for one value. */
    public static final Wait FIRST = new Wait(Kind.SOME, 1);

    /** Waits for values of more than half of the members that were called. */
    public static final Wait MAJORITY = new Wait(Kind.MAJORITY, 0);

    /** Waits for an outcome of each member, whatever it is. */
    public static final Wait ALL = new Wait(Kind.ALL, 0);

    private final Kind kind;
    private final int count;

    private Wait(Kind kind, int count) {
        this.kind = kind;
        this.count = count;
    }

    /** Waits for {@code count} values, 1 or more. */
    public static Wait some(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("wait for " + count + " values, at least 1");
        }
        return new Wait(Kind.SOME, count);
    }

    boolean isNone() {
        return kind == Kind.NONE;
    }

    /** Returns the number of values that satisfies a call to {@code members}. */
    private int needed(int members) {
        return switch (kind) {
            case NONE -> 0;
            case SOME -> count;
            case MAJORITY -> members / 2 + 1;
            case ALL -> members;
        };
    }

    boolean isSatisfied(int members, int values) {
        return values >= needed(members);
    }

    /** @param open members that may still answer */
    boolean isOver(int members, int values, int open) {
        if (open == 0) {
            return true;
        }
        int needed = needed(members);
        return kind != Kind.ALL && (values >= needed || values + open < needed);
    }

    @Override
    public String toString() {
        return kind == Kind.SOME ? Integer.toString(count) : kind.name().toLowerCase(java.util.Locale.ROOT);
    }
}
