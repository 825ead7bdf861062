package dev.tutti.netty.internal.relay;

import dev.tutti.core.Printable;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.util.concurrent.Future;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Lines of a server to a node that is reached through it. A server that is silent, or sends something else, is left. */
final class ControlStream extends SimpleChannelInboundHandler<ByteBuf> {

    /** Longest line of a server. */
    private static final int LINE_MAX = 512;

    private static final long SILENCE_SECONDS = 15;
    private static final Pattern TICKET = Pattern.compile("[0-9a-f]{32}");

    /** Receiver of what the server says, on the loop. */
    interface Listener {

        /**
         * A node wants a connection with this one.
         *
         * @param from address from which it has come to the server, for people
         */
        void onConnect(String ticket, String from);

        void onEnd(String reason);
    }

    private final Listener listener;
    private final StringBuilder line = new StringBuilder();
    private String reason = "closed by the server";
    private @Nullable Future<?> watch;
    private boolean wasHeard;

    ControlStream(Listener listener) {
        this.listener = listener;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        watch = context.executor().scheduleAtFixedRate(() -> watch(context), SILENCE_SECONDS, SILENCE_SECONDS, TimeUnit.SECONDS);
    }

    private void watch(ChannelHandlerContext context) {
        if (!wasHeard) {
            leave(context, "silent for " + SILENCE_SECONDS + " s");
        }
        wasHeard = false;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) {
        wasHeard = true;
        while (bytes.isReadable() && context.channel().isOpen()) {
            char next = (char) bytes.readUnsignedByte();
            if (next == '\n') {
                onLine(context, line.toString());
                line.setLength(0);
            } else if (line.length() == LINE_MAX) {
                leave(context, "sends a line of more than " + LINE_MAX + " characters");
            } else {
                line.append(next);
            }
        }
    }

    private void onLine(ChannelHandlerContext context, String text) {
        String[] words = text.split(" ", 4);
        if (words[0].equals("ping")) {
            // A server that takes no answers gets no more of them.
            if (context.channel().isWritable()) {
                context.writeAndFlush(Unpooled.copiedBuffer("pong\n", StandardCharsets.US_ASCII));
            }
        } else if (words[0].equals("connect") && words.length >= 3 && TICKET.matcher(words[1]).matches()) {
            listener.onConnect(words[1], Printable.escape(words[2]));
        }
        // Other lines are of later versions.
    }

    private void leave(ChannelHandlerContext context, String why) {
        reason = why;
        context.close();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        leave(context, String.valueOf(cause.getMessage()));
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (watch != null) {
            watch.cancel(false);
        }
        listener.onEnd(reason);
    }
}
