package dev.tutti.internal.admission;

import java.io.IOException;

/** Test of one value of an attribute. {@code toString} is its text in a rule. */
sealed interface ValueTest {

    boolean passes(String value) throws UndecidedException;

    default boolean refresh() throws IOException {
        return false;
    }

    /** The value is {@code text}. */
    record Equal(String text) implements ValueTest {

        @Override
        public boolean passes(String value) {
            return Attribute.normal(text).equals(value);
        }

        @Override
        public String toString() {
            return "= " + RuleParser.quoted(text);
        }
    }

    /**
     * The value begins with {@code text}.
     *
     * @param isPath whether it must end there or at a slash, so that {@code spiffe://prod/shop} is no start of {@code
     *     spiffe://prod/shopping}
     */
    record Begins(String text, boolean isPath) implements ValueTest {

        @Override
        public boolean passes(String value) {
            return value.startsWith(text)
                    && (!isPath || text.endsWith("/") || value.length() == text.length() || value.charAt(text.length()) == '/');
        }

        @Override
        public String toString() {
            return "^= " + RuleParser.quoted(text);
        }
    }

    /** The whole value matches a regular expression. */
    record Matches(String text, BoundedPattern pattern) implements ValueTest {

        @Override
        public boolean passes(String value) throws UndecidedException {
            return pattern.matches(value);
        }

        @Override
        public String toString() {
            return "~ " + RuleParser.quoted(text);
        }
    }

    /** The value is a line of a file. */
    record In(ListFile file) implements ValueTest {

        @Override
        public boolean passes(String value) {
            return file.contains(value);
        }

        @Override
        public boolean refresh() throws IOException {
            return file.refresh();
        }

        @Override
        public String toString() {
            return "in " + RuleParser.quoted(file.toString());
        }
    }
}
