package dev.tutti.architecture;

import dev.tutti.internal.Json;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.apache.maven.artifact.versioning.ComparableVersion;

/** Advisories about Maven packages, from files in the <a href="https://ossf.github.io/osv-schema/">format of OSV</a>. */
final class Advisories {

    /**
     * Library that an advisory is about.
     *
     * @param fixed next version without the flaw; empty if none is known
     */
    record Finding(String id, Library library, String fixed) {}

    /**
     * Bound of the versions that have a flaw.
     *
     * @param kind {@code introduced}, {@code fixed} or {@code last_affected}; others, which could only acquit, are ignored
     */
    private record Event(String kind, String text) {

        /** Order of evaluation: where one range ends and another begins, the end comes first. */
        static final Comparator<Event> ORDER = Comparator.comparing((Event event) -> !event.isBeginning())
                .thenComparing(Event::version)
                .thenComparing(Event::kind);

        /** Reports whether the version is OSV's mark for "before all others", which Maven places after 0-alpha. */
        boolean isBeginning() {
            return text.equals("0");
        }

        ComparableVersion version() {
            return new ComparableVersion(text);
        }
    }

    /**
     * Returns what advisories say of libraries.
     *
     * @param directory searched for {@code *.json} at any depth
     * @throws IllegalArgumentException if a file is broken, or none is about a Maven package
     */
    static List<Finding> findings(Path directory, List<Library> libraries) throws IOException {
        List<Path> files;
        try (var all = Files.walk(directory)) {
            files = all.filter(file -> file.toString().endsWith(".json")).sorted().toList();
        }
        List<Finding> found = new ArrayList<>();
        boolean isAboutMaven = false;
        for (Path file : files) {
            try {
                Map<?, ?> advisory = object(Json.parse(Files.readString(file)));
                String id = text(advisory, "id");
                for (Map<?, ?> affected : objects(advisory, "affected")) {
                    if (isMaven(affected) && advisory.get("withdrawn") == null) {
                        isAboutMaven = true;
                        find(id, affected, libraries, found);
                    }
                }
            } catch (IllegalArgumentException | CharacterCodingException e) {
                throw new IllegalArgumentException(file + " is not an advisory in the format of OSV: " + e.getMessage(), e);
            }
        }
        if (!isAboutMaven) {
            throw new IllegalArgumentException(
                    directory + " has no advisory about a Maven package; files named *.json: " + files.size());
        }
        return found;
    }

    private static void find(String id, Map<?, ?> affected, List<Library> libraries, List<Finding> found) {
        String name = text(object(affected.get("package")), "name");
        List<?> versions = list(affected, "versions");
        List<List<Event>> ranges = objects(affected, "ranges").stream()
                .filter(range -> !text(range, "type").equals("GIT"))
                .map(Advisories::events)
                .toList();
        for (Library library : libraries) {
            ComparableVersion version = new ComparableVersion(library.version());
            if (library.name().equals(name)
                    && (versions.contains(library.version())
                            || ranges.stream().anyMatch(events -> isWithin(version, events)))) {
                String fixed = ranges.stream()
                        .flatMap(List::stream)
                        .filter(event -> event.kind().equals("fixed") && event.version().compareTo(version) > 0)
                        .min(Event.ORDER)
                        .map(Event::text)
                        .orElse("");
                found.add(new Finding(id, library, fixed));
            }
        }
    }

    private static boolean isWithin(ComparableVersion version, List<Event> events) {
        boolean isWithin = false;
        for (Event event : events) {
            int order = version.compareTo(event.version());
            isWithin = switch (event.kind()) {
                case "introduced" -> isWithin || order >= 0 || event.isBeginning();
                case "fixed" -> isWithin && order < 0;
                case "last_affected" -> isWithin && order <= 0;
                default -> isWithin;
            };
        }
        return isWithin;
    }

    private static List<Event> events(Map<?, ?> range) {
        return objects(range, "events").stream()
                .flatMap(event ->
                        event.keySet().stream().map(Object::toString).map(kind -> new Event(kind, text(event, kind))))
                .sorted(Event.ORDER)
                .toList();
    }

    /** The name of an ecosystem may be followed by the address of a repository. */
    private static boolean isMaven(Map<?, ?> affected) {
        return affected.get("package") instanceof Map<?, ?> named && (text(named, "ecosystem") + ":").startsWith("Maven:");
    }

    private static Map<?, ?> object(Object value) {
        if (value instanceof Map<?, ?> object) {
            return object;
        }
        throw new IllegalArgumentException("an object was expected, not " + value);
    }

    private static List<Map<?, ?>> objects(Map<?, ?> object, String key) {
        List<Map<?, ?>> objects = new ArrayList<>();
        list(object, key).forEach(each -> objects.add(object(each)));
        return objects;
    }

    /** Returns an empty list if there is none. */
    private static List<?> list(Map<?, ?> object, String key) {
        Object value = object.get(key);
        if (value == null) {
            return List.of();
        }
        if (value instanceof List<?> list) {
            return list;
        }
        throw new IllegalArgumentException(key + " is not a list");
    }

    private static String text(Map<?, ?> object, String key) {
        if (object.get(key) instanceof String text) {
            return text;
        }
        throw new IllegalArgumentException(key + " is not a text");
    }

    private Advisories() {}
}
