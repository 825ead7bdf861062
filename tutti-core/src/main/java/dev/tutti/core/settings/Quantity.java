package dev.tutti.core.settings;

/** A whole number with a unit, as durations and sizes are written. */
record Quantity(long amount, String unit) {

    static Quantity parse(String text, String expected) {
        String trimmed = text.strip();
        int digits = 0;
        while (digits < trimmed.length() && Character.isDigit(trimmed.charAt(digits))) {
            digits++;
        }
        String unit = trimmed.substring(digits).strip();
        if (digits == 0 || digits > 18) {
            throw new IllegalArgumentException("'" + text + "' is not " + expected);
        }
        if (unit.isEmpty()) {
            throw new IllegalArgumentException("'" + text + "' has no unit; write " + expected);
        }
        return new Quantity(Long.parseLong(trimmed.substring(0, digits)), unit);
    }
}
