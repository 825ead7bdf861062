package dev.tutti.netty.internal;

import dev.tutti.core.driver.TransportException;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Settings;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The loop and the listening socket of a node. */
final class Endpoint {

    private static final int BACKLOG = 1_024;
    private static final int PAGE_BYTES = 8 * 1024;

    /** Chunks of 256 KiB; only TLS allocates from them. */
    private static final int CHUNK_ORDER = 5;

    private final MultiThreadIoEventLoopGroup group;
    private final SingleThreadEventLoop loop;
    private final Io io;
    private final @Nullable Security security;
    private final boolean isSummed;
    private final PooledByteBufAllocator allocator =
            new PooledByteBufAllocator(true, 1, 1, PAGE_BYTES, CHUNK_ORDER, 16, 8, false);
    private final Workers workers = new Workers();
    private final Map<String, String> description = new LinkedHashMap<>();
    private volatile @Nullable Thread thread;
    private @Nullable Consumer<SocketChannel> acceptor;
    private @Nullable Channel listener;
    private String bound = "";
    private String advertised = "";

    private Endpoint(Io io, @Nullable Security security, boolean isSummed) {
        this.io = io;
        this.security = security;
        this.isSummed = isSummed;
        this.group = new MultiThreadIoEventLoopGroup(1, (ThreadFactory) this::thread, io.handlers());
        this.loop = (SingleThreadEventLoop) group.next();
    }

    private Thread thread(Runnable task) {
        Thread created = new FastThreadLocalThread(task, "tutti");
        thread = created;
        return created;
    }

    /**
     * Binds, but does not accept.
     *
     * @throws TransportException if it can't be bound, or not safely
     */
    static Endpoint bind(Settings settings) {
        AddressChoice choice = new AddressChoice(interfaces(), Resolver::lookUp);
        InetAddress address = choice.listen(settings.get(TransportSettings.BIND_ADDRESS));
        Security security = Security.of(settings);
        if (security == null && !address.isLoopbackAddress() && !settings.get(TransportSettings.INSECURE)) {
            throw new TransportException("bind.address: " + address.getHostAddress()
                    + " can be reached from other machines, and without TLS everybody there can join and read."
                    + " Use tls.certificate, tls.key and tls.authority; or security.secret; or, if the network is"
                    + " trusted, security.insecure: true");
        }
        Endpoint endpoint = new Endpoint(
                Io.choose(settings.get(TransportSettings.IO)),
                security,
                isSummed(settings.get(TransportSettings.CHECKSUM), security != null));
        try {
            int port = endpoint.bind(
                    address,
                    settings.get(TransportSettings.BIND_PORT),
                    settings.get(TransportSettings.BIND_PORT_RANGE));
            endpoint.bound = new HostPort(address.getHostAddress(), port).toString();
            endpoint.advertised =
                    advertised(settings.get(TransportSettings.ADVERTISE), choice.advertise(address), port);
            endpoint.describe();
            endpoint.loop.execute(() -> Thread.currentThread().setName("tutti-" + port));
        } catch (RuntimeException e) {
            endpoint.close(1);
            throw e;
        }
        return endpoint;
    }

    private static String advertised(String setting, InetAddress address, int port) {
        if (setting.isBlank()) {
            return new HostPort(address.getHostAddress(), port).toString();
        }
        try {
            HostPort wanted = HostPort.parse(setting);
            return (wanted.port() < 0 ? new HostPort(wanted.host(), port) : wanted).toString();
        } catch (IllegalArgumentException e) {
            throw new TransportException("bind.advertise: " + e.getMessage(), e);
        }
    }

    private int bind(InetAddress address, int port, int range) {
        int last = port == 0 ? 0 : Math.min(port + range, 65_535);
        for (int candidate = port; ; candidate++) {
            ChannelFuture binding = server().bind(new InetSocketAddress(address, candidate));
            binding.awaitUninterruptibly();
            Throwable cause = binding.cause();
            if (cause == null) {
                listener = binding.channel();
                return ((InetSocketAddress) listener.localAddress()).getPort();
            }
            String message = String.valueOf(cause.getMessage());
            boolean isInUse = message.contains("in use");
            if (!isInUse || candidate == last) {
                throw new TransportException(explain(address, port, last, isInUse, message), cause);
            }
        }
    }

    private static String explain(InetAddress address, int port, int last, boolean isInUse, String message) {
        String where = new HostPort(address.getHostAddress(), port).toString();
        if (isInUse && port == last) {
            return "bind.port: " + where + " is in use; set another bind.port, 0 for any free one,"
                    + " or bind.port-range to try the following ones";
        }
        if (isInUse) {
            return "bind.port: " + where + " to " + last + " are all in use; set another bind.port,"
                    + " 0 for any free one, or a larger bind.port-range";
        }
        if (message.contains("denied") || message.contains("not permitted")) {
            return "bind.port: no permission to listen on " + where
                    + "; ports below 1024 belong to the administrator, use one above";
        }
        return "bind.address: can't listen on " + where + ": " + message;
    }

    private ServerBootstrap server() {
        return new ServerBootstrap()
                .group(group)
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

    private void describe() {
        description.put("io", io.toString());
        description.put("java", Runtime.version().toString());
        description.put("tls", security == null ? "none" : security.description());
        description.put("checksum", isSummed ? "crc32c" : security == null ? "none" : "of TLS");
        description.put("bound", bound);
        description.put("congestion-control", congestionControl());
    }

    /** The operating system's; it is left as it is. */
    private static String congestionControl() {
        try {
            return Files.readString(Path.of("/proc/sys/net/ipv4/tcp_congestion_control")).strip();
        } catch (IOException e) {
            return "of the operating system";
        }
    }

    private static List<AddressChoice.Interface> interfaces() {
        try {
            List<AddressChoice.Interface> found = new ArrayList<>();
            for (NetworkInterface each : Collections.list(NetworkInterface.getNetworkInterfaces())) {
                if (each.isUp()) {
                    found.add(new AddressChoice.Interface(
                            each.getIndex(), each.getName(), Collections.list(each.getInetAddresses())));
                }
            }
            return found;
        } catch (SocketException e) {
            throw new TransportException("can't list the network interfaces: " + e.getMessage(), e);
        }
    }

    /** How much direct memory this process may have. */
    static long directMemoryLimitBytes() {
        return PlatformDependent.estimateMaxDirectMemory();
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

    /** Calls {@code whenDone} on the loop when nothing can be accepted any more. */
    void stopListening(Runnable whenDone) {
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
        if (0 < options.socketBufferBytes()) {
            channel.config().setSendBufferSize(options.socketBufferBytes());
            channel.config().setReceiveBufferSize(options.socketBufferBytes());
        }
    }

    @Nullable SslHandler tlsHandler(boolean isClient, long timeoutNanos) {
        if (security == null) {
            return null;
        }
        SslHandler handler = new SslHandler(security.engine(System.nanoTime(), isClient), workers);
        handler.setHandshakeTimeout(timeoutNanos, TimeUnit.NANOSECONDS);
        return handler;
    }

    /** Whether frames carry checksums. */
    boolean isSummed() {
        return isSummed;
    }

    private static boolean isSummed(TransportSettings.Checksum wanted, boolean isSecure) {
        return switch (wanted) {
            case AUTO -> !isSecure;
            case ON -> true;
            case OFF -> false;
        };
    }

    Workers workers() {
        return workers;
    }

    SingleThreadEventLoop loop() {
        return loop;
    }

    Io io() {
        return io;
    }

    String bound() {
        return bound;
    }

    String advertised() {
        return advertised;
    }

    Map<String, String> description() {
        return Collections.unmodifiableMap(description);
    }

    void count(Map<String, Long> counters) {
        counters.put("memory.tls-bytes", allocator.metric().usedDirectMemory() + allocator.metric().usedHeapMemory());
        if (security != null) {
            security.count(counters);
        }
    }

    /** Ends the loop; whether it has ended in time. */
    boolean close(long millis) {
        workers.shutdownNow();
        group.shutdownGracefully(0, millis, TimeUnit.MILLISECONDS);
        try {
            boolean isTerminated = group.awaitTermination(millis + 100, TimeUnit.MILLISECONDS);
            Thread last = thread;
            return isTerminated && (last == null || last.join(Duration.ofMillis(100)));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
