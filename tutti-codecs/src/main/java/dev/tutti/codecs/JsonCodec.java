package dev.tutti.codecs;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.Codecs;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.codec.TooLongException;
import java.lang.reflect.Type;
import java.util.Objects;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamWriteConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.json.JsonMapper;

/**
 * Codec of values as JSON, by Jackson 3: a length, and the text in UTF-8. Immutable; may be used by any number of threads.
 *
 * <p><b>Versions.</b> Properties that a type does not have are passed over. Properties that are missing are null, an empty {@code Optional}, or 0 or
 * false if they are primitive. So properties may be added and removed, in any order; a property that is renamed, or has another type, is another
 * property.
 *
 * <p><b>Bounds.</b> A value has at most {@link #bytesMax} bytes of JSON, and its objects and arrays lie in each other to a depth of {@value
 * Codecs#DEPTH_MAX}. A value beyond that is refused when it is written, and its bytes are malformed when they are read.
 *
 * <p><b>Errors.</b> Messages name the type and the property: {@code Order.lines[2].price: …}. A value that Jackson can't write is an {@link
 * IllegalArgumentException}.
 *
 * @param <T> the values, which are never null
 */
@SuppressWarnings("exports") // who uses the codec requires the library
public final class JsonCodec<T> implements Codec<T> {

    private static final int BYTES_MAX = 16 << 20;

    private static final class Default {
        static final JsonMapper MAPPER = mapper().build();
    }

    private final JsonMapper mapper;
    private final JavaType type;
    private final String name;
    private final int bytesMax;
    private final ObjectReader reader;
    private final ObjectWriter writer;

    private JsonCodec(JsonMapper mapper, JavaType type, int bytesMax) {
        this.mapper = mapper;
        this.type = type;
        this.name = Problems.name(type.toCanonical());
        this.bytesMax = bytesMax;
        this.reader = mapper.readerFor(type);
        this.writer = mapper.writerFor(type);
    }

    /** Returns the codec of a class. */
    public static <T> JsonCodec<T> of(Class<T> type) {
        return of((Type) Objects.requireNonNull(type, "of: the type is null"));
    }

    /** Returns the codec of a type with arguments: {@code JsonCodec.of(new TypeReference<List<Order>>() {})}. */
    public static <T> JsonCodec<T> of(TypeReference<T> type) {
        return of(Objects.requireNonNull(type, "of: the type is null").getType());
    }

    private static <T> JsonCodec<T> of(Type type) {
        return new JsonCodec<>(Default.MAPPER, Default.MAPPER.constructType(type), BYTES_MAX);
    }

    /**
     * Returns a builder of mappers as codecs have them: with the bound on depth, and 0 or false for primitive properties that are missing. For
     * modules and settings of the application's own; see {@link #with}.
     */
    public static JsonMapper.Builder mapper() {
        JsonFactory factory = JsonFactory.builder()
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxNestingDepth(Codecs.DEPTH_MAX)
                        .maxStringLength(Integer.MAX_VALUE)
                        .build())
                .streamWriteConstraints(
                        StreamWriteConstraints.builder().maxNestingDepth(Codecs.DEPTH_MAX).build())
                .build();
        return JsonMapper.builder(factory)
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES);
    }

    /**
     * Returns this codec with another mapper, such as {@code JsonCodec.mapper().addModule(…).build()}. It must not have default typing: then bytes
     * of others name classes. All members have the same one.
     */
    public JsonCodec<T> with(JsonMapper mapper) {
        Objects.requireNonNull(mapper, "with: the mapper is null");
        return new JsonCodec<>(mapper, mapper.constructType(type), bytesMax);
    }

    /**
     * Returns this codec with another maximum of bytes of JSON that a value has, 1 or more; 16 MiB by default. All members have the same one: a
     * value that is too long for some of them is malformed there.
     */
    public JsonCodec<T> bytesMax(int bytes) {
        return new JsonCodec<>(mapper, type, Problems.checkedBytesMax(bytes));
    }

    /**
     * Puts a value.
     *
     * @throws IllegalArgumentException if Jackson can't write it; the message names the property
     * @throws TooLongException if it has more than {@link #bytesMax} bytes
     */
    @Override
    public void put(T value, ByteOutput out) {
        if (value == null) {
            throw new NullPointerException(name + " is null");
        }
        byte[] json;
        try {
            json = writer.writeValueAsBytes(value);
        } catch (JacksonException e) {
            throw new IllegalArgumentException(problem(e), e);
        }
        Problems.checkLength(name, "JSON", json.length, bytesMax);
        out.putBytes(json);
    }

    @Override
    public T take(ByteInput in) {
        byte[] json = in.takeBytes();
        if (json.length > bytesMax) {
            throw new MalformedException(Problems.tooLong(name, "JSON", json.length, bytesMax));
        }
        T value;
        try {
            value = reader.readValue(json);
        } catch (JacksonException e) {
            throw new MalformedException(problem(e));
        }
        if (value == null) {
            throw new MalformedException(name + " is null");
        }
        return value;
    }

    /** Returns what is wrong, with the place: the names of properties, and indexes of arrays. */
    private String problem(JacksonException failure) {
        StringBuilder place = new StringBuilder(name);
        for (JacksonException.Reference step : failure.getPath()) {
            if (step.getPropertyName() != null) {
                place.append('.').append(step.getPropertyName());
            } else if (step.getIndex() >= 0) {
                place.append('[').append(step.getIndex()).append(']');
            }
        }
        return Problems.at(place.toString(), String.valueOf(failure.getOriginalMessage()));
    }

    @Override
    public String toString() {
        return "JSON codec of " + type.toCanonical();
    }
}
