package dev.tutti.core.settings;

import java.util.Locale;

/**
 * A number of bytes, written with its unit: {@code 64 KiB}, {@code 1 MiB}, {@code 100 B}.
 *
 * @param bytes not negative
 */
public record Size(long bytes) implements Comparable<Size> {

    public Size {
        if (bytes < 0) {
            throw new IllegalArgumentException("size of " + bytes + " bytes");
        }
    }

    public static Size bytes(long bytes) {
        return new Size(bytes);
    }

    public static Size kibibytes(long count) {
        return new Size(Math.multiplyExact(count, 1L << 10));
    }

    public static Size mebibytes(long count) {
        return new Size(Math.multiplyExact(count, 1L << 20));
    }

    public static Size gibibytes(long count) {
        return new Size(Math.multiplyExact(count, 1L << 30));
    }

    /**
     * @throws IllegalArgumentException if {@code text} is no size; the message shows valid ones
     */
    public static Size parse(String text) {
        Quantity quantity = Quantity.parse(text, "a size such as 64 KiB or 1 MiB");
        long factor =
                switch (quantity.unit().toLowerCase(Locale.ROOT)) {
                    case "b" -> 1L;
                    case "kib" -> 1L << 10;
                    case "mib" -> 1L << 20;
                    case "gib" -> 1L << 30;
                    case "kb" -> 1_000L;
                    case "mb" -> 1_000_000L;
                    case "gb" -> 1_000_000_000L;
                    default ->
                        throw new IllegalArgumentException("'" + text + "' has the unit '" + quantity.unit()
                                + "'; a size has B, KiB, MiB, GiB, kB, MB or GB");
                };
        return new Size(Math.multiplyExact(quantity.amount(), factor));
    }

    @Override
    public int compareTo(Size other) {
        return Long.compare(bytes, other.bytes);
    }

    @Override
    public String toString() {
        String[] units = {"B", "KiB", "MiB", "GiB"};
        long amount = bytes;
        int unit = 0;
        while (unit < units.length - 1 && amount != 0 && amount % 1024 == 0) {
            amount /= 1024;
            unit++;
        }
        return amount + " " + units[unit];
    }
}
