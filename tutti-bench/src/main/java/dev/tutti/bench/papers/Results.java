package dev.tutti.bench.papers;

import dev.tutti.bench.papers.Figure.Reading;
import dev.tutti.internal.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.DoubleFunction;
import org.jspecify.annotations.Nullable;

/** Results of a command, as its JSON file has them, and the readings of figures from them. */
public final class Results {

    private final Map<?, ?> values;

    /** @param section of a report */
    Results(Map<String, Object> section) {
        // As a reader of the file sees them: numbers are Long or Double.
        this.values = (Map<?, ?>) Objects.requireNonNull(Json.parse(Json.write(section)));
    }

    /** Returns the elements of the list {@code list} whose values are these, name by name. */
    private List<Map<?, ?>> all(String list, Object... wanted) {
        List<Map<?, ?>> found = new ArrayList<>();
        if (values.get(list) instanceof List<?> elements) {
            for (Object element : elements) {
                if (element instanceof Map<?, ?> map && matches(map, wanted)) {
                    found.add(map);
                }
            }
        }
        return found;
    }

    private static boolean matches(Map<?, ?> map, Object... wanted) {
        for (int index = 0; index < wanted.length; index += 2) {
            if (!wanted[index + 1].equals(map.get(wanted[index]))) {
                return false;
            }
        }
        return true;
    }

    /** Returns the number at the end of a path of names; empty if there is none. */
    private static OptionalDouble number(@Nullable Object from, String... path) {
        Object at = from;
        for (String name : path) {
            at = at instanceof Map<?, ?> map ? map.get(name) : null;
        }
        return at instanceof Number number ? OptionalDouble.of(number.doubleValue()) : OptionalDouble.empty();
    }

    private static String print(OptionalDouble value, DoubleFunction<String> format) {
        return value.isPresent() ? format.apply(value.getAsDouble()) : "";
    }

    private static String count(double value) {
        return String.format(Locale.ROOT, "%,.0f", value);
    }

    /** Prints three digits, or all of a larger number. */
    static String print(double value) {
        double size = Math.abs(value);
        return String.format(Locale.ROOT, size >= 100 || size == 0 ? "%,.0f" : size >= 10 ? "%.1f" : "%.2f", value);
    }

    // ------------------------------------------------------------------ multicast

    private static OptionalDouble rate(Map<?, ?> result, String system) {
        return number(result, "systems", system, "messages-per-second", "median");
    }

    /** Reads the rate of all senders, multiplied. */
    static Reading rate(String pattern, long members, long bytes, double factor) {
        return (results, system) -> results.all("results", "pattern", pattern, "members", members, "bytes", bytes).stream()
                .findFirst()
                .map(result -> print(rate(result, system), rate -> print(rate * factor)))
                .orElse("");
    }

    /** Reads the factor by which a sender's rate falls from the fewest to the most members, when all send. */
    static Reading fall(long bytes) {
        return (results, system) -> {
            List<Map<?, ?>> loads = results.all("results", "pattern", "n-n", "bytes", bytes).stream()
                    .filter(result -> rate(result, system).isPresent())
                    .toList();
            if (loads.size() < 2) {
                return "";
            }
            double[] members = new double[2];
            double[] rates = new double[2];
            for (int end = 0; end < 2; end++) {
                Map<?, ?> load = end == 0 ? loads.getFirst() : loads.getLast();
                members[end] = number(load, "members").orElseThrow();
                rates[end] = rate(load, system).orElseThrow() / members[end];
            }
            return String.format(Locale.ROOT, "%s (%.0f to %.0f)", print(rates[0] / rates[1]), members[0], members[1]);
        };
    }

    /** Reads the highest number of members of which all messages arrived, and the rate with it. */
    static Reading most(String pattern) {
        return (results, system) -> {
            List<Map<?, ?>> loads = results.all("results", "pattern", pattern).stream()
                    .filter(result -> rate(result, system).isPresent())
                    .toList();
            return loads.isEmpty()
                    ? ""
                    : String.format(Locale.ROOT, "%s (%.0f)", print(rate(loads.getLast(), system), Results::print),
                            number(loads.getLast(), "members").orElse(0));
        };
    }

    /** Reads the rate with the most threads, divided by that with the fewest. */
    static Reading threads() {
        return (results, system) -> {
            List<Map<?, ?>> loads = results.all("results").stream()
                    .filter(result -> rate(result, system).isPresent())
                    .toList();
            return loads.size() < 2
                    ? ""
                    : print(rate(loads.getLast(), system).orElseThrow() / rate(loads.getFirst(), system).orElseThrow());
        };
    }

    /** Reads the rate of one system divided by that of another one, whose name begins with the same and ends with {@code suffix}. */
    static Reading without(String suffix, long members, long bytes) {
        return (results, system) -> results.all("results", "pattern", "n-n", "members", members, "bytes", bytes).stream()
                .findFirst()
                .filter(result -> rate(result, system).isPresent() && rate(result, system + suffix).isPresent())
                .map(result -> print(rate(result, system + suffix).orElseThrow() / rate(result, system).orElseThrow()))
                .orElse("");
    }

    /** Reads the number of loads that were delivered, of those that were tried. */
    static Reading delivered() {
        return (results, system) -> {
            List<Map<?, ?>> loads = results.all("results");
            long whole = loads.stream().filter(load -> rate(load, system).isPresent()).count();
            return loads.isEmpty() ? "" : whole + " of " + loads.size();
        };
    }

    // ------------------------------------------------------------------ cards

    /** Reads the MB/s that a member receives. */
    static Reading card(String link, String pattern, long members) {
        return (results, system) -> results.card(system, "link", link, "pattern", pattern, "members", members)
                .map(result -> print(number(result, "bytes-per-second", "median"), bytes -> print(bytes / 1e6)))
                .orElse("");
    }

    /** Reads the share of a card's rate that a member receives. */
    static Reading share(String link, String pattern) {
        return (results, system) -> results.card(system, "link", link, "pattern", pattern)
                .map(result -> print(number(result, "share-of-card"), share -> print(100 * share) + " %"))
                .orElse("");
    }

    private Optional<Map<?, ?>> card(String system, Object... wanted) {
        return all("results", wanted).stream().filter(result -> system.equals(result.get("system"))).findFirst();
    }

    /** Reads the first number of large messages that failed. */
    static Reading large(String pattern) {
        return (results, system) -> results.card(system, "pattern", pattern)
                .map(result -> number(result, "first").orElse(0) > 0
                        ? print(number(result, "first"), Results::count)
                        : "none up to " + print(number(result, "most"), Results::count))
                .orElse("");
    }

    // ------------------------------------------------------------------ requests and times

    private static OptionalDouble requests(Map<?, ?> result, String system) {
        return number(result, "systems", system, "requests-per-second-and-node", "median");
    }

    /** Reads the requests per second of a node. */
    static Reading requests(long members, long threads, long bytes) {
        return (results, system) -> results.all("results", "members", members, "threads", threads, "bytes", bytes).stream()
                .findFirst()
                .map(result -> print(requests(result, system), Results::print))
                .orElse("");
    }

    /** Reads the least and the greatest ratio to the requests of another system, over all mixes with so many threads. */
    static Reading requestRatio(String other, long threadsMin, long threadsMax) {
        return (results, system) -> {
            double[] ratios = results.all("results").stream()
                    .filter(result -> number(result, "threads").orElse(0) >= threadsMin)
                    .filter(result -> number(result, "threads").orElse(0) <= threadsMax)
                    .filter(result -> requests(result, system).isPresent() && requests(result, other).isPresent())
                    .mapToDouble(result -> requests(result, system).orElseThrow() / requests(result, other).orElseThrow())
                    .sorted()
                    .toArray();
            return ratios.length == 0
                    ? ""
                    : ratios.length == 1 ? print(ratios[0]) : print(ratios[0]) + " to " + print(ratios[ratios.length - 1]);
        };
    }

    /** Reads a percentile of the times of the first load with this value, in milliseconds. */
    static Reading millis(String percentile, String name, long value) {
        return (results, system) -> results.all("results", name, value).stream()
                .findFirst()
                .map(result -> print(number(result, "systems", system, percentile), nanos -> print(nanos / 1e6)))
                .orElse("");
    }

    /** Reads the number at a path, in which {@code *} is the system. */
    static Reading at(double factor, String... path) {
        return (results, system) -> {
            String[] own = path.clone();
            for (int index = 0; index < own.length; index++) {
                own[index] = own[index].replace("*", system);
            }
            return print(number(results.values, own), value -> print(value * factor));
        };
    }

    // ------------------------------------------------------------------ the grid

    /** Reads a figure of a path of the grid with contents of a size. */
    static Reading path(long bytes, double factor, String... names) {
        return (results, path) -> results.all("sizes", "path", path, "bytes", bytes).stream()
                .findFirst()
                .map(result -> print(number(result, names), value -> print(value * factor)))
                .orElse("");
    }

    /** Reads the bandwidth of a path of the grid as a share of that of another one. */
    static Reading pathShare(String other, long bytes) {
        return (results, path) -> {
            OptionalDouble own = results.bandwidth(path, bytes);
            OptionalDouble bare = results.bandwidth(other, bytes);
            return own.isPresent() && bare.isPresent() ? print(100 * own.getAsDouble() / bare.getAsDouble()) + " %" : "";
        };
    }

    /** Reads the time that a round trip of a path takes more than one of another path, in milliseconds. */
    static Reading pathMore(String other, long bytes) {
        return (results, path) -> {
            OptionalDouble own = results.trip(path, bytes);
            OptionalDouble bare = results.trip(other, bytes);
            return own.isPresent() && bare.isPresent() ? print((own.getAsDouble() - bare.getAsDouble()) / 1e6) : "";
        };
    }

    private OptionalDouble bandwidth(String path, long bytes) {
        return all("sizes", "path", path, "bytes", bytes).stream()
                .findFirst()
                .map(result -> number(result, "mib-per-second"))
                .orElse(OptionalDouble.empty());
    }

    private OptionalDouble trip(String path, long bytes) {
        return all("sizes", "path", path, "bytes", bytes).stream()
                .findFirst()
                .map(result -> number(result, "round-trip-nanos", "median"))
                .orElse(OptionalDouble.empty());
    }
}
