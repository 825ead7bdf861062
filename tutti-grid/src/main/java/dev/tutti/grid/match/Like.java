package dev.tutti.grid.match;

/**
 * The pattern of LIKE: {@code _} stands for one character, {@code %} for any number of them. Its time is at most proportional
 * to the lengths of text and pattern, multiplied; with the regular expressions of the selector library it would grow with a
 * power of the text's length, one more for each {@code %}.
 */
final class Like {

    /** Most characters of a text that a pattern is compared with; longer texts are like no pattern. */
    static final int TEXT_MAX = 1_024;

    private static final char ONE = '_';
    private static final char MANY = '%';

    private final String name;
    private final char[] chars;

    /** True where the character at the same index is a wildcard. */
    private final boolean[] isWildcard;

    private final int length;

    /**
     * @param name name of what is compared
     * @param pattern one that does not {@linkplain #endsWithEscape end with its escape character}
     * @param escape character that makes the next one an ordinary one; -1 for none
     */
    Like(String name, String pattern, int escape) {
        this.name = name;
        char[] each = new char[pattern.length()];
        boolean[] wild = new boolean[pattern.length()];
        int count = 0;
        for (int i = 0; i < pattern.length(); i++, count++) {
            char c = pattern.charAt(i);
            if (c == escape) {
                i++;
                each[count] = pattern.charAt(i);
            } else {
                each[count] = c;
                wild[count] = c == ONE || c == MANY;
            }
        }
        chars = each;
        isWildcard = wild;
        length = count;
    }

    /** Returns whether the last character of a pattern is an escape character that escapes nothing. */
    static boolean endsWithEscape(String pattern, int escape) {
        int last = pattern.length() - 1;
        int first = last;
        while (first >= 0 && pattern.charAt(first) == escape) {
            first--;
        }
        return (last - first) % 2 == 1;
    }

    String name() {
        return name;
    }

    boolean matches(String text) {
        if (text.length() > TEXT_MAX) {
            return false;
        }
        int at = 0;
        int index = 0;
        // Where to go on when the text differs: one character later, behind the last %.
        int retryAt = -1;
        int retryIndex = -1;
        while (index < text.length()) {
            if (at < length && isWildcard[at] && chars[at] == MANY) {
                at++;
                retryAt = at;
                retryIndex = index;
            } else if (at < length && (isWildcard[at] || chars[at] == text.charAt(index))) {
                at++;
                index++;
            } else if (retryAt >= 0) {
                retryIndex++;
                index = retryIndex;
                at = retryAt;
            } else {
                return false;
            }
        }
        while (at < length && isWildcard[at] && chars[at] == MANY) {
            at++;
        }
        return at == length;
    }
}
