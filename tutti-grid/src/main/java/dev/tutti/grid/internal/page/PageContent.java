package dev.tutti.grid.internal.page;

import dev.tutti.grid.Body;
import dev.tutti.grid.Entry;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.member.GridMember;
import dev.tutti.internal.Json;
import dev.tutti.sites.Site;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/** Content of the page of the grid as JSON: the map, and what of the list is looked for. Everything in it is bounded. Thread-safe. */
public final class PageContent {

    /** Most rows of the list in an answer. */
    static final int ROWS_MAX = 200;

    /** Most numbers that are charted. */
    static final int CHARTS_MAX = 12;

    private static final int SITES_MAX = 64;
    private static final int WAYS_MAX = 200;
    private static final int DOTS_MAX = 24;
    private static final int TEXTS_MAX = 8;

    /** Most characters of a text of others. */
    private static final int LENGTH_MAX = 160;

    private static final int WORDS_MAX = 8;

    /** Lists that the page shows. */
    public enum Listing {
        /** Last measurements. */
        NUMBERS,
        /** Producers. */
        PRODUCERS,
        /** Consumers. */
        CONSUMERS
    }

    /**
     * A request of the page.
     *
     * @param search words, all of which a row contains; empty for all rows
     * @param sites sites to show; none for all
     * @param charts {@linkplain Numbers#key keys} of the numbers that are charted
     */
    public record Look(Listing listing, String search, List<String> sites, List<String> charts) {}

    /** A row of the list, and the texts in which words are looked for. */
    private record Row(Map<String, Object> content, String site, String text) {}

    private final GridMember grid;
    private final GridWatch watch;

    public PageContent(GridMember grid) {
        this.grid = grid;
        this.watch = new GridWatch(grid);
    }

    /**
     * Returns the answer to a request.
     *
     * @throws IllegalStateException if the grid can't be asked
     */
    public String answer(Look look) {
        Snapshot now = watch.look();
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("grid", grid.name());
        all.put("site", grid.site());
        all.put("node", grid.node());
        all.put("at", now.atMillis());
        all.put("missing", texts(now.missing()));
        List<Map<String, Object>> sites = sites(now);
        all.put("siteCount", sites.size());
        all.put("sites", sites.stream().limit(SITES_MAX).toList());
        all.put("ways", ways(now));
        all.put("producers", count(now, Entry.Kind.PRODUCER));
        all.put("consumers", count(now, Entry.Kind.CONSUMER));
        all.put("rate", sum(now, entry -> entry.kind() == Entry.Kind.PRODUCER));
        all.put("numbers", now.numbers().size());
        List<String> words = words(look.search);
        List<Row> found = rows(now, look.listing).stream()
                .filter(row -> (look.sites.isEmpty() || look.sites.contains(row.site)) && words.stream().allMatch(row.text::contains))
                .toList();
        all.put("found", found.size());
        all.put("rows", found.stream().limit(ROWS_MAX).map(Row::content).toList());
        List<String> charts = look.charts.stream().limit(CHARTS_MAX).toList();
        all.put("charts", now.numbers().stream().filter(each -> charts.contains(each.key())).map(Numbers::content).toList());
        return Json.write(all);
    }

    private static List<String> words(String search) {
        return List.of(search.strip().toLowerCase(Locale.ROOT).split("\\s+")).stream().limit(WORDS_MAX).toList();
    }

    private static long count(Snapshot now, Entry.Kind kind) {
        return now.entries().stream().filter(entry -> entry.kind() == kind).count();
    }

    private static double sum(Snapshot now, Predicate<Entry> condition) {
        return now.entries().stream().filter(condition).mapToDouble(entry -> now.rate(entry.id())).filter(rate -> rate > 0).sum();
    }

    // ------------------------------------------------------------------ the map

    private List<Map<String, Object>> sites(Snapshot now) {
        TreeMap<String, String> states = new TreeMap<>();
        states.put(grid.site(), "up");
        now.entries().forEach(entry -> states.put(entry.site(), "up"));
        Map<String, List<String>> members = new TreeMap<>();
        for (Site site : grid.sites().sites()) {
            states.put(site.name(), site.state().name().toLowerCase(Locale.ROOT));
            members.put(site.name(), site.members());
        }
        List<Map<String, Object>> all = new ArrayList<>();
        states.forEach((name, state) -> {
            List<Entry> own = now.entries().stream().filter(entry -> entry.site().equals(name)).toList();
            Map<String, Object> site = new LinkedHashMap<>();
            site.put("name", text(name));
            site.put("state", state);
            site.put("members", texts(members.getOrDefault(name, List.of())));
            site.put("producers", own.stream().filter(entry -> entry.kind() == Entry.Kind.PRODUCER).count());
            site.put("consumers", own.stream().filter(entry -> entry.kind() == Entry.Kind.CONSUMER).count());
            site.put("rate", sum(now, entry -> entry.kind() == Entry.Kind.PRODUCER && entry.site().equals(name)));
            site.put("dots", dots(now, own));
            all.add(site);
        });
        return all;
    }

    /** Returns the producers and consumers of a site that the map shows: those with most measurements. */
    private static List<Map<String, Object>> dots(Snapshot now, List<Entry> entries) {
        List<Map<String, Object>> dots = new ArrayList<>();
        for (Entry.Kind kind : Entry.Kind.values()) {
            entries.stream()
                    .filter(entry -> entry.kind() == kind)
                    .sorted(Comparator.comparingDouble((Entry entry) -> -known(now.rate(entry.id()))).thenComparing(Entry::id))
                    .limit(DOTS_MAX / 2)
                    .sorted(Comparator.comparing(Entry::name).thenComparing(Entry::id))
                    .forEach(entry -> {
                        Map<String, Object> dot = new LinkedHashMap<>();
                        dot.put("id", text(entry.id()));
                        dot.put("kind", kind == Entry.Kind.PRODUCER ? "producer" : "consumer");
                        dot.put("name", text(entry.name()));
                        dot.put("rate", now.rate(entry.id()));
                        dots.add(dot);
                    });
        }
        return dots;
    }

    private static double known(double rate) {
        return Double.isNaN(rate) ? 0 : rate;
    }

    private static List<Map<String, Object>> ways(Snapshot now) {
        return now.ways().entrySet().stream()
                .sorted(Map.Entry.<Snapshot.Way, Double>comparingByValue().reversed())
                .limit(WAYS_MAX)
                .<Map<String, Object>>map(each -> Map.of(
                        "from", text(each.getKey().from()), "to", text(each.getKey().to()), "rate", each.getValue()))
                .toList();
    }

    // ------------------------------------------------------------------ the list

    private static List<Row> rows(Snapshot now, Listing listing) {
        return switch (listing) {
            case NUMBERS -> now.numbers().stream().map(each -> row(now, each)).toList();
            case PRODUCERS -> entries(now, Entry.Kind.PRODUCER);
            case CONSUMERS -> entries(now, Entry.Kind.CONSUMER);
        };
    }

    private static Row row(Snapshot now, Numbers number) {
        Measurement measurement = number.measurement();
        Entry producer = now.entry(measurement.producer());
        Map<String, Object> content = number.content();
        String name = producer == null ? measurement.producer() : producer.name();
        String site = producer == null ? "" : producer.site();
        content.put("topic", text(number.topic()));
        content.put("part", text(number.part()));
        content.put("producer", text(name));
        content.put("site", text(site));
        content.put("tags", tags(measurement.tags()));
        content.put("rate", now.rate(measurement.producer()));
        return new Row(content, site, lower(number.topic(), number.part(), name, site, measurement.tags().toString(), unit(measurement.body())));
    }

    private static String unit(Body body) {
        return body instanceof Body.Number(double _, String unit) ? unit : "";
    }

    private static List<String> tags(Map<String, String> tags) {
        return texts(tags.entrySet().stream().map(tag -> tag.getKey() + "=" + tag.getValue()).toList());
    }

    private static List<Row> entries(Snapshot now, Entry.Kind kind) {
        return now.entries().stream()
                .filter(entry -> entry.kind() == kind)
                .sorted(Comparator.comparing(Entry::site).thenComparing(Entry::name).thenComparing(Entry::id))
                .map(entry -> row(now, entry))
                .toList();
    }

    private static Row row(Snapshot now, Entry entry) {
        List<String> filters = entry.filters().stream().map(PageContent::words).toList();
        Map<String, Object> content = new LinkedHashMap<>();
        content.put("key", text(entry.id()));
        content.put("name", text(entry.name()));
        content.put("site", text(entry.site()));
        content.put("node", text(entry.node()));
        content.put("type", text(entry.type()));
        content.put("address", text(entry.address()));
        content.put("filters", texts(filters));
        content.put("attributes", tags(entry.attributes()));
        content.put("load", entry.load() < 0 ? Double.NaN : entry.load());
        content.put("rate", now.rate(entry.id()));
        return new Row(content, entry.site(), lower(
                entry.name(), entry.site(), entry.node(), entry.type(), entry.address(), filters.toString(), entry.attributes().toString(), entry.id()));
    }

    private static String words(Filter filter) {
        return filter.topic()
                + (filter.tags().isEmpty() ? "" : " with " + String.join(", ", tags(filter.tags())))
                + (filter.where().isEmpty() ? "" : " where " + filter.where());
    }

    private static String lower(String... texts) {
        return String.join("\n", texts).toLowerCase(Locale.ROOT);
    }

    private static List<String> texts(List<String> all) {
        List<String> some = new ArrayList<>(all.stream().limit(TEXTS_MAX).map(PageContent::text).toList());
        if (all.size() > TEXTS_MAX) {
            some.add(all.size() - TEXTS_MAX + " more");
        }
        return some;
    }

    /** Returns a text of somebody else, cut to what a page has room for. */
    static String text(String any) {
        return any.length() <= LENGTH_MAX ? any : any.substring(0, LENGTH_MAX - 1) + "…";
    }
}
