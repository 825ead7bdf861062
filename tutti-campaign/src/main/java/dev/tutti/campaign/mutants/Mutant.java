package dev.tutti.campaign.mutants;

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
 * A deliberate bug of the kind that a maintainer might make: a patch with a header.
 *
 * <pre>
 * Wrong: the bug in one sentence
 * Breaks: properties of docs/guarantees.md, with commas between them
 * Seen by: sim [options of ./tutti sim]   or   test MODULE CLASS[,CLASS]
 * </pre>
 *
 * @param name name of the patch file, without its extension
 * @param wrong the bug in one sentence
 * @param breaks properties that do not hold with it; schedules detect it by breaking one of them
 * @param seer schedules or tests that have to detect it
 * @param patch patch of the product's sources
 */
public record Mutant(String name, String wrong, List<String> breaks, Seer seer, Patch patch) {

    /** Schedules or tests that detect a mutant. */
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

    /** Returns the same mutant, to be detected by schedules with these options of {@code ./tutti sim}. */
    public Mutant seenBySchedules(List<String> options) {
        return new Mutant(name, wrong, breaks, new Seer.Schedules(options), patch);
    }

    /** The directory of the patches, below the root of the sources. */
    public static final String DIRECTORY = "tutti-campaign/mutants";

    private static final List<String> FIELDS = List.of("Wrong", "Breaks", "Seen by");

    /**
     * Reads all mutants in the order of their names.
     *
     * @param home the root of the sources
     * @throws IllegalArgumentException if a patch is malformed, with its name
     */
    public static List<Mutant> all(Path home) {
        try (Stream<Path> files = Files.list(home.resolve(DIRECTORY))) {
            return files.filter(file -> file.toString().endsWith(".patch"))
                    .sorted()
                    .map(Mutant::read)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException("mutants in " + home.resolve(DIRECTORY) + " cannot be listed", e);
        }
    }

    private static Mutant read(Path file) {
        String name = file.getFileName().toString().replaceFirst("\\.patch$", "");
        try {
            return parse(name, Files.readAllLines(file));
        } catch (IOException e) {
            throw new UncheckedIOException("mutant " + file + " cannot be read", e);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("mutant " + name + ": " + e.getMessage(), e);
        }
    }

    /** Returns the package of the first changed file without the common prefix: {@code protocols.reliability}. */
    String layer() {
        String[] parts = patch.files().getFirst().split("/src/main/java/dev/tutti/");
        String module = parts[0].replaceFirst("^tutti-", "");
        String inside = parts[1].replaceFirst("^internal/", "").replaceFirst("/?[^/]*$", "").replace('/', '.');
        return inside.startsWith(module) ? inside : inside.isEmpty() ? module : module + "." + inside;
    }

    static Mutant parse(String name, List<String> lines) {
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
        return new Mutant(
                name,
                field(fields, "Wrong"),
                List.of(field(fields, "Breaks").split(", *")),
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
