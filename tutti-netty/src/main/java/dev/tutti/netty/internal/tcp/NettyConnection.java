package dev.tutti.netty.internal.tcp;

import dev.tutti.address.HostPort;
import dev.tutti.core.Packet;
import dev.tutti.core.driver.Credentials;
import dev.tutti.core.driver.Socket;
import dev.tutti.netty.internal.arrival.Arrivals;
import dev.tutti.netty.internal.arrival.HostQueue;
import dev.tutti.netty.internal.security.ClientHello;
import dev.tutti.netty.internal.security.Preface;
import dev.tutti.netty.internal.security.TlsTrouble;
import dev.tutti.netty.internal.security.Trust;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.epoll.EpollTcpInfo;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import io.netty.channel.uring.IoUringTcpInfo;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.security.GeneralSecurityException;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** One socket, on the loop: opening, open to the machine, or closing after the written bytes have left. */
final class NettyConnection extends ChannelInboundHandlerAdapter implements Inbound.Sink, Arrivals.Arrival {

    private static final long LINGER_MILLIS = 1_000;

    private static final List<String> TCP_VALUES = List.of(
            "round-trip-micros", "round-trip-variation-micros", "retransmitted-segments", "unacknowledged-segments", "lost-segments",
            "window-segments", "segment-bytes");

    private enum Phase {
        OPENING,
        OPEN,
        CLOSING,
        ENDED
    }

    final SocketChannel channel;
    final @Nullable Dial dial;
    private final Route route;
    private final NettyDriver driver;
    private final boolean isSecure;
    private final String host;
    private final Inbound inbound;

    /** TLS handler; for an accepted connection, set when its handshake begins. */
    private @Nullable SslHandler tls;

    /** First bytes of a handshake that has not begun. */
    private @Nullable ByteBuf early;

    private List<X509Certificate> certificates = List.of();
    private Credentials credentials = Credentials.NONE;
    private boolean isReady;
    private boolean isEvicted;
    private int frames;
    private Phase phase = Phase.OPENING;
    private int id = -1;
    private final Preface preface;
    private long pendingBytes;
    private String trouble = "";
    private boolean wasActive;
    private @Nullable Future<?> linger;

    /** It counts as one of transport.connections-max. */
    boolean isAdmitted;

    /** Bytes were written since the last flush. */
    boolean isDirty;

    NettyConnection(NettyDriver driver, SocketChannel channel, @Nullable Dial dial, Route route, boolean isSecure) {
        this.driver = driver;
        this.channel = channel;
        this.dial = dial;
        this.route = route;
        this.isSecure = isSecure;
        this.host = channel.remoteAddress() == null ? "" : HostQueue.host(channel.remoteAddress().getAddress());
        this.tls = dial != null && isSecure ? driver.tlsHandler(dial) : null;
        this.preface = new Preface(dial != null && isSecure);
        this.inbound = new Inbound(driver.check(), driver.directMemory(), driver.regions(), this);
    }

    /** Prepares the channel, before anything is read. */
    void install() {
        if (!isSecure && route.isDirect()) {
            channel.config().setRecvByteBufAllocator(new RegionAllocator(inbound));
        } else if (tls != null) {
            channel.pipeline().addLast(tls);
        }
        channel.pipeline().addLast(this);
        if (!route.isDirect()) {
            onActive();
        }
    }

    /** Returns the server that relays it, for people; empty if it is direct. */
    String relay() {
        return route.server();
    }

    int id() {
        return id;
    }

    String remote() {
        return route.isDirect() ? text(channel.remoteAddress()) : route.peer() + " over " + route.server();
    }

    String remoteHost() {
        InetSocketAddress address = channel.remoteAddress();
        return address == null ? "?" : address.getAddress().getHostAddress();
    }

    /** Returns the connection's present values; costs a system call. */
    Socket socket() {
        TreeMap<String, Long> values = new TreeMap<>();
        values.put("unwritten-bytes", unwrittenBytes());
        if (channel instanceof EpollSocketChannel epoll && epoll.isOpen()) {
            EpollTcpInfo tcp = epoll.tcpInfo();
            put(values, tcp.rtt(), tcp.rttvar(), tcp.totalRetrans(), tcp.unacked(), tcp.lost(), tcp.sndCwnd(), tcp.sndMss());
        } else if (channel instanceof IoUringSocketChannel uring && uring.isOpen()) {
            IoUringTcpInfo tcp = uring.tcpInfo();
            put(values, tcp.rtt(), tcp.rttvar(), tcp.totalRetrans(), tcp.unacked(), tcp.lost(), tcp.sndCwnd(), tcp.sndMss());
        }
        return new Socket(id, text(channel.localAddress()), remote(), dial != null, values);
    }

    /** @param tcp by {@link #TCP_VALUES} */
    private static void put(Map<String, Long> values, long... tcp) {
        for (int index = 0; index < tcp.length; index++) {
            values.put(TCP_VALUES.get(index), tcp[index]);
        }
    }

    private static String text(@Nullable InetSocketAddress address) {
        return address == null ? "?" : new HostPort(HostPort.hostOf(address.getAddress()), address.getPort()).toString();
    }

    // ------------------------------------------------------------------ an accepted one, before it has shown whose it is

    @Override
    public String host() {
        return host;
    }

    @Override
    public void begin() {
        ByteBuf bytes = early;
        early = null;
        if (bytes == null) {
            return;
        }
        SslHandler handler = driver.tlsHandler(null);
        tls = handler;
        // Handlers below it have had these bytes already.
        channel.pipeline().addBefore(channel.pipeline().context(this).name(), null, handler);
        ChannelHandlerContext context = channel.pipeline().context(handler);
        try {
            handler.channelRead(context, bytes);
            handler.channelReadComplete(context);
        } catch (Exception e) {
            context.fireExceptionCaught(e);
        }
        channel.config().setAutoRead(true);
    }

    @Override
    public void evict() {
        isEvicted = true;
        driver.refusals().onEvicted(this);
        abort();
    }

    @Override
    public void expire() {
        driver.refusals().onExpired();
        fail("no TLS handshake in time");
    }

    boolean isEvicted() {
        return isEvicted;
    }

    boolean isFirstFrame() {
        return dial == null && frames == 1;
    }

    /** Returns whether it was closed at its first frame. */
    boolean isRefused() {
        return dial == null && frames <= 1 && phase == Phase.CLOSING;
    }

    // ------------------------------------------------------------------ from the machine

    void write(Packet frame) {
        if (!isReceiving()) {
            frame.release();
            return;
        }
        if (frame.length() > Packet.FRAME_MAX) {
            throw new IllegalArgumentException(
                    "frame of " + frame.length() + " bytes, at most " + Packet.FRAME_MAX);
        }
        FrameCheck check = driver.check();
        int bytes = frame.length() + check.headBytes();
        if (unwrittenBytes() + bytes > driver.options().writeBufferMaxBytes()) {
            frame.release();
            driver.onOverflow(this);
            return;
        }
        Packet whole = frame;
        if (frame.offset() < check.headBytes() || !frame.bytes().isDirect()) {
            whole = frame.copy(driver.directMemory());
            frame.release();
            driver.onCopied();
            check.sealCopy(whole);
        } else {
            check.seal(whole);
        }
        pendingBytes += bytes;
        channel.write(new FrameBuf(channel.alloc(), whole, this), channel.voidPromise());
        isDirty = true;
    }

    /** Returns the unwritten bytes; with TLS, the encrypted ones are added to those not encrypted yet. */
    private long unwrittenBytes() {
        ChannelOutboundBuffer encrypted = tls == null ? null : channel.unsafe().outboundBuffer();
        return encrypted == null ? pendingBytes : pendingBytes + encrypted.totalPendingWriteBytes();
    }

    void onWritten(int bytes) {
        pendingBytes -= bytes;
        driver.onWritten(bytes);
    }

    /** Ends the connection after its written bytes: output first, so that the other side reads all of it. */
    void close() {
        if (phase == Phase.CLOSING || phase == Phase.ENDED) {
            return;
        }
        if (phase == Phase.OPENING) {
            abort();
            return;
        }
        phase = Phase.CLOSING;
        lingerOn(unwrittenBytes());
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(written -> {
            if (!written.isSuccess()) {
                abort();
            } else if (tls != null && tls.handshakeFuture().isSuccess()) {
                tls.closeOutbound().addListener(ended -> shutDownOutput());
            } else {
                shutDownOutput();
            }
        });
    }

    /** Waits as long as the other side keeps taking the rest. */
    private void lingerOn(long unwrittenBefore) {
        linger = channel.eventLoop()
                .schedule(
                        () -> {
                            long unwritten = unwrittenBytes();
                            if (unwritten < unwrittenBefore) {
                                lingerOn(unwritten);
                            } else {
                                abort();
                            }
                        },
                        LINGER_MILLIS,
                        TimeUnit.MILLISECONDS);
    }

    private void shutDownOutput() {
        if (channel.isActive()) {
            channel.shutdownOutput().addListener(ended -> {
                if (!ended.isSuccess()) {
                    abort();
                }
            });
        }
    }

    /** Ends the connection at once. */
    void abort() {
        // Bypasses the TLS handler, which would wait for its close_notify to be written.
        channel.unsafe().close(channel.unsafe().voidPromise());
    }

    /** Ends the connection at once and reports the reason to the machine. */
    void fail(String reason) {
        if (trouble.isEmpty()) {
            trouble = reason;
        }
        abort();
    }

    // ------------------------------------------------------------------ from the socket

    @Override
    public void channelActive(ChannelHandlerContext context) {
        onActive();
    }

    private void onActive() {
        wasActive = true;
        if (!isSecure) {
            driver.onInput(this::open);
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof SslHandshakeCompletionEvent handshake) {
            if (!handshake.isSuccess()) {
                if (trouble.isEmpty() && !isGivenUp(handshake.cause())) {
                    trouble = TlsTrouble.explain(handshake.cause());
                }
                driver.onHandshakeFailed(this);
                channel.close();
            } else if (!isBelieved()) {
                driver.onHandshakeFailed(this);
                channel.close();
            } else if (dial == null && !driver.admit(this)) {
                fail(NettyDriver.FULL);
            } else if (dial == null) {
                channel.writeAndFlush(Preface.bytes());
                driver.onInput(this::open);
            }
        }
    }

    /** Checks the certificate itself: in a resumed session, no handshake has checked it. */
    private boolean isBelieved() {
        SslHandler handler = tls;
        if (handler == null) {
            return false;
        }
        try {
            List<X509Certificate> chain = new ArrayList<>();
            for (Certificate each : handler.engine().getSession().getPeerCertificates()) {
                chain.add((X509Certificate) each);
            }
            Trust trust = driver.trust();
            String objection = trust.objection(chain, Instant.now(), false);
            if (objection != null) {
                trouble = objection;
                return false;
            }
            certificates = chain;
            credentials = trust.credentials(chain, handler.engine().getSession());
            return true;
        } catch (GeneralSecurityException | SSLException e) {
            trouble = TlsTrouble.explain(e);
            return false;
        }
    }

    /** Returns the other end's certificates; empty without TLS, and before its handshake is over. */
    List<X509Certificate> certificates() {
        return certificates;
    }

    Credentials credentials() {
        return credentials;
    }

    private void open() {
        if (phase == Phase.OPENING && channel.isActive()) {
            phase = Phase.OPEN;
            id = driver.onOpened(this);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        if (isSecure && tls == null) {
            onEarly(bytes);
        } else if (driver.beginInput()) {
            onBytes(bytes);
        } else {
            // A region's free memory begins behind the bytes examined so far: the next read would overwrite these.
            ByteBuf copy = bytes.copy();
            bytes.release();
            driver.onInput(() -> onBytes(copy));
        }
    }

    /** Keeps the bytes until the first message is there, and reads no more until the handshake may begin. */
    private void onEarly(ByteBuf bytes) {
        if (early == null) {
            early = bytes;
        } else {
            early.writeBytes(bytes);
            bytes.release();
        }
        if (!isReady && ClientHello.isWhole(early)) {
            isReady = true;
            channel.config().setAutoRead(false);
            driver.onReady(this, early);
        }
    }

    private void onBytes(ByteBuf bytes) {
        if (preface.isCompletedBy(bytes)) {
            if (preface.isRight()) {
                open();
            } else {
                fail("speaks TLS, but is not a node");
            }
        }
        driver.onBytes(bytes.readableBytes());
        inbound.onRead(bytes);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        if (driver.beginInput()) {
            inbound.onReadEnd();
        } else {
            driver.onInput(inbound::onReadEnd);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (trouble.isEmpty() && !(cause instanceof ClosedChannelException) && !isGivenUp(cause)) {
            trouble = cause instanceof IOException && !isSecure ? message(cause) : TlsTrouble.explain(cause);
        }
        channel.close();
    }

    /**
     * Returns whether the other node has ended its dial during the handshake, which it does when another connection
     * between the two was established first. A node that does not trust this one sends an alert instead.
     */
    private boolean isGivenUp(Throwable cause) {
        return isSecure && dial == null && phase == Phase.OPENING && TlsTrouble.isConnectionEnd(cause);
    }

    private static String message(Throwable cause) {
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        driver.onInput(this::end);
    }

    /** Ends the connection; also called for a channel that was never active because it could not be connected. */
    @Override
    public void channelUnregistered(ChannelHandlerContext context) {
        driver.onInput(this::end);
    }

    private void end() {
        Phase last = phase;
        if (last == Phase.ENDED) {
            return;
        }
        phase = Phase.ENDED;
        if (linger != null) {
            linger.cancel(false);
        }
        if (trouble.isEmpty() && inbound.partialBytes() > 0) {
            trouble = "closed in the middle of a frame";
        }
        inbound.close();
        if (early != null) {
            early.release();
            early = null;
        }
        driver.onEnded(this, last == Phase.OPEN, trouble);
        if (last == Phase.OPENING) {
            driver.onNeverOpened(this, wasActive, trouble);
        }
    }

    // ------------------------------------------------------------------ frames

    @Override
    public boolean isReceiving() {
        return phase == Phase.OPEN && trouble.isEmpty();
    }

    @Override
    public void onFrame(Packet frame) {
        frames++;
        driver.onFrame(this, frame);
    }

    @Override
    public void onGarbage(String detail) {
        driver.refusals().onGarbage(this, detail);
    }

    @Override
    public void onCorrupt(String detail) {
        driver.refusals().onCorrupt(this, detail);
    }
}
