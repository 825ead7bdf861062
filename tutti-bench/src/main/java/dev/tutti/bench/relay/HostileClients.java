package dev.tutti.bench.relay;

import dev.tutti.bench.relay.Stream.Access;
import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * Clients of a rendezvous server that do what no node does. Each holds a connection for as long as it is let, and comes again. They
 * have addresses of their own in 127.0.0.0/8, so that bounds for one address don't end all of them.
 */
public final class HostileClients implements AutoCloseable {

    /** Conduct of a client. */
    private enum Conduct {
        /** Connects, and says nothing. */
        SILENT,
        /** Sends the head of a request, a byte at a time, and never ends it. */
        SLOW,
        /** Sends bytes at random, after a time in which it holds a connection. */
        GARBAGE,
        /** Has a token, and is listed; it never comes when it is called, and does not answer pings. */
        LISTED,
        /** Has a token, and calls one that is listed. */
        CALLING
    }

    /** Clients of one address. */
    private static final int ADDRESS_CLIENTS = 25;

    private static final int OPENING_MAX = 200;
    private static final long AGAIN_MILLIS = 500;
    private static final long GARBAGE_MILLIS = 4_000;
    private static final long BYTE_MILLIS = 500;
    private static final int GARBAGE_BYTES = 2_000;
    /** Nodes among which those that call choose, so that those have somebody to call. */
    private static final int CALLED = 100;

    private final int port;
    private final String token;
    private final int count;
    private final Set<Stream> open = ConcurrentHashMap.newKeySet();
    private final Semaphore opening = new Semaphore(OPENING_MAX);
    private final AtomicInteger present = new AtomicInteger();
    private final LongAdder attempts = new LongAdder();
    private final CountDownLatch begun;
    private volatile boolean isClosed;

    /**
     * Begins, and returns when each has tried once to connect.
     *
     * @param token for the cluster {@code hostile}
     */
    public HostileClients(int port, String token, int count) throws InterruptedException {
        this.port = port;
        this.token = token;
        this.count = count;
        this.begun = new CountDownLatch(count);
        for (int index = 0; index < count; index++) {
            int client = index;
            Thread.ofVirtual().start(() -> run(client));
        }
        begun.await();
    }

    private void run(int client) {
        Conduct conduct = Conduct.values()[client % Conduct.values().length];
        boolean isFirst = true;
        while (!isClosed) {
            attempts.increment();
            try (Stream stream = connect(client, isFirst)) {
                open.add(stream);
                present.incrementAndGet();
                try {
                    behave(conduct, client, stream);
                } finally {
                    present.decrementAndGet();
                    open.remove(stream);
                }
            } catch (IOException e) {
                // It was thrown out, and comes again.
            }
            isFirst = false;
            pause(AGAIN_MILLIS);
        }
    }

    private Stream connect(int client, boolean isFirst) throws IOException {
        int host = client / ADDRESS_CLIENTS;
        byte[] address = {127, 1, (byte) (host / 200), (byte) (1 + host % 200)};
        opening.acquireUninterruptibly();
        try {
            return Stream.connect(port, InetAddress.getByAddress(address));
        } finally {
            opening.release();
            if (isFirst) {
                begun.countDown();
            }
        }
    }

    private void behave(Conduct conduct, int client, Stream stream) throws IOException {
        Access access = new Access("hostile", token);
        int number = client / Conduct.values().length;
        switch (conduct) {
            case SILENT -> {}
            case SLOW -> {
                for (char each : "GET /v1/clusters/hostile/nodes HTTP/1.1\r\nHost: ".concat("x".repeat(1_000)).toCharArray()) {
                    stream.write(String.valueOf(each));
                    pause(BYTE_MILLIS);
                    if (isClosed) {
                        return;
                    }
                }
            }
            case GARBAGE -> {
                byte[] bytes = new byte[GARBAGE_BYTES];
                new Random(client).nextBytes(bytes);
                pause(GARBAGE_MILLIS);
                stream.write(bytes);
            }
            case LISTED -> stream.request(access, false, "listen/h" + number + ".invalid:1");
            case CALLING -> stream.request(access, client % 2 == 0, "connect/h" + number % CALLED + ".invalid:1");
        }
        stream.skipAll();
    }

    private void pause(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the number of clients that have a connection now. */
    public int present() {
        return present.get();
    }

    /** Returns the number of connections that all of them have tried to open. */
    public long attempts() {
        return attempts.sum();
    }

    public int count() {
        return count;
    }

    @Override
    public void close() throws IOException {
        isClosed = true;
        for (Stream stream : List.copyOf(open)) {
            stream.close();
        }
    }
}
