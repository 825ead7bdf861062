package dev.tutti.cli.terminal;

import java.util.Locale;

/** Formats numbers for people, with about three digits. */
public final class Amounts {

    private static final String[] THOUSANDS = {"", "k", "M", "G", "T"};
    private static final String[] TIMES = {"ns", "us", "ms", "s"};
    private static final String[] BYTES = {"B", "KiB", "MiB", "GiB", "TiB"};

    private Amounts() {}

    /** Formats a rate or a count: {@code 12.3k}. */
    public static String count(double amount) {
        return scaled(amount, 1_000, THOUSANDS, "");
    }

    /** Formats a size: {@code 1.5 MiB}. */
    public static String bytes(double amount) {
        return scaled(amount, 1_024, BYTES, " ");
    }

    private static String scaled(double amount, double step, String[] units, String gap) {
        double rest = Math.abs(amount);
        int unit = 0;
        while (rest >= step && unit < units.length - 1) {
            rest /= step;
            unit++;
        }
        boolean isSmall = unit == 0 || units == TIMES ? rest == Math.rint(rest) : rest >= 100;
        String digits = String.format(Locale.ROOT, isSmall ? "%.0f" : "%.1f", rest);
        return (amount < 0 ? "-" : "") + digits + (units[unit].isEmpty() ? "" : gap + units[unit]);
    }

    /** Formats a time: {@code 250 ns}, {@code 1.5 ms}, {@code 3 s}, {@code 2 min 5 s}. */
    public static String time(long nanos) {
        if (Math.abs(nanos) >= 10_000_000_000L) {
            return duration(nanos / 1_000_000);
        }
        return scaled(nanos, 1_000, TIMES, " ");
    }

    /** Formats a duration: {@code 3 s}, {@code 2 min 5 s}, {@code 4 h 7 min}, {@code 3 d 4 h}. */
    public static String duration(long millis) {
        long seconds = millis / 1_000;
        if (seconds < 60) {
            return seconds + " s";
        }
        if (seconds < 3_600) {
            return seconds / 60 + " min " + seconds % 60 + " s";
        }
        if (seconds < 86_400) {
            return seconds / 3_600 + " h " + seconds % 3_600 / 60 + " min";
        }
        return seconds / 86_400 + " d " + seconds % 86_400 / 3_600 + " h";
    }
}
