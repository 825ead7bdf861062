package dev.tutti.internal.admission;

import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** A regular expression that gives up on texts for which it takes too long, such as {@code (a+)+b} on many {@code a}. */
final class BoundedPattern {

    /** Characters that one match may look at: some milliseconds. */
    static final int LOOKS_MAX = 200_000;

    private final Pattern pattern;

    /** @throws IllegalArgumentException if it is no regular expression; the message says where */
    BoundedPattern(String expression) {
        try {
            pattern = Pattern.compile(expression);
        } catch (PatternSyntaxException e) {
            throw new IllegalArgumentException("'" + expression + "' is no regular expression: " + e.getDescription()
                    + (e.getIndex() < 0 ? "" : " at character " + (e.getIndex() + 1)), e);
        }
    }

    /**
     * Returns whether the whole text matches.
     *
     * @throws UndecidedException if that takes too long, or too much stack
     */
    boolean matches(String text) throws UndecidedException {
        try {
            return pattern.matcher(new Counted(text, new int[1], 0, text.length())).matches();
        } catch (TooLongException | StackOverflowError e) {
            throw new UndecidedException("the regular expression " + pattern + " takes too long for a text of " + text.length()
                    + " characters");
        }
    }

    /** Ends a match from within the matcher. */
    private static final class TooLongException extends RuntimeException {
        private static final long serialVersionUID = 1;

        TooLongException() {
            super(null, null, false, false);
        }
    }

    /** Text that counts how often a matcher looks at it. */
    private record Counted(String text, int[] looks, int start, int end) implements CharSequence {

        @Override
        public int length() {
            return end - start;
        }

        @Override
        public char charAt(int index) {
            if (++looks[0] > LOOKS_MAX) {
                throw new TooLongException();
            }
            return text.charAt(start + index);
        }

        @Override
        public CharSequence subSequence(int from, int to) {
            return new Counted(text, looks, start + from, start + to);
        }

        @Override
        public String toString() {
            return text.substring(start, end);
        }
    }
}
