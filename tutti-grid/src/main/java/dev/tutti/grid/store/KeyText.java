package dev.tutti.grid.store;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Texts as columns of a database that are part of an index. They have a limited length, and only characters that all databases
 * keep: others, and backslashes, are written as {@code \}{@code u0000}.
 *
 * <p>The original is in the content of the row; these serve to find it, and people.
 */
final class KeyText {

    /**
     * Most characters. Three columns of this length, with four bytes a character, are less than the 2,704 bytes that PostgreSQL
     * has for an index, and the 3,072 of MariaDB.
     */
    static final int LENGTH_MAX = 190;

    /** Characters of a digest and the one before it. */
    private static final int DIGEST_LENGTH = 65;

    private KeyText() {}

    /** Returns a text for a column with unique values: different ones for different texts. */
    static String unique(String text) {
        String escaped = escape(text);
        int end = escaped.stripTrailing().length();
        // MariaDB takes texts that differ in spaces at their end for equal.
        String exact = escaped.substring(0, end) + "\\u0020".repeat(Math.min(escaped.length() - end, LENGTH_MAX));
        return exact.length() <= LENGTH_MAX ? exact : cut(escaped, LENGTH_MAX - DIGEST_LENGTH) + '\\' + digest(text);
    }

    /** Returns the beginning of a text. Those of two texts, of which one begins with the other, have the same property. */
    static String beginning(String text) {
        return cut(escape(text), LENGTH_MAX);
    }

    private static String cut(String text, int length) {
        if (text.length() <= length) {
            return text;
        }
        int end = Character.isHighSurrogate(text.charAt(length - 1)) ? length - 1 : length;
        // For the same reason as above, as a longer text may have no space there.
        return text.substring(0, end).stripTrailing();
    }

    private static String escape(String text) {
        StringBuilder escaped = null;
        for (int i = 0; i < text.length(); i++) {
            char each = text.charAt(i);
            boolean isPair = Character.isHighSurrogate(each) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1));
            if (isPair || isKept(each)) {
                if (escaped != null) {
                    escaped.append(text, i, isPair ? i + 2 : i + 1);
                }
                i += isPair ? 1 : 0;
            } else {
                if (escaped == null) {
                    escaped = new StringBuilder(text.substring(0, i));
                }
                escaped.append("\\u").append(HexFormat.of().toHexDigits(each));
            }
        }
        return escaped == null ? text : escaped.toString();
    }

    private static boolean isKept(char each) {
        return each != '\\' && !Character.isISOControl(each) && !Character.isSurrogate(each);
    }

    private static String digest(String text) {
        try {
            // Of all characters, halves of pairs included, which UTF-8 doesn't have.
            byte[] bytes = text.getBytes(StandardCharsets.UTF_16BE);
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
