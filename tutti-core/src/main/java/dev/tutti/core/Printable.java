package dev.tutti.core;

/**
 * Text that others made, as people may see it. A line feed in a name forges a line of the log, an escape sequence changes what a
 * terminal shows, a bidirectional override reverses what stands beside it.
 *
 * <p>Names are checked where they enter: by settings and by decoders. Other text is escaped where it is shown.
 */
public final class Printable {

    /** Characters of a bad name that are shown before and after the first bad one. */
    private static final int SHOWN_LENGTH = 16;

    private Printable() {}

    /** Returns whether {@code text} is fit for a name: no character of it controls a terminal or a log. */
    public static boolean isName(String text) {
        return firstHarmful(text) < 0 && text.indexOf('\t') < 0;
    }

    /**
     * Checks a name.
     *
     * @param what the thing that has the name, such as "the name of a node"
     * @return the name
     * @throws IllegalArgumentException if it has a character that names must not have; the message shows which, and where
     */
    public static String checkName(String what, String name) {
        if (!isName(name)) {
            int at = firstHarmful(name.replace('\t', '\n'));
            String shown = name.substring(Math.max(0, at - SHOWN_LENGTH), Math.min(name.length(), at + SHOWN_LENGTH));
            throw new IllegalArgumentException(what + " has a character that can't be printed: '" + escape(shown) + "' at " + at
                    + "; names have letters, digits, marks and spaces, and no tabs, line feeds or other control characters");
        }
        return name;
    }

    /** Returns {@code text} with harmful characters as {@code \}{@code uXXXX}. Tabs stay. */
    public static String escape(String text) {
        if (firstHarmful(text) < 0) {
            return text;
        }
        StringBuilder out = new StringBuilder(text.length() + 16);
        text.codePoints().forEach(point -> {
            if (isHarmful(point)) {
                String hex = Integer.toHexString(point);
                out.append("\\u").repeat('0', Math.max(0, 4 - hex.length())).append(hex);
            } else {
                out.appendCodePoint(point);
            }
        });
        return out.toString();
    }

    private static int firstHarmful(String text) {
        for (int index = 0; index < text.length(); index++) {
            char character = text.charAt(index);
            // ASCII needs no table.
            if (character >= ' ' && character < 0x7F || character == '\t') {
                continue;
            }
            int point = text.codePointAt(index);
            if (isHarmful(point)) {
                return index;
            }
            index += Character.charCount(point) - 1;
        }
        return -1;
    }

    private static boolean isHarmful(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL -> point != '\t';
            case Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR, Character.SURROGATE -> true;
            default -> false;
        };
    }
}
