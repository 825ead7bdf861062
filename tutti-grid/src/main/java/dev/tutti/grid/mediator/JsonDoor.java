package dev.tutti.grid.mediator;

import dev.tutti.grid.Answer;
import dev.tutti.grid.Entry;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Query;
import dev.tutti.grid.internal.door.RefusedException;
import dev.tutti.grid.internal.page.PageContent;
import dev.tutti.internal.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Requests with answers in JSON. They may wait for other members. */
final class JsonDoor {

    private static final Duration DEADLINE = Duration.ofSeconds(5);

    /** Most requests with measurements that are read at a time. */
    private static final int POSTS_MAX = 2;

    private static final String TAG = "tag.";
    private static final String ATTRIBUTE = "attribute.";

    private final MediatorSettings settings;
    private final PostedProducers posted;
    private final PageContent page;
    private final Semaphore posts = new Semaphore(POSTS_MAX);

    JsonDoor(MediatorSettings settings, PostedProducers posted, PageContent page) {
        this.settings = settings;
        this.posted = posted;
        this.page = page;
    }

    static boolean knows(String path) {
        return List.of("/v1/publish", "/v1/find", "/v1/latest", "/v1/history", "/v1/targets", "/v1/page").contains(path);
    }

    /** @throws RefusedException if the request is wrong; the reason says what would be right */
    String answer(String method, String path, Map<String, List<String>> parameters, String body) throws RefusedException {
        boolean isPublish = path.equals("/v1/publish");
        if (!method.equals(isPublish ? "POST" : "GET")) {
            throw new RefusedException(405, path + " is asked with " + (isPublish ? "POST" : "GET"));
        }
        try {
            return switch (path) {
                case "/v1/publish" -> publish(body);
                case "/v1/find" -> JsonForms.write(settings.grid().find(query(parameters)), "entries", JsonForms::entry);
                case "/v1/latest" -> JsonForms.write(
                        settings.grid().latest(filter(parameters), deadline(parameters)), "measurements", JsonForms::measurement);
                case "/v1/history" -> JsonForms.write(
                        settings.grid().history(
                                filter(parameters),
                                time(parameters, "from", Instant.MIN),
                                time(parameters, "to", Instant.MAX),
                                deadline(parameters)),
                        "measurements",
                        JsonForms::measurement);
                case "/v1/page" -> page.answer(look(parameters));
                default -> targets(parameters);
            };
        } catch (IllegalArgumentException e) {
            throw new RefusedException(400, String.valueOf(e.getMessage()));
        } catch (IllegalStateException e) {
            throw new RefusedException(503, String.valueOf(e.getMessage()));
        }
    }

    private String publish(String body) throws RefusedException {
        // Measurements take several times the memory of their text.
        if (!mayPost()) {
            throw new RefusedException(503, "too many measurements are being read; post them again later");
        }
        try {
            List<JsonForms.Posted> all = JsonForms.posted(body);
            posted.publish(all);
            return Json.write(Map.of("published", all.size()));
        } finally {
            posts.release();
        }
    }

    private boolean mayPost() {
        try {
            return posts.tryAcquire(DEADLINE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private String targets(Map<String, List<String>> parameters) throws RefusedException {
        Answer<Entry> producers = settings.grid().find(
                query(parameters).of(Entry.Kind.PRODUCER).with(Targets.ATTRIBUTE, "true").limit(Query.LIMIT_MAX));
        if (!producers.isComplete() && producers.items().isEmpty()) {
            // Prometheus keeps the targets that it has when the answer is an error.
            throw new RefusedException(503, String.join("; ", producers.missing()));
        }
        return Json.write(Targets.of(producers.items()));
    }

    private static PageContent.Look look(Map<String, List<String>> parameters) {
        String list = text(parameters, "list", "numbers");
        PageContent.Listing listing = switch (list) {
            case "numbers" -> PageContent.Listing.NUMBERS;
            case "producers" -> PageContent.Listing.PRODUCERS;
            case "consumers" -> PageContent.Listing.CONSUMERS;
            default -> throw new IllegalArgumentException("list is numbers, producers or consumers, not " + list);
        };
        return new PageContent.Look(
                listing,
                text(parameters, "search", ""),
                parameters.getOrDefault("site", List.of()),
                parameters.getOrDefault("chart", List.of()));
    }

    private static Query query(Map<String, List<String>> parameters) {
        Query query = Query.ALL.within(deadline(parameters)).on(text(parameters, "topic", "#"));
        query = switch (text(parameters, "kind", "")) {
            case "" -> query;
            case "producer" -> query.of(Entry.Kind.PRODUCER);
            case "consumer" -> query.of(Entry.Kind.CONSUMER);
            default -> throw new IllegalArgumentException("kind is producer or consumer, not " + text(parameters, "kind", ""));
        };
        List<String> sites = parameters.getOrDefault("site", List.of());
        query = sites.isEmpty() ? query : query.at(sites.toArray(String[]::new));
        for (Map.Entry<String, List<String>> each : parameters.entrySet()) {
            if (each.getKey().startsWith(ATTRIBUTE)) {
                query = query.with(each.getKey().substring(ATTRIBUTE.length()), each.getValue().getFirst());
            }
        }
        return query.limit((int) number(parameters, "limit", query.limit()));
    }

    private static Filter filter(Map<String, List<String>> parameters) {
        Filter filter = Filter.topic(text(parameters, "topic", "#")).where(text(parameters, "where", ""));
        for (Map.Entry<String, List<String>> each : parameters.entrySet()) {
            if (each.getKey().startsWith(TAG)) {
                filter = filter.with(each.getKey().substring(TAG.length()), each.getValue().getFirst());
            }
        }
        return filter;
    }

    private static Duration deadline(Map<String, List<String>> parameters) {
        long millis = number(parameters, "deadline", DEADLINE.toMillis());
        if (millis < 1 || millis > MediatorSettings.DEADLINE_MAX.toMillis()) {
            throw new IllegalArgumentException("deadline is 1 to " + MediatorSettings.DEADLINE_MAX.toMillis() + " milliseconds, not " + millis);
        }
        return Duration.ofMillis(millis);
    }

    private static Instant time(Map<String, List<String>> parameters, String name, Instant otherwise) {
        String text = text(parameters, name, "");
        return text.isEmpty() ? otherwise : JsonForms.instant(text);
    }

    private static String text(Map<String, List<String>> parameters, String name, String otherwise) {
        return parameters.getOrDefault(name, List.of(otherwise)).getFirst();
    }

    private static long number(Map<String, List<String>> parameters, String name, long otherwise) {
        String text = text(parameters, name, "");
        if (text.isEmpty()) {
            return otherwise;
        }
        if (!text.matches("[0-9]{1,9}")) {
            throw new IllegalArgumentException(name + " is a number, not " + text);
        }
        return Long.parseLong(text);
    }
}
