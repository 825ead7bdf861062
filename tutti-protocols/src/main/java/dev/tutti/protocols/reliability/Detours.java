package dev.tutti.protocols.reliability;

/**
 * Whom of a ring its sender gives its packets to besides the next member, so that nobody waits for a neighbour.
 *
 * <p>A look at regular times compares what members have acknowledged: who lacks what the one before it had a look ago is
 * late. The one behind it is then given what is sent by the sender itself; if that member is late again at the next look,
 * it is too, since it may be the way to it that is slow. It goes on until the late one has kept up for a while.
 *
 * <p>Members are counted in the order of the ring, the next one is 0. What decides is the sender's alone: a packet says
 * where its way ends.
 */
final class Detours {

    /** Looks in a row at which a member has to keep up; twice as many each time that it is late again. */
    private static final int CALM_LOOKS = 4;

    private static final int CALM_LOOKS_MAX = 64;

    private enum State {
        IN_TIME,
        PASSED_OVER,
        FED
    }

    /** What is known of one member. */
    private static final class Stop {
        private final Pair pair;
        private State state = State.IN_TIME;

        /** What it had at the last look. */
        private long had;

        private int calm;
        private int calmLooks = CALM_LOOKS;

        /** Whether it is given packets by the sender. */
        private boolean isFed;

        /** Up to here it was given all that it had not acknowledged, while it was fed. */
        private long given;

        Stop(Pair pair) {
            this.pair = pair;
        }
    }

    private final Stop[] stops;
    private long sentAtLook;
    private int passedOver;

    /**
     * @param pairs in the order of the ring
     */
    Detours(Pair[] pairs) {
        stops = new Stop[pairs.length];
        for (int index = 0; index < pairs.length; index++) {
            stops[index] = new Stop(pairs[index]);
        }
        if (0 < stops.length) {
            stops[0].isFed = true;
        }
    }

    /** How many members are gone round. */
    int passedOver() {
        return passedOver;
    }

    boolean isFed(int index) {
        return stops[index].isFed;
    }

    /** The first that is fed behind {@code index}; the number of members if there is none. */
    int fedBehind(int index) {
        int behind = index + 1;
        while (behind < stops.length && !stops[behind].isFed) {
            behind++;
        }
        return behind;
    }

    /** The number of the first packet that the member may need to be given. */
    long missing(int index) {
        return 1 + Math.max(stops[index].pair.acknowledged, stops[index].given);
    }

    void onGiven(int index, long number) {
        stops[index].given = number;
    }

    /** Takes note of who has what, for the next look to compare. */
    void note(long sent) {
        sentAtLook = sent;
        for (Stop stop : stops) {
            stop.had = stop.pair.acknowledged;
        }
    }

    /**
     * Looks who is late.
     *
     * @param sent number of the last packet
     * @return how many members were found late that had been in time
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
        // Where more are late it is not a neighbour that is slow, and more copies would make it worse.
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
