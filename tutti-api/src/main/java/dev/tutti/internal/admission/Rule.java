package dev.tutti.internal.admission;

import dev.tutti.core.admission.Newcomer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A rule as settings write it: tests of attributes and of the token, and combinations of them. {@code toString} is its text. */
sealed interface Rule {

    /** Characters of a value that is tested. */
    int VALUE_MAX = 1_024;

    /**
     * Returns why a node is refused; null if it may come in.
     *
     * @param isIn whether it is in already, and may perhaps not stay
     * @throws UndecidedException if a value of the node is too long, or takes too long to be tested
     */
    @Nullable String objection(Newcomer newcomer, boolean isIn) throws UndecidedException;

    /**
     * Reads the files of the rule that have changed; returns whether the rule is another one now. Blocks.
     *
     * @throws IOException if a changed file can't be used, and the content before stays in force
     */
    default boolean refresh() throws IOException {
        return false;
    }

    /** A node that all parts admit. */
    record All(List<Rule> parts) implements Rule {

        @Override
        public @Nullable String objection(Newcomer newcomer, boolean isIn) throws UndecidedException {
            for (Rule part : parts) {
                String objection = part.objection(newcomer, isIn);
                if (objection != null) {
                    return objection;
                }
            }
            return null;
        }

        @Override
        public boolean refresh() throws IOException {
            return Rule.refresh(parts);
        }

        @Override
        public String toString() {
            return parts.stream().map(part -> part instanceof Any ? "(" + part + ")" : part.toString())
                    .collect(Collectors.joining(" and "));
        }
    }

    /** A node that any part admits. */
    record Any(List<Rule> parts) implements Rule {

        @Override
        public @Nullable String objection(Newcomer newcomer, boolean isIn) throws UndecidedException {
            List<String> objections = new ArrayList<>();
            for (Rule part : parts) {
                String objection = part.objection(newcomer, isIn);
                if (objection == null) {
                    return null;
                }
                objections.add(objection);
            }
            return String.join(", and ", objections);
        }

        @Override
        public boolean refresh() throws IOException {
            return Rule.refresh(parts);
        }

        @Override
        public String toString() {
            return parts.stream().map(Rule::toString).collect(Collectors.joining(" or "));
        }
    }

    /** A node that the part does not admit. */
    record Not(Rule part) implements Rule {

        @Override
        public @Nullable String objection(Newcomer newcomer, boolean isIn) throws UndecidedException {
            return part.objection(newcomer, isIn) == null ? "the rule says: " + this : null;
        }

        @Override
        public boolean refresh() throws IOException {
            return part.refresh();
        }

        @Override
        public String toString() {
            return "not " + (part instanceof All || part instanceof Any ? "(" + part + ")" : part);
        }
    }

    /** A node that knows the token. */
    record Token(TokenFile file) implements Rule {

        @Override
        public @Nullable String objection(Newcomer newcomer, boolean isIn) {
            if (file.isKnownBy(newcomer, isIn)) {
                return null;
            }
            return newcomer.proof().isGiven() ? "it has another token" : "it has no token";
        }

        @Override
        public String toString() {
            return "token";
        }
    }

    /** A node that has a value of an attribute which passes a test. */
    record Has(Attribute attribute, ValueTest test) implements Rule {

        /** Number of values that are shown in an objection. */
        private static final int SHOWN_MAX = 8;

        @Override
        public @Nullable String objection(Newcomer newcomer, boolean isIn) throws UndecidedException {
            List<String> values = attribute.values(newcomer);
            for (String value : values) {
                if (value.length() > VALUE_MAX) {
                    throw new UndecidedException("its " + attribute + " has " + value.length() + " characters, and rules test "
                            + VALUE_MAX + " at most");
                }
                if (test.passes(value)) {
                    return null;
                }
            }
            if (values.isEmpty()) {
                return "it has no " + attribute + ", and the rule says: " + this;
            }
            String shown = values.stream().limit(SHOWN_MAX).collect(Collectors.joining("', '", "'", "'"));
            return "its " + attribute + " is " + shown + ", and the rule says: " + this;
        }

        @Override
        public boolean refresh() throws IOException {
            return test.refresh();
        }

        @Override
        public String toString() {
            return attribute + " " + test;
        }
    }

    private static boolean refresh(List<Rule> parts) throws IOException {
        boolean isOther = false;
        for (Rule part : parts) {
            isOther |= part.refresh();
        }
        return isOther;
    }
}
