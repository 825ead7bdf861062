package dev.tutti.rendezvous.internal.relay;

import dev.tutti.rendezvous.internal.relay.RelayedPair.Direction;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One end of a relayed connection: its bytes go to the other end. It is read only while the other end takes the bytes, so that a slow
 * reader slows its sender down, and the memory for bytes in between is bounded, for the pair and by the {@link RelayBudget}. An end of
 * its output is passed on. An end that takes nothing for long is closed if bytes wait for it, or if its own output has ended.
 */
public final class Splice extends ChannelInboundHandlerAdapter {

    /** Bytes of a direction that wait: from the first on its source is not read, up to the second it is again. */
    private static final long PAUSE_BYTES = 256 << 10;

    private static final long RESUME_BYTES = 64 << 10;

    /** Longest part that is copied to others like it. */
    private static final int SMALL_BYTES = 512;

    /** Memory of a part besides its bytes, rounded up: a sender of single bytes is not to hold more of it than others. */
    private static final int PART_OVERHEAD_BYTES = 256;

    /** Checks for a stall within the time after which there is one. */
    private static final int STALL_CHECKS = 3;

    private final RelayedPair pair;
    private final Channel peer;
    private final Direction towardsPeer;
    private final Direction fromPeer;

    private @Nullable ChannelHandlerContext context;
    private @Nullable Future<?> checks;
    private @Nullable ByteBuf gathered;
    private boolean isStarted;
    private boolean hasEnded;
    private long takenBefore = -1;
    private int stalledChecks;

    Splice(RelayedPair pair, Channel peer, Direction towardsPeer, Direction fromPeer) {
        this.pair = pair;
        this.peer = peer;
        this.towardsPeer = towardsPeer;
        this.fromPeer = fromPeer;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
        long pauseNanos = pair.stallNanos / STALL_CHECKS;
        checks = added.executor().scheduleAtFixedRate(this::checkStall, pauseNanos, pauseNanos, TimeUnit.NANOSECONDS);
    }

    /** Begins to read, and to pass bytes on: both ends have been upgraded. On the loop. */
    public void start() {
        ChannelHandlerContext own = context;
        if (own == null || own.isRemoved()) {
            return;
        }
        isStarted = true;
        own.channel().config().setAutoRead(true);
    }

    // ------------------------------------------------------------------ bytes

    @Override
    public void channelRead(ChannelHandlerContext reading, Object message) {
        ByteBuf part = (ByteBuf) message;
        Channel own = reading.channel();
        if (!isStarted) {
            // They came with the request; a client has to wait for its answer (RFC 9110, 7.8; RFC 6455, 4.1).
            part.release();
            own.close();
        } else if (part.readableBytes() <= SMALL_BYTES) {
            gather(own, part);
        } else {
            passGathered(own);
            pass(own, part);
        }
    }

    /** Joins small parts, such as those of a WebSocket's short messages, so that they hold no more memory than their bytes. */
    private void gather(Channel own, ByteBuf part) {
        ByteBuf into = gathered;
        if (into == null) {
            into = own.alloc().ioBuffer(PartSizes.SMALL_BYTES, PartSizes.SMALL_BYTES);
            gathered = into;
        }
        into.writeBytes(part);
        part.release();
        if (into.writableBytes() < SMALL_BYTES) {
            passGathered(own);
        }
    }

    private void passGathered(Channel own) {
        ByteBuf parts = gathered;
        gathered = null;
        if (parts != null) {
            pass(own, parts);
        }
    }

    private void pass(Channel own, ByteBuf part) {
        // The memory that the part holds, which may be more than its bytes.
        long held = part.capacity() + PART_OVERHEAD_BYTES;
        pair.bytes.add(part.readableBytes());
        pair.share.add(held);
        towardsPeer.waiting.addAndGet(held);
        peer.write(part).addListener(written -> {
            pair.share.add(-held);
            towardsPeer.waiting.addAndGet(-held);
            towardsPeer.taken.incrementAndGet();
            if (!written.isSuccess()) {
                // Closing it tells its own handler, which lets this end have what came from there before.
                peer.close();
            } else if (!own.config().isAutoRead() && mayResume()) {
                own.config().setAutoRead(true);
            }
        });
        boolean isScarce = pair.share.isUsedUp();
        if (own.config().getRecvByteBufAllocator() instanceof PartSizes sizes) {
            sizes.limit(isScarce);
        }
        if (towardsPeer.waiting.get() >= (isScarce ? 1 : PAUSE_BYTES)) {
            pause(own);
        }
    }

    private void pause(Channel own) {
        peer.flush();
        own.config().setAutoRead(false);
        if (mayResume()) {
            // The other end has taken everything in between, and nothing else would resume.
            own.config().setAutoRead(true);
        }
    }

    /** Returns whether to read again. It is true when nothing waits, so that the last part taken always resumes. */
    private boolean mayResume() {
        return towardsPeer.waiting.get() <= (pair.share.isUsedUp() ? 0 : RESUME_BYTES);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext reading) {
        passGathered(reading.channel());
        peer.flush();
    }

    /** Closes this end if it takes nothing, while bytes wait for it, or after the end of its own bytes. */
    private void checkStall() {
        long taken = fromPeer.taken.get();
        boolean isStalled = taken == takenBefore && (hasEnded || fromPeer.waiting.get() > 0);
        takenBefore = taken;
        stalledChecks = isStalled ? stalledChecks + 1 : 0;
        ChannelHandlerContext own = context;
        if (stalledChecks == STALL_CHECKS && own != null) {
            pair.listener.onStall();
            own.close();
        }
    }

    // ------------------------------------------------------------------ the end

    @Override
    public void userEventTriggered(ChannelHandlerContext own, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            hasEnded = true;
            peer.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(_ -> {
                if (peer instanceof DuplexChannel duplex) {
                    duplex.shutdownOutput();
                }
            });
            if (own.channel() instanceof DuplexChannel duplex && duplex.isOutputShutdown()) {
                own.close();
            }
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext own) {
        if (checks != null) {
            checks.cancel(false);
        }
        pair.onClosed();
        ByteBuf lost = gathered;
        if (lost != null) {
            lost.release();
            gathered = null;
        }
        // The other end is closed when it has taken what waits for it, or by its check for a stall.
        peer.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext own, Throwable cause) {
        own.close();
    }
}
