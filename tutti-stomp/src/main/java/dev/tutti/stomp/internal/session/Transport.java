package dev.tutti.stomp.internal.session;

import dev.tutti.core.driver.TransportSettings;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import java.util.Locale;

/** Mechanism by which the server's threads wait for sockets: the same as the node's ({@code transport.io}). */
enum Transport {
    EPOLL(EpollServerSocketChannel.class),
    IO_URING(IoUringServerSocketChannel.class),
    NIO(NioServerSocketChannel.class);

    private final Class<? extends ServerChannel> server;

    Transport(Class<? extends ServerChannel> server) {
        this.server = server;
    }

    static Transport choose(TransportSettings.Io wanted) {
        return switch (wanted) {
            case AUTO -> isBundled("epoll") && Epoll.isAvailable() ? EPOLL : NIO;
            case EPOLL -> {
                Epoll.ensureAvailability();
                yield EPOLL;
            }
            case IO_URING -> {
                IoUring.ensureAvailability();
                yield IO_URING;
            }
            case NIO -> NIO;
        };
    }

    /** Netty makes the JVM print a warning if it is asked for a library that is not there. */
    private static boolean isBundled(String library) {
        String architecture =
                switch (System.getProperty("os.arch", "").toLowerCase(Locale.ROOT)) {
                    case "amd64", "x86_64" -> "x86_64";
                    case "aarch64", "arm64" -> "aarch_64";
                    default -> "none";
                };
        ClassLoader own = Transport.class.getClassLoader();
        return own != null
                && own.getResource("META-INF/native/libnetty_transport_native_" + library + "_" + architecture + ".so") != null;
    }

    Class<? extends ServerChannel> server() {
        return server;
    }

    IoHandlerFactory handlers() {
        return switch (this) {
            case EPOLL -> EpollIoHandler.newFactory();
            case IO_URING -> IoUringIoHandler.newFactory();
            case NIO -> NioIoHandler.newFactory();
        };
    }
}
