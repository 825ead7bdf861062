package dev.tutti.netty.internal.udp;

import dev.tutti.address.HostPort;
import dev.tutti.core.driver.TransportException;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.settings.Size;
import dev.tutti.netty.internal.address.Binding;
import dev.tutti.netty.internal.address.Interfaces;
import dev.tutti.netty.internal.loop.Io;
import dev.tutti.netty.internal.loop.Loop;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.unix.IntegerUnixChannelOption;
import io.netty.channel.uring.IoUringChannelOption;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The sockets of a node on datagrams: its own, the TCP port of the same number, and the one that receives multicasts. */
final class DatagramSockets {

    private static final Logger LOG = LoggerFactory.getLogger(DatagramSockets.class);

    /** Ports that are drawn, where any will do, until one is free for TCP, too. */
    private static final int DRAWS_MAX = 16;

    private static final int BUFFER_BYTES = 4 << 20;
    private static final boolean IS_WINDOWS =
            System.getProperty("os.name", "").toLowerCase(Locale.ROOT).startsWith("windows");

    /** Linux: IPPROTO_IP, IP_MTU_DISCOVER and its values. */
    private static final ChannelOption<Integer> MTU_DISCOVER_4 =
            new IntegerUnixChannelOption("IP_MTU_DISCOVER", 0, 10);

    /** Linux: IPPROTO_IPV6, IPV6_MTU_DISCOVER, with the same values. */
    private static final ChannelOption<Integer> MTU_DISCOVER_6 =
            new IntegerUnixChannelOption("IPV6_MTU_DISCOVER", 41, 23);

    /** Lets the system fragment datagrams that do not fit. */
    private static final int DISCOVER_WANT = 1;

    /** Makes datagrams that do not fit an error. */
    private static final int DISCOVER_DO = 2;

    final Io io;
    final Binding binding;
    final @Nullable Multicast multicast;
    final DatagramSize size;
    final DatagramChannel unicast;

    /** Port to which other nodes connect; null if there are no watches, or none was free. */
    final @Nullable WatchPort watchPort;

    final @Nullable DatagramChannel group;
    final boolean isMerging;
    private final boolean isOffloading;

    // Requested size, and sizes granted by the system.
    private final int wantedReceiveBytes;
    private final int wantedSendBytes;
    private final int receiveBufferBytes;
    private final int sendBufferBytes;

    /**
     * Opens and binds; nothing is read yet. A node whose TCP port is in use watches others and is not watched.
     *
     * @param watchPorts binds the TCP port of a number, or throws a {@link TransportException} if it is in use
     * @throws TransportException if the port for datagrams can't be bound
     */
    DatagramSockets(
            Settings settings,
            Io io,
            Loop loop,
            Binding binding,
            DatagramInbound inbound,
            DatagramInbound groupInbound,
            Function<InetSocketAddress, WatchPort> watchPorts) {
        this.io = io;
        this.binding = binding;
        this.multicast = Multicast.of(settings, binding);
        this.size = DatagramSize.of(settings, Interfaces.mtu(binding.address()));
        this.wantedReceiveBytes = bufferBytes(settings, TransportSettings.RECEIVE_BUFFER);
        this.wantedSendBytes = bufferBytes(settings, TransportSettings.SEND_BUFFER);
        this.isOffloading = settings.get(TransportSettings.DATAGRAM_OFFLOAD);
        SocketProtocolFamily family = family(binding.address());
        Supplier<DatagramChannel> binds = () -> (DatagramChannel) binding.bind(address -> bootstrap(loop, family).bind(address));
        if (settings.get(TransportSettings.DATAGRAM_WATCHES_MAX) == 0) {
            this.unicast = binds.get();
            this.watchPort = null;
        } else {
            Bound bound = bind(binds, watchPorts, binding.port() == 0 ? DRAWS_MAX : 1);
            this.unicast = bound.unicast;
            this.watchPort = bound.watchPort;
        }
        this.isMerging = configure(unicast, inbound);
        int dscp = settings.get(TransportSettings.DSCP);
        if (0 < dscp) {
            unicast.config().setTrafficClass(dscp << 2);
        }
        this.receiveBufferBytes = got(unicast.config().getReceiveBufferSize());
        this.sendBufferBytes = got(unicast.config().getSendBufferSize());
        forbidFragments(size.isWhole());
        this.group = multicast == null ? null : join(loop, multicast, groupInbound);
    }

    /** The socket for datagrams, and the TCP port of the same number, if that was free. */
    record Bound(DatagramChannel unicast, @Nullable WatchPort watchPort) {}

    /** @param draws ports to try: more than one only where any will do */
    static Bound bind(Supplier<DatagramChannel> binds, Function<InetSocketAddress, WatchPort> watchPorts, int draws) {
        DatagramChannel unicast = binds.get();
        InetSocketAddress local = unicast.localAddress();
        try {
            return new Bound(unicast, watchPorts.apply(local));
        } catch (TransportException e) {
            if (draws > 1) {
                // After the next one was drawn, so that it is another.
                Bound next = bind(binds, watchPorts, draws - 1);
                unicast.close();
                return next;
            }
            LOG.warn(
                    "{}: can't listen on the TCP port of the same number ({}), so other nodes find a crash of this one by silence"
                            + " only. Set a bind.port that is free for TCP, too, or transport.datagram-watches-max: 0",
                    new HostPort(HostPort.hostOf(local.getAddress()), local.getPort()),
                    e.getMessage());
            return new Bound(unicast, null);
        }
    }

    private static int bufferBytes(Settings settings, Setting<Size> own) {
        long bytes = settings.get(own).bytes();
        bytes = 0 < bytes ? bytes : settings.get(TransportSettings.SOCKET_BUFFER).bytes();
        return 0 < bytes ? (int) bytes : BUFFER_BYTES;
    }

    private static SocketProtocolFamily family(InetAddress address) {
        return address instanceof Inet4Address ? SocketProtocolFamily.INET : SocketProtocolFamily.INET6;
    }

    private Bootstrap bootstrap(Loop loop, SocketProtocolFamily family) {
        return new Bootstrap()
                .group(loop.executor())
                .channelFactory(() -> io.newDatagrams(family))
                .option(ChannelOption.AUTO_READ, false)
                .handler(new ChannelInboundHandlerAdapter());
    }

    /** Prepares a bound socket; returns whether the system merges datagrams. */
    private boolean configure(DatagramChannel channel, DatagramInbound inbound) {
        channel.pipeline().addLast(inbound);
        channel.config().setRecvByteBufAllocator(inbound.allocator());
        channel.config().setReceiveBufferSize(wantedReceiveBytes);
        channel.config().setSendBufferSize(wantedSendBytes);
        return switch (io) {
            case EPOLL -> {
                // Netty reports the segment size of a merged buffer only if it receives one by one (recvmsg); if the
                // system does not merge, it receives several in one call (recvmmsg).
                boolean isMerged = isOffloading && isSet(channel, EpollChannelOption.UDP_GRO, true);
                if (!isMerged) {
                    channel.config()
                            .setOption(EpollChannelOption.MAX_DATAGRAM_PAYLOAD_SIZE, DatagramInbound.SLOT_BYTES);
                }
                yield isMerged;
            }
            case IO_URING -> {
                channel.config().setOption(IoUringChannelOption.MAX_DATAGRAM_PAYLOAD_SIZE, DatagramInbound.SLOT_BYTES);
                yield false;
            }
            case NIO -> false;
        };
    }

    /** Sets an option; returns false if the system does not have it, which older ones need not. */
    private static <T> boolean isSet(DatagramChannel channel, ChannelOption<T> option, T value) {
        try {
            return channel.config().setOption(option, value);
        } catch (ChannelException e) {
            return false;
        }
    }

    /** Sets whether the system refuses datagrams that do not fit the path whole; returns whether it follows. */
    boolean forbidFragments(boolean isForbidden) {
        if (io == Io.NIO) {
            return isSet(unicast, NioChannelOption.of(ExtendedSocketOptions.IP_DONTFRAGMENT), isForbidden);
        }
        boolean isIpv4 = binding.address() instanceof Inet4Address;
        int value = isForbidden ? DISCOVER_DO : DISCOVER_WANT;
        return isSet(unicast, isIpv4 ? MTU_DISCOVER_4 : MTU_DISCOVER_6, value);
    }

    private DatagramChannel join(Loop loop, Multicast wanted, DatagramInbound inbound) {
        InetSocketAddress where = wanted.group();
        // A socket bound to the group receives nothing else. Windows can't bind to group addresses.
        InetSocketAddress local = IS_WINDOWS ? new InetSocketAddress(where.getPort()) : where;
        ChannelFuture binding = bootstrap(loop, family(where.getAddress()))
                .option(ChannelOption.SO_REUSEADDR, true)
                .bind(local)
                .awaitUninterruptibly();
        if (binding.cause() != null) {
            throw new TransportException(
                    "transport.multicast.address: can't listen on " + wanted + ": " + binding.cause().getMessage(),
                    binding.cause());
        }
        DatagramChannel joined = (DatagramChannel) binding.channel();
        configure(joined, inbound);
        ChannelFuture joining = joined.joinGroup(where, wanted.via()).awaitUninterruptibly();
        if (joining.cause() != null) {
            throw new TransportException(
                    "transport.multicast.address: can't join " + wanted + ": " + joining.cause().getMessage(),
                    joining.cause());
        }
        try {
            unicast.config().setNetworkInterface(wanted.via());
            unicast.config().setTimeToLive(wanted.timeToLive());
            // Multicast loopback is on by default, and stays on: Netty's switch for it does the opposite with NIO.
        } catch (ChannelException e) {
            throw new TransportException("transport.multicast.address: can't send to " + wanted + ": " + e.getMessage(), e);
        }
        return joined;
    }

    // ------------------------------------------------------------------ for people

    int port() {
        return unicast.localAddress().getPort();
    }

    int receiveBufferBytes() {
        return receiveBufferBytes;
    }

    void describe(Map<String, String> description) {
        description.put("receive-buffer", buffer(receiveBufferBytes, wantedReceiveBytes, "net.core.rmem_max"));
        description.put("send-buffer", buffer(sendBufferBytes, wantedSendBytes, "net.core.wmem_max"));
        description.put("multicast", multicast == null ? "none" : multicast.toString());
        description.put("merging", isMerging ? "GRO" : "none");
    }

    /** Returns whether the system has granted less than was requested. */
    boolean isCut() {
        return receiveBufferBytes < wantedReceiveBytes || sendBufferBytes < wantedSendBytes;
    }

    private static String buffer(int got, int wanted, String limit) {
        String text = Size.bytes(got).toString();
        return got < wanted ? text + " of " + Size.bytes(wanted) + "; raise " + limit : text;
    }

    /**
     * Returns the granted size: Linux doubles the requested one, for its own needs; the JDK halves it again, Netty does
     * not.
     */
    private int got(int reported) {
        return io == Io.NIO ? reported : reported / 2;
    }
}
