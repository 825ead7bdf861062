package dev.tutti.bench;

import dev.tutti.bench.GroupSystem.Listener;
import dev.tutti.bench.GroupSystem.Seat;
import dev.tutti.bench.TuttiSystem.Carrier;
import java.util.Locale;
import java.util.Map;

/** What can be measured. */
enum SystemKind {
    /** As users get it: listeners may block. */
    TUTTI {
        @Override
        GroupSystem open(Seat seat, Listener listener) {
            return new TuttiSystem(seat, listener, Carrier.TCP, false, Map.of());
        }
    },
    /** Listeners on the node's loop. */
    TUTTI_INLINE {
        @Override
        GroupSystem open(Seat seat, Listener listener) {
            return new TuttiSystem(seat, listener, Carrier.TCP, true, Map.of());
        }
    },
    /** On UDP, with IP multicast. */
    TUTTI_UDP {
        @Override
        GroupSystem open(Seat seat, Listener listener) {
            return new TuttiSystem(seat, listener, Carrier.MULTICAST, false, Map.of());
        }
    },
    /** On UDP, to each member by itself. */
    TUTTI_UDP_UNICAST {
        @Override
        GroupSystem open(Seat seat, Listener listener) {
            return new TuttiSystem(seat, listener, Carrier.UDP, false, Map.of());
        }
    },
    /** Causal order. */
    TUTTI_CAUSAL {
        @Override
        GroupSystem open(Seat seat, Listener listener) {
            return new TuttiSystem(seat, listener, Carrier.TCP, false, Map.of("stack", "causal"));
        }
    },
    /** Total order by a sequencer; who sends alone is not the sequencer. */
    TUTTI_SEQUENCER {
        @Override
        GroupSystem open(Seat seat, Listener listener) {
            return new TuttiSystem(seat, listener, Carrier.TCP, false, total("sequencer", "agreed"));
        }

        @Override
        boolean joinsBackwards() {
            return true;
        }
    },
    /** Total order by a sequencer, safe delivery. */
    TUTTI_SEQUENCER_SAFE {
        @Override
        GroupSystem open(Seat seat, Listener listener) {
            return new TuttiSystem(seat, listener, Carrier.TCP, false, total("sequencer", "safe"));
        }

        @Override
        boolean joinsBackwards() {
            return true;
        }
    },
    /** Total order by turns. */
    TUTTI_ROTATION {
        @Override
        GroupSystem open(Seat seat, Listener listener) {
            return new TuttiSystem(seat, listener, Carrier.TCP, false, total("rotation", "agreed"));
        }
    },
    /** Total order by turns, safe delivery. */
    TUTTI_ROTATION_SAFE {
        @Override
        GroupSystem open(Seat seat, Listener listener) {
            return new TuttiSystem(seat, listener, Carrier.TCP, false, total("rotation", "safe"));
        }
    },
    JGROUPS {
        @Override
        GroupSystem open(Seat seat, Listener listener) {
            return new JGroupsSystem(seat, listener, false, false);
        }
    },
    /** On UDP, with IP multicast. */
    JGROUPS_UDP {
        @Override
        GroupSystem open(Seat seat, Listener listener) {
            return new JGroupsSystem(seat, listener, true, false);
        }
    },
    /** JGroups with SEQUENCER on top; who sends alone is not the sequencer. */
    JGROUPS_SEQUENCER {
        @Override
        GroupSystem open(Seat seat, Listener listener) {
            return new JGroupsSystem(seat, listener, false, true);
        }

        @Override
        boolean joinsBackwards() {
            return true;
        }
    },
    /** What the machine can do: sockets, batches and nothing else. */
    LIMIT {
        @Override
        GroupSystem open(Seat seat, Listener listener) {
            return new BareSockets(seat, listener);
        }

        @Override
        boolean joinsTogether() {
            return true;
        }
    };

    abstract GroupSystem open(Seat seat, Listener listener);

    /** Whether a join returns only when all others join as well. */
    boolean joinsTogether() {
        return false;
    }

    /** Whether the first to send joins last, so that the oldest member is another one. */
    boolean joinsBackwards() {
        return false;
    }

    private static Map<String, String> total(String by, String delivery) {
        return Map.of("stack", "total", "total.by", by, "total.delivery", delivery);
    }

    /** The name on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
