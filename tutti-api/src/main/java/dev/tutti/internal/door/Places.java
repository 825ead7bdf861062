package dev.tutti.internal.door;

import java.net.SocketAddress;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Limits the connections of a listener, in total and from one origin, so that idle connections can't block it. A
 * newcomer that finds no place takes that of the connection that has been idle for longest: of its own origin if that
 * has used up its budget, otherwise of the origin that has the most. Connections that are being served, or have been
 * let in, keep their places.
 *
 * <p>Thread-safe. Evictions are called on the thread of the newcomer, after the decision.
 */
public final class Places {

    /** Place of a connection. A new one is idle. */
    public final class Place {

        private final String origin;
        private final Runnable evict;
        private boolean isOver;
        private boolean isResident;

        private Place(String origin, Runnable evict) {
            this.origin = origin;
            this.evict = evict;
        }

        /** Notes that the connection is being served; it keeps its place. */
        public void onBusy() {
            synchronized (Places.this) {
                idle.remove(this);
            }
        }

        /** Notes that the connection waits for its peer again; it may be evicted. */
        public void onIdle() {
            synchronized (Places.this) {
                if (!isOver && !isResident) {
                    idle.remove(this);
                    idle.add(this);
                }
            }
        }

        /**
         * Notes that the peer has been let in: it keeps its place, and no longer counts against its origin's budget.
         */
        public void onResident() {
            synchronized (Places.this) {
                if (!isOver && !isResident) {
                    isResident = true;
                    idle.remove(this);
                    discount(origin);
                }
            }
        }

        /** Gives the place back. Idempotent. */
        public void leave() {
            synchronized (Places.this) {
                remove(this);
            }
        }
    }

    private final int placesMax;
    private final int originMax;

    /** Idle places, in the order in which they became idle. */
    private final Set<Place> idle = new LinkedHashSet<>();

    /** Number of places by origin, without residents. */
    private final Map<String, Integer> byOrigin = new HashMap<>();

    private int taken;
    private long evicted;
    private long refused;

    /**
     * @param placesMax most connections in total
     * @param originMax most connections of one origin that have not been let in
     */
    public Places(int placesMax, int originMax) {
        if (placesMax < 1 || originMax < 1) {
            throw new IllegalArgumentException(placesMax + " places, " + originMax + " of an origin: at least 1 is needed of each");
        }
        this.placesMax = placesMax;
        this.originMax = originMax;
    }

    /**
     * Takes a place.
     *
     * @param evict closes the connection when another one takes its place; must not wait
     * @return null if there is none and no idle connection has to make room
     */
    public @Nullable Place enter(@Nullable SocketAddress remote, Runnable evict) {
        String origin = Origins.of(remote);
        Place place = new Place(origin, evict);
        Place victim = null;
        synchronized (this) {
            boolean isOwn = byOrigin.getOrDefault(origin, 0) >= originMax;
            if (isOwn || taken >= placesMax) {
                victim = oldest(isOwn ? origin : busiest());
                if (victim == null) {
                    refused++;
                    return null;
                }
                evicted++;
                remove(victim);
            }
            taken++;
            byOrigin.merge(origin, 1, Integer::sum);
            idle.add(place);
        }
        if (victim != null) {
            victim.evict.run();
        }
        return place;
    }

    /** Returns the origin with the most connections that have not been let in, among those with an idle one. */
    private String busiest() {
        String busiest = "";
        int most = 0;
        for (Place place : idle) {
            int count = byOrigin.getOrDefault(place.origin, 0);
            if (count > most) {
                most = count;
                busiest = place.origin;
            }
        }
        return busiest;
    }

    private @Nullable Place oldest(String origin) {
        for (Place place : idle) {
            if (place.origin.equals(origin)) {
                return place;
            }
        }
        return null;
    }

    private void remove(Place place) {
        if (place.isOver) {
            return;
        }
        place.isOver = true;
        taken--;
        idle.remove(place);
        if (!place.isResident) {
            discount(place.origin);
        }
    }

    private void discount(String origin) {
        byOrigin.computeIfPresent(origin, (key, count) -> count == 1 ? null : count - 1);
    }

    /** Returns the number of connections that have a place now. */
    public synchronized int taken() {
        return taken;
    }

    /** Returns the number of connections that had to make room for others. */
    public synchronized long evicted() {
        return evicted;
    }

    /** Returns the number of connections that found no place. */
    public synchronized long refused() {
        return refused;
    }
}
