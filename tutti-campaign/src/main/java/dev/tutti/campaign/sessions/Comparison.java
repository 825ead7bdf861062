package dev.tutti.campaign.sessions;

import dev.tutti.campaign.host.Pause;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Runs the same application and the same clients on several ways to replicate sessions. */
final class Comparison {

    private static final int SETTLE_MILLIS = 2_000;
    private static final int RIVALS = 20;
    private static final int FINDINGS_SHOWN = 5;
    private static final long RESTART_THINK_MILLIS = 200;
    private static final Duration PAUSE = Duration.ofSeconds(8);

    private final Distribution distribution;
    private final Supplier<List<Place>> places;
    private final Path directory;
    private final Load load;
    private final List<String> options;
    private final Consumer<String> news;
    private final Map<Replication, Column> columns = new TreeMap<>();

    /** @param places places of the nodes of the next system */
    Comparison(Distribution distribution, Supplier<List<Place>> places, Path directory, Load load, List<String> options,
            Consumer<String> news) {
        this.distribution = distribution;
        this.places = places;
        this.directory = directory;
        this.load = load;
        this.options = options;
        this.news = news;
    }

    /**
     * Results of one system.
     *
     * @param diverged number of {@link #RIVALS} sessions that differ between nodes after two writes at once
     */
    private record Column(Load.Result load, int diverged, Tally killed, Tally stopped, Pauses.Outcome pause) {

        boolean isGood() {
            return load.tally().wrong() + diverged + killed.wrong() + stopped.wrong() + pause.overwrittenTotal() == 0;
        }

        Map<String, Object> map() {
            Map<String, Object> map = load.map();
            map.put("diverged of " + RIVALS, diverged);
            map.put("kills: lost sessions", killed.lostSessions.get());
            map.put("kills: lost writes", killed.lostWrites.get());
            map.put("kills: wrong reads", killed.staleReads.get());
            map.put("restarts: lost sessions", stopped.lostSessions.get());
            map.put("restarts: lost writes", stopped.lostWrites.get());
            map.put("restarts: wrong reads", stopped.staleReads.get());
            map.put("pause: overwritten of " + pause.sessions(), pause.overwrittenTotal());
            map.put("pause: old reads", pause.stale());
            return map;
        }
    }

    void run(Replication replication) {
        news.accept("now " + replication);
        try (Tomcats tomcats = new Tomcats(distribution, replication, places.get(), directory, options)) {
            tomcats.start();
            tomcats.nodes().forEach(tomcats::awaitAllMembers);
            load.warmUp(tomcats);
            Load.Result result = load.measure(tomcats);
            int diverged = diverged(tomcats);
            Tally killed = restarts(tomcats, true);
            Tally stopped = restarts(tomcats, false);
            Pauses.Outcome pause = new Pauses(tomcats, new Tally(), news).run(PAUSE);
            columns.put(replication, new Column(result, diverged, killed, stopped, pause));
        }
    }

    /** Counts sessions on which nodes disagree after two requests wrote the same attribute at two nodes at once. */
    private static int diverged(Tomcats tomcats) {
        List<Client> clients = tomcats.clients(RIVALS, Tomcats.Balancing.ANY, new Tally());
        Tomcats.all(clients, Client::write);
        Pause.millis(SETTLE_MILLIS);
        boolean[] differs = new boolean[clients.size()];
        Tomcats.all(clients, client -> {
            client.writeRivals(tomcats.nodes().get(0), tomcats.nodes().get(1));
            Pause.millis(SETTLE_MILLIS);
            differs[clients.indexOf(client)] = tomcats.nodes().stream().map(client::readAt).distinct().count() > 1;
        });
        int count = 0;
        for (boolean each : differs) {
            count += each ? 1 : 0;
        }
        return count;
    }

    private Tally restarts(Tomcats tomcats, boolean isKilled) {
        Tally tally = new Tally();
        List<Client> clients = tomcats.clients(load.sessions(), Tomcats.Balancing.BOTH, tally);
        new Restarts(tomcats, clients, tally, RESTART_THINK_MILLIS, news).each(isKilled);
        tally.findings().stream().limit(FINDINGS_SHOWN).forEach(news);
        return tally;
    }

    /** Reports whether nothing was lost, wrong or overwritten with tutti. */
    boolean isGood() {
        return columns.entrySet().stream().filter(each -> each.getKey().waits()).allMatch(each -> each.getValue().isGood());
    }

    Map<String, Object> map() {
        Map<String, Object> map = new LinkedHashMap<>();
        columns.forEach((replication, column) -> map.put(replication.toString(), column.map()));
        return map;
    }

    String text() {
        List<Map<String, Object>> maps = columns.values().stream().map(Column::map).toList();
        StringBuilder text = new StringBuilder(String.format("%-26s", ""));
        columns.keySet().forEach(replication -> text.append(String.format("%14s", replication)));
        text.append('\n');
        for (String row : maps.getFirst().keySet()) {
            text.append(String.format("%-26s", row));
            maps.forEach(map -> text.append(String.format("%14s", cell(map.get(row)))));
            text.append('\n');
        }
        return text.toString();
    }

    private static String cell(@Nullable Object value) {
        return value instanceof Double number ? String.format(Locale.ROOT, "%.2f", number) : String.valueOf(value);
    }
}
