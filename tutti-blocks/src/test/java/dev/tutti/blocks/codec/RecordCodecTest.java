package dev.tutti.blocks.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RecordCodecTest {

    private enum Colour {
        RED,
        GREEN
    }

    private sealed interface Shape {}

    private record Circle(double radius) implements Shape {}

    private record Group(List<Shape> parts, Colour colour) implements Shape {}

    private record Everything(
            boolean flag,
            byte small,
            short medium,
            char sign,
            int number,
            long large,
            float rough,
            double exact,
            String text,
            Integer boxed,
            @Nullable String note,
            Colour colour,
            Instant at,
            Duration within,
            LocalDate day,
            UUID id,
            BigInteger whole,
            BigDecimal price,
            Optional<String> perhaps,
            List<List<Integer>> rows,
            Set<Colour> colours,
            Map<String, Shape> shapes) {}

    private static final Everything EVERYTHING = new Everything(
            true,
            (byte) -1,
            Short.MIN_VALUE,
            'ß',
            -7,
            1L << 40,
            1.5f,
            Double.NEGATIVE_INFINITY,
            "größer",
            3,
            null,
            Colour.GREEN,
            Instant.parse("2026-11-29T01:02:03.000000004Z"),
            Duration.ofMillis(-5),
            LocalDate.of(2026, 2, 28),
            new UUID(1, -2),
            BigInteger.TWO.pow(100).negate(),
            new BigDecimal("12.30"),
            Optional.of("here"),
            List.of(List.of(1, 2), List.of()),
            new LinkedHashSet<>(List.of(Colour.GREEN, Colour.RED)),
            new LinkedHashMap<>(Map.of("all", new Group(List.of(new Circle(1), new Group(List.of(), Colour.RED)), Colour.GREEN))));

    private record Tree<T>(T value, List<Tree<T>> children) {}

    private record Forest(Tree<String> words, Tree<Long> numbers) {}

    /** The same record, as it was in three versions of a program. */
    private static final class Versions {
        private record Old(int number) {}

        private record Middle(int number, long count, @Nullable String note, List<String> tags, Optional<Colour> colour) {}

        private record Demanding(int number, String name) {}
    }

    private record Percent(int value) {
        Percent {
            if (value < 0 || value > 100) {
                throw new IllegalArgumentException(value + " %");
            }
        }
    }

    private record Order(String customer, List<Percent> discounts) {}

    private record Holder(Order order, Object payload) {}

    private static <T> byte[] bytes(Codec<T> codec, T value) {
        ByteOutput out = new ByteOutput();
        codec.put(value, out);
        return out.copy();
    }

    private static <T> T read(Codec<T> codec, byte[] bytes) {
        ByteInput in = new ByteInput(bytes);
        T value = codec.take(in);
        in.end();
        return value;
    }

    private static Order refused(Codec<Order> codec, String hex) {
        return read(codec, HexFormat.of().parseHex(hex));
    }

    @Test
    void recordsComeBack() {
        Codec<Everything> codec = Codec.of(Everything.class);
        Everything read = read(codec, bytes(codec, EVERYTHING));
        assertThat(read).isEqualTo(EVERYTHING);
        assertThat(read.colours()).containsExactly(Colour.GREEN, Colour.RED);
        assertThatThrownBy(() -> read.rows().add(List.of())).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void bytesAreTheseAndNoOthers() {
        assertThat(HexFormat.of().formatHex(bytes(Codec.of(Order.class), new Order("ab", List.of(new Percent(5))))))
                .isEqualTo("00000012" + "00000002" + "6162" + "00000001" + "00000004" + "00000005");
        assertThat(HexFormat.of().formatHex(bytes(Codec.of(Shape.class), new Circle(0))))
                .isEqualTo("00000006" + HexFormat.of().formatHex("Circle".getBytes(java.nio.charset.StandardCharsets.US_ASCII)) + "00000008"
                        + "0000000000000000");
    }

    @Test
    void genericAndRecursiveRecordsHaveACodec() {
        Forest forest = new Forest(
                new Tree<>("a", List.of(new Tree<>("b", List.of()))), new Tree<>(1L, List.of(new Tree<>(2L, List.of(new Tree<>(3L, List.of()))))));
        Codec<Forest> codec = Codec.of(Forest.class);
        assertThat(read(codec, bytes(codec, forest))).isEqualTo(forest);
    }

    @Test
    void componentsAreAddedAtTheEnd() {
        byte[] old = bytes(Codec.of(Versions.Old.class), new Versions.Old(4));
        assertThat(read(Codec.of(Versions.Middle.class), old)).isEqualTo(new Versions.Middle(4, 0, null, List.of(), Optional.empty()));
        byte[] middle = bytes(Codec.of(Versions.Middle.class), new Versions.Middle(5, 6, "n", List.of("t"), Optional.of(Colour.RED)));
        assertThat(read(Codec.of(Versions.Old.class), middle)).isEqualTo(new Versions.Old(5));
        assertThatThrownBy(() -> read(Codec.of(Versions.Demanding.class), old))
                .isInstanceOf(MalformedException.class)
                .hasMessage("Demanding.name is missing: its sender has an older version of the record; annotate it with @Nullable,"
                        + " or make it an Optional");
    }

    @Test
    void malformedBytesAreNamedByRecordAndComponent() {
        Codec<Order> codec = Codec.of(Order.class);
        assertThatThrownBy(() -> refused(codec, "00000012" + "00000002" + "6162" + "00000001" + "00000004" + "00000065"))
                .isInstanceOf(MalformedException.class)
                .hasMessage("Order.discounts: Percent is refused by its constructor: 101 %");
        assertThatThrownBy(() -> refused(codec, "00000006" + "00000005" + "6162"))
                .isInstanceOf(MalformedException.class)
                .hasMessage("Order.customer: a count of 5 with 2 bytes left");
        assertThatThrownBy(() -> refused(codec, "7fffffff")).isInstanceOf(MalformedException.class);
        assertThatThrownBy(() -> read(Codec.of(Colour.class), bytes(Codec.TEXT, "BLUE\n")))
                .hasMessage("Colour has no constant \"BLUE?\", only [RED, GREEN]");
        assertThatThrownBy(() -> read(Codec.of(Shape.class), bytes(Codec.TEXT, "Square")))
                .hasMessage("Shape has no alternative \"Square\", only [Circle, Group]");
    }

    @Test
    @SuppressWarnings("NullAway") // what careless users do
    void valuesThatCantBeSentAreNamedByRecordAndComponent() {
        Codec<Order> codec = Codec.of(Order.class);
        assertThatNullPointerException()
                .isThrownBy(() -> bytes(codec, new Order(null, List.of())))
                .withMessage("Order.customer is null; annotate it with @Nullable, or make it an Optional");
        assertThatNullPointerException()
                .isThrownBy(() -> bytes(codec, new Order("a", java.util.Collections.singletonList(null))))
                .withMessage("Order.discounts: Percent is null");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Codec.of(Holder.class))
                .withMessageStartingWith("there is no codec for java.lang.Object, the type of Holder.payload;");
        assertThatIllegalArgumentException().isThrownBy(() -> Codec.of(Map.class)).withMessageStartingWith("there is no codec for java.util.Map");
    }

    @Test
    void valuesLieInEachOtherToADepth() {
        Codec<Forest> codec = Codec.of(Forest.class);
        Tree<String> deep = new Tree<>("", List.of());
        for (int depth = 2; depth < Codecs.DEPTH_MAX; depth++) {
            deep = new Tree<>("", List.of(deep));
        }
        Forest deepest = new Forest(deep, new Tree<>(0L, List.of()));
        byte[] bytes = bytes(codec, deepest);
        assertThat(read(codec, bytes)).isEqualTo(deepest);
        Forest deeper = new Forest(new Tree<>("", List.of(deep)), new Tree<>(0L, List.of()));
        assertThatIllegalArgumentException().isThrownBy(() -> bytes(codec, deeper)).withMessageContaining("more than 64 others");

        // A peer that writes bytes of its own: each record begins with a length and an empty text, and holds one more.
        StringBuilder hostile = new StringBuilder();
        for (int depth = 0; depth < 200; depth++) {
            int rest = (200 - depth) * 12;
            hostile.append("%08x%08x%08x".formatted(rest - 4, 0, 1));
        }
        byte[] tower = HexFormat.of().parseHex(String.format("%08x", hostile.length() / 2) + hostile);
        assertThatThrownBy(() -> read(codec, tower)).isInstanceOf(MalformedException.class).hasMessageContaining("more than 64 others");
    }

    private static Stream<Codec<?>> codecs() {
        return Stream.of(Codec.of(Everything.class), Codec.of(Forest.class), Codec.of(Shape.class));
    }

    @ParameterizedTest
    @MethodSource("codecs")
    void changedBytesAreAValueOrMalformed(Codec<?> codec) {
        byte[] whole = bytes(Codec.of(Everything.class), EVERYTHING);
        Random random = new Random(7);
        int malformed = 0;
        for (int round = 0; round < 2_000; round++) {
            byte[] bytes = whole.clone();
            for (int change = random.nextInt(1, 4); change > 0; change--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            try {
                codec.take(new ByteInput(bytes));
            } catch (MalformedException e) {
                malformed++;
            }
        }
        assertThat(malformed).isPositive();
    }

    @Test
    void setsAndMapsWithDoublesAreRefused() {
        assertThatThrownBy(() -> read(Codec.set(Codec.INT), HexFormat.of().parseHex("00000002" + "00000001" + "00000001")))
                .isInstanceOf(MalformedException.class)
                .hasMessage("a set of 2 values, of which 1 differ");
        assertThatThrownBy(() -> read(Codec.map(Codec.BOOLEAN, Codec.nullable(Codec.BOOLEAN)), HexFormat.of().parseHex("00000002" + "0100" + "0100")))
                .isInstanceOf(MalformedException.class)
                .hasMessage("a map with 2 keys, of which 1 differ");
    }
}
