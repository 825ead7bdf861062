package dev.tutti.draw;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Content of a board: a set of strokes that only grows, and a floor below which all are forgotten. Thread-safe.
 *
 * <p>It is made of lines of text, which members and pages exchange:
 *
 * <pre>
 * p 17.k3f9 0 2d6cdf 6 100 200 104 203   points of stroke 17.k3f9 from index 0 on: colour, width, x and y in quarters of a pixel
 * u 17.k3f9                              its author has taken it back
 * f 17.k3f9                              it and all before it are forgotten
 * k mC3x…                                a key that opens the board
 * </pre>
 *
 * A line may come twice, and lines about different strokes in any order: boards that have had the same lines are equal.
 * So lines without a receipt when a member dies are sent again to another, the boards of a partitioned network are
 * united, and a page takes the whole board and later lines in either order. Only the points of one stroke have to come
 * in order, which its one author ensures.
 */
final class Board {

    static final int WIDTH = 1_600;
    static final int HEIGHT = 1_200;

    /** Units of a coordinate in a pixel. */
    static final int SCALE = 4;

    static final int STROKE_POINTS_MAX = 4_000;
    static final int LINE_WIDTH_MAX = 64;

    /**
     * Points of a board; beyond, members let the oldest strokes be forgotten, and beyond twice as many no line is
     * taken.
     */
    static final int POINTS_MAX = 200_000;

    /** Cost of a stroke besides its points, in points. */
    static final int STROKE_COST = 8;

    static final int KEYS_MAX = 16;

    private static final int LINE_POINTS_MAX = 1_000;

    private static final class Stroke {
        private final String colour;
        private final int width;
        private short[] points = new short[16];
        private int count;
        private boolean isUndone;

        Stroke(String colour, int width) {
            this.colour = colour;
            this.width = width;
        }

        int cost() {
            return STROKE_COST + count;
        }
    }

    private final int pointsMax;
    private final NavigableMap<StrokeId, Stroke> strokes = new TreeMap<>();
    private final Set<String> keys = new TreeSet<>();
    private StrokeId floor = StrokeId.NONE;
    private long cost;
    private long ignored;

    Board() {
        this(POINTS_MAX);
    }

    Board(int pointsMax) {
        this.pointsMax = pointsMax;
    }

    // ------------------------------------------------------------------ changing

    /** Applies lines; those that are none of a board are ignored and counted. */
    synchronized void apply(String lines) {
        lines.lines().forEach(this::applyLine);
    }

    private void applyLine(String line) {
        try {
            String[] words = line.split(" ", -1);
            boolean isTaken =
                    switch (words[0]) {
                        case "p" -> words.length >= 5 && draw(words);
                        case "u" -> words.length == 2 && undo(StrokeId.parse(words[1]));
                        case "f" -> words.length == 2 && forget(StrokeId.parse(words[1]));
                        case "k" -> words.length == 2 && addKey(words[1]);
                        default -> false;
                    };
            if (!isTaken) {
                ignored++;
            }
        } catch (IllegalArgumentException e) {
            // A line that a board did not make: it changes nothing here, and so nothing anywhere.
            ignored++;
        }
    }

    private boolean draw(String[] words) {
        StrokeId id = StrokeId.parse(words[1]);
        int first = Integer.parseInt(words[2]);
        String colour = words[3];
        int width = Integer.parseInt(words[4]);
        int count = (words.length - 5) / 2;
        boolean isFit = words.length % 2 == 1
                && first >= 0
                && first <= STROKE_POINTS_MAX - count
                && colour.matches("[0-9a-f]{6}")
                && width >= 1
                && width <= LINE_WIDTH_MAX;
        if (!isFit) {
            return false;
        }
        short[] points = new short[2 * count];
        for (int index = 0; index < 2 * count; index++) {
            int value = Integer.parseInt(words[5 + index]);
            if (value < 0 || value > SCALE * (index % 2 == 0 ? WIDTH : HEIGHT)) {
                return false;
            }
            points[index] = (short) value;
        }
        return id.compareTo(floor) <= 0 || append(id, new Stroke(colour, width), first, points);
    }

    private boolean append(StrokeId id, Stroke empty, int first, short[] points) {
        Stroke stroke = strokes.get(id);
        int known = stroke == null ? 0 : stroke.count;
        int count = points.length / 2;
        boolean isFull = cost + count + STROKE_COST > 2L * pointsMax;
        if (stroke != null && stroke.isUndone) {
            return true;
        }
        if (first > known || isFull) {
            return false;
        }
        if (stroke == null) {
            stroke = empty;
            strokes.put(id, stroke);
            cost += STROKE_COST;
        }
        int added = first + count - known;
        if (added > 0) {
            if (2 * (known + added) > stroke.points.length) {
                // A new array: a reader of a snapshot continues with the old one.
                stroke.points = Arrays.copyOf(stroke.points, Math.max(2 * stroke.points.length, 2 * (known + added)));
            }
            System.arraycopy(points, 2 * (count - added), stroke.points, 2 * known, 2 * added);
            stroke.count += added;
            cost += added;
        }
        return true;
    }

    private boolean undo(StrokeId id) {
        if (id.compareTo(floor) <= 0) {
            return true;
        }
        Stroke before = strokes.get(id);
        if (before == null && cost + STROKE_COST > 2L * pointsMax) {
            return false;
        }
        Stroke undone = new Stroke("000000", 1);
        undone.points = new short[0];
        undone.isUndone = true;
        strokes.put(id, undone);
        cost += undone.cost() - (before == null ? 0 : before.cost());
        return true;
    }

    private boolean forget(StrokeId id) {
        if (id.compareTo(floor) > 0) {
            floor = id;
            NavigableMap<StrokeId, Stroke> gone = strokes.headMap(id, true);
            cost -= gone.values().stream().mapToLong(Stroke::cost).sum();
            gone.clear();
        }
        return true;
    }

    private boolean addKey(String key) {
        boolean isFit = key.matches("[A-Za-z0-9_-]{16,64}") && keys.size() < KEYS_MAX;
        if (isFit) {
            keys.add(key);
        }
        return isFit || keys.contains(key);
    }

    synchronized void clearKeys() {
        keys.clear();
    }

    // ------------------------------------------------------------------ reading

    synchronized List<String> keys() {
        return List.copyOf(keys);
    }

    /** Returns the number of lines that were none of a board, or came when it was full. */
    synchronized long ignored() {
        return ignored;
    }

    synchronized long cost() {
        return cost;
    }

    /**
     * Returns the line that makes room on a board with too many points, about a quarter of it; null if there is room.
     */
    synchronized @Nullable String relief() {
        if (cost <= pointsMax) {
            return null;
        }
        long excess = cost - pointsMax * 3L / 4;
        StrokeId last = StrokeId.NONE;
        for (Map.Entry<StrokeId, Stroke> each : strokes.entrySet()) {
            if (excess <= 0) {
                break;
            }
            last = each.getKey();
            excess -= each.getValue().cost();
        }
        return "f " + last + "\n";
    }

    /** Returns the board as it is now, to be written later. */
    synchronized Image image() {
        List<Part> parts = new ArrayList<>(strokes.size());
        strokes.forEach((id, stroke) ->
                parts.add(new Part(id, stroke.colour, stroke.width, stroke.points, stroke.count, stroke.isUndone)));
        return new Image(parts, floor, List.copyOf(keys));
    }

    /** Returns the lines that this board has and another lacks: the other with these lines is the union of both. */
    List<String> linesBeyond(Board other) {
        List<String> lines = new ArrayList<>();
        Image own = image();
        synchronized (other) {
            if (own.floor.compareTo(other.floor) > 0) {
                lines.add("f " + own.floor + "\n");
            }
            own.keys.stream().filter(key -> !other.keys.contains(key)).forEach(key -> lines.add("k " + key + "\n"));
            for (Part part : own.parts) {
                Stroke there = other.strokes.get(part.id);
                boolean isKnown = part.id.compareTo(other.floor) <= 0
                        || there != null && (there.isUndone || !part.isUndone && there.count >= part.count);
                if (!isKnown) {
                    part.write(lines);
                }
            }
        }
        return lines;
    }

    /** A stroke at the time of the image: its array only ever changes after {@code count}. */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    private record Part(StrokeId id, String colour, int width, short[] points, int count, boolean isUndone) {

        void write(List<String> lines) {
            if (isUndone) {
                lines.add("u " + id + "\n");
                return;
            }
            for (int first = 0; first < Math.max(1, count); first += LINE_POINTS_MAX) {
                StringBuilder line = new StringBuilder("p ").append(id).append(' ').append(first);
                line.append(' ').append(colour).append(' ').append(width);
                int end = Math.min(count, first + LINE_POINTS_MAX);
                for (int index = 2 * first; index < 2 * end; index++) {
                    line.append(' ').append(points[index]);
                }
                lines.add(line.append('\n').toString());
            }
        }
    }

    /** A board at the time of the image. */
    record Image(List<Part> parts, StrokeId floor, List<String> keys) {

        /** Returns lines that are equal for equal boards; pages get no keys. */
        List<String> lines(boolean hasKeys) {
            List<String> lines = new ArrayList<>();
            if (!floor.equals(StrokeId.NONE)) {
                lines.add("f " + floor + "\n");
            }
            if (hasKeys) {
                keys.forEach(key -> lines.add("k " + key + "\n"));
            }
            parts.forEach(part -> part.write(lines));
            return lines;
        }
    }
}
