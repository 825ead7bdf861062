package dev.tutti.netty.internal.relay;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** Opens the reader of a rendezvous server's lines to the fuzzer. */
public final class RelayBytes {

    private static final String TICKET = "0123456789abcdef0123456789abcdef";

    private RelayBytes() {}

    /** Reads a control stream in two pieces; returns the outcome. */
    public static String control(byte[] input) {
        int[] connects = new int[1];
        EmbeddedChannel channel = new EmbeddedChannel(new ControlStream(new ControlStream.Listener() {
            @Override
            public void onConnect(String ticket, String from) {
                if (ticket.length() != TICKET.length() || from.chars().anyMatch(character -> character < ' ' || character > '~')) {
                    throw new IllegalStateException(ticket + " " + from);
                }
                connects[0]++;
            }

            @Override
            public void onEnd(String reason) {
                // The outcome says so.
            }
        }));
        int middle = input.length / 2;
        channel.writeInbound(Unpooled.wrappedBuffer(Arrays.copyOf(input, middle)));
        if (channel.isOpen()) {
            channel.writeInbound(Unpooled.wrappedBuffer(Arrays.copyOfRange(input, middle, input.length)));
        }
        boolean hasAnswered = !channel.outboundMessages().isEmpty();
        String outcome = !channel.isOpen() ? "left" : connects[0] > 0 ? "connects" : hasAnswered ? "answers" : "nothing";
        channel.finishAndReleaseAll();
        return outcome;
    }

    /** Returns streams of a server, and one that no server sends. */
    public static List<byte[]> controls() {
        return List.of(
                bytes("ping\nconnect " + TICKET + " 10.0.0.1:40000\nping\n"),
                bytes("ping\nping\n"),
                bytes("connect " + TICKET + " [2001:db8::1]:7800 of later versions\nlater\n"),
                bytes("ping".repeat(300)));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
