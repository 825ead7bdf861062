package dev.tutti.blocks.calls;

import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.internal.argument.Arguments;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A procedure that can be called: a name that all members know it by, and codecs for requests and answers.
 *
 * <p>A number computed from the name goes over the wire. When a codec is changed so that old bytes can't be read, the
 * procedure needs a new name; members that do not know it refuse it.
 *
 * @param <Q> requests
 * @param <A> answers
 */
public final class Procedure<Q extends @Nullable Object, A extends @Nullable Object> {

    private final String name;
    private final long id;
    private final Codec<Q> request;
    private final Codec<A> answer;

    private Procedure(String name, Codec<Q> request, Codec<A> answer) {
        Arguments.required(name, "the name of a procedure");
        if (name.isEmpty() || name.length() > NAME_MAX) {
            throw new IllegalArgumentException(
                    "the name of a procedure has 1 to " + NAME_MAX + " characters, not " + name.length());
        }
        this.name = name;
        this.id = hash(name);
        this.request = Arguments.required(request, "procedure " + name + ": the codec of requests; Codec.NOTHING is for none");
        this.answer = Arguments.required(answer, "procedure " + name + ": the codec of answers; Codec.NOTHING is for none");
    }

    /** @param name 1 to 255 characters */
    public static <Q extends @Nullable Object, A extends @Nullable Object> Procedure<Q, A> of(
            String name, Codec<Q> request, Codec<A> answer) {
        return new Procedure<>(name, request, answer);
    }

    public String name() {
        return name;
    }

    Codec<Q> request() {
        return request;
    }

    Codec<A> answer() {
        return answer;
    }

    /** Returns the number that goes over the wire. */
    long id() {
        return id;
    }

    /** Computes FNV-1a over the name's UTF-8, mixed. Two names with one number are refused where both are handled. */
    private static long hash(String name) {
        long hash = 0xCBF29CE484222325L;
        for (byte each : name.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ each & 0xFF) * 0x100000001B3L;
        }
        hash = (hash ^ hash >>> 33) * 0xFF51AFD7ED558CCDL;
        return hash ^ hash >>> 33;
    }

    @Override
    public String toString() {
        return name;
    }

    private static final int NAME_MAX = 255;
}
