package dev.tutti.campaign.history;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Searches for an order of operations on one number that agrees with real time and explains the results of all clients:
 * linearizability (M. Herlihy, J. Wing, TOPLAS 12(3), 1990), which is local, so that each object is checked by itself.
 *
 * <p>The search is that of J. Wing and C. Gong (Testing and verifying concurrent objects, JPDC 17, 1993): the next
 * operation of the order is one that was invoked before any other left has returned; it backtracks where none fits. As
 * G. Lowe has added (Testing for linearizability, CCPE 29(4), 2017), a set of done operations with the resulting number
 * is visited once. An operation of unknown outcome has no end, and need not be in the order; known operations are tried
 * before these.
 */
final class Linearizability {

    /** Result of the search. */
    enum Verdict {
        LINEARIZABLE,
        VIOLATED,
        /** The search has reached its limit of configurations. */
        UNDECIDED
    }

    /** Operations in the order so far: known ones below {@code first} and those of {@code beyond}, and unknown ones. */
    private record Configuration(int first, BitSet beyond, BitSet unknown, long state) {}

    /** A place in the search, and the operations that are still to be tried from there. */
    private static final class Place {
        private final Configuration at;
        private final List<Integer> candidates;
        private int tried;

        Place(Configuration at, List<Integer> candidates) {
            this.at = at;
            this.candidates = candidates;
        }
    }

    private final List<Operation> known = new ArrayList<>();
    private final List<Operation> unknown = new ArrayList<>();
    private final long era;
    private final int configurationsMax;
    private final Set<Configuration> seen = new HashSet<>();
    private int furthest = -1;
    private @Nullable Configuration furthestAt;

    /**
     * @param operations operations on one object, including those of unknown outcome
     * @param era era of the operations with a known outcome
     */
    Linearizability(List<Operation> operations, long era, int configurationsMax) {
        this.era = era;
        this.configurationsMax = configurationsMax;
        for (Operation operation : operations) {
            (operation.isTold() ? known : unknown).add(operation);
        }
        known.sort(Comparator.comparingLong(Operation::invokedNanos));
        unknown.sort(Comparator.comparingLong(Operation::invokedNanos));
    }

    Verdict search() {
        ArrayDeque<Place> path = new ArrayDeque<>();
        Configuration start = new Configuration(0, new BitSet(), new BitSet(), 0);
        seen.add(start);
        path.push(new Place(start, candidates(start)));
        while (!path.isEmpty()) {
            Place place = path.peek();
            if (place.at.first == known.size()) {
                return Verdict.LINEARIZABLE;
            }
            if (place.tried == place.candidates.size()) {
                path.pop();
                continue;
            }
            Configuration next = step(place.at, place.candidates.get(place.tried++));
            if (next != null && seen.add(next)) {
                if (seen.size() > configurationsMax) {
                    return Verdict.UNDECIDED;
                }
                note(next);
                path.push(new Place(next, candidates(next)));
            }
        }
        return Verdict.VIOLATED;
    }

    private void note(Configuration reached) {
        int done = reached.first + reached.beyond.cardinality();
        if (done > furthest) {
            furthest = done;
            furthestAt = reached;
        }
    }

    int configurations() {
        return seen.size();
    }

    /** Describes the operations of which none fits at the furthest point that the search has reached. */
    String counterexample() {
        Configuration at = furthestAt == null ? new Configuration(0, new BitSet(), new BitSet(), 0) : furthestAt;
        StringBuilder text = new StringBuilder("after " + Math.max(0, furthest) + " of " + known.size()
                + " operations that were told, with " + at.state + " in era " + era + ", nothing fits:");
        candidates(at).stream().limit(SHOWN_MAX).forEach(index -> text.append("\n    ").append(operation(index)));
        return text.toString();
    }

    /** Returns the operation of an index: known ones from 0, unknown ones below 0. */
    private Operation operation(int index) {
        return index >= 0 ? known.get(index) : unknown.get(-1 - index);
    }

    /** Returns the operations that may be next: no operation left had returned before they were invoked. */
    private List<Integer> candidates(Configuration at) {
        long firstReturn = Long.MAX_VALUE;
        for (int index = at.first; index < known.size() && known.get(index).invokedNanos() <= firstReturn; index++) {
            if (!at.beyond.get(index - at.first)) {
                firstReturn = Math.min(firstReturn, known.get(index).returnedNanos());
            }
        }
        List<Integer> candidates = new ArrayList<>();
        for (int index = at.first; index < known.size() && known.get(index).invokedNanos() <= firstReturn; index++) {
            if (!at.beyond.get(index - at.first)) {
                candidates.add(index);
            }
        }
        for (int index = 0; index < unknown.size() && unknown.get(index).invokedNanos() <= firstReturn; index++) {
            if (!at.unknown.get(index)) {
                candidates.add(-1 - index);
            }
        }
        return candidates;
    }

    /** Returns the configuration after an operation; null if that cannot come next, or makes no difference. */
    private @Nullable Configuration step(Configuration at, int index) {
        Operation operation = operation(index);
        long next =
                switch (operation.request()) {
                    case Operation.Request.Add(long delta) -> at.state + delta;
                    case Operation.Request.Exchange(long expectedEra, long expected, long value) ->
                        expectedEra == era && expected == at.state ? value : at.state;
                    case Operation.Request.Grant grant -> throw new IllegalStateException("no number: " + operation);
                    case Operation.Request.Release release -> throw new IllegalStateException("no number: " + operation);
                    case Operation.Request.Take take -> throw new IllegalStateException("no number: " + operation);
                };
        if (index < 0) {
            if (next == at.state) {
                return null;
            }
            BitSet unknownDone = (BitSet) at.unknown.clone();
            unknownDone.set(-1 - index);
            return new Configuration(at.first, at.beyond, unknownDone, next);
        }
        long told = operation.request() instanceof Operation.Request.Exchange ? at.state : next;
        if (told != operation.result()) {
            return null;
        }
        BitSet beyond = (BitSet) at.beyond.clone();
        beyond.set(index - at.first);
        int passed = beyond.nextClearBit(0);
        return new Configuration(at.first + passed, beyond.get(passed, Math.max(passed, beyond.length())), at.unknown, next);
    }

    private static final int SHOWN_MAX = 12;
}
