package dev.tutti.bench.systems;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The limit of requests: a record for each and one for its answer, between threads that wait and one thread with all
 * sockets, which writes once to each peer after it has served all of them. No view, no deadline, nothing cancelled.
 */
final class BareRequests implements Requests {

    private static final int BUFFER_BYTES = 256 * 1024;
    private static final int LENGTH_BYTES = 4;
    private static final Duration END_MAX = Duration.ofSeconds(5);

    /** Bytes of a record's kind, number of the call, and key. */
    private static final int HEAD_BYTES = 1 + 4 + 4;

    private static final byte GET = 0;
    private static final byte PUT = 1;
    private static final byte VALUE = 2;
    private static final byte DONE = 3;

    private final Peer[] peers;
    private final Selector selector;
    private final Values values;
    private final Thread thread;
    private final AtomicInteger numbers = new AtomicInteger();
    private final ConcurrentHashMap<Integer, Call> calls = new ConcurrentHashMap<>();
    private final Queue<Submission> submissions = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean isWoken = new AtomicBoolean();
    private volatile boolean isClosed;

    private record Submission(int rank, byte kind, int number, int key, byte[] value) {}

    /** A call of a thread that waits for a number of answers. */
    private static final class Call {
        private final Thread caller = Thread.currentThread();
        private final AtomicInteger missing;
        private volatile byte[] value = {};
        private volatile boolean isRefused;

        Call(int answers) {
            missing = new AtomicInteger(answers);
        }

        void answer(byte[] answered) {
            value = answered;
            if (answered.length == 0) {
                isRefused = true;
            }
            if (missing.decrementAndGet() == 0) {
                LockSupport.unpark(caller);
            }
        }

        /** Waits without a time limit: {@code RequestMix.run} limits the time of all calls together. */
        byte[] await() {
            while (missing.get() > 0) {
                LockSupport.park(this);
            }
            return value;
        }
    }

    private static final class Peer {
        private final SocketChannel channel;
        private ByteBuffer input = ByteBuffer.allocateDirect(BUFFER_BYTES);
        private ByteBuffer output = ByteBuffer.allocateDirect(BUFFER_BYTES);

        Peer(SocketChannel channel) {
            this.channel = channel;
        }

        void put(byte kind, int number, int key, byte[] value) {
            int length = HEAD_BYTES + value.length;
            if (output.remaining() < LENGTH_BYTES + length) {
                // The number of waiting threads bounds the growth.
                output = ByteBuffer.allocateDirect(2 * output.capacity() + length).put(output.flip());
            }
            output.putInt(length).put(kind).putInt(number).putInt(key).put(value);
        }

        /** Writes to the socket; returns whether something is left. */
        boolean flush() throws IOException {
            if (output.position() > 0) {
                channel.write(output.flip());
                output.compact();
            }
            return output.position() > 0;
        }
    }

    /** @param channels of the members by rank, with none at the own */
    BareRequests(@Nullable SocketChannel[] channels, Values values) {
        this.values = values;
        this.peers = new Peer[channels.length];
        try {
            this.selector = Selector.open();
            for (int rank = 0; rank < channels.length; rank++) {
                SocketChannel channel = channels[rank];
                if (channel != null) {
                    peers[rank] = new Peer(channel);
                    channel.register(selector, SelectionKey.OP_READ, peers[rank]);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.thread = Thread.ofPlatform().name("limit-requests").daemon().start(this::run);
    }

    // ------------------------------------------------------------------ threads that wait

    @Override
    public byte[] get(int rank, int key) {
        int number = numbers.incrementAndGet();
        Call call = new Call(1);
        calls.put(number, call);
        submit(new Submission(rank, GET, number, key, new byte[0]));
        return call.await();
    }

    @Override
    public boolean put(List<Integer> ranks, int key, byte[] value) {
        int number = numbers.incrementAndGet();
        Call call = new Call(ranks.size());
        calls.put(number, call);
        ranks.forEach(rank -> submit(new Submission(rank, PUT, number, key, value)));
        call.await();
        return !call.isRefused;
    }

    private void submit(Submission submission) {
        submissions.add(submission);
        if (!isWoken.get() && isWoken.compareAndSet(false, true)) {
            selector.wakeup();
        }
    }

    // ------------------------------------------------------------------ the thread with the sockets

    private void run() {
        try {
            while (!isClosed) {
                selector.select(this::read);
                isWoken.set(false);
                for (Submission next = submissions.poll(); next != null; next = submissions.poll()) {
                    peers[next.rank()].put(next.kind(), next.number(), next.key(), next.value());
                }
                for (SelectionKey key : selector.keys()) {
                    boolean isLeft = ((Peer) key.attachment()).flush();
                    int interest = isLeft ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ;
                    if (key.interestOps() != interest) {
                        key.interestOps(interest);
                    }
                }
            }
        } catch (IOException e) {
            if (!isClosed) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private void read(SelectionKey key) {
        Peer peer = (Peer) key.attachment();
        if (!key.isReadable()) {
            return;
        }
        try {
            if (peer.channel.read(peer.input) < 0) {
                key.cancel();
                return;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        ByteBuffer input = peer.input.flip();
        while (input.remaining() >= LENGTH_BYTES) {
            int length = input.getInt(input.position());
            if (input.remaining() < LENGTH_BYTES + length) {
                break;
            }
            input.getInt();
            byte kind = input.get();
            int number = input.getInt();
            int entry = input.getInt();
            byte[] value = new byte[length - HEAD_BYTES];
            input.get(value);
            onRecord(peer, kind, number, entry, value);
        }
        if (input.remaining() == input.capacity()) {
            peer.input = ByteBuffer.allocateDirect(2 * input.capacity()).put(input);
        } else {
            input.compact();
        }
    }

    private void onRecord(Peer peer, byte kind, int number, int key, byte[] value) {
        switch (kind) {
            case GET -> peer.put(VALUE, number, key, values.get(key));
            case PUT -> peer.put(DONE, number, key, new byte[values.put(key, value) ? 1 : 0]);
            default -> {
                Call call = calls.get(number);
                if (call != null) {
                    call.answer(value);
                    if (call.missing.get() == 0) {
                        calls.remove(number);
                    }
                }
            }
        }
    }

    @Override
    public void close() {
        isClosed = true;
        selector.wakeup();
        try {
            thread.join(END_MAX);
            selector.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
