package dev.tutti.netty.internal.udp;

import dev.tutti.core.driver.TransportException;
import dev.tutti.netty.internal.arrival.HostQueue;
import dev.tutti.netty.internal.loop.DriverCounters.Name;
import dev.tutti.netty.internal.loop.DriverCounters;
import dev.tutti.netty.internal.loop.Io;
import dev.tutti.netty.internal.loop.Loop;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.SocketChannel;
import java.net.InetSocketAddress;

/**
 * TCP port of a node on datagrams, with the number of its UDP port. Other nodes hold connections to it while this process runs; the
 * system ends them with the process. Accepted connections are bounded; beyond, the host with the most loses its oldest. Used on the loop only.
 */
final class WatchPort {

    private static final int BACKLOG = 1_024;

    private final DriverCounters counters;
    private final HostQueue<SocketChannel> accepted;
    private final Channel listener;

    private WatchPort(Loop loop, Io io, InetSocketAddress address, int acceptedMax, DriverCounters counters) {
        this.counters = counters;
        this.accepted = new HostQueue<>(acceptedMax);
        ChannelFuture binding = new ServerBootstrap()
                .group(loop.executor())
                .channelFactory(io::newServer)
                .option(ChannelOption.SO_REUSEADDR, true)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.AUTO_READ, false)
                .childHandler(new SilentConnections(this::onAccepted, _ -> {}))
                .bind(address)
                .awaitUninterruptibly();
        Throwable cause = binding.cause();
        if (cause != null) {
            throw new TransportException(String.valueOf(cause.getMessage()), cause);
        }
        this.listener = binding.channel();
    }

    /**
     * Binds, but does not accept.
     *
     * @throws TransportException if it can't be bound
     */
    static WatchPort open(Loop loop, Io io, InetSocketAddress address, int acceptedMax, DriverCounters counters) {
        return new WatchPort(loop, io, address, acceptedMax, counters);
    }

    /** Begins to accept. */
    void accept() {
        listener.config().setAutoRead(true);
    }

    private void onAccepted(SocketChannel channel) {
        InetSocketAddress remote = channel.remoteAddress();
        if (remote == null) {
            channel.close();
            return;
        }
        counters.add(Name.WATCHES_ACCEPTED, 1);
        String host = HostQueue.host(remote.getAddress());
        SocketChannel evicted = accepted.add(host, channel);
        channel.closeFuture().addListener(closed -> accepted.remove(host, channel));
        if (evicted != null) {
            counters.add(Name.WATCHES_EVICTED, 1);
            evicted.close();
        }
    }

    /** Ends the port and its connections; calls {@code whenDone} on the loop when the port is free. */
    void close(Runnable whenDone) {
        listener.close().addListener(_ -> whenDone.run());
        for (SocketChannel each = accepted.next(); each != null; each = accepted.next()) {
            each.close();
        }
    }
}
