package dev.tutti.codecs;

import dev.tutti.blocks.codec.TooLongException;

/** Words of exceptions that both codecs throw. */
final class Problems {

    private static final int PLACE_MAX = 120;
    private static final int PROBLEM_MAX = 300;

    private Problems() {}

    /** Returns the name of a type without packages, enclosing classes and arguments. */
    static String name(String type) {
        String raw = type.contains("<") ? type.substring(0, type.indexOf('<')) : type;
        return raw.substring(Math.max(raw.lastIndexOf('.'), raw.lastIndexOf('$')) + 1);
    }

    /** Returns what is wrong at a place, both of which quote bytes of others: their beginnings, without what could begin a line or colour it. */
    static String at(String place, String problem) {
        return shown(place, PLACE_MAX) + ": " + shown(problem, PROBLEM_MAX);
    }

    private static String shown(String text, int lengthMax) {
        String start = text.length() > lengthMax ? text.substring(0, lengthMax) + "…" : text;
        return start.replaceAll("[\\p{Cntrl}\\p{Cf}\\p{Zl}\\p{Zp}]+", " ");
    }

    static int checkedBytesMax(int bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("values of at most " + bytes + " bytes, at least 1");
        }
        return bytes;
    }

    /** @throws TooLongException if a value has more bytes than its codec allows */
    static void checkLength(String name, String format, int length, int bytesMax) {
        if (length > bytesMax) {
            throw new TooLongException(tooLong(name, format, length, bytesMax));
        }
    }

    static String tooLong(String name, String format, int length, int bytesMax) {
        return name + " has " + length + " bytes of " + format + ", at most " + bytesMax + " are allowed; see bytesMax";
    }
}
