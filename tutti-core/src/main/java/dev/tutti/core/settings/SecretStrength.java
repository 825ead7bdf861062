package dev.tutti.core.settings;

/**
 * The <em>128-bit rule</em> for secrets that can be guessed offline. Consecutive letters of one case count as one word, and
 * consecutive digits as one number, of 13 bits at most each, which is the entropy of one of ten thousand words; a single
 * character counts the logarithm of its alphabet. A secret must have 128 bits and twelve different characters, and at most 1,024
 * characters.
 */
public final class SecretStrength {

    private static final int CHARACTERS_MAX = 1_024;
    private static final int DIFFERENT_MIN = 12;
    private static final double BITS_MIN = 128;
    private static final double WORD_BITS_MAX = 13;
    private static final double SIGN_BITS = 5;

    private SecretStrength() {}

    /** Returns the objection to a secret, as the rest of a sentence that begins with it, without quoting it; empty if it is good. */
    public static String objection(String text) {
        if (text.length() > CHARACTERS_MAX) {
            return "has " + text.length() + " characters, at most " + CHARACTERS_MAX;
        }
        long different = text.chars().distinct().count();
        double bits = bits(text);
        if (bits >= BITS_MIN && different >= DIFFERENT_MIN) {
            return "";
        }
        return "can be guessed: its " + text.length() + " characters, " + different + " of them different, are worth about " + (int) bits
                + " bits, and 128 are needed, where letters of one case in a row count as one word of 13 bits";
    }

    private static double bits(String text) {
        double bits = 0;
        int start = 0;
        while (start < text.length()) {
            int kind = kind(text.charAt(start));
            int end = start + 1;
            while (end < text.length() && kind != 0 && kind(text.charAt(end)) == kind) {
                end++;
            }
            double each = kind == 0 ? SIGN_BITS : Math.log(kind) / Math.log(2);
            bits += Math.min(WORD_BITS_MAX, each * (end - start));
            start = end;
        }
        return bits;
    }

    /** Returns the number of characters in the alphabet; 0 for signs, which form no words. */
    private static int kind(char character) {
        if (Character.isDigit(character)) {
            return 10;
        }
        if (!Character.isLetter(character)) {
            return 0;
        }
        // The two cases must differ, by less than a hundredth of a bit.
        return Character.isUpperCase(character) ? 27 : 26;
    }
}
