package dev.tutti.protocols.reliability;

/**
 * Selects the ring members that the sender feeds directly besides the next one, bypassing slow neighbours.
 *
 * <p>Regular looks compare the acknowledgements of the members: one that lacks packets its predecessor had at the last
 * look is late. The member behind it is then fed by the sender directly. If the late member is late again at the next
 * look, it is fed as well, since the link to it may be slow. Both go on until the late member has kept up for a while.
 *
 * <p>Members are counted in the order of the ring, from the next one as 0. The sender alone decides: a packet carries
 * the end of its path.
 */
final class RingBypass {

    /** Number of looks in a row at which a late member has to keep up, doubled each time that it is late again. */
    private static final int CALM_LOOKS = 4;

    private static final int CALM_LOOKS_MAX = 64;

    private enum State {
        IN_TIME,
        PASSED_OVER,
        FED
    }

    /** State of one member. */
    private static final class Stop {
        private final PeerStream pair;
        private State state = State.IN_TIME;

        /** Number up to which it had acknowledged at the last look. */
        private long had;

        private int calm;
        private int calmLooks = CALM_LOOKS;

        /** It is fed by the sender directly. */
        private boolean isFed;

        /** Number up to which the sender has fed it all packets that it had not acknowledged. */
        private long given;

        Stop(PeerStream pair) {
            this.pair = pair;
        }
    }

    private final Stop[] stops;
    private long sentAtLook;
    private int passedOver;

    /**
     * @param pairs in the order of the ring
     */
    RingBypass(PeerStream[] pairs) {
        stops = new Stop[pairs.length];
        for (int index = 0; index < pairs.length; index++) {
            stops[index] = new Stop(pairs[index]);
        }
        if (0 < stops.length) {
            stops[0].isFed = true;
        }
    }

    /** Returns the number of members that are bypassed. */
    int passedOver() {
        return passedOver;
    }

    boolean isFed(int index) {
        return stops[index].isFed;
    }

    /** Returns the index of the first fed member behind {@code index}; the number of members if there is none. */
    int fedBehind(int index) {
        int behind = index + 1;
        while (behind < stops.length && !stops[behind].isFed) {
            behind++;
        }
        return behind;
    }

    /** Returns the number of the first packet that the member may need from the sender. */
    long missing(int index) {
        return 1 + Math.max(stops[index].pair.acknowledged, stops[index].given);
    }

    void onGiven(int index, long number) {
        stops[index].given = number;
    }

    /** Records the acknowledgements of all members, for the next look to compare. */
    void note(long sent) {
        sentAtLook = sent;
        for (Stop stop : stops) {
            stop.had = stop.pair.acknowledged;
        }
    }

    /**
     * Looks for late members.
     *
     * @param sent number of the last packet
     * @return number of members that have become late
     */
    int look(long sent) {
        int found = 0;
        for (int index = 0; index < stops.length; index++) {
            Stop stop = stops[index];
            long could = stop.isFed ? sentAtLook : stops[index - 1].had;
            if (stop.pair.acknowledged < could) {
                found += onLate(stop) ? 1 : 0;
            } else {
                onKeptUp(stop);
            }
        }
        note(sent);
        for (int index = 1; index < stops.length; index++) {
            stops[index].isFed = stops[index].state == State.FED || stops[index - 1].state != State.IN_TIME;
        }
        return found;
    }

    private boolean onLate(Stop stop) {
        stop.calm = 0;
        // If more are late, the cause is no single slow neighbour, and more copies would make it worse.
        if (stop.state == State.IN_TIME && passedOver < Math.max(1, (stops.length + 1) / 4)) {
            stop.state = State.PASSED_OVER;
            passedOver++;
            return true;
        }
        if (stop.state == State.PASSED_OVER) {
            stop.state = State.FED;
        }
        return false;
    }

    private void onKeptUp(Stop stop) {
        if (stop.state != State.IN_TIME && ++stop.calm >= stop.calmLooks) {
            stop.state = State.IN_TIME;
            stop.calm = 0;
            stop.calmLooks = Math.min(CALM_LOOKS_MAX, 2 * stop.calmLooks);
            passedOver--;
        }
    }
}
