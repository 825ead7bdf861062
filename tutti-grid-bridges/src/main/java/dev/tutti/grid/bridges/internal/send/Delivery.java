package dev.tutti.grid.bridges.internal.send;

import dev.tutti.grid.bridges.SendOptions;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;

/** Posts a body until the server has taken it, has refused it for good, or the patience ends. */
final class Delivery {

    private static final int ANSWER_BYTES_MAX = 1 << 16;
    private static final long WAIT_FIRST_MILLIS = 500;
    private static final long WAIT_MAX_MILLIS = 30_000;
    private static final int DOUBLINGS_MAX = 6;
    private static final Duration LAST_TIMEOUT = Duration.ofSeconds(2);

    /** @param reason why the server has not taken it; empty if it has */
    record Outcome(boolean isTaken, long rejected, String reason) {}

    /** Answer to one request. @param waitMillis time that the server asks to wait; 0 if it does not say */
    private record Answer(Outcome outcome, boolean isFinal, long waitMillis) {}

    private final SendOptions options;
    private final Form form;
    private final CompletableFuture<Object> end = new CompletableFuture<>();
    private final LongAdder retries = new LongAdder();

    Delivery(SendOptions options, Form form) {
        this.options = options;
        this.form = form;
    }

    Outcome deliver(byte[] body) {
        long startNanos = System.nanoTime();
        for (int attempt = 0; ; attempt++) {
            Answer answer = ask(body);
            if (answer.isFinal || isEnded()) {
                return answer.outcome;
            }
            // A server that asks to wait for no time at all is not asked more often than others.
            long waitMillis = Math.max(answer.waitMillis, backoff(attempt));
            long leftMillis = options.patience().toMillis() - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
            if (waitMillis >= leftMillis) {
                return answer.outcome;
            }
            retries.increment();
            // Whoever is closing has it tried once more.
            pause(waitMillis);
        }
    }

    /** Waits between half of a time that doubles, and all of it, so that senders do not come back together. */
    private static long backoff(int attempt) {
        long most = Math.min(WAIT_MAX_MILLIS, WAIT_FIRST_MILLIS << Math.min(attempt, DOUBLINGS_MAX));
        return ThreadLocalRandom.current().nextLong(most / 2, most + 1);
    }

    private void pause(long millis) {
        try {
            end.get(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            end();
        } catch (ExecutionException | TimeoutException _) {
            // It is time.
        }
    }

    private Answer ask(byte[] body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(options.url())
                .timeout(isEnded() ? LAST_TIMEOUT : options.timeout())
                .POST(BodyPublishers.ofByteArray(body));
        form.headers().forEach(request::setHeader);
        options.headers().forEach(request::setHeader);
        CompletableFuture<HttpResponse<byte[]>> future = options.client()
                .sendAsync(request.build(), BodyHandlers.limiting(BodyHandlers.ofByteArray(), ANSWER_BYTES_MAX));
        try {
            if (!isEnded()) {
                // The timeout of a request ends with the head of the answer.
                CompletableFuture.anyOf(future, end).get(2 * options.timeout().toMillis(), TimeUnit.MILLISECONDS);
            }
            return answer(future.get(LAST_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS));
        } catch (ExecutionException e) {
            return temporary(String.valueOf(e.getCause()), e.getCause() instanceof IOException);
        } catch (TimeoutException e) {
            future.cancel(true);
            return temporary("no whole answer in time", true);
        } catch (InterruptedException e) {
            future.cancel(true);
            Thread.currentThread().interrupt();
            return temporary("interrupted", false);
        }
    }

    private static Answer temporary(String reason, boolean isTemporary) {
        return new Answer(new Outcome(false, 0, reason), !isTemporary, 0);
    }

    private Answer answer(HttpResponse<byte[]> response) {
        int status = response.statusCode();
        if (status / 100 == 2) {
            return new Answer(new Outcome(true, form.rejected(response.body()), ""), true, 0);
        }
        String text = new String(response.body(), StandardCharsets.UTF_8);
        String reason = "status " + status + ", " + text.substring(0, Math.min(text.length(), 200)).replaceAll("\\p{Cntrl}", " ").strip();
        long waitMillis = response.headers().firstValue("Retry-After").map(Delivery::millis).orElse(0L);
        return new Answer(new Outcome(false, 0, reason), !form.isTemporary(status), waitMillis);
    }

    /** Returns the time of a header; 0 for dates, which depend on the clock of the server. */
    private static long millis(String seconds) {
        try {
            return Math.clamp(Long.parseLong(seconds.strip()), 0, TimeUnit.DAYS.toSeconds(1)) * 1_000;
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private boolean isEnded() {
        return end.isDone();
    }

    /** Ends all waiting: from now on each body is tried once. */
    void end() {
        end.complete(Boolean.TRUE);
    }

    long retries() {
        return retries.sum();
    }
}
