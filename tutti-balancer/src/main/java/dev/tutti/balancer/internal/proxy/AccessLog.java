package dev.tutti.balancer.internal.proxy;

import dev.tutti.balancer.internal.proxy.Counters.Name;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lines of requests, written by a thread of its own. Lines that come faster than they are written are dropped and counted. A file
 * that was moved away is made anew within a second. Thread-safe.
 */
final class AccessLog implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(AccessLog.class);

    private static final int LINES_MAX = 16_384;
    private static final long CHECK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final @Nullable Path file;
    private final Counters counters;
    private final BlockingQueue<String> lines = new ArrayBlockingQueue<>(LINES_MAX);
    private final Thread thread;
    private volatile boolean isClosed;

    /** @param file "-" for standard output */
    AccessLog(String file, Counters counters) throws IOException {
        this.file = file.equals("-") ? null : Path.of(file);
        this.counters = counters;
        Writer first = open();
        this.thread = Thread.ofPlatform().name("tutti-balancer-log").daemon().start(() -> run(first));
    }

    void write(String line) {
        if (!lines.offer(line)) {
            counters.add(Name.LOG_DROPPED);
        }
    }

    private Writer open() throws IOException {
        return file == null
                ? new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8))
                : Files.newBufferedWriter(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private void run(Writer first) {
        Writer out = first;
        long checkedNanos = System.nanoTime();
        try {
            while (true) {
                String line = lines.poll(CHECK_NANOS, TimeUnit.NANOSECONDS);
                if (line == null && isClosed) {
                    break;
                }
                if (line != null) {
                    out.write(line);
                    out.write('\n');
                }
                if (lines.isEmpty()) {
                    out.flush();
                }
                if (System.nanoTime() - checkedNanos >= CHECK_NANOS) {
                    checkedNanos = System.nanoTime();
                    if (file != null && Files.notExists(file)) {
                        out.close();
                        out = open();
                    }
                }
                if (isClosed && lines.isEmpty()) {
                    break;
                }
            }
            out.flush();
            if (file != null) {
                out.close();
            }
        } catch (IOException e) {
            LOG.error("the access log {} can't be written, and ends: {}", file, e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        isClosed = true;
        try {
            thread.join(2 * TimeUnit.NANOSECONDS.toMillis(CHECK_NANOS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
