package dev.tutti.grid.internal.codec;

import dev.tutti.blocks.Values;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.grid.Answer;
import dev.tutti.grid.Body;
import dev.tutti.grid.ClockQuality;
import dev.tutti.grid.Entry;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Gap;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Query;
import dev.tutti.grid.Topic;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Opens the codecs of the grid to the fuzzer. The first byte of an input chooses the codec. */
public final class GridBytes {

    private static final Codec<Answer<Entry>> ENTRIES = GridCodec.answer(GridCodec.ENTRY);

    private static final List<Codec<?>> CODECS = List.of(
            GridCodec.MEASUREMENT, GridCodec.BODY, GridCodec.FILTER, GridCodec.ENTRY, GridCodec.GAP, GridCodec.QUERY, ENTRIES);

    private static final Filter FILTER = Filter.topic("hosts/*/cpu/#").with("os", "linux").where("value > 1");

    private GridBytes() {}

    /** A value, and its codec; refused if there is none. */
    public record Taken(Codec<?> codec, Object value) {

        /** Returns the type of the value, after a check that it is the same when it is written and read again. */
        public String check() {
            if (value instanceof MalformedException) {
                return "refused";
            }
            check(codec);
            return value.getClass().getSimpleName();
        }

        @SuppressWarnings("unchecked") // It is the codec that has taken the value.
        private <T> void check(Codec<T> same) {
            Values.checkRoundTrip(same, (T) value);
        }
    }

    /** Reads a value. */
    public static Taken take(byte[] input) {
        ByteInput in = new ByteInput(input);
        try {
            Codec<?> codec = CODECS.get((in.takeByte() & 0xff) % CODECS.size());
            Object value = codec.take(in);
            in.end();
            return new Taken(codec, value);
        } catch (MalformedException e) {
            return new Taken(Codec.NOTHING, e);
        }
    }

    private static Measurement measurement(Body body) {
        return new Measurement(
                "web1-1-1", 7, Topic.of("hosts/web1/cpu"), Map.of("os", "linux"), Instant.ofEpochSecond(1), ClockQuality.UNKNOWN, body);
    }

    private static Entry entry(List<Filter> filters) {
        return new Entry("web1-1-1", Entry.Kind.PRODUCER, "größe", "paris", "n1", "http://a/", filters, "cpu", "{}", 0.5, 3, Map.of("k", "v"));
    }

    /** Returns values of each type, among them those of very many parts. */
    public static List<byte[]> seeds() {
        Map<String, Body> many = new TreeMap<>();
        for (int i = 0; i < 4_000; i++) {
            many.put(Integer.toString(i, 36), Body.of(""));
        }
        return Stream.of(
                        seed(0, GridCodec.MEASUREMENT, measurement(Body.of(1.5, "ms"))),
                        seed(0, GridCodec.MEASUREMENT, measurement(Body.of(new byte[10]))),
                        seed(1, GridCodec.BODY, Body.of("text")),
                        seed(1, GridCodec.BODY, Body.of(1.5, "ms")),
                        seed(1, GridCodec.BODY, Body.of(new byte[10])),
                        seed(1, GridCodec.BODY, new Body.Values(Map.of("a", Body.of(1), "b", Body.of("x")))),
                        seed(1, GridCodec.BODY, new Body.Values(many)),
                        seed(1, GridCodec.BODY, new Body.Histogram(List.of(1.0, 2.0), List.of(1L, 2L, 300L), 4, "ms")),
                        seed(2, GridCodec.FILTER, FILTER),
                        seed(3, GridCodec.ENTRY, entry(List.of(FILTER, Filter.ALL))),
                        seed(3, GridCodec.ENTRY, entry(Collections.nCopies(Entry.FILTERS_MAX, Filter.ALL))),
                        seed(4, GridCodec.GAP, new Gap("web1-1-1", 300, "full")),
                        seed(5, GridCodec.QUERY, Query.PRODUCERS.on("hosts/#").with("os", "linux").at("paris").within(Duration.ofMillis(1))),
                        seed(6, ENTRIES, new Answer<>(List.of(entry(List.of(FILTER))), List.of("tokyo: no answer"))),
                        seed(6, ENTRIES, new Answer<>(List.of(), Collections.nCopies(4_000, ""))))
                .toList();
    }

    private static <T> byte[] seed(int codec, Codec<T> type, T value) {
        byte[] bytes = Values.bytes(type, value);
        byte[] seed = new byte[bytes.length + 1];
        seed[0] = (byte) codec;
        System.arraycopy(bytes, 0, seed, 1, bytes.length);
        return seed;
    }
}
