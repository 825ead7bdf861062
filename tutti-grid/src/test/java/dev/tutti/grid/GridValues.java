package dev.tutti.grid;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Supplier;

/** Random records of the grid, among them those at the limits, with texts that are hard to store. */
public final class GridValues {

    private static final List<String> TEXTS = List.of(
            "", " ", "a", "A", "a ", "web1", "größer", "\0", "a\0b", "😀", "'); DROP TABLE x; --", "\"", "\\", "\\0", "%", "_", "\uffff",
            "line\nline\r\t", "\u0001", "x".repeat(300), "😀".repeat(200), "😀".repeat(95) + "a");

    private static final List<String> LEVELS = List.of("hosts", "web1", "web2", "cpu", "load", "a b", "ß", "😀", "'", "\\", "Hosts", "x".repeat(60));

    private final Random random;

    public GridValues(long seed) {
        random = new Random(seed);
    }

    public Random random() {
        return random;
    }

    private <T> T any(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    public String text() {
        return any(TEXTS);
    }

    private <T> List<T> list(int max, Supplier<T> each) {
        List<T> list = new ArrayList<>();
        for (int i = random.nextInt(max + 1); i > 0; i--) {
            list.add(each.get());
        }
        return list;
    }

    private Map<String, String> texts(int max) {
        Map<String, String> texts = new TreeMap<>();
        list(max, this::text).forEach(name -> texts.put(name, text()));
        return texts;
    }

    public Topic topic() {
        StringBuilder path = new StringBuilder(any(LEVELS));
        list(3, () -> any(LEVELS)).forEach(level -> path.append('/').append(level));
        return Topic.of(random.nextInt(10) == 0 ? Long.toString(random.nextLong()) : path.toString());
    }

    public String pattern() {
        String[] levels = topic().path().split("/");
        for (int i = 0; i < levels.length; i++) {
            levels[i] = random.nextInt(4) == 0 ? "*" : levels[i];
        }
        String pattern = String.join("/", levels);
        return switch (random.nextInt(5)) {
            case 0 -> pattern + "/#";
            case 1 -> random.nextBoolean() ? "#" : pattern;
            default -> pattern;
        };
    }

    public Filter filter() {
        return new Filter(pattern(), texts(2), random.nextBoolean() ? "" : "value > 1 AND host = '" + text() + "'");
    }

    public Body body() {
        return random.nextInt(3) > 0 ? simpleBody() : random.nextBoolean() ? values() : histogram();
    }

    private Body simpleBody() {
        return switch (random.nextInt(3)) {
            case 0 -> Body.of(text());
            case 1 -> Body.of(number(), text());
            default -> {
                byte[] bytes = new byte[random.nextInt(100)];
                random.nextBytes(bytes);
                yield Body.of(bytes);
            }
        };
    }

    private double number() {
        return any(List.of(0.0, -0.0, 1.5, Double.NaN, Double.POSITIVE_INFINITY, Double.MIN_VALUE, random.nextGaussian()));
    }

    private Body values() {
        Map<String, Body> values = new TreeMap<>();
        list(4, this::text).forEach(name -> values.put(name, random.nextBoolean() ? Body.of(text()) : Body.of(number(), text())));
        return new Body.Values(values);
    }

    private Body histogram() {
        List<Double> bounds = list(5, random::nextDouble).stream().sorted().distinct().toList();
        List<Long> counts = new ArrayList<>();
        for (int i = 0; i <= bounds.size(); i++) {
            counts.add(random.nextBoolean() ? random.nextLong() >>> 1 : random.nextInt(100));
        }
        return new Body.Histogram(bounds, counts, number(), text());
    }

    private ClockQuality clock() {
        return switch (random.nextInt(3)) {
            case 0 -> ClockQuality.UNKNOWN;
            case 1 -> new ClockQuality(true, any(List.of(Duration.ZERO, Duration.ofDays(1))));
            default -> new ClockQuality(random.nextBoolean(), Duration.ofNanos(random.nextInt()& Integer.MAX_VALUE));
        };
    }

    private Instant time() {
        long micros = random.nextBoolean() ? random.nextLong() : random.nextInt(1_000_000_000);
        return Instant.ofEpochSecond(Math.floorDiv(micros, 1_000_000), Math.floorMod(micros, 1_000_000) * 1_000L);
    }

    public Measurement measurement() {
        return new Measurement(text(), random.nextLong(), topic(), texts(4), time(), clock(), body());
    }

    /** Returns an entry with an identity of those whose number is small, so that some are equal. */
    public Entry entry() {
        String id = text() + random.nextInt(40);
        return new Entry(
                id,
                random.nextBoolean() ? Entry.Kind.PRODUCER : Entry.Kind.CONSUMER,
                text(),
                text(),
                text(),
                text(),
                list(3, this::filter),
                text(),
                random.nextInt(10) == 0 ? "s".repeat(Entry.SCHEMA_MAX) : text(),
                number(),
                random.nextLong(),
                texts(3));
    }

    public Gap gap() {
        return new Gap(text(), random.nextLong(), text());
    }

    public Query query() {
        Entry.Kind kind = random.nextInt(3) == 0 ? null : any(List.of(Entry.Kind.values()));
        int limit = random.nextInt(4) == 0 ? 1 + random.nextInt(5) : 1 + random.nextInt(Query.LIMIT_MAX);
        Duration deadline = random.nextBoolean()
                ? Duration.ofSeconds(random.nextLong() >>> 1, random.nextInt(1_000_000_000))
                : Duration.ofNanos(1 + random.nextInt(1_000_000));
        return new Query(kind, random.nextInt(3) == 0 ? "#" : pattern(), random.nextBoolean() ? Map.of() : texts(2), list(2, this::text), limit, deadline);
    }
}
