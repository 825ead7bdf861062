package dev.tutti.bench.systems;

import dev.tutti.bench.BenchException;
import java.io.IOException;
import java.io.Serializable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.catalina.tribes.ByteMessage;
import org.apache.catalina.tribes.Channel;
import org.apache.catalina.tribes.ChannelException;
import org.apache.catalina.tribes.ChannelListener;
import org.apache.catalina.tribes.Member;
import org.apache.catalina.tribes.group.GroupChannel;
import org.apache.catalina.tribes.membership.StaticMember;
import org.apache.catalina.tribes.transport.PooledSender;
import org.apache.catalina.tribes.transport.ReceiverBase;
import org.apache.catalina.tribes.transport.ReplicationTransmitter;

/**
 * Apache Tribes with its defaults and the other members given, without a membership protocol; with one connection to
 * each member and one receiving thread, because with the defaults for these it does not keep the order. A sender does
 * not receive its own messages.
 */
final class TribesSystem implements GroupSystem {

    private static final long JOIN_NANOS_MAX = 30_000_000_000L;
    private static final long PAUSE_NANOS = 20_000_000;
    private static final byte[] HELLO = new byte[1];

    private final Seat seat;
    private final Listener listener;
    private final int options;
    private final GroupChannel channel = new GroupChannel();
    private final Member[] others;
    private final CountDownLatch hellos;

    TribesSystem(Seat seat, Listener listener, boolean isAcknowledged) {
        this.seat = seat;
        this.listener = listener;
        this.options = Channel.SEND_OPTIONS_BYTE_MESSAGE | (isAcknowledged ? Channel.SEND_OPTIONS_USE_ACK : 0);
        this.others = new Member[seat.members() - 1];
        this.hellos = new CountDownLatch(others.length);
    }

    @Override
    public void start() {
        Addresses.requireNone("Tribes");
        try {
            ReceiverBase receiver = (ReceiverBase) channel.getChannelReceiver();
            receiver.setAddress("127.0.0.1");
            receiver.setPort(seat.port());
            receiver.setAutoBind(1);
            receiver.setMinThreads(1);
            receiver.setMaxThreads(1);
            ReplicationTransmitter transmitter = (ReplicationTransmitter) channel.getChannelSender();
            ((PooledSender) transmitter.getTransport()).setPoolSize(1);
            int index = 0;
            for (int rank = 0; rank < seat.members(); rank++) {
                if (rank != seat.rank()) {
                    others[index++] = new StaticMember("127.0.0.1", seat.ports().get(rank), 0);
                }
            }
            channel.addChannelListener(new ChannelListener() {
                @Override
                public void messageReceived(Serializable message, Member sender) {
                    byte[] bytes = ((ByteMessage) message).getMessage();
                    if (bytes.length == HELLO.length && hellos.getCount() > 0) {
                        hellos.countDown();
                    } else {
                        listener.onMessage(bytes, 0, bytes.length);
                    }
                }

                @Override
                public boolean accept(Serializable message, Member sender) {
                    return message instanceof ByteMessage;
                }
            });
            channel.start(Channel.SND_RX_SEQ | Channel.SND_TX_SEQ);
        } catch (IOException | ChannelException e) {
            throw new BenchException("Tribes does not start: " + e.getMessage(), e);
        }
    }

    /** Greets all others until they are there, and waits for their greetings. */
    @Override
    public void join() {
        long end = System.nanoTime() + JOIN_NANOS_MAX;
        for (Member other : others) {
            while (!greets(other)) {
                if (System.nanoTime() > end) {
                    throw new BenchException(other + " is not there");
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
        try {
            if (!hellos.await(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                throw new BenchException(hellos.getCount() + " members have not greeted");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        listener.onView(seat.ranks(), 0, "static");
    }

    private boolean greets(Member other) {
        try {
            channel.send(
                    new Member[] {other},
                    new ByteMessage(HELLO),
                    Channel.SEND_OPTIONS_BYTE_MESSAGE | Channel.SEND_OPTIONS_USE_ACK);
            return true;
        } catch (ChannelException e) {
            return false;
        }
    }

    @Override
    public void multicast(byte[] message) {
        send(others, message);
    }

    @Override
    public void unicast(int rank, byte[] message) {
        send(new Member[] {others[rank < seat.rank() ? rank : rank - 1]}, message);
    }

    private void send(Member[] receivers, byte[] message) {
        try {
            channel.send(receivers, new ByteMessage(message), options);
        } catch (ChannelException e) {
            throw new BenchException("Tribes does not send: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        try {
            channel.stop(Channel.SND_RX_SEQ | Channel.SND_TX_SEQ);
        } catch (ChannelException e) {
            throw new BenchException("Tribes does not stop: " + e.getMessage(), e);
        }
    }
}
