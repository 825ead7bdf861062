package dev.tutti.netty.internal.loop;

import dev.tutti.core.driver.TransportException;
import dev.tutti.core.driver.TransportSettings;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringDatagramChannel;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The mechanisms by which the loop waits for sockets. */
public enum Io {
    EPOLL(
            "epoll",
            EpollIoHandler::newFactory,
            EpollServerSocketChannel::new,
            EpollSocketChannel::new,
            EpollDatagramChannel::new),
    IO_URING(
            "io_uring",
            IoUringIoHandler::newFactory,
            IoUringServerSocketChannel::new,
            IoUringSocketChannel::new,
            IoUringDatagramChannel::new),
    NIO(
            "NIO",
            NioHandler::newFactory,
            NioServerSocketChannel::new,
            NioSocketChannel::new,
            NioDatagramChannel::new);

    private final String title;
    private final Supplier<IoHandlerFactory> handlers;
    private final Supplier<ServerSocketChannel> servers;
    private final Supplier<SocketChannel> sockets;
    private final Function<SocketProtocolFamily, DatagramChannel> datagrams;

    Io(
            String title,
            Supplier<IoHandlerFactory> handlers,
            Supplier<ServerSocketChannel> servers,
            Supplier<SocketChannel> sockets,
            Function<SocketProtocolFamily, DatagramChannel> datagrams) {
        this.title = title;
        this.handlers = handlers;
        this.servers = servers;
        this.sockets = sockets;
        this.datagrams = datagrams;
    }

    /** @throws TransportException if the wanted mechanism is not available, with the reason */
    public static Io choose(TransportSettings.Io wanted) {
        return switch (wanted) {
            case AUTO -> {
                for (Io io : values()) {
                    if (io.isBundled() && io.obstacle() == null) {
                        yield io;
                    }
                }
                yield NIO;
            }
            case EPOLL -> EPOLL.orThrow();
            case IO_URING -> IO_URING.orThrow();
            case NIO -> NIO;
        };
    }

    private Io orThrow() {
        Throwable obstacle = obstacle();
        if (obstacle != null) {
            throw new TransportException(
                    "transport.io: " + title + " is not available (" + obstacle.getMessage() + "); add "
                            + "io.netty:netty-transport-native-" + title + " with the classifier of this machine,"
                            + " or use transport.io: auto",
                    obstacle);
        }
        return this;
    }

    boolean isAvailable() {
        return obstacle() == null;
    }

    private @Nullable Throwable obstacle() {
        return switch (this) {
            case EPOLL -> Epoll.unavailabilityCause();
            case IO_URING -> IoUring.unavailabilityCause();
            case NIO -> null;
        };
    }

    /**
     * Returns whether the native library is on the class path. Asking Netty instead would try to load it, and the JVM
     * prints a warning about that even if nothing is found.
     */
    private boolean isBundled() {
        String library =
                switch (this) {
                    case EPOLL -> "libnetty_transport_native_epoll_";
                    case IO_URING -> "libnetty_transport_native_io_uring42_";
                    case NIO -> "";
                };
        if (library.isEmpty()) {
            return true;
        }
        String resource = "META-INF/native/" + library + architecture() + ".so";
        ClassLoader own = Io.class.getClassLoader();
        return own != null && own.getResource(resource) != null;
    }

    private static String architecture() {
        String name = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
        return switch (name) {
            case "amd64", "x86_64" -> "x86_64";
            case "aarch64", "arm64" -> "aarch_64";
            default -> name;
        };
    }

    public IoHandlerFactory handlers() {
        return handlers.get();
    }

    public ServerSocketChannel newServer() {
        return servers.get();
    }

    public SocketChannel newSocket() {
        return sockets.get();
    }

    public DatagramChannel newDatagrams(SocketProtocolFamily family) {
        return datagrams.apply(family);
    }

    /** Returns whether the system divides a large buffer into datagrams (GSO). */
    public boolean isSegmenting() {
        return switch (this) {
            case EPOLL -> EpollDatagramChannel.isSegmentedDatagramPacketSupported();
            case IO_URING -> IoUringDatagramChannel.isSegmentedDatagramPacketSupported();
            case NIO -> false;
        };
    }

    @Override
    public String toString() {
        return title;
    }
}
