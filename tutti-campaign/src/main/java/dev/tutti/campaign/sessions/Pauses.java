package dev.tutti.campaign.sessions;

import dev.tutti.campaign.host.Pause;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Pauses a node with SIGSTOP while it handles requests that their clients give up. Writes that are confirmed elsewhere
 * meanwhile must remain when it goes on.
 */
final class Pauses {

    /** Points at which a request is when its node is paused. */
    private static final List<String> STEPS = List.of("before-read", "after-read", "after-set", "after-flush");

    private static final int SESSIONS_PER_STEP = 10;
    private static final int WRITES = 10;
    private static final long SLEEP_MILLIS = 1_500;
    private static final long APART_MILLIS = 100;
    private static final Duration PATIENCE = Duration.ofMillis(1_200);
    private static final int UNTIL_ASLEEP_MILLIS = 700;
    private static final int WRITE_ATTEMPTS_MAX = 30;

    /** Time in which a request that slept is over after its node goes on. */
    private static final int UNTIL_OVER_MILLIS = 2_500;

    /**
     * Outcome of one pause.
     *
     * @param sessions number of sessions for each step
     * @param unconfirmed number of writes at another node that were not answered
     * @param stale number of sessions that the paused node showed with an old value when it went on
     * @param overwritten numbers of sessions whose last confirmed write is lost at a node, by step of the slow request
     */
    record Outcome(Duration pause, int sessions, int confirmed, int unconfirmed, int stale, List<Integer> overwritten) {

        int overwrittenTotal() {
            return overwritten.stream().mapToInt(Integer::intValue).sum();
        }

        Map<String, Object> map() {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("seconds", pause.toMillis() / 1_000.0);
            map.put("sessions", sessions);
            map.put("confirmed", confirmed);
            map.put("unconfirmed", unconfirmed);
            map.put("stale", stale);
            for (int step = 0; step < STEPS.size(); step++) {
                map.put("overwritten " + STEPS.get(step), overwritten.get(step));
            }
            return map;
        }
    }

    private final Tomcats tomcats;
    private final Tally tally;
    private final Consumer<String> news;

    Pauses(Tomcats tomcats, Tally tally, Consumer<String> news) {
        this.tomcats = tomcats;
        this.tally = tally;
        this.news = news;
    }

    Outcome run(Duration pause) {
        TomcatProcess paused = tomcats.nodes().getFirst();
        TomcatProcess other = tomcats.nodes().get(1);
        List<Client> clients = tomcats.clients(STEPS.size() * SESSIONS_PER_STEP, Tomcats.Balancing.ANY, tally);
        Tomcats.all(clients, client -> {
            writeUntilConfirmed(client, other);
            writeUntilConfirmed(client, paused);
        });
        List<CompletableFuture<Void>> abandoned = new ArrayList<>();
        for (int index = 0; index < clients.size(); index++) {
            String step = STEPS.get(index / SESSIONS_PER_STEP);
            abandoned.add(clients.get(index).abandon(paused, step, sleep(pause, index), PATIENCE));
        }
        Pause.millis(UNTIL_ASLEEP_MILLIS);
        long confirmedBefore = tally.confirmed.get();
        long failedBefore = tally.failed.get();
        paused.pause();
        long pausedNanos = System.nanoTime();
        CompletableFuture.allOf(abandoned.toArray(CompletableFuture[]::new)).join();
        Tomcats.all(clients, client -> {
            for (int write = 0; write < WRITES; write++) {
                writeUntilConfirmed(client, other);
            }
        });
        int confirmed = (int) (tally.confirmed.get() - confirmedBefore);
        int unconfirmed = (int) (tally.failed.get() - failedBefore);
        Pause.millis(Math.max(0, pause.toMillis() - (System.nanoTime() - pausedNanos) / 1_000_000));
        paused.resume();
        boolean[] isNew = new boolean[clients.size()];
        Tomcats.all(clients, client -> isNew[clients.indexOf(client)] = client.isNewAt(paused));
        Pause.millis(UNTIL_OVER_MILLIS);
        tomcats.nodes().forEach(tomcats::awaitAllMembers);
        Outcome outcome = new Outcome(
                pause, clients.size(), confirmed, unconfirmed, count(isNew), overwritten(clients));
        news.accept("paused " + paused + " for " + pause.toSeconds() + " s: " + confirmed + " writes confirmed meanwhile, "
                + outcome.overwrittenTotal() + " of " + clients.size() + " sessions overwritten, " + outcome.stale()
                + " old when it went on");
        return outcome;
    }

    /** Returns a sleep: half of the requests go on at once with their node, the others spread over the next second. */
    private static Duration sleep(Duration pause, int index) {
        return index % 2 == 0
                ? Duration.ofMillis(SLEEP_MILLIS)
                : pause.plusMillis(UNTIL_ASLEEP_MILLIS + index % SESSIONS_PER_STEP * APART_MILLIS);
    }

    private static int count(boolean[] isNew) {
        int stale = 0;
        for (boolean each : isNew) {
            stale += each ? 0 : 1;
        }
        return stale;
    }

    private static void writeUntilConfirmed(Client client, TomcatProcess node) {
        for (int attempt = 0; attempt < WRITE_ATTEMPTS_MAX; attempt++) {
            if (client.writeAt(node, 0)) {
                return;
            }
        }
    }

    private List<Integer> overwritten(List<Client> clients) {
        boolean[] isLost = new boolean[clients.size()];
        Tomcats.all(clients, client -> isLost[clients.indexOf(client)] = !client.settle());
        List<Integer> lost = new ArrayList<>();
        for (int step = 0; step < STEPS.size(); step++) {
            int count = 0;
            for (int index = step * SESSIONS_PER_STEP; index < (step + 1) * SESSIONS_PER_STEP; index++) {
                count += isLost[index] ? 1 : 0;
            }
            lost.add(count);
        }
        return lost;
    }
}
