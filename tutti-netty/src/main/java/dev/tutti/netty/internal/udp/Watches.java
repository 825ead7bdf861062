package dev.tutti.netty.internal.udp;

import dev.tutti.address.HostPort;
import dev.tutti.core.driver.Endpoint;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Settings;
import dev.tutti.netty.internal.loop.DriverCounters.Name;
import dev.tutti.netty.internal.loop.DriverCounters;
import dev.tutti.netty.internal.loop.Io;
import dev.tutti.netty.internal.loop.Loop;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches of a node on datagrams over the processes of others: a connection of TCP to each, on which nothing is sent, and the port to
 * which they connect. When a connection ends it is opened again. If the other system refuses that, the process is reported as
 * gone; if there is no answer, nothing is known. Used on the loop only.
 */
final class Watches {

    private static final Logger LOG = LoggerFactory.getLogger(Watches.class);

    /** Duration of a connection after whose end the next one is opened at once, however many were short before. */
    private static final long LASTING_NANOS = TimeUnit.SECONDS.toNanos(1);

    /**
     * First delay of a retry. The system of a killed process may close its connections before it closes the port, and so accept one
     * more that ends at once.
     */
    private static final long RETRY_MILLIS = 10;

    /** Retries whose delay is twice that before: it is 41 s at most. */
    private static final int DOUBLINGS_MAX = 12;

    private final Loop loop;
    private final Io io;
    private final int watchedMax;
    private final int timeoutMillis;
    private final Function<Endpoint, @Nullable InetSocketAddress> reach;
    private final DriverCounters counters;
    private final Consumer<Endpoint> refused;
    private final InetSocketAddress local;
    private final String bound;
    private final @Nullable WatchPort port;

    private final LinkedHashMap<Endpoint, Watch> watched = new LinkedHashMap<>();

    /** Endpoints without a watch, because there are as many as there may be. */
    private final LinkedHashSet<Endpoint> waiting = new LinkedHashSet<>();

    private boolean isFailureTold;
    private boolean isClosed;
    private final AtomicInteger connected = new AtomicInteger();

    /**
     * @param local address of the node's datagrams
     * @param port to which others connect; null for a node that is not watched
     * @param reach finds the address of an endpoint; null if the node has no route to it
     * @param refused takes the endpoints of processes that are gone
     */
    Watches(
            Settings settings,
            Loop loop,
            Io io,
            InetSocketAddress local,
            @Nullable WatchPort port,
            DriverCounters counters,
            Function<Endpoint, @Nullable InetSocketAddress> reach,
            Consumer<Endpoint> refused) {
        this.loop = loop;
        this.io = io;
        this.watchedMax = settings.get(TransportSettings.DATAGRAM_WATCHES_MAX);
        this.timeoutMillis = (int) settings.get(TransportSettings.CONNECT_TIMEOUT).toMillis();
        this.local = local;
        this.bound = new HostPort(HostPort.hostOf(local.getAddress()), local.getPort()).toString();
        this.reach = reach;
        this.counters = counters;
        this.refused = refused;
        this.port = port;
    }

    /** Begins to accept. */
    void accept() {
        if (port != null) {
            port.accept();
        }
    }

    /** Returns the watches and the port, for people. */
    String description() {
        if (watchedMax == 0) {
            return "none";
        }
        return "at most " + watchedMax + (port == null ? ", no TCP port of its own" : ", TCP port " + local.getPort());
    }

    /** Returns the number of processes with which there is a connection. From any thread. */
    int connected() {
        return connected.get();
    }

    void watch(Endpoint peer) {
        if (isClosed || watchedMax == 0 || watched.containsKey(peer)) {
            return;
        }
        if (watched.size() >= watchedMax) {
            waiting.add(peer);
            return;
        }
        Watch watch = new Watch(peer);
        watched.put(peer, watch);
        watch.dial();
    }

    void unwatch(Endpoint peer) {
        Watch watch = watched.remove(peer);
        if (watch == null) {
            waiting.remove(peer);
            return;
        }
        watch.end();
        if (!waiting.isEmpty()) {
            watch(waiting.removeFirst());
        }
    }

    /** Ends all watches, and those of others over this process; calls {@code whenDone} on the loop when the port is free. */
    void close(Runnable whenDone) {
        isClosed = true;
        waiting.clear();
        List.copyOf(watched.values()).forEach(Watch::end);
        watched.clear();
        if (port == null) {
            whenDone.run();
        } else {
            port.close(whenDone);
        }
    }

    private void tellFailure(Endpoint peer, String detail) {
        if (!isFailureTold) {
            isFailureTold = true;
            LOG.info(
                    "{}: no connection by TCP with {} ({}): a crash of its process is found by silence. Further ones are counted only",
                    bound,
                    peer,
                    detail);
        }
    }

    /** The watch over one process. */
    private final class Watch {

        private final Endpoint peer;
        private @Nullable Channel channel;
        private @Nullable Future<?> retry;
        private boolean isOver;

        /** The process is known to accept connections: a refusal says that it is gone. */
        private boolean wasConnected;

        private long connectedNanos;

        /** Dials that failed, and connections that were short, since the last one that lasted. */
        private int failures;

        Watch(Endpoint peer) {
            this.peer = peer;
        }

        void dial() {
            retry = null;
            InetSocketAddress target = reach.apply(peer);
            if (isOver || target == null) {
                return;
            }
            ChannelFuture connecting = new Bootstrap()
                    .group(loop.executor())
                    .channelFactory(io::newSocket)
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, timeoutMillis)
                    .handler(new SilentConnections(_ -> {}, _ -> wasConnected = false))
                    .connect(target);
            channel = connecting.channel();
            connecting.addListener(_ -> onDialled(connecting));
        }

        private void onDialled(ChannelFuture connecting) {
            if (isOver) {
                connecting.channel().close();
                return;
            }
            Throwable cause = connecting.cause();
            if (cause == null) {
                counters.add(Name.WATCHES_CONNECTED, 1);
                connected.incrementAndGet();
                wasConnected = true;
                connectedNanos = System.nanoTime();
                connecting.channel().closeFuture().addListener(_ -> onEnded());
                return;
            }
            String detail = String.valueOf(cause.getMessage());
            if (wasConnected && detail.contains("refused")) {
                wasConnected = false;
                counters.add(Name.WATCHES_REFUSED, 1);
                refused.accept(peer);
            } else {
                counters.add(Name.WATCHES_FAILED, 1);
                if (!wasConnected) {
                    tellFailure(peer, detail);
                }
            }
            failures = Math.max(1, failures);
            dialLater();
        }

        private void onEnded() {
            connected.decrementAndGet();
            if (isOver) {
                return;
            }
            if (System.nanoTime() - connectedNanos >= LASTING_NANOS) {
                failures = 0;
            }
            dialLater();
        }

        private void dialLater() {
            channel = null;
            long delayMillis = failures == 0 ? 0 : RETRY_MILLIS << Math.min(failures - 1, DOUBLINGS_MAX);
            failures++;
            if (delayMillis == 0) {
                dial();
            } else if (!loop.executor().isShuttingDown()) {
                retry = loop.executor().schedule(this::dial, delayMillis, TimeUnit.MILLISECONDS);
            }
        }

        void end() {
            isOver = true;
            if (retry != null) {
                retry.cancel(false);
            }
            if (channel != null) {
                channel.close();
            }
        }
    }
}
