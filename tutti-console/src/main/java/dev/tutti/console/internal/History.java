package dev.tutti.console.internal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Figures of the last minutes, for the charts of a page that has just been opened. Not for several threads. */
final class History {

    /** Values of a member that charts show. */
    static final List<String> SERIES = List.of("delivered", "out", "unstable", "repairs");

    /** Most members in one point; further ones are not shown. */
    private static final int MEMBERS_MAX = 64;

    private record Point(long at, Map<String, double[]> members) {}

    private final ArrayDeque<Point> points = new ArrayDeque<>();
    private final int pointsMax;
    private final long spacingMillis;

    History(int pointsMax, long spacingMillis) {
        this.pointsMax = pointsMax;
        this.spacingMillis = spacingMillis;
    }

    /** Adds a point; gatherings between two points are skipped. */
    void add(Map<String, Object> figures) {
        long at = figures.get("at") instanceof Long millis ? millis : 0;
        if (!points.isEmpty() && at - points.getLast().at < spacingMillis * 9 / 10) {
            return;
        }
        Map<String, double[]> members = new LinkedHashMap<>();
        if (figures.get("members") instanceof List<?> list) {
            for (Object each : list) {
                Doc member = Doc.of(each);
                if (member.text("state").equals("answers") && members.size() < MEMBERS_MAX) {
                    double[] values = new double[SERIES.size()];
                    for (int index = 0; index < values.length; index++) {
                        Object value = member.values().get(SERIES.get(index));
                        values[index] = value instanceof Number number ? number.doubleValue() : Double.NaN;
                    }
                    members.put(member.text("name"), values);
                }
            }
        }
        points.addLast(new Point(at, members));
        while (points.size() > pointsMax) {
            points.removeFirst();
        }
    }

    Map<String, Object> document() {
        List<Object> rows = new ArrayList<>();
        for (Point point : points) {
            Map<String, Object> members = new LinkedHashMap<>();
            point.members.forEach((name, values) -> {
                List<Double> list = new ArrayList<>();
                for (double value : values) {
                    list.add(Double.isNaN(value) ? value : Math.round(value * 100) / 100.0);
                }
                members.put(name, list);
            });
            rows.add(List.of(point.at, members));
        }
        return Map.of("series", SERIES, "points", rows);
    }
}
