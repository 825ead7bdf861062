package dev.tutti.grid.bridges.internal;

import java.util.Map;

/** Units in the words of Micrometer, in the notation of UCUM. */
public final class Units {

    private static final Map<String, String> UCUM = Map.of(
            "nanoseconds", "ns",
            "microseconds", "us",
            "milliseconds", "ms",
            "seconds", "s",
            "minutes", "min",
            "hours", "h",
            "days", "d",
            "bytes", "By",
            "percent", "%");

    private Units() {}

    /** Returns a unit in the notation of UCUM; one that is not known as an annotation, such as {@code {threads}}. */
    public static String ucum(String word) {
        if (word.isEmpty()) {
            return "";
        }
        String known = UCUM.get(word);
        return known != null ? known : "{" + word.replaceAll("[{}\\p{Cntrl}]", "_") + "}";
    }
}
