package dev.tutti.balancer.internal.proxy;

import dev.tutti.internal.door.Places.Place;
import io.netty.channel.Channel;

/** Connection of a client, which has one exchange at a time, or many over HTTP/2. On its loop. */
final class Client {

    private final Channel channel;
    private final Place place;
    private final Heads.Client facts;
    private final long idleNanosMax;
    private int busy;
    private long idleSinceNanos;

    Client(Channel channel, Place place, Heads.Client facts, long idleNanosMax) {
        this.channel = channel;
        this.place = place;
        this.facts = facts;
        this.idleNanosMax = idleNanosMax;
        this.idleSinceNanos = System.nanoTime();
    }

    Heads.Client facts() {
        return facts;
    }

    void onBegin() {
        if (busy++ == 0) {
            place.onBusy();
        }
    }

    void onEnd() {
        if (--busy == 0) {
            idleSinceNanos = System.nanoTime();
            place.onIdle();
        }
    }

    /** Closes a connection on which no request has come for too long, even if bytes of one have. */
    void onTime(long nowNanos) {
        if (busy == 0 && nowNanos - idleSinceNanos >= idleNanosMax) {
            channel.close();
        }
    }
}
