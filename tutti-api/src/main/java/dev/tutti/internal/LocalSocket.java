package dev.tutti.internal;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Questions to another process on this machine, at its Unix domain socket: a line there, and an answer up to the end of the connection.
 * No call waits for longer than it was told, whatever the other process does: a stopped one takes connections until its backlog is full,
 * and then neither takes nor refuses any.
 */
public final class LocalSocket {

    private static final int ANSWER_BYTES_FIRST = 16 << 10;

    /** Pause before a connection is tried again at a full backlog. */
    private static final long AGAIN_MILLIS = 10;

    private LocalSocket() {}

    /**
     * Returns the answer to a question.
     *
     * @param answerBytesMax most bytes of the answer
     * @throws IOException if nobody listens, or the answer is too long, or has not come within {@code timeout}
     */
    public static String ask(Path socket, String question, int answerBytesMax, Duration timeout) throws IOException {
        long deadline = System.nanoTime() + timeout.toNanos();
        try (Selector selector = Selector.open();
                SocketChannel channel = connect(socket, selector, deadline)) {
            SelectionKey key = channel.register(selector, SelectionKey.OP_WRITE);
            write(channel, key, ByteBuffer.wrap((question + "\n").getBytes(StandardCharsets.UTF_8)), deadline);
            key.interestOps(SelectionKey.OP_READ);
            ByteBuffer answer = ByteBuffer.allocate(Math.min(ANSWER_BYTES_FIRST, answerBytesMax));
            while (true) {
                await(selector, deadline);
                if (channel.read(answer) < 0) {
                    return new String(answer.array(), 0, answer.position(), StandardCharsets.UTF_8);
                }
                if (!answer.hasRemaining()) {
                    if (answer.capacity() >= answerBytesMax) {
                        throw new IOException(socket + " answers with more than " + answerBytesMax + " bytes");
                    }
                    int capacity = (int) Math.min(2L * answer.capacity(), answerBytesMax);
                    answer = ByteBuffer.allocate(capacity).put(answer.flip());
                }
            }
        } catch (SocketTimeoutException e) {
            throw new IOException(socket + " has not answered within " + timeout.toMillis() + " ms", e);
        }
    }

    private static SocketChannel connect(Path socket, Selector selector, long deadline) throws IOException {
        while (true) {
            SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
            try {
                channel.configureBlocking(false);
                channel.connect(UnixDomainSocketAddress.of(socket));
                return channel;
            } catch (IOException e) {
                channel.close();
                if (e instanceof ConnectException || !(e instanceof SocketException) || Files.notExists(socket)) {
                    throw e;
                }
                if (deadline - System.nanoTime() <= 0) {
                    throw new IOException(socket + " takes no connection: " + e.getMessage(), e);
                }
                selector.select(AGAIN_MILLIS);
            }
        }
    }

    /**
     * Returns whether a process listens, even if it takes no connection at present.
     *
     * @throws IOException if this process can't find out, such as without a free file descriptor
     */
    public static boolean isListening(Path socket) throws IOException {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.configureBlocking(false);
            try {
                channel.connect(UnixDomainSocketAddress.of(socket));
                return true;
            } catch (ConnectException e) {
                return false;
            } catch (SocketException e) {
                return Files.exists(socket);
            }
        }
    }

    /** Writes all bytes by {@code deadline} ({@link System#nanoTime}), or throws. */
    public static void write(SocketChannel channel, SelectionKey key, ByteBuffer bytes, long deadline) throws IOException {
        while (bytes.hasRemaining()) {
            await(key.selector(), deadline);
            channel.write(bytes);
        }
    }

    /** Waits until the one channel of a selector is ready, by {@code deadline} ({@link System#nanoTime}), or throws. */
    public static void await(Selector selector, long deadline) throws IOException {
        long leftMillis = (deadline - System.nanoTime()) / 1_000_000;
        if (leftMillis <= 0 || selector.select(leftMillis) == 0) {
            throw new SocketTimeoutException("no progress before the deadline");
        }
        selector.selectedKeys().clear();
    }
}
