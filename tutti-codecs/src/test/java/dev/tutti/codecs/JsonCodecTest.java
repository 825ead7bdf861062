package dev.tutti.codecs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.Codecs;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.codec.TooLongException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.core.type.TypeReference;

class JsonCodecTest {

    record Line(String article, int count, BigDecimal price) {
        Line {
            if (count < 0) {
                throw new IllegalArgumentException("a count of " + count);
            }
        }
    }

    record Order(UUID id, List<Line> lines, Instant at, @Nullable String note) {}

    /** An earlier version of the order. */
    record FirstOrder(UUID id, List<Line> lines) {}

    /** A later version. */
    record LastOrder(boolean isPaid, UUID id, List<Line> lines, int parcels, Instant at, @Nullable String note, Optional<String> gift) {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.SIMPLE_NAME)
    sealed interface Event {}

    record Said(String text) implements Event {}

    record Moved(int x, int y) implements Event {}

    record Point(int x, int y) {}

    record Box(@Nullable Box inner) {}

    private static final JsonCodec<Order> ORDERS = JsonCodec.of(Order.class);
    private static final Order ORDER =
            new Order(new UUID(1, 2), List.of(new Line("tea", 3, new BigDecimal("4.50"))), Instant.parse("2026-11-29T08:00:00.000000001Z"), null);

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

    private static byte[] json(String text) {
        return bytes(Codec.TEXT, text);
    }

    private static String problem(Codec<?> codec, String text) {
        try {
            return "no problem with " + value(codec, json(text));
        } catch (MalformedException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @Test
    void valuesComeBackAsTheyWere() {
        assertThat(value(ORDERS, bytes(ORDERS, ORDER))).isEqualTo(ORDER);
        Codec<Map<String, List<Integer>>> scores = JsonCodec.of(new TypeReference<Map<String, List<Integer>>>() {});
        assertThat(value(scores, bytes(scores, Map.of("ann", List.of(1, 2))))).isEqualTo(Map.of("ann", List.of(1, 2)));
        Codec<Event> events = JsonCodec.of(Event.class);
        assertThat(value(events, bytes(events, new Said("grüß dich")))).isEqualTo(new Said("grüß dich"));
        assertThat(value(events, bytes(events, new Moved(1, 2)))).isEqualTo(new Moved(1, 2));
    }

    @Test
    void theBytesAreALengthAndJson() {
        assertThat(new String(bytes(JsonCodec.of(Point.class), new Point(1, 2)), 4, 13, StandardCharsets.UTF_8)).isEqualTo("{\"x\":1,\"y\":2}");
    }

    @Test
    void membersWithOlderAndNewerVersionsUnderstandEachOther() {
        assertThat(value(JsonCodec.of(FirstOrder.class), bytes(ORDERS, ORDER))).isEqualTo(new FirstOrder(ORDER.id(), ORDER.lines()));
        assertThat(value(JsonCodec.of(LastOrder.class), bytes(ORDERS, ORDER)))
                .isEqualTo(new LastOrder(false, ORDER.id(), ORDER.lines(), 0, ORDER.at(), null, Optional.empty()));
    }

    @Test
    void problemsNameTypeAndProperty() {
        assertThat(problem(ORDERS, "{\"lines\": [{\"count\": 1}, {\"count\": \"many\"}]}")).startsWith("Order.lines[1].count: ");
        assertThat(problem(ORDERS, "{\"lines\": [{\"count\": -1}]}")).startsWith("Order.lines[0]: ").contains("a count of -1");
        assertThat(problem(ORDERS, "{\"at\": \"now\"}")).startsWith("Order.at: ");
        assertThat(problem(ORDERS, "{\"id\"")).startsWith("Order: ");
        assertThat(problem(ORDERS, "{} {}")).startsWith("Order: ");
        assertThat(problem(ORDERS, "")).startsWith("Order: ");
        assertThat(problem(ORDERS, "null")).isEqualTo("Order is null");
        assertThat(problem(JsonCodec.of(Event.class), "{\"@type\": \"Thread\"}")).startsWith("Event: ");
        assertThat(problem(JsonCodec.of(new TypeReference<List<Line>>() {}), "[{\"count\": []}]")).startsWith("List[0].count: ");
    }

    @Test
    void whatOthersHaveWrittenStaysOnOneShortLine() {
        String problem = problem(ORDERS, "{\"at\": \"\\n\\u001b[31m" + "x".repeat(10_000) + "\"}");
        assertThat(problem).startsWith("Order.at: ").hasSizeLessThan(500).doesNotContain("\n", "\u001b");
    }

    @Test
    void valuesThatCantBeWrittenAreRefused() {
        List<Object> endless = new ArrayList<>();
        endless.add(endless);
        assertThatThrownBy(() -> bytes(JsonCodec.of(Object.class), endless))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("Object");
        assertThatThrownBy(() -> bytes(JsonCodec.of(Object.class), new Object() {
                    public String getName() {
                        throw new IllegalStateException("has none");
                    }
                }))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @SuppressWarnings("NullAway") // what careless users do
    void nullIsRefused() {
        assertThatThrownBy(() -> bytes(ORDERS, null)).isInstanceOf(NullPointerException.class).hasMessage("Order is null");
    }

    @Test
    void sizeAndDepthAreBounded() {
        JsonCodec<String> texts = JsonCodec.of(String.class).bytesMax(10);
        assertThat(value(texts, bytes(texts, "12345678"))).isEqualTo("12345678");
        assertThatThrownBy(() -> bytes(texts, "123456789"))
                .isInstanceOf(TooLongException.class)
                .hasMessage("String has 11 bytes of JSON, at most 10 are allowed; see bytesMax");
        assertThat(problem(texts, "\"123456789\"")).isEqualTo("String has 11 bytes of JSON, at most 10 are allowed; see bytesMax");
        assertThatThrownBy(() -> texts.bytesMax(0)).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("at least 1");

        int most = Codecs.DEPTH_MAX - 1;
        JsonCodec<Box> boxes = JsonCodec.of(Box.class);
        String deepest = "{\"inner\":".repeat(most) + "{}" + "}".repeat(most);
        assertThat(bytes(boxes, value(boxes, json(deepest)))).hasSizeGreaterThan(most * 10);
        assertThat(problem(boxes, "{\"inner\":" + deepest + "}")).startsWith("Box").contains("depth");
        assertThat(problem(JsonCodec.of(Object.class), "[".repeat(100_000))).contains("depth");
        // A number whose expansion would take gigabytes.
        assertThat(problem(JsonCodec.of(java.math.BigInteger.class), "1e999999999")).startsWith("BigInteger: ");
    }

    @Test
    void aMapperOfTheApplicationsOwnIsUsed() {
        JsonCodec<Order> strict = ORDERS.with(JsonCodec.mapper()
                .enable(tools.jackson.databind.DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .build());
        assertThat(problem(strict, "{\"colour\": \"red\"}")).startsWith("Order.colour: ");
        assertThat(problem(strict.bytesMax(5), "{\"colour\": \"red\"}")).contains("at most 5 are allowed");
        assertThat(strict).hasToString("JSON codec of dev.tutti.codecs.JsonCodecTest$Order");
    }
}
