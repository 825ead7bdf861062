package dev.tutti.bench;

import dev.tutti.bench.GroupSystem.Listener;
import dev.tutti.bench.GroupSystem.Seat;
import dev.tutti.bench.TuttiSystem.Carrier;
import java.util.Locale;

/** What can be measured. */
enum SystemKind {
    /** As users get it: listeners may block. */
    TUTTI {
        @Override
        GroupSystem open(Seat seat, Listener listener) {
            return new TuttiSystem(seat, listener, Carrier.TCP, false);
        }
    },
    /** Listeners on the node's loop. */
    TUTTI_INLINE {
        @Override
        GroupSystem open(Seat seat, Listener listener) {
            return new TuttiSystem(seat, listener, Carrier.TCP, true);
        }
    },
    /** On UDP, with IP multicast. */
    TUTTI_UDP {
        @Override
        GroupSystem open(Seat seat, Listener listener) {
            return new TuttiSystem(seat, listener, Carrier.MULTICAST, false);
        }
    },
    /** On UDP, to each member by itself. */
    TUTTI_UDP_UNICAST {
        @Override
        GroupSystem open(Seat seat, Listener listener) {
            return new TuttiSystem(seat, listener, Carrier.UDP, false);
        }
    },
    JGROUPS {
        @Override
        GroupSystem open(Seat seat, Listener listener) {
            return new JGroupsSystem(seat, listener, false);
        }
    },
    /** On UDP, with IP multicast. */
    JGROUPS_UDP {
        @Override
        GroupSystem open(Seat seat, Listener listener) {
            return new JGroupsSystem(seat, listener, true);
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

    /** The name on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
