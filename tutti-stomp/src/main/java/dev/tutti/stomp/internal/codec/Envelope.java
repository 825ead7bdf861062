package dev.tutti.stomp.internal.codec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Messages that members with a STOMP server exchange in a group; see docs/wire.md. */
public sealed interface Envelope {

    /**
     * Messages that are delivered together or not at all.
     *
     * @param number counts the sender's envelopes in the group
     * @param isConfirmed whether each member confirms to the sender that it has delivered it
     */
    record Publish(long number, boolean isConfirmed, List<Content> contents) implements Envelope {}

    /**
     * Confirms that the sender has delivered everything that the receiver published in the views that both were in.
     *
     * @param number of the receiver's last delivered envelope
     */
    record Confirm(long number) implements Envelope {}

    /** Addresses at which the sender's clients reach it, separated by commas. */
    record Endpoints(String endpoints) implements Envelope {}

    int FORMAT = 1;
    int PUBLISH = 1;
    int CONFIRM = 2;
    int ENDPOINTS = 3;
    int CONFIRMED = 1;
    int TEXT_MAX = 0xFFFF;

    static byte[] encode(Envelope envelope) {
        return switch (envelope) {
            case Publish publish -> encode(publish);
            case Confirm(long number) -> {
                ByteBuf out = Unpooled.buffer(10);
                out.writeByte(FORMAT).writeByte(CONFIRM).writeLong(number);
                yield out.array();
            }
            case Endpoints(String endpoints) -> {
                ByteBuf out = Unpooled.buffer(4 + ByteBufUtil.utf8MaxBytes(endpoints));
                out.writeByte(FORMAT).writeByte(ENDPOINTS);
                writeText(endpoints, out);
                yield ByteBufUtil.getBytes(out);
            }
        };
    }

    private static byte[] encode(Publish publish) {
        int estimate = 16;
        for (Content content : publish.contents()) {
            estimate += content.bytes();
        }
        ByteBuf out = Unpooled.buffer(estimate);
        out.writeByte(FORMAT).writeByte(PUBLISH).writeByte(publish.isConfirmed() ? CONFIRMED : 0);
        out.writeLong(publish.number()).writeShort(publish.contents().size());
        for (Content content : publish.contents()) {
            writeText(content.destination().text(), out);
            Headers headers = content.headers();
            out.writeShort(headers.count());
            for (int index = 0; index < headers.count(); index++) {
                writeText(headers.name(index), out);
                writeText(headers.value(index), out);
            }
            out.writeInt(content.body().length).writeBytes(content.body());
        }
        return ByteBufUtil.getBytes(out);
    }

    private static void writeText(String text, ByteBuf out) {
        int start = out.writerIndex();
        out.writeShort(0);
        int length = ByteBufUtil.writeUtf8(out, text);
        if (length > TEXT_MAX) {
            throw new IllegalArgumentException("a text of " + length + " bytes; at most " + TEXT_MAX);
        }
        out.setShort(start, length);
    }

    /**
     * @throws FrameException if this is no envelope, or one of a later format
     */
    static Envelope decode(byte[] bytes) throws FrameException {
        ByteBuf in = Unpooled.wrappedBuffer(bytes);
        need(in, 2);
        int format = in.readUnsignedByte();
        if (format != FORMAT) {
            throw FrameException.malformed("an envelope of format " + format + "; " + FORMAT + " is known here");
        }
        int kind = in.readUnsignedByte();
        Envelope envelope =
                switch (kind) {
                    case PUBLISH -> readPublish(in);
                    case CONFIRM -> {
                        need(in, 8);
                        yield new Confirm(in.readLong());
                    }
                    case ENDPOINTS -> new Endpoints(readText(in));
                    default -> throw FrameException.malformed("an envelope of kind " + kind);
                };
        if (in.isReadable()) {
            throw FrameException.malformed("an envelope has " + in.readableBytes() + " bytes too many");
        }
        return envelope;
    }

    private static Publish readPublish(ByteBuf in) throws FrameException {
        need(in, 11);
        boolean isConfirmed = (in.readUnsignedByte() & CONFIRMED) != 0;
        long number = in.readLong();
        int count = in.readUnsignedShort();
        List<Content> contents = new ArrayList<>();
        for (int index = 0; index < count; index++) {
            Destination destination = Destination.exact(readText(in));
            need(in, 2);
            int headerCount = in.readUnsignedShort();
            Headers headers = new Headers();
            for (int header = 0; header < headerCount; header++) {
                headers.add(readText(in), readText(in));
            }
            need(in, 4);
            int length = in.readInt();
            need(in, length);
            byte[] body = new byte[length];
            in.readBytes(body);
            contents.add(new Content(destination, headers, body));
        }
        return new Publish(number, isConfirmed, contents);
    }

    private static String readText(ByteBuf in) throws FrameException {
        need(in, 2);
        int length = in.readUnsignedShort();
        need(in, length);
        return in.readCharSequence(length, StandardCharsets.UTF_8).toString();
    }

    private static void need(ByteBuf in, int count) throws FrameException {
        if (count < 0 || in.readableBytes() < count) {
            throw FrameException.malformed("an envelope ends early");
        }
    }
}
