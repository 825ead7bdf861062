package dev.tutti.bench.watch;

import dev.tutti.bench.BenchException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Watchers from outside: a Prometheus that polls each member, and a page of the console that reads its stream. */
public final class Watchers implements AutoCloseable {

    private static final Duration ANSWER_MAX = Duration.ofSeconds(10);

    private final HttpClient client = HttpClient.newBuilder().connectTimeout(ANSWER_MAX).build();
    private final CountDownLatch over = new CountDownLatch(1);
    private final List<Thread> threads = new ArrayList<>();
    private final List<InputStream> streams = new ArrayList<>();
    private final AtomicLong bytesRead = new AtomicLong();
    private volatile String fault = "";

    /** @param addresses of {@link Watched} */
    public Watchers(List<String> addresses, Duration interval) {
        for (String address : addresses) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(address))
                    .header("Authorization", "Bearer " + Watched.TOKEN)
                    .timeout(ANSWER_MAX)
                    .build();
            if (address.endsWith("stream")) {
                InputStream stream = open(request);
                streams.add(stream);
                threads.add(Thread.ofPlatform().daemon().name("page").start(() -> follow(stream)));
            } else {
                threads.add(Thread.ofPlatform().daemon().name("scraper").start(() -> ask(request, interval)));
            }
        }
    }

    private InputStream open(HttpRequest request) {
        try {
            HttpResponse<InputStream> response = client.send(request, HttpResponse.BodyHandlers.ofInputStream());
            if (response.statusCode() != 200) {
                throw new BenchException(request.uri() + " answers with " + response.statusCode());
            }
            return response.body();
        } catch (IOException e) {
            throw new BenchException(request.uri() + ": " + e, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted", e);
        }
    }

    private void follow(InputStream stream) {
        byte[] bytes = new byte[64 * 1024];
        try {
            for (int count = stream.read(bytes); count >= 0; count = stream.read(bytes)) {
                bytesRead.addAndGet(count);
            }
            onFault("the console has ended its stream");
        } catch (IOException e) {
            onFault("the console's stream: " + e);
        }
    }

    private void ask(HttpRequest request, Duration interval) {
        try {
            do {
                HttpResponse<byte[]> response = client.send(request, HttpResponse.BodyHandlers.ofByteArray());
                bytesRead.addAndGet(response.body().length);
                if (response.statusCode() != 200) {
                    onFault(request.uri() + " answers with " + response.statusCode());
                }
            } while (!over.await(interval.toNanos(), TimeUnit.NANOSECONDS));
        } catch (IOException e) {
            onFault(request.uri() + ": " + e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Notes a fault, unless it is a consequence of closing. */
    private void onFault(String what) {
        if (over.getCount() > 0) {
            fault = what;
        }
    }

    /** Returns the number of bytes read so far. */
    long bytesRead() {
        return bytesRead.get();
    }

    /** Returns why a watcher has failed; empty if none has. */
    public String fault() {
        return fault;
    }

    @Override
    public void close() {
        over.countDown();
        try {
            for (InputStream stream : streams) {
                stream.close();
            }
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (IOException e) {
            throw new BenchException("a page can't be closed: " + e, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        client.close();
    }
}
