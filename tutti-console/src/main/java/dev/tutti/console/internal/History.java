package dev.tutti.console.internal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Figures over time for the charts: all of the last minutes, means of steps for the last hours, and means of longer steps for the
 * last day. The number of points of each is bounded. Not for several threads.
 */
final class History {

    /** Time that charts may span. */
    enum Span {
        /** The last minutes ({@code console.history}), with all figures. */
        RECENT,
        /** The last two hours. */
        HOURS,
        /** The last day. */
        DAY;

        /** @throws IllegalArgumentException if there is no such span */
        static Span parse(String text) {
            for (Span span : values()) {
                if (span.name().toLowerCase(Locale.ROOT).equals(text)) {
                    return span;
                }
            }
            throw new IllegalArgumentException("a span is recent, hours or day, not '" + text + "'");
        }
    }

    /** Values of a member that charts show. */
    static final List<String> SERIES = List.of("delivered", "out", "unstable", "repairs");

    /** Most members in one point; further ones are not shown. */
    private static final int MEMBERS_MAX = 64;

    static final long HOURS_STEP_MILLIS = TimeUnit.SECONDS.toMillis(15);
    static final int HOURS_POINTS_MAX = 480;
    static final long DAY_STEP_MILLIS = TimeUnit.MINUTES.toMillis(2);
    static final int DAY_POINTS_MAX = 720;

    private record Point(long at, Map<String, double[]> members) {}

    /** Sums of a step that is not over, by member: the values, and the number of each that are there. */
    private record Sums(double[] values, int[] counts) {

        static Sums none() {
            return new Sums(new double[SERIES.size()], new int[SERIES.size()]);
        }
    }

    /** Means of steps. */
    private static final class Steps {
        private final long stepMillis;
        private final int pointsMax;
        private final ArrayDeque<Point> points = new ArrayDeque<>();
        private final Map<String, Sums> sums = new LinkedHashMap<>();
        private long step = Long.MIN_VALUE;

        Steps(long stepMillis, int pointsMax) {
            this.stepMillis = stepMillis;
            this.pointsMax = pointsMax;
        }

        void add(Point point) {
            long present = Math.floorDiv(point.at, stepMillis);
            if (present != step) {
                end();
                step = present;
            }
            point.members.forEach((name, values) -> {
                Sums of = sums.get(name);
                if (of == null) {
                    if (sums.size() >= MEMBERS_MAX) {
                        return;
                    }
                    of = Sums.none();
                    sums.put(name, of);
                }
                for (int index = 0; index < values.length; index++) {
                    if (!Double.isNaN(values[index])) {
                        of.values[index] += values[index];
                        of.counts[index]++;
                    }
                }
            });
        }

        private void end() {
            if (sums.isEmpty()) {
                return;
            }
            points.addLast(mean());
            sums.clear();
            while (points.size() > pointsMax) {
                points.removeFirst();
            }
        }

        private Point mean() {
            Map<String, double[]> members = new LinkedHashMap<>();
            sums.forEach((name, of) -> {
                double[] values = new double[SERIES.size()];
                for (int index = 0; index < values.length; index++) {
                    values[index] = of.counts[index] == 0 ? Double.NaN : of.values[index] / of.counts[index];
                }
                members.put(name, values);
            });
            return new Point(step * stepMillis + stepMillis / 2, members);
        }

        /** Returns all points, with the mean of the step that is not over. */
        List<Point> all() {
            List<Point> all = new ArrayList<>(points);
            if (!sums.isEmpty()) {
                all.add(mean());
            }
            return all;
        }
    }

    private final ArrayDeque<Point> recent = new ArrayDeque<>();
    private final Steps hours = new Steps(HOURS_STEP_MILLIS, HOURS_POINTS_MAX);
    private final Steps day = new Steps(DAY_STEP_MILLIS, DAY_POINTS_MAX);
    private final int recentMax;
    private final long spacingMillis;
    private long last = Long.MIN_VALUE / 2;

    /**
     * @param recentMax points of {@link Span#RECENT}
     * @param spacingMillis time between two of them
     */
    History(int recentMax, long spacingMillis) {
        this.recentMax = recentMax;
        this.spacingMillis = spacingMillis;
    }

    /** Adds a point; gatherings between two points are skipped. */
    void add(Map<String, Object> figures) {
        long at = figures.get("at") instanceof Long millis ? millis : 0;
        if (at - last < spacingMillis * 9 / 10) {
            return;
        }
        last = at;
        Point point = new Point(at, values(figures));
        recent.addLast(point);
        // Points of a time in which nobody looked are further apart.
        while (recent.size() > recentMax || at - recent.getFirst().at > spacingMillis * recentMax) {
            recent.removeFirst();
        }
        hours.add(point);
        day.add(point);
    }

    private static Map<String, double[]> values(Map<String, Object> figures) {
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
        return members;
    }

    /** Returns the points of a span, the oldest first. */
    Map<String, Object> document(Span span) {
        List<Object> rows = new ArrayList<>();
        List<Point> points = switch (span) {
            case RECENT -> List.copyOf(recent);
            case HOURS -> hours.all();
            case DAY -> day.all();
        };
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
        long stepMillis = switch (span) {
            case RECENT -> spacingMillis;
            case HOURS -> HOURS_STEP_MILLIS;
            case DAY -> DAY_STEP_MILLIS;
        };
        return Map.of("series", SERIES, "stepMillis", stepMillis, "points", rows);
    }
}
