package dev.tutti.cli.stomp;

import dev.tutti.cli.terminal.CommandException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Many STOMP clients on one thread: they subscribe to one destination, one more sends to it, and arriving messages are
 * counted. A frame is recognized by the NUL at its end; the digits before that are the time of sending.
 */
final class StompLoad implements AutoCloseable {

    /**
     * Result of a measurement.
     *
     * @param sent messages to the destination
     * @param received MESSAGE frames of all clients
     * @param nanos from the first message to the last frame
     * @param delaysNanos from a message to its frame, at some of the clients, sorted
     * @param closed clients that were disconnected
     */
    record Result(long sent, long received, long nanos, long[] delaysNanos, int closed) {

        double framesPerSecond() {
            return received * 1e9 / Math.max(1, nanos);
        }

        /** Returns a quantile of the delays, in milliseconds. */
        double delayMillis(double quantile) {
            return delaysNanos.length == 0 ? 0 : delaysNanos[(int) (quantile * (delaysNanos.length - 1))] / 1e6;
        }
    }

    private static final class Subscriber {
        private final SocketChannel channel;
        private final boolean isTimed;
        private long frames;
        private long digits;

        Subscriber(SocketChannel channel, boolean isTimed) {
            this.channel = channel;
            this.isTimed = isTimed;
        }
    }

    private static final int TIMED = 8;
    private static final int DELAYS_MAX = 4_000_000;
    private static final int DIGITS = 20;
    private static final int STAMP_OFFSET = 1_000_000_000;
    private static final long SETUP_NANOS_MAX = TimeUnit.SECONDS.toNanos(60);
    private static final long SILENCE_NANOS_MAX = TimeUnit.SECONDS.toNanos(3);

    private final Selector selector;
    private final List<Subscriber> subscribers = new ArrayList<>();
    private final SocketChannel sender;
    private final String destination;
    private final ByteBuffer input = ByteBuffer.allocateDirect(256 * 1024);
    private final byte[] bytes = new byte[256 * 1024];
    private final long[] delays = new long[DELAYS_MAX];
    private final long startNanos = System.nanoTime();
    private int delayCount;
    private long frames;
    private int closed;

    StompLoad(InetSocketAddress server, int clients, String destination) throws IOException {
        this.destination = destination;
        this.selector = Selector.open();
        this.sender = connect(server, "");
        for (int index = 0; index < clients; index++) {
            SocketChannel channel =
                    connect(server, "SUBSCRIBE\nid:0\ndestination:" + destination + "\nreceipt:s\n\n\0");
            channel.configureBlocking(false);
            Subscriber subscriber = new Subscriber(channel, index < TIMED);
            channel.register(selector, SelectionKey.OP_READ, subscriber);
            subscribers.add(subscriber);
        }
        // CONNECTED and RECEIPT.
        long deadlineNanos = System.nanoTime() + SETUP_NANOS_MAX;
        while (frames < 2L * clients) {
            read(100);
            if (closed > 0 || System.nanoTime() - deadlineNanos > 0) {
                throw new CommandException(
                        closed + " of " + clients + " clients were disconnected, " + frames / 2 + " have subscribed");
            }
        }
        for (Subscriber subscriber : subscribers) {
            subscriber.frames = 0;
        }
        frames = 0;
        delayCount = 0;
    }

    private static SocketChannel connect(InetSocketAddress server, String then) throws IOException {
        SocketChannel channel = SocketChannel.open(server);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        write(channel, "CONNECT\naccept-version:1.2\nhost:load\n\n\0" + then);
        return channel;
    }

    private static void write(SocketChannel channel, String text) throws IOException {
        ByteBuffer out = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
        while (out.hasRemaining()) {
            channel.write(out);
        }
    }

    /**
     * Sends at a steady rate and counts.
     *
     * @param rate messages to the destination, each second
     * @param bodyBytes of each
     */
    Result run(int rate, int bodyBytes, int seconds) throws IOException {
        String padding = "x".repeat(Math.max(0, bodyBytes - DIGITS - 1)) + " ";
        long total = (long) rate * seconds;
        long expected = frames + total * (subscribers.size() - closed);
        long sent = 0;
        delayCount = 0;
        long beginNanos = System.nanoTime();
        long lastNanos = beginNanos;
        while (true) {
            long nowNanos = System.nanoTime();
            long due = Math.min(total, (long) ((nowNanos - beginNanos) / 1e9 * rate) + 1);
            StringBuilder out = new StringBuilder();
            for (; sent < due; sent++) {
                out.append("SEND\ndestination:").append(destination).append("\n\n").append(padding)
                        .append(stamp()).append('\0');
            }
            if (!out.isEmpty()) {
                write(sender, out.toString());
            }
            long before = frames;
            read(1);
            nowNanos = System.nanoTime();
            lastNanos = frames > before ? nowNanos : lastNanos;
            boolean isAllThere = frames >= expected;
            boolean isSilent = nowNanos - lastNanos > SILENCE_NANOS_MAX;
            if (sent == total && (isAllThere || isSilent) || closed == subscribers.size()) {
                break;
            }
        }
        long[] sorted = Arrays.copyOf(delays, delayCount);
        Arrays.sort(sorted);
        return new Result(sent, frames, lastNanos - beginNanos, sorted, closed);
    }

    /** Returns the time since the start, always with the same number of digits. */
    private String stamp() {
        return String.format("%0" + DIGITS + "d", System.nanoTime() - startNanos + STAMP_OFFSET);
    }

    private void read(long millis) throws IOException {
        selector.select(this::read, millis);
    }

    private void read(SelectionKey key) {
        Subscriber subscriber = (Subscriber) key.attachment();
        int count;
        try {
            input.clear();
            count = subscriber.channel.read(input);
        } catch (IOException e) {
            count = -1;
        }
        if (count < 0) {
            key.cancel();
            closed++;
            return;
        }
        input.flip();
        input.get(bytes, 0, count);
        count(subscriber, count);
    }

    private void count(Subscriber subscriber, int count) {
        long before = subscriber.frames;
        for (int index = 0; index < count; index++) {
            byte next = bytes[index];
            if (next == 0) {
                subscriber.frames++;
                if (subscriber.isTimed) {
                    note(subscriber.digits);
                }
            }
            if (subscriber.isTimed) {
                subscriber.digits = next >= '0' && next <= '9' ? subscriber.digits * 10 + (next - '0') : 0;
            }
        }
        frames += subscriber.frames - before;
    }

    private void note(long stamp) {
        if (delayCount < delays.length) {
            delays[delayCount] = System.nanoTime() - startNanos + STAMP_OFFSET - stamp;
            delayCount++;
        }
    }

    @Override
    public void close() throws IOException {
        sender.close();
        for (Subscriber subscriber : subscribers) {
            subscriber.channel.close();
        }
        selector.close();
    }
}
