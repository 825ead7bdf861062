package dev.tutti.campaign.sessions;

import dev.tutti.campaign.host.Pause;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Kills two nodes, where some nodes hold each session: one after the other, with a pause in which the others get their copies,
 * which must lose nothing; and at once, which may lose the sessions that had all their copies at these two, and no others. The
 * surviving nodes have to say how many those are. If the two are in one zone, none may be lost.
 */
final class DoubleKills {

    private static final int CREATE_WRITES = 2;

    /** Time in which homes tell watchers of new sessions, and survivors see who is gone. */
    private static final int TELL_MILLIS = 3_000;

    private static final String LOST = "sessions-lost";

    private final Tomcats tomcats;
    private final List<Client> clients;
    private final Tally tally;
    private final long pauseMillis;
    private final Consumer<String> news;
    private final List<Map<String, Object>> outcomes = new ArrayList<>();
    private boolean isGood = true;

    /** @param pauseMillis pause of a client after each write */
    DoubleKills(Tomcats tomcats, List<Client> clients, Tally tally, long pauseMillis, Consumer<String> news) {
        this.tomcats = tomcats;
        this.clients = clients;
        this.tally = tally;
        this.pauseMillis = pauseMillis;
        this.news = news;
    }

    /** Kills two other nodes in each round. */
    void run(int rounds) {
        for (int write = 0; write < CREATE_WRITES; write++) {
            Tomcats.all(clients, Client::write);
        }
        for (int round = 0; round < rounds; round++) {
            int size = tomcats.nodes().size();
            TomcatProcess one = tomcats.nodes().get(2 * round % size);
            TomcatProcess other = tomcats.nodes().get((2 * round + 1) % size);
            inARow(one, other);
            atOnce(one, other);
        }
    }

    private void inARow(TomcatProcess one, TomcatProcess other) {
        long before = tally.wrong();
        Tomcats.underLoad(clients, pauseMillis, () -> {
            one.kill();
            awaitBalance();
            other.kill();
            awaitBalance();
        });
        check();
        long lost = tally.wrong() - before;
        isGood &= lost == 0;
        tell("one after the other", one, other, lost, 0, "");
        restart(one, other);
    }

    private void atOnce(TomcatProcess one, TomcatProcess other) {
        long before = tally.wrong();
        Tomcats.underLoad(clients, pauseMillis, () -> Pause.millis(TELL_MILLIS));
        check();
        long lostAgain = tally.wrong() - before;
        if (lostAgain > 0) {
            isGood = false;
            tell("one after the other, and started again", one, other, lostAgain, 0, "");
        }
        Pause.millis(TELL_MILLIS);
        long sessionsBefore = tally.lostSessions.get();
        long othersBefore = tally.lostWrites.get() + tally.staleReads.get();
        long toldBefore = told();
        CompletableFuture<Void> killed = CompletableFuture.runAsync(one::kill);
        other.kill();
        killed.join();
        awaitBalance();
        Pause.millis(TELL_MILLIS);
        long told = told() - toldBefore;
        StringBuilder text = new StringBuilder();
        for (TomcatProcess node : survivors()) {
            String last = tomcats.statusOf(node, LOST + "-last");
            text.append(last.isEmpty() ? "" : node + " says: " + last + ". ");
        }
        check();
        long lost = tally.lostSessions.get() - sessionsBefore;
        isGood &= lost == 0 || !tomcats.isOneZone(one, other);
        isGood &= lost == told && tally.lostWrites.get() + tally.staleReads.get() == othersBefore;
        tell("at once", one, other, lost, told, text.toString().strip());
        restart(one, other);
    }

    private List<TomcatProcess> survivors() {
        return tomcats.nodes().stream().filter(TomcatProcess::isRunning).toList();
    }

    /** Returns the sessions that the running nodes report as lost. Counted by each node since its start. */
    private long told() {
        return survivors().stream().mapToLong(node -> Long.parseLong("0" + tomcats.statusOf(node, LOST))).sum();
    }

    private void awaitBalance() {
        survivors().forEach(tomcats::awaitAllMembers);
    }

    private void restart(TomcatProcess one, TomcatProcess other) {
        tomcats.startAgain(one);
        tomcats.startAgain(other);
        awaitBalance();
    }

    private void check() {
        Tomcats.all(clients, Client::settle);
    }

    private void tell(String how, TomcatProcess one, TomcatProcess other, long lost, long told, String text) {
        Map<String, Object> outcome = new LinkedHashMap<>();
        String where = tomcats.isOneZone(one, other) ? ", all of a zone," : "";
        outcome.put("killed", one + " and " + other + where + " " + how);
        outcome.put("lost", lost);
        outcome.put("told", told);
        outcomes.add(outcome);
        news.accept(String.format("%s and %s%s killed %s; %,d writes confirmed; lost: %d, reported as lost by the others: %d %s", one,
                other, where, how, tally.confirmed.get(), lost, told, text));
    }

    List<Map<String, Object>> outcomes() {
        return outcomes;
    }

    /** Returns whether only those sessions were lost that all copies of were at nodes killed at once, and the others said so. */
    boolean isGood() {
        return isGood;
    }
}
