package dev.tutti.codecs;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import com.google.protobuf.WireFormat;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.Codecs;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.codec.TooLongException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;

/**
 * Codec of messages of Protocol Buffers, whose classes {@code protoc} has generated, for the full and the lite runtime: a length, and the message. Of
 * the fields of a map those with the lesser keys come first, so that equal messages have equal bytes. Immutable; may be used by any number of
 * threads.
 *
 * <p><b>Versions.</b> The rules of Protocol Buffers: fields that a type does not have are kept, and written again; fields that are missing have
 * their default.
 *
 * <p><b>Bounds.</b> A message has at most {@link #bytesMax} bytes, and messages lie in each other to a depth of {@value Codecs#DEPTH_MAX}. A message
 * that is longer is refused when it is written, and malformed when it is read, as is one that is deeper.
 *
 * <p><b>Errors.</b> Messages of exceptions name the type and, with the full runtime, the field: {@code Order.lines.article: …}.
 *
 * @param <M> the messages
 */
@SuppressWarnings("exports") // who uses the codec requires the library
public final class ProtobufCodec<M extends MessageLite> implements Codec<M> {

    private static final int BYTES_MAX = 16 << 20;

    private final M prototype;
    private final Parser<? extends MessageLite> parser;
    private final String name;
    private final int bytesMax;

    private ProtobufCodec(M prototype, int bytesMax) {
        this.prototype = prototype;
        this.parser = prototype.getParserForType();
        this.name = prototype instanceof Message full
                ? full.getDescriptorForType().getName()
                : Problems.name(prototype.getClass().getName());
        this.bytesMax = bytesMax;
    }

    /** Returns the codec of a type of messages, given its default instance: {@code ProtobufCodec.of(Order.getDefaultInstance())}. */
    public static <M extends MessageLite> ProtobufCodec<M> of(M defaultInstance) {
        return new ProtobufCodec<>(Objects.requireNonNull(defaultInstance, "of: the default instance is null"), BYTES_MAX);
    }

    /**
     * Returns this codec with another maximum of bytes of a message, 1 or more; 16 MiB by default. All members have the same one: a message that is
     * too long for some of them is malformed there.
     */
    public ProtobufCodec<M> bytesMax(int bytes) {
        return new ProtobufCodec<>(prototype, Problems.checkedBytesMax(bytes));
    }

    /**
     * Puts a message.
     *
     * @throws IllegalArgumentException if it lacks required fields, as those that {@code buildPartial} has made may
     * @throws TooLongException if it has more than {@link #bytesMax} bytes
     */
    @Override
    public void put(M message, ByteOutput out) {
        if (message == null) {
            throw new NullPointerException(name + " is null");
        }
        if (!message.isInitialized()) {
            throw new IllegalArgumentException(name + " lacks required fields"
                    + (message instanceof Message full ? ": " + full.getInitializationErrorString() : ""));
        }
        int length = message.getSerializedSize();
        Problems.checkLength(name, "Protocol Buffers", length, bytesMax);
        byte[] bytes = new byte[length];
        CodedOutputStream stream = CodedOutputStream.newInstance(bytes);
        stream.useDeterministicSerialization();
        try {
            message.writeTo(stream);
        } catch (IOException e) {
            throw new UncheckedIOException(name + " can't be written", e);
        }
        stream.checkNoSpaceLeft();
        out.putBytes(bytes);
    }

    @Override
    @SuppressWarnings("unchecked") // the parser is that of the prototype
    public M take(ByteInput in) {
        byte[] bytes = in.takeBytes();
        if (bytes.length > bytesMax) {
            throw new MalformedException(Problems.tooLong(name, "Protocol Buffers", bytes.length, bytesMax));
        }
        try {
            CodedInputStream stream = stream(bytes);
            M message = (M) parser.parseFrom(stream);
            stream.checkLastTagWas(0);
            return message;
        } catch (InvalidProtocolBufferException e) {
            String place = prototype instanceof Message full ? place(full.getDescriptorForType(), stream(bytes), 0) : "";
            throw new MalformedException(Problems.at(name + place, String.valueOf(e.getMessage())));
        }
    }

    private static CodedInputStream stream(byte[] bytes) {
        CodedInputStream stream = CodedInputStream.newInstance(bytes);
        stream.setRecursionLimit(Codecs.DEPTH_MAX);
        return stream;
    }

    /** Returns the path of the field at which reading fails, each name after a dot; empty if it is in none. */
    private static String place(Descriptor type, CodedInputStream in, int depth) {
        String field = "";
        try {
            for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
                FieldDescriptor found = type.findFieldByNumber(WireFormat.getTagFieldNumber(tag));
                field = found == null ? "" : "." + found.getName();
                boolean hasLength = WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_LENGTH_DELIMITED;
                if (found != null && hasLength && found.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
                    if (depth == Codecs.DEPTH_MAX) {
                        return field;
                    }
                    int outer = in.pushLimit(in.readRawVarint32());
                    String inner = place(found.getMessageType(), in, depth + 1);
                    if (!inner.isEmpty() || !in.isAtEnd()) {
                        return field + inner;
                    }
                    in.popLimit(outer);
                } else if (found != null && hasLength && found.getType() == FieldDescriptor.Type.STRING) {
                    in.readStringRequireUtf8();
                } else if (!in.skipField(tag)) {
                    return field;
                }
                field = "";
            }
            return "";
        } catch (IOException e) {
            return field;
        }
    }

    @Override
    public String toString() {
        return "Protocol Buffers codec of " + name;
    }
}
