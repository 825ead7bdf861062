package dev.tutti.grid;

import java.util.Map;

/** Checks of texts that users choose. */
final class Texts {

    /** Most characters of a text that an error repeats. */
    private static final int SHOWN = 100;

    private Texts() {}

    /**
     * @param what the text, for people
     * @throws IllegalArgumentException if it has more than {@code max} characters
     */
    static void check(String what, String text, int max) {
        if (text.length() > max) {
            throw new IllegalArgumentException(
                    what + " has " + text.length() + " characters, and at most " + max + " are possible: it begins with " + shown(text));
        }
    }

    /** @throws IllegalArgumentException if a name or a value has too many characters */
    static void check(String what, Map<String, String> texts, int nameMax, int valueMax) {
        texts.forEach((name, value) -> {
            // Every measurement comes here at each station: no words are put together for one that is right.
            if (name.length() > nameMax) {
                check("the name of " + what, name, nameMax);
            }
            if (value.length() > valueMax) {
                check("the value of " + what + " " + shown(name), value, valueMax);
            }
        });
    }

    /** Returns the number of characters of all names and values. */
    static long length(Map<String, String> texts) {
        long length = 0;
        for (Map.Entry<String, String> each : texts.entrySet()) {
            length += each.getKey().length() + each.getValue().length();
        }
        return length;
    }

    /** Returns the beginning of a text, as an error may repeat it. */
    static String shown(String text) {
        String printable = text.substring(0, Math.min(SHOWN, text.length())).replaceAll("\\p{Cntrl}", "?");
        return text.length() > SHOWN ? printable + "..." : printable;
    }
}
