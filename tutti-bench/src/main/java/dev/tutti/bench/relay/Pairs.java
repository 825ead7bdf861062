package dev.tutti.bench.relay;

import dev.tutti.bench.BenchException;
import dev.tutti.bench.relay.Stream.Way;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** Pairs of connected streams, over which one end sends as fast as it goes. */
public final class Pairs implements AutoCloseable {

    private static final int PART_BYTES = 64 << 10;

    private final List<Stream> senders = new ArrayList<>();
    private final List<Stream> receivers = new ArrayList<>();
    private final List<Stream> others = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final LongAdder received = new LongAdder();

    /** Opens pairs through a rendezvous server. */
    public static Pairs relayed(int port, Way way, int count) {
        return relayed(port, way, count, false);
    }

    /** Opens pairs through a rendezvous server whose receivers do not read. */
    public static Pairs stuck(int port, Way way, int count) {
        return relayed(port, way, count, true);
    }

    private static Pairs relayed(int port, Way way, int count, boolean isStuck) {
        Pairs pairs = new Pairs();
        try {
            Stream control = Stream.ask(port, way == Way.WEBSOCKET ? Way.RAW : way, "listen/node:1").open();
            pairs.others.add(control);
            for (int index = 0; index < count; index++) {
                Stream dialler = Stream.ask(port, way, "connect/node:1");
                pairs.senders.add(dialler);
                Stream acceptor = Stream.ask(port, way, "accept/" + control.ticket()).open();
                if (isStuck) {
                    acceptor.keepLittle();
                }
                (isStuck ? pairs.others : pairs.receivers).add(acceptor);
                dialler.open();
            }
            pairs.start(way == Way.WEBSOCKET ? frame() : new byte[PART_BYTES]);
            return pairs;
        } catch (IOException e) {
            pairs.close();
            throw new BenchException("can't connect through the rendezvous server: " + e.getMessage(), e);
        }
    }

    /** Opens pairs through HAProxy, or without anything in between. */
    public static Pairs bare(ServerSocket target, int port, int count) {
        Pairs pairs = new Pairs();
        try {
            for (int index = 0; index < count; index++) {
                pairs.senders.add(Stream.connect(port));
                pairs.receivers.add(Stream.of(target.accept()));
            }
            pairs.start(new byte[PART_BYTES]);
            return pairs;
        } catch (IOException e) {
            pairs.close();
            throw new BenchException("can't connect to port " + port + ": " + e.getMessage(), e);
        }
    }

    /** Returns a socket for the far ends of {@link #bare}. */
    public static ServerSocket target() throws IOException {
        return new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
    }

    /** Returns a binary message, masked by zeros: the server unmasks it, and the sender has nothing to do. */
    private static byte[] frame() {
        return ByteBuffer.allocate(2 + Long.BYTES + Integer.BYTES + PART_BYTES)
                .put((byte) 0x82).put((byte) (0x80 | 127)).putLong(PART_BYTES).putInt(0).array();
    }

    private void start(byte[] part) {
        for (Stream sender : senders) {
            threads.add(Thread.ofVirtual().start(() -> send(sender, part)));
        }
        for (Stream receiver : receivers) {
            threads.add(Thread.ofVirtual().start(() -> receive(receiver)));
        }
    }

    private static void send(Stream sender, byte[] part) {
        try {
            while (true) {
                sender.write(part);
            }
        } catch (IOException e) {
            // Closed: the measurement is over.
        }
    }

    private void receive(Stream receiver) {
        byte[] buffer = new byte[4 * PART_BYTES];
        try {
            for (int count = receiver.read(buffer); count >= 0; count = receiver.read(buffer)) {
                received.add(count);
            }
        } catch (IOException e) {
            // Closed: the measurement is over.
        }
    }

    /** Returns the bytes that have arrived so far. */
    public long receivedBytes() {
        return received.sum();
    }

    @Override
    public void close() {
        for (List<Stream> streams : List.of(senders, receivers, others)) {
            for (Stream stream : streams) {
                try {
                    stream.close();
                } catch (IOException e) {
                    // Nothing is lost with it.
                }
            }
        }
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
