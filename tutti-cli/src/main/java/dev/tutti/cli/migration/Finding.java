package dev.tutti.cli.migration;

import dev.tutti.cli.migration.Element.Place;
import java.util.Locale;

/**
 * Result of the translation of a protocol, or of one of its attributes.
 *
 * @param attribute the attribute; empty for the protocol itself
 * @param value the attribute's value, or a note instead if it is a secret
 * @param setting the setting that it has become; empty if there is none
 * @param explanation difference or reason, or for refusals also what would be right
 */
record Finding(
        Place place, String protocol, String attribute, String value, Outcome outcome, String setting, String explanation) {

    /** Ways in which a translation ends. */
    enum Outcome {
        /** It means the same. */
        KEPT,
        /** It means something similar; the explanation has the difference. */
        CHANGED,
        /** It has no counterpart, and needs none. */
        DROPPED,
        /** The table does not have it. */
        UNKNOWN,
        /** It can't be translated, and without it the stack means something else. */
        REFUSED;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Returns its source for a comment of a line, without the place. */
    String source() {
        return attribute.isEmpty() ? protocol : protocol + " " + attribute + "=\"" + value + "\"";
    }
}
