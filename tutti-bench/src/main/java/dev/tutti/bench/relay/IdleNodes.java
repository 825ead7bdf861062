package dev.tutti.bench.relay;

import dev.tutti.bench.relay.Stream.Way;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/** Nodes that others could reach through a rendezvous server, and that only answer its pings. */
public final class IdleNodes implements AutoCloseable {

    /** Nodes that connect at a time. */
    private static final int OPENING_MAX = 64;

    private final List<Stream> streams = new CopyOnWriteArrayList<>();
    private final AtomicInteger present = new AtomicInteger();
    private final CountDownLatch attempts;
    private final Semaphore opening = new Semaphore(OPENING_MAX);

    /** Opens the nodes' control streams, and returns when each is open, or was refused. */
    public IdleNodes(int port, Way way, int count) throws InterruptedException {
        attempts = new CountDownLatch(count);
        for (int index = 0; index < count; index++) {
            int node = index;
            opening.acquire();
            Thread.ofVirtual().start(() -> stay(port, way, node));
        }
        attempts.await();
    }

    private void stay(int port, Way way, int node) {
        try (Stream stream = open(port, way, node)) {
            try {
                present.incrementAndGet();
                stream.ticket();
            } finally {
                present.decrementAndGet();
            }
        } catch (IOException e) {
            // Counted as not present.
        }
    }

    private Stream open(int port, Way way, int node) throws IOException {
        try {
            Stream stream = Stream.ask(port, way, "listen/10.0." + node / 250 + "." + node % 250 + ":7800");
            streams.add(stream);
            return stream.open();
        } finally {
            attempts.countDown();
            opening.release();
        }
    }

    /** Returns the number of nodes whose stream is open. */
    public int present() {
        return present.get();
    }

    @Override
    public void close() throws IOException {
        for (Stream stream : streams) {
            stream.close();
        }
    }
}
