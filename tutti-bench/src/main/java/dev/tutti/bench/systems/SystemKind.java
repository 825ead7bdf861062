package dev.tutti.bench.systems;

import dev.tutti.bench.systems.GroupSystem.Listener;
import dev.tutti.bench.systems.GroupSystem.Seat;
import dev.tutti.bench.systems.JGroupsSystem.Stack;
import dev.tutti.bench.systems.TuttiSystem.Carrier;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Systems and configurations that can be measured. */
public enum SystemKind {
    TUTTI(tutti(Carrier.TCP, Map.of()), "as users get it: TCP, listeners may block"),
    TUTTI_INLINE(
            (seat, listener) -> new TuttiSystem(seat, listener, Carrier.TCP, true, Map.of()),
            "listeners in the turns of the node's loop"),
    TUTTI_UDP(tutti(Carrier.MULTICAST, Map.of()), "UDP, with IP multicast"),
    TUTTI_UDP_ENCRYPTED(tutti(Carrier.ENCRYPTED, Map.of()), "the same, encrypted by a secret"),
    TUTTI_UDP_INLINE(
            (seat, listener) -> new TuttiSystem(seat, listener, Carrier.MULTICAST, true, Map.of()),
            "the same, listeners on the loop"),
    TUTTI_UDP_UNICAST(tutti(Carrier.UDP, Map.of()), "UDP, to each member by itself"),
    TUTTI_UDP_UNICAST_INLINE(
            (seat, listener) -> new TuttiSystem(seat, listener, Carrier.UDP, true, Map.of()),
            "the same, listeners on the loop"),
    TUTTI_RING(tutti(Carrier.TCP, Map.of("dissemination", "ring")), "TCP, from member to member"),
    TUTTI_AUTO(tutti(Carrier.TCP, Map.of("dissemination", "auto")), "TCP, each sender tries which is faster"),
    TUTTI_CAUSAL(tutti(Carrier.TCP, Map.of("stack", "causal")), "causal order"),
    TUTTI_SEQUENCER(tutti(Carrier.TCP, total("sequencer", "agreed")), "total order by a sequencer", Trait.JOINS_BACKWARDS),
    TUTTI_SEQUENCER_SAFE(tutti(Carrier.TCP, total("sequencer", "safe")), "the same, safe delivery", Trait.JOINS_BACKWARDS),
    TUTTI_ROTATION(tutti(Carrier.TCP, total("rotation", "agreed")), "total order by turns"),
    TUTTI_ROTATION_SAFE(tutti(Carrier.TCP, total("rotation", "safe")), "the same, safe delivery"),
    TUTTI_RELAYED(tutti(Carrier.RELAYED, Map.of()), "through a rendezvous server", Trait.RELAYED),
    TUTTI_RELAYED_ENCRYPTED(tutti(Carrier.RELAYED_ENCRYPTED, Map.of()), "the same, encrypted from node to node", Trait.RELAYED),
    JGROUPS(jgroups(Stack.TCP), "its tcp.xml, bundler.capacity=65536"),
    JGROUPS_TUNED(jgroups(Stack.TCP_TUNED), "also Nagle off, four times the credits"),
    JGROUPS_LATENCY(jgroups(Stack.TCP_LATENCY), "its tcp-low-latency.xml: no bundler"),
    JGROUPS_STOCK(jgroups(Stack.TCP_STOCK), "its tcp.xml as shipped: loses messages under load"),
    JGROUPS_NIO(jgroups(Stack.NIO), "its tcp-nio.xml, bundler.capacity=65536"),
    JGROUPS_NIO_TUNED(jgroups(Stack.NIO_TUNED), "also Nagle off, four times the credits, no RED"),
    JGROUPS_NIO_STOCK(jgroups(Stack.NIO_STOCK), "its tcp-nio.xml as shipped"),
    JGROUPS_UDP(jgroups(Stack.UDP), "its udp.xml, bundler.capacity=65536"),
    JGROUPS_UDP_TUNED(jgroups(Stack.UDP_TUNED), "also four times the credits, no RED"),
    JGROUPS_UDP_STOCK(jgroups(Stack.UDP_STOCK), "its udp.xml as shipped"),
    JGROUPS_UNCONTROLLED(jgroups(Stack.TCP_UNCONTROLLED), "tcp.xml without flow control"),
    JGROUPS_UDP_UNCONTROLLED(jgroups(Stack.UDP_UNCONTROLLED), "udp.xml without flow control"),
    JGROUPS_SEQUENCER(jgroups(Stack.TCP_SEQUENCER), "tcp.xml with SEQUENCER", Trait.JOINS_BACKWARDS),
    JGROUPS_TUNNEL(jgroups(Stack.TUNNEL), "its tunnel.xml through a GossipRouter, bundler.capacity=65536", Trait.RELAYED),
    TRIBES(
            (seat, listener) -> new TribesSystem(seat, listener, false),
            "Apache Tribes 11, no acknowledgements",
            Trait.JOINS_TOGETHER,
            Trait.NOT_TO_SELF),
    TRIBES_ACK(
            (seat, listener) -> new TribesSystem(seat, listener, true),
            "Apache Tribes 11, each message acknowledged",
            Trait.JOINS_TOGETHER,
            Trait.NOT_TO_SELF),
    ZEROMQ(
            (seat, listener) -> new ZeroMqSystem(seat, listener, NativeZeroMq::new),
            "libzmq, PUB and SUB over TCP",
            Trait.JOINS_TOGETHER,
            Trait.NOT_TO_SELF,
            Trait.NO_UNICAST),
    JEROMQ(
            (seat, listener) -> new ZeroMqSystem(seat, listener, JeroMq::new),
            "ZeroMQ in Java",
            Trait.JOINS_TOGETHER,
            Trait.NOT_TO_SELF,
            Trait.NO_UNICAST),
    NATS(
            NatsSystem::new,
            "through a nats-server, which the first member starts",
            Trait.JOINS_TOGETHER,
            Trait.NOT_TO_SELF,
            Trait.NO_UNICAST),
    LIMIT(BareSockets::new, "bare sockets, the same batches, no protocol", Trait.JOINS_TOGETHER, Trait.ONE_THREAD),
    LIMIT_RELAYED(
            BareSockets::new, "bare sockets through HAProxy in TCP mode", Trait.JOINS_TOGETHER, Trait.ONE_THREAD, Trait.RELAYED),
    LIMIT_PAIR(
            BarePair::new, "one blocking socket, round trips only", Trait.JOINS_TOGETHER, Trait.ONE_THREAD, Trait.PAIR);

    private enum Trait {
        /** The first to send joins last, so that the oldest member, which is the sequencer, is another one. */
        JOINS_BACKWARDS,
        /** A join returns only when all others join as well. */
        JOINS_TOGETHER,
        /** A sender does not receive its own messages. */
        NOT_TO_SELF,
        NO_UNICAST,
        /** It has no threads of its own, and only one thread of a member may call it. */
        ONE_THREAD,
        /** It has two members and no multicast. */
        PAIR,
        /** Its members reach each other through a {@link Relay}, which has to be there. */
        RELAYED
    }

    private final BiFunction<Seat, Listener, GroupSystem> system;
    private final String description;
    private final Set<Trait> traits;

    SystemKind(BiFunction<Seat, Listener, GroupSystem> system, String description, Trait... traits) {
        this.system = system;
        this.description = description;
        this.traits = Set.of(traits);
    }

    public GroupSystem open(Seat seat, Listener listener) {
        return system.apply(seat, listener);
    }

    String description() {
        return description;
    }

    public boolean joinsTogether() {
        return traits.contains(Trait.JOINS_TOGETHER);
    }

    public boolean joinsBackwards() {
        return traits.contains(Trait.JOINS_BACKWARDS);
    }

    public boolean deliversToSender() {
        return !traits.contains(Trait.NOT_TO_SELF);
    }

    public boolean hasUnicast() {
        return !traits.contains(Trait.NO_UNICAST);
    }

    public boolean hasMulticast() {
        return !traits.contains(Trait.PAIR);
    }

    public boolean isForManyThreads() {
        return !traits.contains(Trait.ONE_THREAD);
    }

    /** Returns whether members need a {@link Relay}. */
    public boolean isRelayed() {
        return traits.contains(Trait.RELAYED);
    }

    /** Returns whether it is tutti or a limit: their faults are failures, those of others disqualify them. */
    public boolean isOwn() {
        return family().equals("tutti") || family().equals("limit");
    }

    /** Returns the first word of its name, which configurations of one system share. */
    public String family() {
        return toString().split("-")[0];
    }

    /** Returns the name on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns the systems that need no {@link Relay}. */
    private static Stream<SystemKind> direct() {
        return Arrays.stream(values()).filter(kind -> !kind.isRelayed());
    }

    /** @throws IllegalArgumentException that lists all names, if this is none of a system that needs no relay */
    public static SystemKind parse(String text) {
        return direct().filter(kind -> kind.toString().equals(text)).findFirst().orElseThrow(() -> new IllegalArgumentException(
                "'" + text + "' is none of " + direct().map(SystemKind::toString).collect(Collectors.joining(", "))));
    }

    /** Returns a line for each system that needs no relay, for help texts. */
    public static List<String> descriptions() {
        return direct()
                .map(kind -> String.format(Locale.ROOT, "  %-25s %s", kind, kind.description))
                .toList();
    }

    private static BiFunction<Seat, Listener, GroupSystem> tutti(Carrier carrier, Map<String, String> order) {
        return (seat, listener) -> new TuttiSystem(seat, listener, carrier, false, order);
    }

    private static BiFunction<Seat, Listener, GroupSystem> jgroups(Stack stack) {
        return (seat, listener) -> new JGroupsSystem(seat, listener, stack);
    }

    private static Map<String, String> total(String by, String delivery) {
        return Map.of("stack", "total", "total.by", by, "total.delivery", delivery);
    }
}
