package dev.tutti.codecs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.UninterpretedOption;
import com.google.protobuf.ListValue;
import com.google.protobuf.MessageLite;
import com.google.protobuf.StringValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.codec.TooLongException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class ProtobufCodecTest {

    private static final ProtobufCodec<FileDescriptorProto> FILES = ProtobufCodec.of(FileDescriptorProto.getDefaultInstance());
    private static final ProtobufCodec<Any> ANY = ProtobufCodec.of(Any.getDefaultInstance());

    private static final FileDescriptorProto FILE = FileDescriptorProto.newBuilder()
            .setName("shop.proto")
            .addMessageType(com.google.protobuf.DescriptorProtos.DescriptorProto.newBuilder()
                    .setName("Order")
                    .addField(com.google.protobuf.DescriptorProtos.FieldDescriptorProto.newBuilder().setName("article").setNumber(1)))
            .build();

    private static <T> byte[] bytes(Codec<T> codec, T value) {
        ByteOutput out = new ByteOutput();
        codec.put(value, out);
        return out.copy();
    }

    private static <T> T value(Codec<T> codec, byte[] bytes) {
        ByteInput in = new ByteInput(bytes);
        T value = codec.take(in);
        in.end();
        return value;
    }

    private static String problem(Codec<?> codec, byte[] message) {
        try {
            return "no problem with " + value(codec, bytes(Codec.BYTES, message));
        } catch (MalformedException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @Test
    void messagesComeBackAsTheyWere() {
        assertThat(value(FILES, bytes(FILES, FILE))).isEqualTo(FILE);
        assertThat(value(FILES, bytes(FILES, FileDescriptorProto.getDefaultInstance()))).isEqualTo(FileDescriptorProto.getDefaultInstance());
    }

    @Test
    void equalMessagesHaveEqualBytes() {
        ProtobufCodec<Struct> structs = ProtobufCodec.of(Struct.getDefaultInstance());
        Struct.Builder forth = Struct.newBuilder();
        Struct.Builder back = Struct.newBuilder();
        for (int index = 0; index < 50; index++) {
            forth.putFields("k" + index, text("v"));
            back.putFields("k" + (49 - index), text("v"));
        }
        assertThat(bytes(structs, forth.build())).isEqualTo(bytes(structs, back.build()));
    }

    private static Value text(String text) {
        return Value.newBuilder().setStringValue(text).build();
    }

    /** {@code StringValue} has the first field of {@code Any}, so it stands for an older version of it. */
    @Test
    void membersWithOlderAndNewerVersionsUnderstandEachOther() {
        ProtobufCodec<StringValue> old = ProtobufCodec.of(StringValue.getDefaultInstance());
        Any any = Any.newBuilder().setTypeUrl("a").setValue(ByteString.copyFromUtf8("b")).build();
        StringValue older = value(old, bytes(ANY, any));
        assertThat(older.getValue()).isEqualTo("a");
        assertThat(value(ANY, bytes(old, older))).as("what the older version does not know is kept").isEqualTo(any);
        assertThat(value(ANY, bytes(old, StringValue.of("a")))).isEqualTo(Any.newBuilder().setTypeUrl("a").build());
    }

    @Test
    void problemsNameTypeAndField() {
        byte[] file = FILE.toByteArray();
        for (int length = 1; length < file.length; length++) {
            assertThat(problem(FILES, Arrays.copyOf(file, length))).matches("(no problem with |FileDescriptorProto[.:])(?s:.*)");
        }
        assertThat(problem(FILES, Arrays.copyOf(file, file.length - 1))).startsWith("FileDescriptorProto.message_type: ");
        // Field 1, a text of two bytes that are no UTF-8.
        assertThat(problem(ANY, new byte[] {10, 2, -1, -1})).startsWith("Any.type_url: ");
        // A list of a value whose third field is such a text.
        ProtobufCodec<ListValue> lists = ProtobufCodec.of(ListValue.getDefaultInstance());
        assertThat(problem(lists, new byte[] {10, 4, 26, 2, -1, -1})).startsWith("ListValue.values.string_value: ");
        assertThat(problem(lists, new byte[] {0})).startsWith("ListValue: ");
        assertThat(problem(lists, new byte[] {12})).startsWith("ListValue");
    }

    @Test
    void messagesWithoutRequiredFieldsAreRefused() {
        ProtobufCodec<UninterpretedOption.NamePart> parts = ProtobufCodec.of(UninterpretedOption.NamePart.getDefaultInstance());
        assertThatThrownBy(() -> bytes(parts, UninterpretedOption.NamePart.newBuilder().setNamePart("a").buildPartial()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("NamePart lacks required fields: is_extension");
        assertThat(problem(parts, new byte[0])).startsWith("NamePart: ").contains("name_part");
    }

    @Test
    @SuppressWarnings("NullAway") // what careless users do
    void nullIsRefused() {
        assertThatThrownBy(() -> bytes(ANY, null)).isInstanceOf(NullPointerException.class).hasMessage("Any is null");
    }

    @Test
    void sizeAndDepthAreBounded() {
        ProtobufCodec<StringValue> texts = ProtobufCodec.of(StringValue.getDefaultInstance()).bytesMax(10);
        assertThat(value(texts, bytes(texts, StringValue.of("12345678")))).isEqualTo(StringValue.of("12345678"));
        assertThatThrownBy(() -> bytes(texts, StringValue.of("123456789")))
                .isInstanceOf(TooLongException.class)
                .hasMessage("StringValue has 11 bytes of Protocol Buffers, at most 10 are allowed; see bytesMax");
        assertThat(problem(texts, StringValue.of("123456789").toByteArray())).contains("at most 10 are allowed");

        ProtobufCodec<Value> values = ProtobufCodec.of(Value.getDefaultInstance());
        assertThat(problem(values, nested(30).toByteArray())).startsWith("no problem");
        assertThat(problem(values, nested(40).toByteArray())).startsWith("Value.list_value.values.");
        assertThat(problem(values, nested(4_000).toByteArray())).startsWith("Value.list_value.values.").hasSizeLessThan(500);
    }

    /** Returns a value in so many lists, each of which is a message in a message. */
    private static MessageLite nested(int lists) {
        Value value = text("x");
        ByteString bytes = value.toByteString();
        for (int index = 0; index < lists; index++) {
            bytes = lengthDelimited(6, lengthDelimited(1, bytes));
        }
        return StringValue.newBuilder().setUnknownFields(fields(bytes)).build();
    }

    private static com.google.protobuf.UnknownFieldSet fields(ByteString message) {
        try {
            return com.google.protobuf.UnknownFieldSet.parseFrom(message);
        } catch (com.google.protobuf.InvalidProtocolBufferException e) {
            throw new IllegalStateException(e);
        }
    }

    private static ByteString lengthDelimited(int field, ByteString content) {
        return com.google.protobuf.UnknownFieldSet.newBuilder()
                .addField(field, com.google.protobuf.UnknownFieldSet.Field.newBuilder().addLengthDelimited(content).build())
                .build()
                .toByteString();
    }
}
