package dev.tutti.campaign.application;

import dev.tutti.campaign.nodes.EventCounts;
import java.util.EnumSet;
import java.util.Locale;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Throws exceptions from callbacks at random, as far as a plan allows them. */
final class Mischief {

    /** Kinds of exceptions that callbacks throw. */
    enum Kind {
        RUNTIME,
        CHECKED,
        ASSERTION,
        STACK_OVERFLOW,
        OUT_OF_MEMORY;

        boolean isError() {
            return this == ASSERTION || this == STACK_OVERFLOW || this == OUT_OF_MEMORY;
        }

        Throwable make(String where) {
            String text = MARK + " in " + where;
            return switch (this) {
                case RUNTIME -> new IllegalStateException(text);
                case CHECKED -> new Exception(text);
                case ASSERTION -> new AssertionError(text);
                case STACK_OVERFLOW -> new StackOverflowError(text);
                case OUT_OF_MEMORY -> new OutOfMemoryError(text);
            };
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    static final String MARK = "thrown on purpose";

    private final SplittableRandom random;
    private final EnumSet<Kind> kinds;
    private final int oneIn;
    private final EventCounts reached;
    private boolean isOver;

    /**
     * @param kinds kinds that are thrown; none for callbacks that never fail
     * @param oneIn number of calls of which one fails
     */
    Mischief(SplittableRandom random, EnumSet<Kind> kinds, int oneIn, EventCounts reached) {
        this.random = random;
        this.kinds = kinds;
        this.oneIn = oneIn;
        this.reached = reached;
    }

    /** Ends all throwing. */
    void end() {
        isOver = true;
    }

    /** Chooses the kind that a callback throws now; null if it returns normally. */
    @Nullable Kind choose(String callback, boolean mayBeError) {
        return choose(callback, mayBeError, oneIn);
    }

    /** Chooses as {@link #choose}, but more often, for callbacks that are rarely called. */
    @Nullable Kind chooseOften(String callback, boolean mayBeError) {
        return choose(callback, mayBeError, Math.max(2, oneIn / 10));
    }

    private @Nullable Kind choose(String callback, boolean mayBeError, int times) {
        if (kinds.isEmpty() || isOver || random.nextInt(times) != 0) {
            return null;
        }
        Kind[] possible = kinds.toArray(Kind[]::new);
        Kind kind = possible[random.nextInt(possible.length)];
        if (kind.isError() && !mayBeError) {
            return null;
        }
        reached.count("throw." + callback + "." + kind);
        return kind;
    }

    /** Throws an exception, checked ones undeclared, as code in other JVM languages can. */
    static void throwIt(Kind kind, String where) {
        throw Mischief.<RuntimeException>sneak(kind.make(where));
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // what javac does not check is the point
    private static <T extends Throwable> T sneak(Throwable thrown) throws T {
        throw (T) thrown;
    }

    /** Reports whether this was thrown on purpose, or was caused by such an exception. */
    static boolean isMeant(@Nullable Throwable thrown) {
        Throwable cause = thrown;
        for (int depth = 0; cause != null && depth < CAUSES_MAX; depth++) {
            if (String.valueOf(cause.getMessage()).contains(MARK)) {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }

    private static final int CAUSES_MAX = 10;
}
