package dev.tutti.blocks.merge;

import dev.tutti.blocks.internal.Arguments;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a block's state is after a merge.
 *
 * <p>While the network is parted, each side changes the state on its own. When the sides meet, the state of one of them goes
 * on at once, at all members: that of the largest, or of the oldest member. What the other sides have is either given up or
 * brought in again: the oldest member that comes from such a side works out what is to be changed, and the change goes to all
 * members in the order of the group, a moment after the merge. What has been written anew since the merge is not touched by it.
 *
 * @param <S> the state, as the block shows it to {@link #by}
 */
public final class Merge<S> {

    /** Which rule it is, for blocks. */
    public enum Kind {
        /** The side that does not go on is given up. */
        KEEP,
        /** Entry by entry, what was written last. */
        LAST_WRITER,
        /** What only one of them has is kept; of two that differ, that of the side that goes on. */
        UNION,
        /** As a function says. */
        OWN
    }

    private static final String LARGEST = "largest";

    private final Kind kind;
    private final String stateOf;
    private final @Nullable Function<? super List<Side<S>>, ? extends S> function;

    private Merge(Kind kind, String stateOf, @Nullable Function<? super List<Side<S>>, ? extends S> function) {
        this.kind = kind;
        this.stateOf = stateOf;
        this.function = function;
    }

    /** The state of the largest side goes on, the older one where two are equal; what the others have done is gone. */
    public static <S> Merge<S> largest() {
        return new Merge<>(Kind.KEEP, LARGEST, null);
    }

    /** The state of the side of the oldest member goes on; what the others have done is gone. */
    public static <S> Merge<S> oldest() {
        return new Merge<>(Kind.KEEP, "oldest", null);
    }

    /**
     * The state that has gone through the latest primary view goes on. For groups with {@code partition: primary}, where nobody
     * else has done anything since: with any other rule a state of the past may win over it, if more members come back with it.
     */
    public static <S> Merge<S> primary() {
        return new Merge<>(Kind.KEEP, "primary", null);
    }

    /**
     * Keeps of each entry what was written last, by the clocks of the writers, or as {@link
     * dev.tutti.blocks.map.MapBuilder#writeOrder} says. Removals are writes.
     */
    public static <S> Merge<S> lastWriter() {
        return new Merge<>(Kind.LAST_WRITER, LARGEST, null);
    }

    /** All that any side has. What one side has removed and another one still has is there again. */
    public static <S> Merge<S> union() {
        return new Merge<>(Kind.UNION, LARGEST, null);
    }

    /**
     * As {@code function} says, which is called at one member, on a thread that it may keep busy.
     *
     * @param function gets two sides, first the one whose state has gone on, then one that was given up for it; returns what
     *     the state should be. Where members come together in several steps, it is called in each, and of one side several
     *     times if that came in pieces: so it should give the same in whatever order and however often it is called
     */
    public static <S> Merge<S> by(Function<? super List<Side<S>>, ? extends S> function) {
        return new Merge<>(Kind.OWN, LARGEST, Arguments.required(function, "by: the function"));
    }

    public Kind kind() {
        return kind;
    }

    /** The value of the setting {@code state.of} that goes with it. */
    public String stateOf() {
        return stateOf;
    }

    /**
     * The state of several sides by the user's function.
     *
     * @throws IllegalStateException if it is no merge {@link #by} a function
     */
    public S merge(List<Side<S>> sides) {
        Function<? super List<Side<S>>, ? extends S> own = function;
        if (own == null) {
            throw new IllegalStateException("a merge of kind " + kind + " has no function");
        }
        return Objects.requireNonNull(own.apply(sides), "the function of the sides' states has returned null");
    }

    @Override
    public String toString() {
        return kind == Kind.KEEP ? stateOf() : kind.name();
    }
}
