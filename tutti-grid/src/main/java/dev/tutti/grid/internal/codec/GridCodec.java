package dev.tutti.grid.internal.codec;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
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
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Codecs of the grid's records. A value is a frame: a byte with the version of the encoding, and the fields, which say where
 * they end, so that frames may follow each other. Records within a record have no version of their own.
 *
 * <p>A value that its record's constructor refuses is malformed. Taking allocates in proportion to the bytes that are there.
 * Characters that UTF-8 does not have, which are halves of pairs, are replaced by question marks.
 */
public final class GridCodec {

    /** Version of the encoding. Members refuse frames of others. */
    public static final int VERSION = 1;

    /** Measurements, with a resolution of microseconds. */
    public static final Codec<Measurement> MEASUREMENT =
            framed("measurement", GridCodec::takeMeasurement, GridCodec::putMeasurement);

    /** Bodies of measurements. */
    public static final Codec<Body> BODY = framed("body", Bodies::take, Bodies::put);

    /** Filters. */
    public static final Codec<Filter> FILTER = framed("filter", GridCodec::takeFilter, GridCodec::putFilter);

    /** Entries of the registry. */
    public static final Codec<Entry> ENTRY = framed("entry", GridCodec::takeEntry, GridCodec::putEntry);

    /** Gaps. */
    public static final Codec<Gap> GAP = framed("gap", GridCodec::takeGap, GridCodec::putGap);

    /** Queries of the registry. */
    public static final Codec<Query> QUERY = framed("query", GridCodec::takeQuery, GridCodec::putQuery);

    // On the wire: a number is never used for another kind.
    private static final int BOTH = 0;
    private static final int PRODUCER = 1;
    private static final int CONSUMER = 2;

    /** Fewest bytes of a filter: its topic of one character, the number of tags, and the length of the selector. */
    private static final int FILTER_BYTES_MIN = 4;

    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final long NANOS_PER_MICRO = 1_000;

    private GridCodec() {}

    /** Returns the codec of answers with items of one type. */
    public static <T> Codec<Answer<T>> answer(Codec<T> items) {
        return framed(
                "answer",
                in -> new Answer<>(takeList(items::take, 1, in), takeList(Compact::takeText, 1, in)),
                (answer, out) -> {
                    putList(answer.items(), items::put, out);
                    putList(answer.missing(), Compact::putText, out);
                });
    }

    private static <T> Codec<T> framed(String name, Function<ByteInput, T> take, BiConsumer<T, ByteOutput> put) {
        return Codec.of(
                in -> {
                    int version = in.takeByte();
                    if (version != VERSION) {
                        throw new MalformedException(name + " in version " + version + " of the encoding, not " + VERSION);
                    }
                    try {
                        return take.apply(in);
                    } catch (IllegalArgumentException e) {
                        throw new MalformedException(name + ": " + e.getMessage());
                    }
                },
                (value, out) -> put.accept(value, out.putByte(VERSION)));
    }

    private static void putMeasurement(Measurement measurement, ByteOutput out) {
        Compact.putText(measurement.producer(), out);
        Compact.putNumber(measurement.sequence(), out);
        Compact.putText(measurement.topic().path(), out);
        Compact.putTexts(measurement.tags(), out);
        out.putLong(micros(measurement.time()));
        Compact.putNumber(bits(measurement.clock()), out);
        Bodies.put(measurement.body(), out);
    }

    private static Measurement takeMeasurement(ByteInput in) {
        return new Measurement(
                Compact.takeText(in),
                Compact.takeNumber(in),
                new Topic(takeTopic(in)),
                Compact.takeTexts(Measurement.TAGS_MAX, in),
                instant(in.takeLong()),
                clock(Compact.takeNumber(in)),
                Bodies.take(in));
    }

    /** Takes a topic or a pattern. One that is too long is refused before it is taken apart, which takes memory for each level. */
    private static String takeTopic(ByteInput in) {
        String topic = Compact.takeText(in);
        if (topic.length() > Topic.LENGTH_MAX) {
            throw new MalformedException("a topic of " + topic.length() + " characters, at most " + Topic.LENGTH_MAX);
        }
        return topic;
    }

    private static long micros(Instant time) {
        try {
            return ChronoUnit.MICROS.between(Instant.EPOCH, time);
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException("the time " + time + " is more than 290,000 years from 1970", e);
        }
    }

    /** Returns microseconds since 1970, and the earliest or the latest for a time that has no such number. */
    public static long boundedMicros(Instant time) {
        try {
            return ChronoUnit.MICROS.between(Instant.EPOCH, time);
        } catch (ArithmeticException e) {
            return time.isBefore(Instant.EPOCH) ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }

    private static Instant instant(long micros) {
        return Instant.ofEpochSecond(
                Math.floorDiv(micros, MICROS_PER_SECOND), Math.floorMod(micros, MICROS_PER_SECOND) * NANOS_PER_MICRO);
    }

    /** Returns 0 for a clock of which nothing is known, which has the largest error, and is frequent. */
    private static long bits(ClockQuality clock) {
        return clock.equals(ClockQuality.UNKNOWN) ? 0 : 1 + 2 * clock.errorMax().toNanos() + (clock.isSynchronized() ? 1 : 0);
    }

    private static ClockQuality clock(long bits) {
        long known = bits - 1;
        return bits == 0 ? ClockQuality.UNKNOWN : new ClockQuality((known & 1) == 1, Duration.ofNanos(known >>> 1));
    }

    private static void putFilter(Filter filter, ByteOutput out) {
        Compact.putText(filter.topic(), out);
        Compact.putTexts(filter.tags(), out);
        Compact.putText(filter.where(), out);
    }

    private static Filter takeFilter(ByteInput in) {
        return new Filter(takeTopic(in), Compact.takeTexts(Measurement.TAGS_MAX, in), Compact.takeText(in));
    }

    private static void putEntry(Entry entry, ByteOutput out) {
        Compact.putText(entry.id(), out);
        putKind(entry.kind(), out);
        Compact.putText(entry.name(), out);
        Compact.putText(entry.site(), out);
        Compact.putText(entry.node(), out);
        Compact.putText(entry.address(), out);
        putList(entry.filters(), GridCodec::putFilter, out);
        Compact.putText(entry.type(), out);
        Compact.putText(entry.schema(), out);
        out.putDouble(entry.load());
        Compact.putNumber(entry.registration(), out);
        Compact.putTexts(entry.attributes(), out);
    }

    private static Entry takeEntry(ByteInput in) {
        String id = Compact.takeText(in);
        Entry.Kind kind = takeKind(in);
        if (kind == null) {
            throw new MalformedException("entry " + id + " is neither a producer nor a consumer");
        }
        return new Entry(
                id,
                kind,
                Compact.takeText(in),
                Compact.takeText(in),
                Compact.takeText(in),
                Compact.takeText(in),
                takeList(GridCodec::takeFilter, FILTER_BYTES_MIN, in),
                Compact.takeText(in),
                Compact.takeText(in),
                in.takeDouble(),
                Compact.takeNumber(in),
                Compact.takeTexts(Entry.ATTRIBUTES_MAX, in));
    }

    private static void putKind(Entry.@Nullable Kind kind, ByteOutput out) {
        out.putByte(switch (kind) {
            case null -> BOTH;
            case PRODUCER -> PRODUCER;
            case CONSUMER -> CONSUMER;
        });
    }

    private static Entry.@Nullable Kind takeKind(ByteInput in) {
        int kind = in.takeByte();
        return switch (kind) {
            case BOTH -> null;
            case PRODUCER -> Entry.Kind.PRODUCER;
            case CONSUMER -> Entry.Kind.CONSUMER;
            default -> throw new MalformedException("an entry of kind " + kind);
        };
    }

    private static void putGap(Gap gap, ByteOutput out) {
        Compact.putText(gap.producer(), out);
        Compact.putNumber(gap.count(), out);
        Compact.putText(gap.reason(), out);
    }

    private static Gap takeGap(ByteInput in) {
        return new Gap(Compact.takeText(in), Compact.takeNumber(in), Compact.takeText(in));
    }

    private static void putQuery(Query query, ByteOutput out) {
        putKind(query.kind(), out);
        Compact.putText(query.topic(), out);
        Compact.putTexts(query.attributes(), out);
        putList(query.sites(), Compact::putText, out);
        Compact.putNumber(query.limit(), out);
        Compact.putNumber(query.deadline().getSeconds(), out);
        Compact.putNumber(query.deadline().getNano(), out);
    }

    private static Query takeQuery(ByteInput in) {
        return new Query(
                takeKind(in),
                takeTopic(in),
                Compact.takeTexts(Integer.MAX_VALUE, in),
                takeList(Compact::takeText, 1, in),
                Math.toIntExact(takeAtMost(Query.LIMIT_MAX, in)),
                Duration.ofSeconds(Compact.takeNumber(in), takeAtMost(MICROS_PER_SECOND * NANOS_PER_MICRO - 1, in)));
    }

    private static long takeAtMost(long max, ByteInput in) {
        long number = Compact.takeNumber(in);
        if (number < 0 || number > max) {
            throw new MalformedException("a number up to " + max + " expected, not " + Long.toUnsignedString(number));
        }
        return number;
    }

    private static <T> void putList(List<T> list, BiConsumer<T, ByteOutput> put, ByteOutput out) {
        Compact.putNumber(list.size(), out);
        list.forEach(each -> put.accept(each, out));
    }

    private static <T> List<T> takeList(Function<ByteInput, T> take, int bytesEach, ByteInput in) {
        int count = Compact.takeCount(bytesEach, Integer.MAX_VALUE, in);
        // Grows as it is read: an element may take more memory as an object than on the wire.
        List<T> list = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            list.add(take.apply(in));
        }
        return list;
    }
}
