package dev.tutti.bench;

import dev.tutti.bench.GroupSystem.Listener;
import dev.tutti.bench.GroupSystem.Seat;
import dev.tutti.bench.TuttiSystem.Carrier;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiFunction;

/** What can be measured. */
enum SystemKind {
    /** As users get it: listeners may block. */
    TUTTI(Joins.ONE_BY_ONE, tutti(Carrier.TCP, Map.of())),
    /** Listeners in the turns of the node's loop. */
    TUTTI_INLINE(Joins.ONE_BY_ONE, (seat, listener) -> new TuttiSystem(seat, listener, Carrier.TCP, true, Map.of())),
    /** On UDP, with IP multicast. */
    TUTTI_UDP(Joins.ONE_BY_ONE, tutti(Carrier.MULTICAST, Map.of())),
    /** On UDP, to each member by itself. */
    TUTTI_UDP_UNICAST(Joins.ONE_BY_ONE, tutti(Carrier.UDP, Map.of())),
    /** Causal order. */
    TUTTI_CAUSAL(Joins.ONE_BY_ONE, tutti(Carrier.TCP, Map.of("stack", "causal"))),
    /** Total order by a sequencer. */
    TUTTI_SEQUENCER(Joins.BACKWARDS, tutti(Carrier.TCP, total("sequencer", "agreed"))),
    /** Total order by a sequencer, safe delivery. */
    TUTTI_SEQUENCER_SAFE(Joins.BACKWARDS, tutti(Carrier.TCP, total("sequencer", "safe"))),
    /** Total order by turns. */
    TUTTI_ROTATION(Joins.ONE_BY_ONE, tutti(Carrier.TCP, total("rotation", "agreed"))),
    /** Total order by turns, safe delivery. */
    TUTTI_ROTATION_SAFE(Joins.ONE_BY_ONE, tutti(Carrier.TCP, total("rotation", "safe"))),
    JGROUPS(Joins.ONE_BY_ONE, (seat, listener) -> new JGroupsSystem(seat, listener, false, false)),
    /** On UDP, with IP multicast. */
    JGROUPS_UDP(Joins.ONE_BY_ONE, (seat, listener) -> new JGroupsSystem(seat, listener, true, false)),
    /** JGroups with SEQUENCER on top. */
    JGROUPS_SEQUENCER(Joins.BACKWARDS, (seat, listener) -> new JGroupsSystem(seat, listener, false, true)),
    /** What the machine can do: sockets, batches and nothing else. */
    LIMIT(Joins.TOGETHER, BareSockets::new);

    /** How members come together. */
    private enum Joins {
        ONE_BY_ONE,
        /** The first to send joins last, so that the oldest member, the sequencer, is another one. */
        BACKWARDS,
        /** A join returns only when all others join as well. */
        TOGETHER
    }

    private final Joins joins;
    private final BiFunction<Seat, Listener, GroupSystem> system;

    SystemKind(Joins joins, BiFunction<Seat, Listener, GroupSystem> system) {
        this.joins = joins;
        this.system = system;
    }

    GroupSystem open(Seat seat, Listener listener) {
        return system.apply(seat, listener);
    }

    boolean joinsTogether() {
        return joins == Joins.TOGETHER;
    }

    boolean joinsBackwards() {
        return joins == Joins.BACKWARDS;
    }

    private static BiFunction<Seat, Listener, GroupSystem> tutti(Carrier carrier, Map<String, String> order) {
        return (seat, listener) -> new TuttiSystem(seat, listener, carrier, false, order);
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
