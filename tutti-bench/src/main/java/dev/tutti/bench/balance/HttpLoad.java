package dev.tutti.bench.balance;

import dev.tutti.bench.BenchException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SynchronizedHistogram;

/**
 * Requests over connections that stay open, one at a time on each: as fast as answers come, or at a rate. At a rate the time of a
 * request begins when it is due, so that a request that had to wait for the one before is not left out.
 */
final class HttpLoad {

    private static final byte[] REQUEST = "GET /shop/cart HTTP/1.1\r\nHost: bench.example\r\nUser-Agent: bench\r\nAccept: */*\r\n\r\n"
            .getBytes(StandardCharsets.US_ASCII);
    private static final int READ_BYTES = 8_192;
    private static final long LATENCY_NANOS_MAX = TimeUnit.SECONDS.toNanos(60);

    private final int port;
    private final int connections;

    HttpLoad(int port, int connections) {
        this.port = port;
        this.connections = connections;
    }

    /**
     * Counts of a run.
     *
     * @param requests requests with status 200
     * @param failures other ones, and connections that ended
     */
    record Result(long requests, long failures, double seconds, Histogram latencies) {}

    /** @param ratePerSecond 0 for as fast as answers come */
    Result run(int seconds, int ratePerSecond) throws InterruptedException {
        AtomicLong requests = new AtomicLong();
        AtomicLong failures = new AtomicLong();
        Histogram latencies = new SynchronizedHistogram(LATENCY_NANOS_MAX, 3);
        long startNanos = System.nanoTime();
        long endNanos = startNanos + TimeUnit.SECONDS.toNanos(seconds);
        long paceNanos = ratePerSecond == 0 ? 0 : TimeUnit.SECONDS.toNanos(connections) / ratePerSecond;
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int number = 0; number < connections; number++) {
            long dueNanos = startNanos + paceNanos * number / connections;
            all.add(CompletableFuture.runAsync(
                    () -> {
                        Histogram own = new Histogram(LATENCY_NANOS_MAX, 3);
                        try {
                            requests.addAndGet(ask(dueNanos, paceNanos, endNanos, own));
                        } catch (IOException e) {
                            failures.incrementAndGet();
                        }
                        latencies.add(own);
                    },
                    task -> Thread.ofVirtual().start(task)));
        }
        for (CompletableFuture<Void> each : all) {
            try {
                each.get();
            } catch (ExecutionException e) {
                throw new BenchException("a client has failed: " + e.getCause(), e);
            }
        }
        return new Result(requests.get(), failures.get(), (System.nanoTime() - startNanos) / 1e9, latencies);
    }

    /** Returns the number of requests that were answered; fails at the first one that was not. */
    private long ask(long firstNanos, long paceNanos, long endNanos, Histogram latencies) throws IOException {
        long count = 0;
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setTcpNoDelay(true);
            InputStream in = socket.getInputStream();
            byte[] bytes = new byte[READ_BYTES];
            long dueNanos = firstNanos;
            while (System.nanoTime() < endNanos) {
                if (paceNanos > 0) {
                    for (long waitNanos = dueNanos - System.nanoTime(); waitNanos > 0; waitNanos = dueNanos - System.nanoTime()) {
                        LockSupport.parkNanos(waitNanos);
                    }
                }
                long begunNanos = paceNanos > 0 ? dueNanos : System.nanoTime();
                socket.getOutputStream().write(REQUEST);
                read(in, bytes);
                latencies.recordValue(Math.min(LATENCY_NANOS_MAX, System.nanoTime() - begunNanos));
                count++;
                dueNanos += paceNanos;
            }
        }
        return count;
    }

    /** Reads an answer with a body of 100 bytes, whatever its headers. */
    private static void read(InputStream in, byte[] bytes) throws IOException {
        int length = 0;
        while (true) {
            int more = in.read(bytes, length, bytes.length - length);
            if (more < 0) {
                throw new IOException("the connection has ended");
            }
            length += more;
            for (int i = Math.max(0, length - more - 3); i + 4 <= length; i++) {
                boolean isEnd = bytes[i] == '\r' && bytes[i + 1] == '\n' && bytes[i + 2] == '\r' && bytes[i + 3] == '\n';
                if (isEnd) {
                    int whole = i + 4 + 100;
                    while (length < whole) {
                        int rest = in.read(bytes, length, whole - length);
                        if (rest < 0) {
                            throw new IOException("the connection has ended");
                        }
                        length += rest;
                    }
                    if (bytes[9] != '2') {
                        throw new IOException("status " + new String(bytes, 9, 3, StandardCharsets.US_ASCII));
                    }
                    return;
                }
            }
        }
    }
}
