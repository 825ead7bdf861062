package dev.tutti.protocols.datagram;

import dev.tutti.core.driver.Endpoint;

/**
 * Unguessable numbers, that is cookies and connection ids, by SipHash-2-4 (Aumasson and Bernstein, 2012) under a key of
 * this run of the node.
 *
 * <p>A cookie proves that its bearer receives at the address that it sends from. It is valid in the time slot in which
 * it was made and in the next, and no state is kept for it.
 */
final class Keys {

    private final long keyLow;
    private final long keyHigh;
    private long drawn;

    Keys(long keyLow, long keyHigh) {
        this.keyLow = keyLow;
        this.keyHigh = keyHigh;
    }

    long cookie(Endpoint endpoint, long id, long nowNanos) {
        return cookieOfSlot(endpoint, id, nowNanos >> SLOT_SHIFT);
    }

    boolean isCookie(long cookie, Endpoint endpoint, long id, long nowNanos) {
        long slot = nowNanos >> SLOT_SHIFT;
        return cookie == cookieOfSlot(endpoint, id, slot) || cookie == cookieOfSlot(endpoint, id, slot - 1);
    }

    private long cookieOfSlot(Endpoint endpoint, long id, long slot) {
        long cookie = hash(endpoint.high(), endpoint.low(), (long) endpoint.port() << 40 ^ slot, id);
        return cookie == 0 ? 1 : cookie;
    }

    /** Returns another number each time. */
    long draw() {
        drawn++;
        return hash(drawn, 0, 0, 0);
    }

    long hash(long first, long second, long third, long fourth) {
        long v0 = keyLow ^ 0x736f6d6570736575L;
        long v1 = keyHigh ^ 0x646f72616e646f6dL;
        long v2 = keyLow ^ 0x6c7967656e657261L;
        long v3 = keyHigh ^ 0x7465646279746573L;
        // Five words, the last of which is the length, and then four rounds without one.
        for (int step = 0; step < 7; step++) {
            long message =
                    switch (step) {
                        case 0 -> first;
                        case 1 -> second;
                        case 2 -> third;
                        case 3 -> fourth;
                        case 4 -> 32L << 56;
                        default -> 0;
                    };
            if (step == 5) {
                v2 ^= 0xff;
            }
            v3 ^= message;
            for (int round = 0; round < 2; round++) {
                v0 += v1;
                v2 += v3;
                v1 = Long.rotateLeft(v1, 13) ^ v0;
                v3 = Long.rotateLeft(v3, 16) ^ v2;
                v0 = Long.rotateLeft(v0, 32);
                v2 += v1;
                v0 += v3;
                v1 = Long.rotateLeft(v1, 17) ^ v2;
                v3 = Long.rotateLeft(v3, 21) ^ v0;
                v2 = Long.rotateLeft(v2, 32);
            }
            v0 ^= message;
        }
        return v0 ^ v1 ^ v2 ^ v3;
    }

    /** A slot is about eight seconds. */
    private static final int SLOT_SHIFT = 33;
}
