package dev.tutti.campaign.mutants;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A unified diff. It is applied by its content: line numbers only choose between places that match. */
final class Patch {

    /** A stretch of lines that is replaced by another; {@code line} counts from 1. */
    private record Hunk(int line, List<String> before, List<String> after) {}

    private final Map<String, List<Hunk>> hunksOf = new TreeMap<>();

    /**
     * Reads a diff as {@code git diff} and {@code diff -u} write it.
     *
     * @throws IllegalArgumentException with the line that cannot be read
     */
    static Patch parse(List<String> lines) {
        Patch patch = new Patch();
        List<Hunk> hunks = List.of();
        Hunk hunk = null;
        for (String line : lines) {
            if (line.startsWith("+++ ")) {
                String file = line.substring(4).replaceFirst("\t.*", "").replaceFirst("^b/", "");
                hunks = patch.hunksOf.computeIfAbsent(file, absent -> new ArrayList<>());
                hunk = null;
            } else if (line.startsWith("@@ -")) {
                hunk = new Hunk(Integer.parseInt(line.split("[-, ]+")[1]), new ArrayList<>(), new ArrayList<>());
                hunks.add(hunk);
            } else if (hunk != null && !line.startsWith("--- ") && !line.startsWith("diff ") && !line.startsWith("index ")) {
                take(hunk, line);
            }
        }
        if (patch.hunksOf.values().stream().allMatch(List::isEmpty)) {
            throw new IllegalArgumentException("the patch has no hunk (a line that begins with @@)");
        }
        return patch;
    }

    private static void take(Hunk hunk, String line) {
        String text = line.isEmpty() ? "" : line.substring(1);
        char kind = line.isEmpty() ? ' ' : line.charAt(0);
        switch (kind) {
            case ' ' -> {
                hunk.before().add(text);
                hunk.after().add(text);
            }
            case '-' -> hunk.before().add(text);
            case '+' -> hunk.after().add(text);
            case '\\' -> {
                // "No newline at end of file".
            }
            default -> throw new IllegalArgumentException("'" + line + "' is no line of a patch");
        }
    }

    /**
     * Returns the patched files, by their path below {@code home}; nothing is written.
     *
     * @throws IllegalArgumentException if a file has no place that matches the lines before the change
     */
    Map<String, String> applyTo(Path home) {
        Map<String, String> patched = new TreeMap<>();
        hunksOf.forEach((file, hunks) -> {
            List<String> lines = new ArrayList<>(read(home.resolve(file)));
            int shift = 0;
            for (Hunk hunk : hunks) {
                int index = find(lines, hunk, shift);
                if (index < 0) {
                    throw new IllegalArgumentException("the patch does not apply to " + file + ": no place near line "
                            + hunk.line() + " reads\n" + String.join("\n", hunk.before()));
                }
                List<String> place = lines.subList(index, index + hunk.before().size());
                place.clear();
                place.addAll(hunk.after());
                shift = index - (hunk.line() - 1) + hunk.after().size() - hunk.before().size();
            }
            patched.put(file, String.join("\n", lines) + "\n");
        });
        return patched;
    }

    /** Returns the matching place nearest to the hunk's line; -1 if there is none. */
    private static int find(List<String> lines, Hunk hunk, int shift) {
        int wanted = hunk.line() - 1 + shift;
        int nearest = -1;
        for (int index = 0; index + hunk.before().size() <= lines.size(); index++) {
            boolean isNearer = nearest < 0 || Math.abs(index - wanted) < Math.abs(nearest - wanted);
            if (isNearer && lines.subList(index, index + hunk.before().size()).equals(hunk.before())) {
                nearest = index;
            }
        }
        return nearest;
    }

    private static List<String> read(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException("file " + file + " of the patch cannot be read", e);
        }
    }

    /** Returns the files that it changes, by their path below the root of the sources. */
    List<String> files() {
        return List.copyOf(hunksOf.keySet());
    }
}
