package dev.tutti.campaign.sites.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.DatagramChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Bare socket for datagrams to one peer: it sends as fast as the peer's answers allow, and what is lost stays lost. It is what a line
 * carries at most. Thread-safe; one thread sends.
 */
public final class BareLine implements AutoCloseable {

    /** Bytes that are under way at most, as those of a bridge between sites. */
    private static final long WINDOW_BYTES = 16 << 20;

    /** Bytes after which the receiver answers. */
    private static final long ANSWER_BYTES = 64 << 10;

    /** Time without an answer after which all that is under way counts as lost. */
    private static final long SILENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** Bytes at the beginning of a datagram: bytes that were sent up to its end, and the time. */
    private static final int HEAD_BYTES = 2 * Long.BYTES;

    private static final int BUFFER_BYTES = 4 << 20;
    private static final int DATAGRAM_BYTES_MAX = 65_507;

    private final DatagramChannel channel;
    private final InetSocketAddress peer;
    private final Receiver receiver;
    private final ByteBuffer datagram = ByteBuffer.allocateDirect(DATAGRAM_BYTES_MAX);
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition isAnswered = lock.newCondition();
    private long sent;

    /** Written by the thread that receives. */
    private volatile long received;

    /** Guarded by the lock. */
    private long answered;

    /** Listener for datagrams, called by one thread. */
    public interface Receiver {
        /** Takes a datagram of a length that was sent at a time of {@link System#nanoTime}. */
        void onDatagram(int bytes, long sentNanos);
    }

    /** Binds the port. */
    public BareLine(int port, InetSocketAddress peer, Receiver receiver) {
        this.peer = peer;
        this.receiver = receiver;
        try {
            channel = DatagramChannel.open();
            channel.setOption(StandardSocketOptions.SO_RCVBUF, BUFFER_BYTES);
            channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        } catch (IOException e) {
            throw new UncheckedIOException("no port " + port + " for a bare socket", e);
        }
        Thread.ofPlatform().daemon().name("receiver of " + port).start(this::receive);
    }

    /**
     * Sends a datagram; waits while as much as possible is under way.
     *
     * @param bytes at least 16
     */
    public void send(int bytes) {
        awaitRoom();
        sent += bytes;
        datagram.clear().putLong(sent).putLong(System.nanoTime()).position(0).limit(bytes);
        try {
            channel.send(datagram, peer);
        } catch (IOException e) {
            throw new UncheckedIOException("can't send to " + peer, e);
        }
    }

    /** Returns the bytes that have arrived. */
    public long received() {
        return received;
    }

    private void awaitRoom() {
        lock.lock();
        try {
            while (sent - answered > WINDOW_BYTES) {
                long before = answered;
                if (isAnswered.awaitNanos(SILENCE_NANOS) <= 0 && answered == before) {
                    answered = sent;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    private void receive() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(DATAGRAM_BYTES_MAX);
        ByteBuffer answer = ByteBuffer.allocateDirect(Long.BYTES);
        long told = 0;
        long last = 0;
        while (channel.isOpen()) {
            try {
                channel.receive(buffer.clear());
                buffer.flip();
                if (buffer.remaining() == Long.BYTES) {
                    onAnswer(buffer.getLong());
                } else if (buffer.remaining() >= HEAD_BYTES) {
                    last = Math.max(last, buffer.getLong(0));
                    received += buffer.remaining();
                    receiver.onDatagram(buffer.remaining(), buffer.getLong(Long.BYTES));
                    if (last - told >= ANSWER_BYTES) {
                        told = last;
                        channel.send(answer.clear().putLong(last).flip(), peer);
                    }
                }
            } catch (AsynchronousCloseException e) {
                return;
            } catch (IOException e) {
                // Nobody is there yet, or no more.
                continue;
            }
        }
    }

    private void onAnswer(long upTo) {
        lock.lock();
        try {
            answered = Math.max(answered, upTo);
            isAnswered.signal();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException("a bare socket can't be closed", e);
        }
    }
}
