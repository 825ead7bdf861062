package dev.tutti.rendezvous.internal.http;

import dev.tutti.rendezvous.internal.registry.Refused;

/** Opens the reader of targets of requests to the fuzzer. */
public final class RendezvousBytes {

    private RendezvousBytes() {}

    /** Reads the target of a request to a rendezvous server; returns its meaning, or the status of its refusal. */
    public static String target(String text) {
        try {
            Route route = Route.of(text);
            route.number("limit", 100, 1, 1_000);
            route.number("after", -1, 0, Long.MAX_VALUE);
            return route.what();
        } catch (Refused e) {
            return "refused";
        }
    }
}
