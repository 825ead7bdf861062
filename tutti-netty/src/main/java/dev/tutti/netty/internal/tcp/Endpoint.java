package dev.tutti.netty.internal.tcp;

import dev.tutti.address.HostPort;
import dev.tutti.core.driver.TransportException;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Settings;
import dev.tutti.netty.internal.address.Binding;
import dev.tutti.netty.internal.address.Interfaces;
import dev.tutti.netty.internal.address.Mark;
import dev.tutti.netty.internal.loop.Io;
import dev.tutti.netty.internal.loop.Loop;
import dev.tutti.netty.internal.relay.RelayOptions;
import dev.tutti.netty.internal.relay.Relays;
import dev.tutti.netty.internal.security.Security;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/** The loop and the listening socket of a node. */
final class Endpoint {

    private static final int BACKLOG = 1_024;
    private static final String MARKED_DOMAIN = ".tutti";
    private static final int PAGE_BYTES = 8 * 1024;

    /** Chunks of 256 KiB; only TLS allocates from them. */
    private static final int CHUNK_ORDER = 5;

    private final Loop loop;
    private final Io io;
    private @Nullable Security security;
    private @Nullable Relays relays;
    private final boolean isSummed;
    private final PooledByteBufAllocator allocator =
            new PooledByteBufAllocator(true, 1, 1, PAGE_BYTES, CHUNK_ORDER, 16, 8, false);
    private final Map<String, String> description = new LinkedHashMap<>();
    private @Nullable Consumer<SocketChannel> acceptor;
    private @Nullable Channel listener;
    private int scope;
    private String bound = "";
    private String advertised = "";

    private Endpoint(Io io, boolean isSummed) {
        this.io = io;
        this.isSummed = isSummed;
        this.loop = new Loop(io);
    }

    /**
     * Binds, but does not accept.
     *
     * @throws TransportException if it can't be bound, or not safely
     */
    static Endpoint bind(Settings settings) {
        Binding binding = Binding.of(settings);
        InetAddress address = binding.address();
        boolean isSecure = Security.isSet(settings);
        if (!isSecure && !address.isLoopbackAddress() && !settings.get(TransportSettings.INSECURE)) {
            throw new TransportException("bind.address: " + HostPort.hostOf(address)
                    + " can be reached from other machines, and without TLS everybody there can join and read."
                    + " Use tls.certificate, tls.key and tls.authority; or security.secret-file; or, if the network is"
                    + " trusted, security.insecure: true");
        }
        Endpoint endpoint = new Endpoint(
                Io.choose(settings.get(TransportSettings.IO)),
                binding.isSummed(settings, isSecure));
        try {
            Channel listener = binding.bind(endpoint.server()::bind);
            int port = ((InetSocketAddress) listener.localAddress()).getPort();
            endpoint.listener = listener;
            endpoint.scope = address.isLinkLocalAddress() ? Interfaces.scope(address) : 0;
            endpoint.bound = new HostPort(HostPort.hostOf(address), port).toString();
            endpoint.advertised = binding.advertised(port);
            RelayOptions relayed = RelayOptions.of(settings, isSecure);
            if (relayed != null && settings.get(TransportSettings.ADVERTISE).isBlank()) {
                endpoint.advertised = Mark.add(endpoint.advertised);
            }
            endpoint.security = Security.open(settings, endpoint.advertised);
            if (relayed != null) {
                endpoint.relays = new Relays(endpoint.loop.executor(), endpoint.io::newSocket, endpoint.loop.workers(), relayed);
            }
            Options options = Options.of(settings);
            options.applyTo(listener, endpoint.io);
            endpoint.describe(options);
            endpoint.loop.name("tutti-" + port);
        } catch (RuntimeException e) {
            endpoint.close(1);
            throw e;
        }
        return endpoint;
    }

    private ServerBootstrap server() {
        return new ServerBootstrap()
                .group(loop.executor())
                .channelFactory(io::newServer)
                .option(ChannelOption.SO_REUSEADDR, true)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.AUTO_READ, false)
                .option(ChannelOption.ALLOCATOR, allocator)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        if (acceptor == null) {
                            channel.close();
                        } else {
                            acceptor.accept(channel);
                        }
                    }
                });
    }

    private void describe(Options options) {
        description.put("io", io.toString());
        description.put("java", Runtime.version().toString());
        description.put("tls", security == null ? "none" : security.description());
        description.put("checksum", isSummed ? "crc32c" : security == null ? "none" : "of TLS");
        description.put("bound", bound);
        description.put("congestion-control", options.congestionControl().isEmpty() ? congestionControl() : options.congestionControl());
    }

    /** Returns the operating system's congestion control, which is left unchanged. */
    private static String congestionControl() {
        try {
            return Files.readString(Path.of("/proc/sys/net/ipv4/tcp_congestion_control")).strip();
        } catch (IOException e) {
            return "of the operating system";
        }
    }

    void onAccept(Consumer<SocketChannel> consumer) {
        acceptor = consumer;
    }

    /** Begins to accept. */
    void accept() {
        if (listener != null) {
            listener.config().setAutoRead(true);
        }
    }

    /** Stops accepting; calls {@code whenDone} on the loop when no connection can be accepted any more. */
    void stopListening(Runnable whenDone) {
        if (relays != null) {
            relays.close();
        }
        if (listener == null) {
            whenDone.run();
            return;
        }
        listener.closeFuture().addListener(closed -> whenDone.run());
        listener.close();
    }

    void configure(SocketChannel channel, Options options) {
        channel.config().setAllocator(allocator);
        channel.config().setTcpNoDelay(true);
        channel.config().setKeepAlive(true);
        options.applyTo(channel);
    }

    boolean isSecure() {
        return security != null;
    }

    @Nullable Security security() {
        return security;
    }

    /** Returns the rendezvous servers; null if there are none that relay. */
    @Nullable Relays relays() {
        return relays;
    }

    /** Returns the name in the node's certificate; empty if there is none. */
    String name() {
        return security == null ? "" : security.trust().own().commonName();
    }

    /**
     * @param mark mark of the node that a client wants, or of this node; empty for none
     * @param tasks runs the arithmetic of the handshake
     * @throws IllegalStateException if no TLS is set
     */
    SslHandler tlsHandler(boolean isClient, String mark, Executor tasks, long timeoutNanos) {
        if (security == null) {
            throw new IllegalStateException("a TLS handshake without TLS");
        }
        SSLEngine engine = security.engine(isClient);
        if (!mark.isEmpty()) {
            nameServer(engine, isClient, mark + MARKED_DOMAIN);
        }
        SslHandler handler = new SslHandler(engine, tasks);
        handler.setHandshakeTimeout(timeoutNanos, TimeUnit.NANOSECONDS);
        return handler;
    }

    /** Lets a client name the node that it wants (SNI, RFC 6066), and a server refuse clients that want another one. */
    private static void nameServer(SSLEngine engine, boolean isClient, String name) {
        SSLParameters parameters = engine.getSSLParameters();
        if (isClient) {
            parameters.setServerNames(List.of(new SNIHostName(name)));
        } else {
            parameters.setSNIMatchers(List.of(SNIHostName.createSNIMatcher(Pattern.quote(name))));
        }
        engine.setSSLParameters(parameters);
    }

    /** Returns whether frames carry checksums. */
    boolean isSummed() {
        return isSummed;
    }

    Loop loop() {
        return loop;
    }

    Io io() {
        return io;
    }

    /** Returns the interface of link-local addresses that name none; 0 unless this node is bound to such an address. */
    int scope() {
        return scope;
    }

    String bound() {
        return bound;
    }

    String advertised() {
        return advertised;
    }

    Map<String, String> description() {
        Map<String, String> now = new LinkedHashMap<>(description);
        if (security != null) {
            // Files that were read again may have another authority.
            now.put("tls", security.description());
        }
        return now;
    }

    void count(Map<String, Long> counters) {
        counters.put("memory.tls-bytes", allocator.metric().usedDirectMemory() + allocator.metric().usedHeapMemory());
        if (security != null) {
            security.count(counters);
        }
        if (relays != null) {
            relays.count(counters);
        }
    }

    /** Ends the loop; returns whether it has ended in time. */
    boolean close(long millis) {
        return loop.close(millis);
    }
}
