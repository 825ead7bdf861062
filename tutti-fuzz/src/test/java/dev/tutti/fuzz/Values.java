package dev.tutti.fuzz;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.UninterpretedOption;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.codecs.JsonCodec;
import dev.tutti.codecs.ProtobufCodec;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Values in formats that a library reads. */
final class Values {

    /** A value with a part of each kind, and parts of its own kind. */
    record Note(String text, List<Note> inner, int number, Instant at, Map<String, BigDecimal> prices, Optional<double[]> scores) {}

    static final Codec<Note> JSON = JsonCodec.of(Note.class);
    static final Codec<FileDescriptorProto> PROTOBUF = ProtobufCodec.of(FileDescriptorProto.getDefaultInstance());

    private Values() {}

    static String take(Codec<?> codec, byte[] input) {
        try {
            ByteInput in = new ByteInput(input);
            codec.take(in);
            in.end();
            return "taken";
        } catch (MalformedException e) {
            return "refused";
        }
    }

    private static <T> byte[] bytes(Codec<T> codec, T value) {
        ByteOutput out = new ByteOutput();
        codec.put(value, out);
        return out.copy();
    }

    static List<byte[]> json() {
        Note inner = new Note("b\u0001ü", List.of(), -1, Instant.EPOCH, Map.of(), Optional.empty());
        Note note = new Note("a", List.of(inner, inner), 7, Instant.EPOCH, Map.of("tea", new BigDecimal("4.50")), Optional.of(new double[] {1, 2.5e300}));
        return List.of(
                bytes(JSON, note),
                text("{\"inner\":".repeat(70) + "{}" + "}".repeat(70)),
                text("{\"unknown\":" + "[".repeat(40) + "]".repeat(40) + "}"),
                text("{\"prices\":{\"a\":1e99999}}"),
                text("{\"inner\":[" + "{},".repeat(2_000) + "{}]}"));
    }

    private static byte[] text(String json) {
        return bytes(Codec.BYTES, json.getBytes(StandardCharsets.UTF_8));
    }

    static List<byte[]> protobuf() {
        DescriptorProto type = DescriptorProto.newBuilder()
                .setName("Order")
                .addField(FieldDescriptorProto.newBuilder().setName("article").setNumber(1))
                .build();
        DescriptorProto nested = type;
        for (int depth = 0; depth < 30; depth++) {
            nested = DescriptorProto.newBuilder().addNestedType(nested).build();
        }
        FileDescriptorProto.Builder file = FileDescriptorProto.newBuilder().setName("shop.proto").addMessageType(type).addMessageType(nested);
        file.getOptionsBuilder()
                .addUninterpretedOption(UninterpretedOption.newBuilder()
                        .addName(UninterpretedOption.NamePart.newBuilder().setNamePart("a").setIsExtension(false)));
        return List.of(bytes(PROTOBUF, file.build()), bytes(PROTOBUF, FileDescriptorProto.getDefaultInstance()));
    }
}
