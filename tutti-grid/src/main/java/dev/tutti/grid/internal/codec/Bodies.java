package dev.tutti.grid.internal.codec;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.grid.Body;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Encoding of bodies: a byte for the type, and the content. */
final class Bodies {

    // On the wire: a number is never used for another type.
    private static final int TEXT = 1;
    private static final int BYTES = 2;
    private static final int NUMBER = 3;
    private static final int VALUES = 4;
    private static final int HISTOGRAM = 5;

    /** Fewest bytes of a value with its name: two lengths, and the type. */
    private static final int VALUE_BYTES_MIN = 3;

    private Bodies() {}

    static void put(Body body, ByteOutput out) {
        int before = out.length();
        // Before it takes memory. UTF-8 has at least a byte for each character.
        switch (body) {
            case Body.Text text -> checkLength(text.text().length());
            case Body.Bytes bytes -> checkLength(bytes.bytes().length);
            case Body.Number _, Body.Values _, Body.Histogram _ -> {}
        }
        putUnchecked(body, out);
        checkLength(out.length() - before);
    }

    private static void checkLength(int length) {
        if (length > Body.BYTES_MAX) {
            throw new IllegalArgumentException(
                    "a body has at most " + Body.BYTES_MAX + " bytes when it is encoded, and this one has at least " + length);
        }
    }

    private static void putUnchecked(Body body, ByteOutput out) {
        switch (body) {
            case Body.Text text -> out.putByte(TEXT).putText(text.text());
            case Body.Bytes bytes -> out.putByte(BYTES).putBytes(bytes.bytes());
            case Body.Number number -> Compact.putText(number.unit(), out.putByte(NUMBER).putDouble(number.value()));
            case Body.Values values -> {
                Compact.putNumber(values.values().size(), out.putByte(VALUES));
                for (Map.Entry<String, Body> each : values.values().entrySet()) {
                    Compact.putText(each.getKey(), out);
                    putUnchecked(each.getValue(), out);
                }
            }
            case Body.Histogram histogram -> {
                Compact.putNumber(histogram.bounds().size(), out.putByte(HISTOGRAM));
                for (double bound : histogram.bounds()) {
                    out.putDouble(bound);
                }
                for (long count : histogram.counts()) {
                    Compact.putNumber(count, out);
                }
                Compact.putText(histogram.unit(), out.putDouble(histogram.sum()));
            }
        }
    }

    static Body take(ByteInput in) {
        int before = in.remaining();
        int type = in.takeByte();
        Body body = switch (type) {
            case VALUES -> takeValues(in);
            case HISTOGRAM -> takeHistogram(in);
            default -> takeSimple(type, in);
        };
        checkLength(before - in.remaining());
        return body;
    }

    private static Body takeSimple(int type, ByteInput in) {
        return switch (type) {
            case TEXT -> new Body.Text(Compact.text(in.takeBytes()));
            case BYTES -> new Body.Bytes(in.takeBytes());
            case NUMBER -> new Body.Number(in.takeDouble(), Compact.takeText(in));
            default -> throw new MalformedException("a body of type " + type);
        };
    }

    private static Body takeValues(ByteInput in) {
        int count = Compact.takeCount(VALUE_BYTES_MIN, Integer.MAX_VALUE, in);
        Map<String, Body> values = new TreeMap<>();
        for (int i = 0; i < count; i++) {
            String name = Compact.takeText(in);
            // Not of any type: values within values would nest as deep as the bytes last.
            Compact.checkNew(name, values.put(name, takeSimple(in.takeByte(), in)) == null);
        }
        return new Body.Values(values);
    }

    private static Body takeHistogram(ByteInput in) {
        // A bound and its count.
        int count = Compact.takeCount(Double.BYTES + 1, Integer.MAX_VALUE, in);
        List<Double> bounds = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            bounds.add(in.takeDouble());
        }
        List<Long> counts = new ArrayList<>(count + 1);
        for (int i = 0; i <= count; i++) {
            counts.add(Compact.takeNumber(in));
        }
        return new Body.Histogram(bounds, counts, in.takeDouble(), Compact.takeText(in));
    }
}
