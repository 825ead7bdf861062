package dev.tutti.campaign.slips;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * One mistake, as a maintainer might make it: a patch with a header.
 *
 * <pre>
 * Wrong: the mistake in one sentence
 * Breaks: properties of docs/guarantees.md
 * Seen by: sim [options of ./tutti sim]   or   test MODULE CLASS[,CLASS]
 * </pre>
 *
 * @param name name of the patch file, without its extension
 * @param wrong the mistake in one sentence
 * @param breaks properties that do not hold with it
 * @param seer schedules or tests that have to detect it
 * @param patch patch of the product's sources
 */
public record Slip(String name, String wrong, String breaks, Seer seer, Patch patch) {

    /** Schedules or tests that detect a slip. */
    public sealed interface Seer {
        /** @param options further options of {@code ./tutti sim} that are needed */
        record Schedules(List<String> options) implements Seer {
            @Override
            public String toString() {
                return String.join(" ", options.isEmpty() ? List.of("sim") : options);
            }
        }

        /** @param classes test classes in {@code module}, with commas between them */
        record Tests(String module, String classes) implements Seer {
            @Override
            public String toString() {
                return classes;
            }
        }
    }

    /** The directory of the patches, below the root of the sources. */
    public static final String DIRECTORY = "tutti-campaign/slips";

    private static final List<String> FIELDS = List.of("Wrong", "Breaks", "Seen by");

    /**
     * Reads all slips in the order of their names.
     *
     * @param home the root of the sources
     * @throws IllegalArgumentException if a patch is malformed, with its name
     */
    public static List<Slip> all(Path home) {
        try (Stream<Path> files = Files.list(home.resolve(DIRECTORY))) {
            return files.filter(file -> file.toString().endsWith(".patch"))
                    .sorted()
                    .map(Slip::read)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException("slips in " + home.resolve(DIRECTORY) + " cannot be listed", e);
        }
    }

    private static Slip read(Path file) {
        String name = file.getFileName().toString().replaceFirst("\\.patch$", "");
        try {
            return parse(name, Files.readAllLines(file));
        } catch (IOException e) {
            throw new UncheckedIOException("slip " + file + " cannot be read", e);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("slip " + name + ": " + e.getMessage(), e);
        }
    }

    /** Returns the package of the first changed file without the common prefix: {@code protocols.reliability}. */
    String layer() {
        String[] parts = patch.files().getFirst().split("/src/main/java/dev/tutti/");
        String module = parts[0].replaceFirst("^tutti-", "");
        String inside = parts[1].replaceFirst("^internal/", "").replaceFirst("/?[^/]*$", "").replace('/', '.');
        return inside.startsWith(module) ? inside : inside.isEmpty() ? module : module + "." + inside;
    }

    static Slip parse(String name, List<String> lines) {
        int begin = 0;
        Map<String, String> fields = new TreeMap<>();
        String field = "";
        while (begin < lines.size() && !lines.get(begin).startsWith("--- ") && !lines.get(begin).startsWith("diff ")) {
            String line = lines.get(begin);
            int colon = line.indexOf(": ");
            if (colon > 0 && FIELDS.contains(line.substring(0, colon))) {
                field = line.substring(0, colon);
                fields.put(field, line.substring(colon + 2).strip());
            } else if (!line.isBlank()) {
                if (field.isEmpty()) {
                    throw new IllegalArgumentException("'" + line + "' is no line of the header; it has " + FIELDS);
                }
                fields.merge(field, line.strip(), (before, more) -> before + " " + more);
            }
            begin++;
        }
        return new Slip(
                name,
                field(fields, "Wrong"),
                field(fields, "Breaks"),
                seer(field(fields, "Seen by")),
                Patch.parse(lines.subList(begin, lines.size())));
    }

    private static String field(Map<String, String> fields, String name) {
        String text = fields.get(name);
        if (text == null) {
            throw new IllegalArgumentException("the header lacks '" + name + ":'; it has " + fields.keySet());
        }
        return text;
    }

    private static Seer seer(String text) {
        List<String> words = Arrays.asList(text.split(" +"));
        if (words.getFirst().equals("sim")) {
            return new Seer.Schedules(words.subList(1, words.size()));
        }
        if (words.getFirst().equals("test") && words.size() == 3) {
            return new Seer.Tests(words.get(1), words.get(2));
        }
        throw new IllegalArgumentException("'Seen by: " + text + "' is neither 'sim [options]' nor 'test MODULE CLASS[,CLASS]'");
    }
}
