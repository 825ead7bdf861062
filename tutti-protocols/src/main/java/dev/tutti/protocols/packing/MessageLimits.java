package dev.tutti.protocols.packing;

import dev.tutti.core.Member;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Longest messages that receivers take. */
final class MessageLimits {

    /** Longest message to a receiver, and the member whose limit it is; null if it is everybody's. */
    private record Limit(long bytes, @Nullable Member of) {}

    private static final Limit NONE = new Limit(Reassembly.MESSAGE_BYTES_MAX, null);

    private Limit limitToAll = NONE;
    private final Map<Member, Limit> limitOf = new HashMap<>();

    /** Sets the limit of a receiver; null for all members. */
    void set(@Nullable Member receiver, long bytes, Member of) {
        Limit limit = new Limit(bytes, of);
        if (receiver == null) {
            limitToAll = limit;
        } else {
            limitOf.put(receiver, limit);
        }
    }

    void forget(Member receiver) {
        limitOf.remove(receiver);
    }

    /** Returns why a message of this length can't be sent, in words; null if it can. */
    @Nullable String refusal(@Nullable Member receiver, long length) {
        Limit limit = receiver == null ? limitToAll : limitOf.getOrDefault(receiver, NONE);
        if (length <= limit.bytes()) {
            return null;
        }
        Member of = limit.of();
        return "a message of " + length + " bytes is too large: "
                + (of == null
                        ? "the most is " + limit.bytes() + " bytes"
                        : of + " takes at most " + limit.bytes() + " bytes (its message-bytes-max)")
                + "; send it in parts, or raise message-bytes-max there";
    }
}
