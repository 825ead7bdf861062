package dev.tutti.campaign.sessions;

import dev.tutti.campaign.host.ChaosException;
import dev.tutti.campaign.host.Pause;
import dev.tutti.campaign.sessions.Ledger.Answer;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A client with a session, which compares each answer with the writes confirmed before. It is its own balancer: it
 * skips a node that refuses the connection or has no application yet.
 */
final class Client {

    private static final Duration ANSWER_MAX = Duration.ofSeconds(5);
    private static final Duration SETTLE_MAX = Duration.ofSeconds(3);
    private static final int POLL_MILLIS = 100;
    private static final int OK = 200;
    private static final int NOT_FOUND = 404;
    private static final int UNAVAILABLE = 503;

    private final String name;
    private final HttpClient http;
    private final List<TomcatProcess> nodes;
    private final Tally tally;
    private final Random random;
    private final boolean isSticky;
    private final Ledger ledger = new Ledger();
    private String cookie = "";
    private int node;

    Client(int number, HttpClient http, List<TomcatProcess> nodes, Tally tally, boolean isSticky) {
        this.name = "client " + number + (isSticky ? " (sticky)" : "");
        this.http = http;
        this.nodes = nodes;
        this.tally = tally;
        this.random = new Random(number);
        this.isSticky = isSticky;
        this.node = number % nodes.size();
    }

    Ledger ledger() {
        return ledger;
    }

    /** Writes once, at a node of the client's choice, and checks the answer. */
    void write() {
        List<TomcatProcess> order = new ArrayList<>(nodes);
        if (isSticky) {
            Collections.rotate(order, -node);
        } else {
            Collections.shuffle(order, random);
        }
        Ledger.Write write = ledger.next();
        for (TomcatProcess each : order) {
            if (tryWrite(each, write) != Outcome.NOT_THERE) {
                node = nodes.indexOf(each);
                return;
            }
        }
        tally.failed.incrementAndGet();
    }

    /** Writes at one node; returns whether it was confirmed. */
    boolean writeAt(TomcatProcess target, int attribute) {
        return tryWrite(target, ledger.next(attribute)) == Outcome.CONFIRMED;
    }

    private enum Outcome { CONFIRMED, UNKNOWN, NOT_THERE }

    private Outcome tryWrite(TomcatProcess target, Ledger.Write write) {
        boolean isExpected = ledger.hasConfirmed();
        long began = System.nanoTime();
        HttpResponse<String> response;
        try {
            response = send(target.page("do=put&name=" + write.name() + "&value=" + write.number()), ANSWER_MAX);
        } catch (ConnectException e) {
            return Outcome.NOT_THERE;
        } catch (HttpTimeoutException e) {
            ledger.onGivenUp(write);
            tally.failed.incrementAndGet();
            return Outcome.UNKNOWN;
        } catch (IOException e) {
            tally.failed.incrementAndGet();
            return Outcome.UNKNOWN;
        }
        if (response.statusCode() == NOT_FOUND || response.statusCode() == UNAVAILABLE) {
            return Outcome.NOT_THERE;
        }
        if (response.statusCode() != OK) {
            tally.failed.incrementAndGet();
            return Outcome.UNKNOWN;
        }
        tally.addLatency(System.nanoTime() - began);
        tally.confirmed.incrementAndGet();
        response.headers().firstValue("Set-Cookie").ifPresent(set -> cookie = set.split(";", 2)[0]);
        Answer answer = parse(response);
        if (answer.state() == Answer.State.NEW) {
            if (isExpected) {
                onLostSession(target);
            }
            ledger.forget();
        } else if (ledger.olderIn(answer) > 0) {
            onOldAnswer(target);
        }
        ledger.onConfirmed(write);
        return Outcome.CONFIRMED;
    }

    private void onLostSession(TomcatProcess where) {
        tally.lostSessions.incrementAndGet();
        tally.find(name + ": " + where + " does not know the session");
    }

    private void onOldAnswer(TomcatProcess where) {
        if (settle()) {
            tally.staleReads.incrementAndGet();
            tally.find(name + ": " + where + " showed an old value for a while");
        }
    }

    /**
     * Reads the session at a node.
     *
     * @return whether the answer, if there is one, shows all writes that were confirmed before the request
     */
    boolean isNewAt(TomcatProcess target) {
        Answer answer = readAt(target);
        return answer == null || answer.state() == Answer.State.OLD && ledger.olderIn(answer) == 0;
    }

    /** Returns the session at a node; null if it does not answer. */
    @Nullable Answer readAt(TomcatProcess target) {
        try {
            HttpResponse<String> response = send(target.page("do=get"), ANSWER_MAX);
            return response.statusCode() == OK ? parse(response) : null;
        } catch (IOException e) {
            return null;
        }
    }

    private Answer parse(HttpResponse<String> response) {
        Answer answer = Answer.parse(response.body());
        tally.lateWrites.addAndGet(ledger.takeLate(answer));
        return answer;
    }

    /**
     * Waits until all nodes that answer show the confirmed writes; counts lost ones if they do not.
     *
     * @return whether they do
     */
    boolean settle() {
        if (!ledger.hasConfirmed()) {
            // A session that was counted as lost is not counted again before the client has a new one.
            return true;
        }
        long deadline = System.nanoTime() + SETTLE_MAX.toNanos();
        while (true) {
            boolean isSettled = true;
            for (TomcatProcess each : nodes) {
                isSettled &= !each.isRunning() || isNewAt(each);
            }
            if (isSettled) {
                return true;
            }
            if (System.nanoTime() - deadline > 0) {
                countLost();
                return false;
            }
            Pause.millis(POLL_MILLIS);
        }
    }

    private void countLost() {
        int lost = 0;
        List<Answer> answers = new ArrayList<>();
        for (TomcatProcess each : nodes) {
            Answer answer = each.isRunning() ? readAt(each) : null;
            if (answer == null) {
                continue;
            }
            if (answer.state() != Answer.State.OLD) {
                onLostSession(each);
                ledger.forget();
                cookie = "";
                return;
            }
            int here = ledger.olderIn(answer);
            if (here > 0) {
                tally.find(name + ": " + each + " has " + new TreeMap<>(answer.attributes()) + ", and confirmed was "
                        + ledger.confirmed());
            }
            lost = Math.max(lost, here);
            answers.add(answer);
        }
        answers.forEach(ledger::accept);
        tally.lostWrites.addAndGet(lost);
    }

    /** Sends a slow request that the client abandons by closing the connection; completes when it has. */
    CompletableFuture<Void> abandon(TomcatProcess target, String step, Duration sleep, Duration patience) {
        URI uri = target.page("do=slow&name=a0&step=" + step + "&millis=" + sleep.toMillis());
        return fetch(uri, patience).handle((response, failure) -> null);
    }

    /** Writes the same attribute at two nodes at once; neither write counts as confirmed. */
    void writeRivals(TomcatProcess one, TomcatProcess other) {
        List<CompletableFuture<HttpResponse<String>>> rivals = new ArrayList<>();
        for (TomcatProcess each : List.of(one, other)) {
            Ledger.Write write = ledger.next(0);
            rivals.add(fetch(each.page("do=put&name=" + write.name() + "&value=" + write.number()), ANSWER_MAX));
        }
        rivals.forEach(rival -> rival.handle((response, failure) -> response).join());
    }

    /** Fetches a page; gives up, and closes the connection, when the whole answer is not there in time. */
    private CompletableFuture<HttpResponse<String>> fetch(URI uri, Duration patience) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri);
        if (!cookie.isEmpty()) {
            request.header("Cookie", cookie);
        }
        CompletableFuture<HttpResponse<String>> answer = http.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString());
        // The request's own timeout would end with the headers.
        return answer.copy().orTimeout(patience.toMillis(), TimeUnit.MILLISECONDS).whenComplete((response, failure) -> {
            if (failure != null) {
                answer.cancel(true);
            }
        });
    }

    private HttpResponse<String> send(URI uri, Duration patience) throws IOException {
        try {
            return fetch(uri, patience).get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof TimeoutException) {
                throw new HttpTimeoutException("no answer within " + patience);
            }
            throw e.getCause() instanceof IOException failure ? failure : new IOException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ChaosException("interrupted", e);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
