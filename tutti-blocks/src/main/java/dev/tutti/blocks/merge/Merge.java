package dev.tutti.blocks.merge;

import dev.tutti.blocks.internal.argument.Arguments;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Rule for a block's state after a merge.
 *
 * <p>While the network is partitioned, each side changes the state on its own. When the sides meet, the state of one of
 * them, that of the largest or of the oldest member, goes on at once, at all members. The others' changes are either
 * given up or brought in again: the oldest member that comes from such a side computes the changes to make, which go to
 * all members in the order of the group, a moment after the merge. Entries that were written since the merge are not
 * affected.
 *
 * @param <S> the state, as the block shows it to {@link #by}
 */
public final class Merge<S> {

    /** Kind of rule, for blocks. */
    public enum Kind {
        /** The side that does not go on is given up. */
        KEEP,
        /** Of each entry, the last write is kept. */
        LAST_WRITER,
        /** Entries of only one side are kept; of two that differ, that of the side that goes on. */
        UNION,
        /** A function decides. */
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

    /** Returns a rule that keeps the state of the largest side, the older one of equals; other changes are lost. */
    public static <S> Merge<S> largest() {
        return new Merge<>(Kind.KEEP, LARGEST, null);
    }

    /** Returns a rule that keeps the state of the oldest member's side; other changes are lost. */
    public static <S> Merge<S> oldest() {
        return new Merge<>(Kind.KEEP, "oldest", null);
    }

    /**
     * Returns a rule that keeps the state of the latest primary view. For groups with {@code partition: primary}, where
     * no other side has changed anything since: with any other rule an old state may win, if more members come back
     * with it.
     */
    public static <S> Merge<S> primary() {
        return new Merge<>(Kind.KEEP, "primary", null);
    }

    /**
     * Returns a rule that keeps the last write of each entry, by the clocks of the writers, or as {@link
     * dev.tutti.blocks.map.MapBuilder#writeOrder} says. Removals are writes.
     */
    public static <S> Merge<S> lastWriter() {
        return new Merge<>(Kind.LAST_WRITER, LARGEST, null);
    }

    /** Returns a rule that keeps the entries of all sides, also those that another side has removed. */
    public static <S> Merge<S> union() {
        return new Merge<>(Kind.UNION, LARGEST, null);
    }

    /**
     * Returns a rule by a {@code function}, which is called at one member, on a thread that it may keep busy.
     *
     * @param function gets two sides, first the one whose state has gone on, then one that was given up for it; returns
     *     the wanted state. If members come together in several steps, it is called in each, and for one side several
     *     times if that came in pieces: so its result should not depend on order and number of calls
     */
    public static <S> Merge<S> by(Function<? super List<Side<S>>, ? extends S> function) {
        return new Merge<>(Kind.OWN, LARGEST, Arguments.required(function, "by: the function"));
    }

    public Kind kind() {
        return kind;
    }

    /** Returns the value of the setting {@code state.of} for this rule. */
    public String stateOf() {
        return stateOf;
    }

    /**
     * Merges the states of several sides by the user's function.
     *
     * @throws IllegalStateException if it is no rule {@link #by} a function
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
