package dev.tutti.core;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The members that a decoder has met: one object each, so that a message that names sixteen of them makes no new ones, and
 * their texts are not decoded again.
 */
public final class Members {

    /** How many are remembered; beyond, it starts anew. */
    private static final int KNOWN_MAX = 4_096;

    private record Key(long incarnation, int join, int textBytes) {

        @Override
        public boolean equals(Object other) {
            return other instanceof Key key
                    && key.incarnation == incarnation
                    && key.join == join
                    && key.textBytes == textBytes;
        }

        @Override
        public int hashCode() {
            return Long.hashCode(incarnation) * 31 + join;
        }
    }

    private final Map<Key, Member> known = new HashMap<>();

    /** The member whose texts take so many bytes, lengths included; null if it was not met. */
    @Nullable Member find(long incarnation, int join, int textBytes) {
        return known.get(new Key(incarnation, join, textBytes));
    }

    /** The member was met elsewhere: messages that name it name this object. */
    public void add(Member member) {
        NodeId node = member.node();
        add(member, 8 + Packet.textBytes(node.name()) + Packet.textBytes(node.address()));
    }

    void add(Member member, int textBytes) {
        if (known.size() >= KNOWN_MAX) {
            known.clear();
        }
        known.put(new Key(member.node().incarnation(), member.join(), textBytes), member);
    }
}
