package dev.tutti.stomp.client;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Servers to connect to, in rounds: those that the last server has named, in a random order, so that clients of a server that is gone do
 * not all go to the same one, and then those that the program has named. Belongs to one thread.
 */
final class Addresses {

    private static final int LEARNED_MAX = 64;
    private static final int TEXT_MAX = 16 << 10;

    private final List<URI> given;
    private final Random random;
    private final Set<URI> learned = new LinkedHashSet<>();
    private final List<URI> round = new ArrayList<>();

    Addresses(List<URI> given, Random random) {
        this.given = List.copyOf(given);
        this.random = random;
    }

    /** Replaces the servers that were named: those of the text whose scheme is that of the servers that the program has named. */
    void learn(String endpoints) {
        learned.clear();
        for (String each : endpoints.substring(0, Math.min(endpoints.length(), TEXT_MAX)).split(",")) {
            URI address = parse(each.strip());
            // TLS is not given up because a server says so.
            if (address != null && given.getFirst().getScheme().equals(address.getScheme()) && learned.size() < LEARNED_MAX) {
                learned.add(address);
            }
        }
    }

    private static @Nullable URI parse(String text) {
        try {
            URI address = new URI(text);
            return address.getHost() == null || address.getPort() < 0 ? null : address;
        } catch (URISyntaxException e) {
            // Of a server that has other ideas of addresses: there are others.
            return null;
        }
    }

    /** Returns the next server of this round, or of a new one. */
    URI next() {
        if (round.isEmpty()) {
            begin();
        }
        return round.removeFirst();
    }

    boolean isRoundOver() {
        return round.isEmpty();
    }

    /** Begins a new round, in which {@code last} comes last. */
    void beginWithout(URI last) {
        begin();
        if (round.remove(last)) {
            round.add(last);
        }
    }

    private void begin() {
        round.clear();
        List<URI> others = new ArrayList<>(learned);
        Collections.shuffle(others, random);
        Set<URI> all = new LinkedHashSet<>(others);
        all.addAll(given);
        round.addAll(all);
    }
}
