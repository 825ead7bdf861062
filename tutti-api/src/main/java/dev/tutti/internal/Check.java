package dev.tutti.internal;

import dev.tutti.Problem;
import org.jspecify.annotations.Nullable;

/** A check whether anything is wrong with a component on a group. The node's watch runs it once a second. */
@FunctionalInterface
public interface Check {

    /**
     * A finding of one look.
     *
     * @param kind kind of problem
     * @param subject address, host or node that it concerns; empty if there is no single one
     * @param text the facts in words
     * @param advice the next step to take, in words
     */
    record Remark(Problem.Kind kind, String subject, String text, String advice) {}

    /**
     * Returns the finding; null if nothing is wrong. Must return at once, without waiting for a lock that callbacks of
     * the application hold.
     */
    @Nullable Remark look();
}
