package dev.tutti.grid.internal.links;

/** Levels of topics that are made of names of nodes and sites, which may contain what a topic may not. */
final class LinkLevel {

    /** Most characters of a name, so that a topic with two nodes and two sites is short enough. */
    static final int LENGTH_MAX = 50;

    private static final int KEPT = LENGTH_MAX - 9;

    private LinkLevel() {}

    /**
     * Returns the level of a name: the name, with {@code / * # : %} and control characters as {@code %} and two hexadecimal
     * digits, so that two names do not become one. The empty name is {@code -}. A level that would be longer than {@value #LENGTH_MAX}
     * characters is cut, and ends with a tilde and a hash of the name.
     */
    static String of(String name) {
        if (name.isEmpty()) {
            return "-";
        }
        if (name.equals("-")) {
            return "%2D";
        }
        StringBuilder level = new StringBuilder();
        for (int i = 0; i < name.length(); i++) {
            char each = name.charAt(i);
            if ("/*#:%".indexOf(each) >= 0 || Character.isISOControl(each)) {
                level.append(String.format("%%%02X", (int) each));
            } else {
                level.append(each);
            }
        }
        if (level.length() > LENGTH_MAX) {
            // A half of a character that takes two would not be text.
            level.setLength(Character.isHighSurrogate(level.charAt(KEPT - 1)) ? KEPT - 1 : KEPT);
            level.append(String.format("~%08x", name.hashCode()));
        }
        return level.toString();
    }
}
