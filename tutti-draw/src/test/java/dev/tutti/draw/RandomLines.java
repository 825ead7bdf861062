package dev.tutti.draw;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Random lines that pages may send. */
final class RandomLines {

    private RandomLines() {}

    static String of(Random random, int count) {
        return String.join("", list(random, count));
    }

    /** Strokes in pieces, each after the one before it; pieces that come twice; undone and forgotten strokes. */
    static List<String> list(Random random, int count) {
        int[] drawn = new int[30];
        List<String> lines = new ArrayList<>();
        for (int line = 0; line < count; line++) {
            int stroke = random.nextInt(drawn.length);
            String id = (1 + stroke / 3) + "." + (char) ('a' + stroke % 3);
            int kind = random.nextInt(40);
            if (kind == 0) {
                lines.add("u " + id + "\n");
            } else if (kind == 1 && stroke < 12) {
                lines.add("f " + id + "\n");
            } else {
                int first = Math.max(0, drawn[stroke] - random.nextInt(3));
                int points = 1 + random.nextInt(4);
                StringBuilder text = new StringBuilder("p " + id + " " + first + " 2d6cdf " + (1 + stroke));
                for (int point = first; point < first + points; point++) {
                    // The same point of the same stroke is always at the same place.
                    text.append(' ').append((stroke * 37 + point * 11) % 6400).append(' ').append((stroke * 17 + point * 13) % 4800);
                }
                lines.add(text.append('\n').toString());
                drawn[stroke] = Math.max(drawn[stroke], first + points);
            }
        }
        return lines;
    }
}
