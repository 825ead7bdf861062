package dev.tutti.bench;

import dev.tutti.bench.GroupSystem.Listener;
import dev.tutti.bench.GroupSystem.Seat;
import java.util.Locale;

/** What can be measured. */
enum SystemKind {
    /** As users get it: listeners may block. */
    TUTTI {
        @Override
        GroupSystem open(Seat seat, Listener listener) {
            return new TuttiSystem(seat, listener, false);
        }
    },
    /** Listeners on the node's loop. */
    TUTTI_INLINE {
        @Override
        GroupSystem open(Seat seat, Listener listener) {
            return new TuttiSystem(seat, listener, true);
        }
    },
    JGROUPS {
        @Override
        GroupSystem open(Seat seat, Listener listener) {
            return new JGroupsSystem(seat, listener);
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
