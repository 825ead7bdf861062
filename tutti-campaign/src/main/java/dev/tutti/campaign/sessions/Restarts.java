package dev.tutti.campaign.sessions;

import dev.tutti.campaign.host.Pause;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Kills or stops nodes under load, and starts them again. */
final class Restarts {

    private static final int CREATE_WRITES = 2;

    private final Tomcats tomcats;
    private final List<Client> clients;
    private final Tally tally;
    private final long pauseMillis;
    private final Consumer<String> news;
    private final Map<String, Long> faults = new LinkedHashMap<>();

    /** @param pauseMillis pause of a client after each write */
    Restarts(Tomcats tomcats, List<Client> clients, Tally tally, long pauseMillis, Consumer<String> news) {
        this.tomcats = tomcats;
        this.clients = clients;
        this.tally = tally;
        this.pauseMillis = pauseMillis;
        this.news = news;
    }

    /** Returns the number of times that each fault has happened. */
    Map<String, Long> faults() {
        return faults;
    }

    /** Kills and stops nodes in turn until the time is over; a node that comes back is complete before the next one goes. */
    void inTurn(Duration time) {
        long deadline = System.nanoTime() + time.toNanos();
        createSessions();
        Tomcats.underLoad(clients, pauseMillis, () -> {
            for (int turn = 0; turn == 0 || System.nanoTime() - deadline < 0; turn++) {
                TomcatProcess node = tomcats.nodes().get(turn % tomcats.nodes().size());
                // With an odd number of nodes each is killed and stopped in turn.
                restart(node, turn % 2 == 0, turn % 3 * 500L);
                Pause.millis(1_000);
            }
        });
        check();
    }

    /** Stops and starts each node, one after the other, a number of times, as the page on Tomcat says. */
    void rolling(int times) {
        createSessions();
        for (int round = 0; round < times; round++) {
            restartEach(false);
            check();
        }
    }

    /** Restarts each node once. */
    void each(boolean isKilled) {
        createSessions();
        restartEach(isKilled);
        check();
    }

    private void restartEach(boolean isKilled) {
        Tomcats.underLoad(clients, pauseMillis, () -> tomcats.nodes().forEach(node -> restart(node, isKilled, 0)));
    }

    private void createSessions() {
        for (int write = 0; write < CREATE_WRITES; write++) {
            Tomcats.all(clients, Client::write);
        }
    }

    private void restart(TomcatProcess node, boolean isKilled, long downMillis) {
        long lostBefore = tally.lost();
        if (isKilled) {
            node.kill();
        } else {
            node.stop();
        }
        faults.merge(isKilled ? "killed" : "stopped", 1L, Long::sum);
        Pause.millis(downMillis);
        long began = System.nanoTime();
        tomcats.startAgain(node);
        news.accept(String.format("%s %s and started again in %.1f s; %,d writes confirmed, lost since: %d", node,
                isKilled ? "killed" : "stopped", (System.nanoTime() - began) / 1e9, tally.confirmed.get(),
                tally.lost() - lostBefore));
    }

    /** Compares each session at all nodes with the writes confirmed to its client. */
    void check() {
        Tomcats.all(new ArrayList<>(clients), Client::settle);
    }
}
