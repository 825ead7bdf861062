package dev.tutti.internal;

import dev.tutti.Problem;
import org.jspecify.annotations.Nullable;

/** Looks for something that is wrong with a component on a group. The watch of the node asks once a second. */
@FunctionalInterface
public interface Check {

    /**
     * Something that is wrong at one look.
     *
     * @param kind of problem
     * @param subject address, host or node that it is about; empty if there is no single one
     * @param text the facts in words
     * @param advice the next step to take, in words
     */
    record Remark(Problem.Kind kind, String subject, String text, String advice) {}

    /** Returns what is wrong; null if nothing is. Must return at once, and not wait for a lock that callbacks of the application hold. */
    @Nullable Remark look();
}
