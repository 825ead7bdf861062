package dev.tutti.netty.internal.tcp;

import dev.tutti.core.driver.TransportException;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.settings.Size;
import dev.tutti.netty.internal.loop.Io;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.unix.RawUnixChannelOption;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Settings in the form that the loop uses.
 *
 * @param sendBufferBytes 0 leaves it to the system
 * @param receiveBufferBytes 0 leaves it to the system
 * @param dscp differentiated services code point
 * @param congestionControl empty for that of the system
 */
record Options(
        long connectTimeoutNanos,
        int connectionsMax,
        int sendBufferBytes,
        int receiveBufferBytes,
        int dscp,
        String congestionControl,
        long writeBufferMaxBytes) {

    private static final Path AVAILABLE = Path.of("/proc/sys/net/ipv4/tcp_available_congestion_control");

    /** Linux: IPPROTO_TCP and TCP_CONGESTION. */
    private static final int TCP = 6;

    private static final int CONGESTION = 13;

    static Options of(Settings settings) {
        return new Options(
                settings.get(TransportSettings.CONNECT_TIMEOUT).toNanos(),
                settings.get(TransportSettings.CONNECTIONS_MAX),
                bufferBytes(settings, TransportSettings.SEND_BUFFER),
                bufferBytes(settings, TransportSettings.RECEIVE_BUFFER),
                settings.get(TransportSettings.DSCP),
                settings.get(TransportSettings.CONGESTION_CONTROL).strip(),
                settings.get(TransportSettings.WRITE_BUFFER_MAX).bytes());
    }

    private static int bufferBytes(Settings settings, Setting<Size> own) {
        long bytes = settings.get(own).bytes();
        return (int) (bytes > 0 ? bytes : settings.get(TransportSettings.SOCKET_BUFFER).bytes());
    }

    /**
     * Applies to a listening socket what the sockets that it accepts inherit.
     *
     * @throws TransportException if the system does not have an option or its value
     */
    void applyTo(Channel listener, Io io) {
        if (0 < receiveBufferBytes) {
            listener.config().setOption(ChannelOption.SO_RCVBUF, receiveBufferBytes);
        }
        if (congestionControl.isEmpty()) {
            return;
        }
        if (io == Io.NIO) {
            throw new TransportException("transport.congestion-control: " + congestionControl + " can't be set by NIO; set"
                    + " transport.io: epoll or io-uring, or the one of the machine: sysctl net.ipv4.tcp_congestion_control="
                    + congestionControl);
        }
        try {
            setCongestionControl(listener);
        } catch (ChannelException e) {
            throw new TransportException("transport.congestion-control: " + congestionControl + " can't be used here ("
                    + e.getMessage() + "); this machine has: " + available(), e);
        }
    }

    private static String available() {
        try {
            return Files.readString(AVAILABLE).strip();
        } catch (IOException e) {
            return "none that it lists";
        }
    }

    /** Applies to a connection what is set; the rest is the system's. */
    void applyTo(SocketChannel channel) {
        if (0 < sendBufferBytes) {
            channel.config().setSendBufferSize(sendBufferBytes);
        }
        if (0 < receiveBufferBytes) {
            channel.config().setReceiveBufferSize(receiveBufferBytes);
        }
        if (0 < dscp) {
            channel.config().setTrafficClass(dscp << 2);
        }
        if (!congestionControl.isEmpty()) {
            setCongestionControl(channel);
        }
    }

    private void setCongestionControl(Channel channel) {
        byte[] name = congestionControl.getBytes(StandardCharsets.US_ASCII);
        ByteBuffer value = ByteBuffer.allocateDirect(name.length).put(name).flip();
        channel.config().setOption(new RawUnixChannelOption("TCP_CONGESTION", TCP, CONGESTION, name.length), value);
    }
}
