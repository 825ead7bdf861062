package dev.tutti.rendezvous.internal.relay;

import dev.tutti.rendezvous.internal.registry.ListedNode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.util.concurrent.Future;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The control stream of a node: lines of the server, and a sign of life of the node. */
public final class ControlHandler extends SimpleChannelInboundHandler<ByteBuf> implements ListedNode.Control {

    private static final long PING_SECONDS = 5;
    private static final int SILENT_PINGS_MAX = 3;

    /** Receiver of the end, on the connection's loop. */
    public interface End {
        void onEnd(boolean wasSilent);
    }

    private final End end;
    private volatile @Nullable ChannelHandlerContext context;
    private @Nullable Future<?> pings;
    private int unanswered;
    private boolean isReplaced;

    public ControlHandler(End end) {
        this.end = end;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
        pings = added.executor().scheduleAtFixedRate(this::ping, PING_SECONDS, PING_SECONDS, TimeUnit.SECONDS);
    }

    private void ping() {
        if (unanswered == SILENT_PINGS_MAX) {
            close();
            return;
        }
        unanswered++;
        send("ping\n");
    }

    private void close() {
        ChannelHandlerContext open = context;
        if (open != null) {
            open.close();
        }
    }

    private void send(String line) {
        ChannelHandlerContext open = context;
        if (open != null && open.channel().isWritable()) {
            open.writeAndFlush(Unpooled.copiedBuffer(line, StandardCharsets.US_ASCII));
        }
    }

    @Override
    public void connect(String ticket, String from) {
        send("connect " + ticket + " " + from + "\n");
    }

    @Override
    public void replace() {
        isReplaced = true;
        close();
    }

    @Override
    protected void channelRead0(ChannelHandlerContext reading, ByteBuf bytes) {
        // A node has nothing to say but that it is there.
        unanswered = 0;
    }

    @Override
    public void channelInactive(ChannelHandlerContext inactive) {
        if (pings != null) {
            pings.cancel(false);
        }
        end.onEnd(unanswered == SILENT_PINGS_MAX && !isReplaced);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext failing, Throwable cause) {
        failing.close();
    }
}
