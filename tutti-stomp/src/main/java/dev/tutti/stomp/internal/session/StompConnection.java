package dev.tutti.stomp.internal.session;

import dev.tutti.internal.Logs;
import dev.tutti.internal.door.Places.Place;
import dev.tutti.stomp.internal.broker.Publication;
import dev.tutti.stomp.internal.codec.Frame;
import dev.tutti.stomp.internal.codec.FrameException;
import dev.tutti.stomp.internal.codec.FrameParser;
import dev.tutti.stomp.internal.codec.FrameWriter;
import dev.tutti.stomp.internal.codec.StompFault;
import dev.tutti.stomp.internal.codec.StompVersion;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufHolder;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.ContinuationWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolHandler;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.SocketAddress;
import java.security.cert.Certificate;
import java.util.List;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * A client's connection: turns bytes into frames and back, sends and expects heart-beats, enforces time-outs, and
 * bounds the memory held for the client. Its {@link Session} interprets the frames. Belongs to its channel's thread.
 */
final class StompConnection extends ChannelInboundHandlerAdapter {

    private static final Logger LOG = Logs.of(StompConnection.class);

    /** Bytes at which a batch goes to the socket before it is complete. */
    private static final int BATCH_BYTES = 64 * 1024;

    /** Size from which a message is shared by its receivers: copying it for each would cost more. */
    private static final int SHARED_BYTES = 8 * 1024;

    /** Capacity of a connection's first batch. */
    private static final int BATCH_BYTES_MIN = 512;

    private static final byte[] HEART_BEAT = {'\n'};
    private static final byte[] WEB_SOCKET_CLOSE = {(byte) 0x88, 2, 1000 >> 8, (byte) (1000 & 0xFF)};

    private final Hub hub;
    private final Shard shard;
    private final Channel channel;
    private final Options options;
    private final FrameParser parser;
    private final Session session;
    private final Deadlines deadlines;

    /** Null if the server had no place. */
    private @Nullable Place place;

    private ByteBuf waiting = Unpooled.EMPTY_BUFFER;
    private @Nullable ByteBuf batch;
    private int batchBytesHint = BATCH_BYTES_MIN;
    private boolean isWritten;
    private boolean isWebSocket;
    private long enclosedBytes;
    private boolean isPaused;
    private boolean isPumping;
    private boolean isLoggedIn;
    private boolean isClosing;
    private boolean isGone;
    private long accountedBytes;

    StompConnection(Hub hub, Shard shard, Channel channel) {
        this.hub = hub;
        this.shard = shard;
        this.channel = channel;
        this.options = hub.options();
        this.deadlines = new Deadlines(options.times(), System.nanoTime());
        this.parser = new FrameParser(options.frames());
        this.session = new Session(hub, shard, this);
    }

    /** Takes a place at the server, or closes. */
    void enter() {
        shard.add(this);
        place = hub.enter(shard, this);
        if (place == null) {
            drop(StompFault.CLIENTS);
        }
    }

    // ------------------------------------------------------------------ from the channel

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf bytes =
                switch (message) {
                    case ByteBuf plain -> plain;
                    case TextWebSocketFrame frame -> frame.content();
                    case BinaryWebSocketFrame frame -> frame.content();
                    case ContinuationWebSocketFrame frame -> frame.content();
                    case ByteBufHolder other -> other.content().clear();
                    default -> Unpooled.EMPTY_BUFFER;
                };
        try {
            if (bytes.isReadable() && !isClosing) {
                deadlines.onRead(System.nanoTime());
                hub.counters().add(Counter.BYTES_RECEIVED, bytes.readableBytes());
                onBytes(bytes);
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    /**
     * Notes that bytes have entered the WebSocket decoder, which keeps them until one of its frames is whole, or have
     * left it.
     *
     * @param change negative if they have left it
     */
    void onEnclosed(long change) {
        if (isClosing) {
            return;
        }
        if (change < 0 || enclosedBytes == 0) {
            deadlines.onEnclosed(System.nanoTime());
        }
        enclosedBytes = Math.max(0, enclosedBytes + change);
        account();
    }

    /** Cuts frames from the read buffer itself; only an unfinished one is copied, to a buffer of its own size. */
    private void onBytes(ByteBuf bytes) {
        if (waiting.isReadable()) {
            waiting.discardReadBytes().writeBytes(bytes);
            pump(waiting);
            if (!waiting.isReadable()) {
                releaseWaiting();
            }
        } else {
            pump(bytes);
            if (bytes.isReadable() && !isClosing) {
                releaseWaiting();
                waiting = channel.alloc().buffer(bytes.readableBytes()).writeBytes(bytes);
            }
        }
        account();
    }

    private void pump(ByteBuf bytes) {
        isPumping = true;
        try {
            Frame frame = isPaused || isClosing ? null : parser.next(bytes);
            while (frame != null) {
                hub.counters().increment(Counter.FRAMES_RECEIVED);
                deadlines.onFrame();
                session.onFrame(frame);
                frame = isPaused || isClosing ? null : parser.next(bytes);
            }
        } catch (FrameException e) {
            fail(e, session.receiptOfCurrent());
        } finally {
            isPumping = false;
        }
        if (isClosing) {
            bytes.skipBytes(bytes.readableBytes());
        } else if (parser.isInsideFrame()) {
            deadlines.onFrameBegun();
        }
        flushBatch();
    }

    private void releaseWaiting() {
        waiting.release();
        waiting = Unpooled.EMPTY_BUFFER;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
        if (event instanceof WebSocketServerProtocolHandler.HandshakeComplete) {
            isWebSocket = true;
        }
        super.userEventTriggered(ctx, event);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        account();
        session.onRoom();
        ctx.fireChannelWritabilityChanged();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        end();
        ctx.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (!(cause instanceof IOException)) {
            hub.counters().increment(StompFault.TRANSPORT);
            LOG.debug("client {}: {}", channel.remoteAddress(), cause.toString());
        }
        channel.close();
    }

    /** Releases everything that was held, once. */
    private void end() {
        if (isGone) {
            return;
        }
        isGone = true;
        isClosing = true;
        session.end();
        if (!isPumping) {
            releaseWaiting();
        }
        ByteBuf unsent = batch;
        if (unsent != null) {
            unsent.release();
            batch = null;
        }
        hub.held(-accountedBytes);
        accountedBytes = 0;
        shard.remove(this);
        if (place != null) {
            place.leave();
        }
    }

    // ------------------------------------------------------------------ for the session

    SocketAddress address() {
        return channel.remoteAddress();
    }

    /** Returns the client's verified certificates; none without TLS or if none are asked for. */
    List<Certificate> certificates() {
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        if (tls == null) {
            return List.of();
        }
        try {
            return List.of(tls.engine().getSession().getPeerCertificates());
        } catch (SSLPeerUnverifiedException _) {
            return List.of();
        }
    }

    void version(StompVersion agreed) {
        parser.version(agreed);
    }

    /** Notes that the client's log-in is being checked. */
    void onLoggingIn() {
        if (place != null) {
            place.onBusy();
        }
    }

    void onLoggedIn() {
        isLoggedIn = true;
        if (place != null) {
            place.onResident();
        }
    }

    boolean isLoggedIn() {
        return isLoggedIn;
    }

    /** Sets the agreed heart-beats, as {@link Deadlines#heartBeats} does. */
    void heartBeats(long receiveMillis, long sendMillis) {
        deadlines.heartBeats(receiveMillis, sendMillis);
    }

    /** Stops taking frames; bytes that have arrived are kept. */
    void pause() {
        if (!isPaused && !isClosing) {
            isPaused = true;
            channel.config().setAutoRead(false);
        }
    }

    boolean isPaused() {
        return isPaused;
    }

    void resume() {
        if (!isPaused || isClosing) {
            return;
        }
        isPaused = false;
        channel.config().setAutoRead(true);
        deadlines.onResumed(System.nanoTime());
        if (!isPumping && waiting.isReadable()) {
            pump(waiting);
            if (!waiting.isReadable()) {
                releaseWaiting();
            }
            account();
        }
    }

    boolean isClosing() {
        return isClosing;
    }

    /**
     * Returns whether a message may be replayed now. Replayed messages take at most half of the client's buffer and
     * leave the rest to new deliveries. A message larger than that waits for an empty buffer.
     */
    boolean hasRoomToReplay(int length) {
        long pendingMax = options.client().bufferBytes() / 2 - length;
        if (pendingBytes() <= pendingMax) {
            return true;
        }
        // Messages that only wait for the end of the batch may fit into the socket.
        flushBatch();
        long pending = pendingBytes();
        return pending == 0 || pending <= pendingMax;
    }

    /** Writes a frame, which goes out at once or with the current batch. */
    void write(byte[] frame) {
        if (isGone) {
            return;
        }
        ByteBuf out = room(frame.length, true);
        out.writeBytes(frame);
        if (!isPumping) {
            flushBatch();
        }
    }

    /** Writes a MESSAGE; returns false if the client was disconnected because too much waits for it already. */
    boolean write(Subscription subscription, byte[] ack, Publication publication, ByteBuf tail) {
        byte[] prefix = subscription.prefix();
        int length = prefix.length + ack.length + tail.readableBytes();
        if (!hasRoomFor(length)) {
            return false;
        }
        boolean isShared = tail.readableBytes() >= SHARED_BYTES;
        int copied = isShared ? prefix.length + ack.length : length;
        boolean isText = !isWebSocket || publication.isText();
        ByteBuf out = room(copied, length, isText);
        out.writeBytes(prefix).writeBytes(ack);
        int batched = out.readableBytes();
        if (isShared) {
            batch = null;
            channel.write(out);
            channel.write(tail.retainedDuplicate());
        } else {
            out.writeBytes(tail, tail.readerIndex(), tail.readableBytes());
            batched += tail.readableBytes();
        }
        hub.counters().increment(Counter.MESSAGES_SENT);
        if (!isWritten) {
            isWritten = true;
            shard.onWritten(this);
        }
        if (isShared || batched >= BATCH_BYTES) {
            flushBatch();
            // The connection is in the shard's list already.
            isWritten = true;
        }
        return true;
    }

    private boolean hasRoomFor(int length) {
        if (pendingBytes() + length <= options.client().bufferBytes()) {
            return true;
        }
        // Messages that only wait for the end of the batch may fit into the socket.
        flushBatch();
        if (pendingBytes() == 0 || pendingBytes() + length <= options.client().bufferBytes()) {
            return true;
        }
        fail(new FrameException(
                StompFault.SLOW,
                "too slow: " + pendingBytes() + " bytes wait to be read (stomp.client-buffer); subscribe again with 'resume'"),
                null);
        return false;
    }

    private ByteBuf room(int length, boolean isText) {
        return room(length, length, isText);
    }

    /**
     * Returns the batch, with room for {@code copied} bytes more.
     *
     * @param length of the frame that these bytes begin
     */
    private ByteBuf room(int copied, int length, boolean isText) {
        ByteBuf out = batch;
        if (out == null) {
            out = channel.alloc().directBuffer(Math.max(batchBytesHint, copied + FrameWriter.WEB_SOCKET_HEADER_MAX));
            batch = out;
        }
        out.ensureWritable(copied + FrameWriter.WEB_SOCKET_HEADER_MAX);
        if (isWebSocket) {
            FrameWriter.webSocketHeader(out, isText, length);
        }
        hub.counters().add(Counter.BYTES_SENT, length);
        return out;
    }

    /** Hands the batch to the socket. */
    void flushBatch() {
        isWritten = false;
        ByteBuf out = batch;
        if (out != null) {
            batch = null;
            batchBytesHint = Math.clamp(out.readableBytes(), BATCH_BYTES_MIN, BATCH_BYTES);
            channel.write(out);
        }
        if (!isGone && channel.unsafe().outboundBuffer() != null) {
            if (out != null) {
                deadlines.onWritten(System.nanoTime());
            }
            channel.flush();
            account();
        }
    }

    private long pendingBytes() {
        ChannelOutboundBuffer buffer = channel.unsafe().outboundBuffer();
        ByteBuf out = batch;
        return (buffer == null ? 0 : buffer.totalPendingWriteBytes()) + (out == null ? 0 : out.readableBytes());
    }

    // ------------------------------------------------------------------ bounds

    /** Returns the bytes of everything held for this client. */
    long heldBytes() {
        return accountedBytes;
    }

    private void account() {
        if (isGone) {
            return;
        }
        long held = enclosedBytes + waiting.capacity() + pendingBytes() + session.heldBytes();
        long before = accountedBytes;
        if (held != before) {
            accountedBytes = held;
            hub.held(held - before);
            if (held > before) {
                shard.onHeld(held);
                hub.checkMemory(shard);
            }
        }
    }

    void onTick(long nowNanos) {
        account();
        if (isClosing) {
            if (deadlines.isCloseOver(nowNanos)) {
                channel.close();
            }
            return;
        }
        FrameException missed = missed(nowNanos);
        if (missed != null) {
            fail(missed, null);
        } else if (deadlines.isHeartBeatDue(nowNanos)) {
            write(HEART_BEAT);
        }
        session.onRoom();
    }

    private @Nullable FrameException missed(long nowNanos) {
        if (!isLoggedIn && deadlines.isConnectLate(nowNanos)) {
            return new FrameException(StompFault.TIMEOUT, "no CONNECT within stomp.connect-timeout");
        }
        return isPaused ? null : deadlines.missed(nowNanos, parser.isInsideFrame(), enclosedBytes > 0);
    }

    // ------------------------------------------------------------------ the end

    /**
     * Sends ERROR with the reason to the client, and closes.
     *
     * @param receipt that the offending frame asks for
     */
    void fail(FrameException reason, @Nullable String receipt) {
        if (isClosing) {
            return;
        }
        hub.counters().increment(reason.fault());
        LOG.debug("client {}: {}: {}", channel.remoteAddress(), reason.fault(), reason.text());
        if (isAnswerable()) {
            session.writeError(reason, receipt);
        }
        close();
    }

    /** Before a WebSocket handshake, and during one of TLS, the client could not understand an ERROR. */
    private boolean isAnswerable() {
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        boolean isOpen = tls == null || tls.handshakeFuture().isSuccess();
        return isOpen && (isWebSocket || channel.pipeline().get(WebSocketServerProtocolHandler.class) == null);
    }

    /** Closes when everything is written; discards input meanwhile, so that the client gets to read the rest. */
    void close() {
        if (isClosing) {
            return;
        }
        isClosing = true;
        isPaused = false;
        deadlines.onClosing(System.nanoTime());
        session.end();
        if (!isPumping) {
            releaseWaiting();
        }
        flushBatch();
        if (isGone) {
            return;
        }
        channel.config().setAutoRead(true);
        ByteBuf last = isWebSocket ? Unpooled.wrappedBuffer(WEB_SOCKET_CLOSE) : Unpooled.EMPTY_BUFFER;
        channel.writeAndFlush(last).addListener((ChannelFutureListener) done -> {
            if (done.isSuccess() && channel instanceof DuplexChannel duplex && channel.pipeline().get(SslHandler.class) == null) {
                duplex.shutdownOutput();
            } else {
                channel.close();
            }
        });
    }

    /** Closes at once to free memory; the client gets an ERROR only if nothing else waits to be written. */
    void drop(StompFault fault) {
        if (pendingBytes() == 0) {
            fail(new FrameException(fault, "this server is full; try another member"), null);
        } else if (!isClosing) {
            hub.counters().increment(fault);
        }
        channel.close();
    }
}
