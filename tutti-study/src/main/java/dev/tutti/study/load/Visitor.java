package dev.tutti.study.load;

import dev.tutti.study.app.StudyServlet;
import dev.tutti.study.setup.Operation;
import dev.tutti.study.setup.VisitState;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;

/** One client with a session, which sends one request after the other and repeats none. For one thread at a time. */
final class Visitor {

    /** Time that a client waits for an answer. */
    static final Duration ANSWER_MAX = Duration.ofSeconds(5);

    private static final int OK = 200;
    private static final String COOKIE = "JSESSIONID";

    /** Numbers rows, for names that no other request has. */
    private static final AtomicInteger ROWS = new AtomicInteger();

    private final HttpClient http;
    private final List<URI> addresses;
    private final boolean isIdInUrl;
    private final byte[] content;
    private final RowAccount rows;
    private final SessionAccount session = new SessionAccount();
    private final List<Sample> samples = new ArrayList<>();
    private int address;

    /**
     * @param addresses the balancer's, or those of nodes, of which the client stays with one until it fails
     * @param first index of the address that it begins with
     * @param isIdInUrl whether requests name their session in the path, instead of a cookie
     * @param content what it uploads
     */
    Visitor(HttpClient http, List<URI> addresses, int first, boolean isIdInUrl, byte[] content, RowAccount rows) {
        this.http = http;
        this.addresses = addresses;
        this.address = first;
        this.isIdInUrl = isIdInUrl;
        this.content = content;
        this.rows = rows;
    }

    SessionAccount session() {
        return session;
    }

    /** Returns the requests since the last call. */
    List<Sample> takeSamples() {
        List<Sample> taken = List.copyOf(samples);
        samples.clear();
        return taken;
    }

    /**
     * Sends a request and waits for its end.
     *
     * @param wanted the operation; if it deletes a user and there is none, one is created instead
     * @return whether it was confirmed
     */
    boolean send(Operation wanted, long dueNanos) {
        String user = wanted == Operation.DELETE_USER ? rows.takeUser() : null;
        Operation operation = wanted == Operation.DELETE_USER && user == null ? Operation.CREATE_USER : wanted;
        String name = user == null ? "row" + ROWS.incrementAndGet() : user;
        long sentNanos = System.nanoTime();
        String failure = request(operation, name);
        samples.add(new Sample(operation, dueNanos, sentNanos, System.nanoTime(), failure));
        if (failure.isEmpty()) {
            rows.onConfirmed(operation, name);
        }
        return failure.isEmpty();
    }

    /** Reads the session, so that what it lacks is counted; no sample is kept. */
    boolean check() {
        return request(Operation.READ, "").isEmpty();
    }

    private String request(Operation operation, String name) {
        boolean isUpdate = operation != Operation.READ;
        int number = isUpdate ? session.next() : 0;
        String id = session.id();
        URI target = addresses.get(address);
        String inPath = isIdInUrl && !id.isEmpty() ? ";" + COOKIE.toLowerCase(Locale.ROOT) + "=" + id : "";
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(
                        target + inPath + "?do=" + operation.word() + "&number=" + number + "&name=" + name))
                .timeout(ANSWER_MAX)
                .header("Content-Type", "application/octet-stream")
                .POST(operation == Operation.UPLOAD
                        ? HttpRequest.BodyPublishers.ofByteArray(content)
                        : HttpRequest.BodyPublishers.noBody());
        if (!isIdInUrl && !id.isEmpty()) {
            request.header("Cookie", COOKIE + "=" + id);
        }
        HttpResponse<String> response;
        try {
            response = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            address = (address + 1) % addresses.size();
            return kind(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
        if (response.statusCode() != OK) {
            return "status " + response.statusCode();
        }
        String[] fields = response.body().split(StudyServlet.SEPARATOR, -1);
        session.onAnswer(fields[0], VisitState.parse(fields[1]).done());
        if (isUpdate) {
            session.onConfirmed(number);
        }
        return "";
    }

    private static String kind(IOException failure) {
        return switch (failure) {
            case ConnectException refused -> "refused";
            case HttpConnectTimeoutException late -> "no connection";
            case HttpTimeoutException late -> "no answer in " + ANSWER_MAX.toSeconds() + " s";
            default -> "connection lost";
        };
    }
}
