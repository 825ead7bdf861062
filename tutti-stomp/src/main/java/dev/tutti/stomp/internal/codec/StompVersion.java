package dev.tutti.stomp.internal.codec;

import org.jspecify.annotations.Nullable;

/** A version of the protocol, and its differences on the wire. */
public enum StompVersion {
    V10("1.0"),
    V11("1.1"),
    V12("1.2");

    private final String number;

    StompVersion(String number) {
        this.number = number;
    }

    public String number() {
        return number;
    }

    /** All versions, as an ERROR lists those that are supported. */
    public static final String ALL = "1.0,1.1,1.2";

    /** Returns the highest version that a client accepts, or null if there is none; without a list, it is 1.0. */
    public static @Nullable StompVersion negotiate(@Nullable String accepted) {
        if (accepted == null) {
            return V10;
        }
        StompVersion best = null;
        for (String each : accepted.split(",", -1)) {
            for (StompVersion version : values()) {
                if (version.number.equals(each.strip()) && (best == null || version.compareTo(best) > 0)) {
                    best = version;
                }
            }
        }
        return best;
    }

    /** Returns whether a carriage return before a line feed belongs to the end of the line. */
    boolean isCarriageReturnPartOfEnd() {
        return this == V12;
    }

    /** Returns whether spaces around names and values are removed. */
    boolean isTrimmed() {
        return this == V10;
    }

    boolean isEscaping() {
        return this != V10;
    }

    /**
     * Returns the text that {@code raw} stands for.
     *
     * @throws FrameException if it holds an escape that the version does not define
     */
    String unescape(String raw) throws FrameException {
        int backslash = raw.indexOf('\\');
        if (this == V10 || backslash < 0) {
            return raw;
        }
        StringBuilder text = new StringBuilder(raw.length());
        int start = 0;
        while (backslash >= 0) {
            text.append(raw, start, backslash);
            text.append(unescaped(raw, backslash + 1));
            start = backslash + 2;
            backslash = raw.indexOf('\\', start);
        }
        return text.append(raw, start, raw.length()).toString();
    }

    private char unescaped(String raw, int index) throws FrameException {
        char escaped = index < raw.length() ? raw.charAt(index) : 0;
        return switch (escaped) {
            case 'n' -> '\n';
            case 'c' -> ':';
            case '\\' -> '\\';
            case 'r' -> {
                if (this == V11) {
                    throw FrameException.malformed("the escape \\r is not defined in STOMP 1.1");
                }
                yield '\r';
            }
            default -> throw FrameException.malformed("a backslash in a header is followed by n, c, " + (this == V12 ? "r " : "")
                    + "or a backslash, not by " + (escaped == 0 ? "nothing" : "U+" + Integer.toHexString(escaped)));
        };
    }

    /** Appends a name or value that can't end its line; characters that a version can't express become spaces. */
    void escape(String text, boolean isName, StringBuilder line) {
        for (int index = 0; index < text.length(); index++) {
            char character = text.charAt(index);
            switch (character) {
                case '\n' -> line.append(this == V10 ? " " : "\\n");
                case '\r' -> line.append(this == V12 ? "\\r" : " ");
                case ':' -> line.append(this == V10 ? isName ? " " : ":" : "\\c");
                case '\\' -> line.append(this == V10 ? "\\" : "\\\\");
                case 0 -> line.append(' ');
                default -> line.append(character);
            }
        }
    }

    /** Returns whether a name or value is written the same in all versions. */
    public static boolean isPlain(String text) {
        for (int index = 0; index < text.length(); index++) {
            char character = text.charAt(index);
            if (character == '\n' || character == '\r' || character == ':' || character == '\\' || character == 0) {
                return false;
            }
        }
        return true;
    }
}
