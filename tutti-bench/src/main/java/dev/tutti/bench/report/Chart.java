package dev.tutti.bench.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Lines or bars over a few named places, such as sizes, numbers of members or percentiles.
 *
 * @param isLogarithmic whether the values have a logarithmic axis
 * @param isBars whether values are bars, as for places without an order
 * @param lines by the name of the line, its values by place; null where there is none
 */
public record Chart(
        String title,
        String placeTitle,
        List<String> places,
        String valueTitle,
        boolean isLogarithmic,
        boolean isBars,
        Map<String, List<@Nullable Double>> lines) {

    /** Builds a chart from values that are added one by one. Places are in the order of their numbers. */
    public static final class Builder {

        private final String title;
        private final String placeTitle;
        private final String valueTitle;
        private final boolean isLogarithmic;
        private boolean isBars;
        private final Map<Long, String> places = new TreeMap<>();
        private final Map<String, Map<Long, Double>> lines = new LinkedHashMap<>();

        public Builder(String title, String placeTitle, String valueTitle, boolean isLogarithmic) {
            this.title = title;
            this.placeTitle = placeTitle;
            this.valueTitle = valueTitle;
            this.isLogarithmic = isLogarithmic;
        }

        /** Draws bars instead of lines. */
        public Builder bars() {
            isBars = true;
            return this;
        }

        public Builder add(String line, long place, String placeName, double value) {
            places.put(place, placeName);
            lines.computeIfAbsent(line, key -> new LinkedHashMap<>()).put(place, value);
            return this;
        }

        /** Returns whether there are two places or more, between which to draw a line. */
        public boolean isLine() {
            return places.size() > 1;
        }

        public Chart build() {
            Map<String, List<@Nullable Double>> all = new LinkedHashMap<>();
            lines.forEach((name, values) -> {
                List<@Nullable Double> line = new ArrayList<>();
                places.keySet().forEach(place -> line.add(values.get(place)));
                all.put(name, line);
            });
            return new Chart(title, placeTitle, List.copyOf(places.values()), valueTitle, isLogarithmic, isBars, all);
        }
    }

    Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("title", title);
        map.put("placeTitle", placeTitle);
        map.put("places", places);
        map.put("valueTitle", valueTitle);
        map.put("isLogarithmic", isLogarithmic);
        map.put("isBars", isBars);
        map.put("lines", lines);
        return map;
    }
}
