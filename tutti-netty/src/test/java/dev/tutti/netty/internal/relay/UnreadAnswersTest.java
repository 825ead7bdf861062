package dev.tutti.netty.internal.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Peers that ask for answers without end, and take none of them. */
class UnreadAnswersTest {

    private static final int ROUNDS = 20_000;
    private static final long BYTES_MAX = 128 << 10;

    /** Keeps what is written, as a socket does whose peer does not read. */
    private static final class Stuck extends ChannelOutboundHandlerAdapter {

        @Override
        public void flush(ChannelHandlerContext context) {
            // Nothing is taken.
        }
    }

    private static EmbeddedChannel stuck(ChannelHandler handler) {
        return new EmbeddedChannel(new Stuck(), handler);
    }

    private static long waitingBytes(EmbeddedChannel channel) {
        return channel.unsafe().outboundBuffer().totalPendingWriteBytes();
    }

    @Test
    void pingsOfAWebSocketHoldLittleMemory() {
        EmbeddedChannel channel = stuck(new WebSocketBytes());
        List<ByteBuf> payloads = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            ByteBuf payload = Unpooled.buffer(100).writeZero(100);
            payloads.add(payload);
            channel.writeInbound(new PingWebSocketFrame(payload));
        }
        assertThat(waitingBytes(channel)).isBetween(1L, BYTES_MAX);
        channel.finishAndReleaseAll();
        assertThat(payloads).allMatch(payload -> payload.refCnt() == 0);
    }

    @Test
    void pingsOfAServerHoldLittleMemory() {
        List<String> ended = new ArrayList<>();
        EmbeddedChannel channel = stuck(new ControlStream(new ControlStream.Listener() {
            @Override
            public void onConnect(String ticket, String from) {
                throw new AssertionError(ticket);
            }

            @Override
            public void onEnd(String reason) {
                ended.add(reason);
            }
        }));
        for (int round = 0; round < ROUNDS; round++) {
            channel.writeInbound(Unpooled.copiedBuffer("ping\n".repeat(10), StandardCharsets.US_ASCII));
        }
        assertThat(waitingBytes(channel)).isBetween(1L, BYTES_MAX);
        assertThat(ended).isEmpty();
        channel.finishAndReleaseAll();
    }
}
