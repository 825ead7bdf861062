package dev.tutti.core.stack;

import dev.tutti.core.Member;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * Counts dropped packets that no honest peer sends, by peer and reason. It names up to {@value #PEERS_MAX} peers, the first
 * that were seen; the others are counted together.
 */
final class Offences {

    static final int PEERS_MAX = 64;

    private static final String OTHERS = "others";

    private final Map<String, long[]> counts = new LinkedHashMap<>();

    void add(@Nullable Member peer, DropReason reason) {
        String name = peer == null ? OTHERS : peer.name();
        if (counts.size() >= PEERS_MAX && !counts.containsKey(name)) {
            name = OTHERS;
        }
        counts.computeIfAbsent(name, absent -> new long[DropReason.values().length])[reason.ordinal()]++;
    }

    boolean isEmpty() {
        return counts.isEmpty();
    }

    /** For example {@code n3 forged 5, n4 implausible 1}. */
    @Override
    public String toString() {
        StringJoiner text = new StringJoiner(", ");
        counts.forEach((name, byReason) -> {
            for (DropReason reason : DropReason.values()) {
                if (byReason[reason.ordinal()] > 0) {
                    text.add(name + " " + reason.name().toLowerCase(Locale.ROOT) + " " + byReason[reason.ordinal()]);
                }
            }
        });
        return text.toString();
    }
}
