package dev.tutti.bench.systems;

import dev.tutti.bench.BenchException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.Receiver;
import org.jgroups.View;
import org.jgroups.conf.ConfiguratorFactory;
import org.jgroups.conf.ProtocolConfiguration;
import org.jgroups.conf.ProtocolStackConfigurator;
import org.jspecify.annotations.Nullable;

/**
 * JGroups with one of its own files, the address of its machine and a fixed port; with TCP, all members as {@code
 * initial_hosts}; with UDP, a multicast address of this run's. Other differences from the file are in {@link Stack}. It
 * keeps the array that is sent, so each message is a new one.
 */
final class JGroupsSystem implements GroupSystem {

    /** Capacity for the bundler: with the default of 16k it drops messages silently under load. */
    private static final Map<String, String> CAPACITY = Map.of("bundler.capacity", "65536");

    private static final Map<String, String> PROMPT = Map.of("bundler.capacity", "65536", "tcp_nodelay", "true");

    /** Properties in the file for low latency, without protocols that only discover. */
    private static final Map<String, String> DIRECT = Map.of(
            "buffered_input_stream_size", "8192",
            "buffered_output_stream_size", "8192",
            "bundler_type", "no-bundler",
            "use_lock_to_send", "true",
            "message_processing_policy", "all-direct",
            "tcp_nodelay", "true");

    private static final Map<String, String> CREDITS = Map.of("max_credits", "8M");

    /**
     * @param file one of its own
     * @param changes of properties, by protocol
     * @param without protocols that are left out
     * @param isTotal with SEQUENCER above membership
     */
    record Stack(String file, Map<String, Map<String, String>> changes, Set<String> without, boolean isTotal) {

        /** Returns whether requests are out of band and without flow control. */
        boolean isTuned() {
            return equals(TCP_TUNED);
        }

        static final Stack TCP_STOCK = new Stack("tcp.xml", Map.of(), Set.of(), false);
        static final Stack TCP = TCP_STOCK.with(Map.of("TCP", CAPACITY));
        static final Stack TCP_TUNED = TCP_STOCK.with(Map.of("TCP", PROMPT, "MFC", CREDITS, "UFC", CREDITS));
        static final Stack TCP_LATENCY = TCP_STOCK.with(Map.of("TCP", DIRECT));
        static final Stack TCP_UNCONTROLLED = TCP.without(Set.of("MFC", "UFC"));
        static final Stack TCP_SEQUENCER = new Stack("tcp.xml", TCP.changes, Set.of(), true);
        static final Stack NIO_STOCK = new Stack("tcp-nio.xml", Map.of(), Set.of(), false);
        static final Stack NIO = NIO_STOCK.with(Map.of("TCP_NIO2", CAPACITY));
        static final Stack NIO_TUNED = NIO_STOCK
                .with(Map.of("TCP_NIO2", PROMPT, "MFC", CREDITS, "UFC", CREDITS))
                .without(Set.of("RED"));
        static final Stack TUNNEL = new Stack("tunnel.xml", Map.of("TUNNEL", CAPACITY), Set.of(), false);
        static final Stack UDP_STOCK = new Stack("udp.xml", Map.of(), Set.of(), false);
        static final Stack UDP = UDP_STOCK.with(Map.of("UDP", CAPACITY));
        static final Stack UDP_TUNED = UDP_STOCK
                .with(Map.of("UDP", CAPACITY, "MFC", CREDITS, "UFC", CREDITS))
                .without(Set.of("RED"));
        static final Stack UDP_UNCONTROLLED = UDP.without(Set.of("MFC", "UFC"));

        private Stack with(Map<String, Map<String, String>> properties) {
            return new Stack(file, properties, without, isTotal);
        }

        private Stack without(Set<String> protocols) {
            return new Stack(file, changes, protocols, isTotal);
        }
    }

    /** Returns this member's addresses, as properties by protocol. */
    private static Map<String, Map<String, String>> places(Seat seat, int port, List<Integer> ports, String address) {
        Map<String, String> bound =
                Map.of("bind_addr", Addresses.of(seat.rank()), "bind_port", Integer.toString(port), "port_range", "0");
        Map<String, String> multicast = new HashMap<>(bound);
        multicast.put("mcast_addr", address);
        multicast.put("mcast_port", Integer.toString(seat.multicastPort()));
        String hosts = seat.ranks().stream()
                .map(rank -> Addresses.of(rank) + "[" + ports.get(rank) + "]")
                .collect(Collectors.joining(","));
        Map<String, String> tunnel = Relay.isUsed()
                ? Map.of("bind_addr", "127.0.0.1", "gossip_router_hosts", "127.0.0.1[" + Relay.port(seat.rank()) + "]")
                : Map.of();
        return Map.of(
                "UDP", multicast,
                "TUNNEL", tunnel,
                "TCP", bound,
                "TCP_NIO2", bound,
                "TCPPING", Map.of("initial_hosts", hosts, "port_range", "0"));
    }

    /** Network of its multicast addresses, which keeps them apart from those of other systems. */
    private static final int MULTICAST_NET = 79;

    private static final long PAUSE_NANOS = 5_000_000;

    private final Seat seat;
    private final Listener listener;
    private final Stack stack;
    private final List<JChannel> further = new ArrayList<>();
    private final Semaphore furtherMessages = new Semaphore(0);
    private @Nullable JChannel channel;

    JGroupsSystem(Seat seat, Listener listener, Stack stack) {
        this.seat = seat;
        this.listener = listener;
        this.stack = stack;
    }

    @Override
    public void start() {
        channel = open(seat.port(), seat.ports(), receiver);
    }

    private final Receiver receiver = new Receiver() {
        @Override
        public void receive(Message message) {
            listener.onMessage(message.getArray(), message.getOffset(), message.getLength());
        }

        @Override
        public void viewAccepted(View view) {
            listener.onView(
                    view.getMembers().stream().map(member -> Seat.rankOf(member.toString())).toList(),
                    Seat.rankOf(view.getCoord().toString()),
                    view.getViewId().toString().replace(' ', '_'));
        }
    };

    @Override
    public Requests requests(Requests.Values values) {
        return new JGroupsRequests(channel(), receiver, seat.members(), values, stack.isTuned());
    }

    private JChannel open(int port, List<Integer> ports, Receiver receiver) {
        try {
            ProtocolStackConfigurator file = ConfiguratorFactory.getStackConfigurator(stack.file());
            List<ProtocolConfiguration> protocols = file.getProtocolStack();
            protocols.removeIf(protocol -> stack.without().contains(protocol.getProtocolName()));
            var places = places(seat, port, ports, seat.multicastAddress(MULTICAST_NET));
            for (ProtocolConfiguration protocol : protocols) {
                String name = protocol.getProtocolName();
                protocol.getProperties().putAll(places.getOrDefault(name, Map.of()));
                protocol.getProperties().putAll(stack.changes().getOrDefault(name, Map.of()));
            }
            if (stack.isTotal()) {
                int membership = 0;
                while (!protocols.get(membership).getProtocolName().endsWith("GMS")) {
                    membership++;
                }
                protocols.add(membership + 1, new ProtocolConfiguration("SEQUENCER", new HashMap<>()));
            }
            return new JChannel(file).name(seat.name()).setReceiver(receiver);
        } catch (Exception e) {
            throw new BenchException("JGroups does not start: " + e.getMessage(), e);
        }
    }

    @Override
    public void join() {
        connect(channel(), GROUP);
    }

    private static void connect(JChannel channel, String group) {
        try {
            channel.connect(group);
        } catch (Exception e) {
            throw new BenchException("JGroups does not connect: " + e.getMessage(), e);
        }
    }

    @Override
    public void multicast(byte[] message) {
        send(channel(), null, message);
    }

    @Override
    public void unicast(int rank, byte[] message) {
        String name = Seat.name(rank);
        for (Address address : channel().getView().getMembersRaw()) {
            if (address.toString().equals(name)) {
                send(channel(), address, message);
                return;
            }
        }
        throw new IllegalArgumentException(name + " is not in " + channel().getView());
    }

    private static void send(JChannel channel, @Nullable Address receiver, byte[] message) {
        try {
            channel.send(new BytesMessage(receiver, message.clone()));
        } catch (Exception e) {
            throw new BenchException("JGroups does not send: " + e.getMessage(), e);
        }
    }

    /** Opens a channel with its own transport for each, as version 5 offers; their ports follow the members'. */
    @Override
    public void openGroups(int count, long timeoutNanos) {
        long end = System.nanoTime() + timeoutNanos;
        for (int index = 1; index <= count; index++) {
            int offset = index * seat.members();
            List<Integer> ports = seat.ports().stream().map(port -> port + offset).toList();
            JChannel one = open(ports.get(seat.rank()), ports, new Receiver() {
                @Override
                public void receive(Message message) {
                    furtherMessages.release();
                }
            });
            further.add(one);
            connect(one, "further-" + index);
        }
        for (JChannel one : further) {
            while (one.getView().size() < seat.members()) {
                if (System.nanoTime() > end) {
                    throw new BenchException(one.getClusterName() + " stays at " + one.getView());
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    @Override
    public boolean exerciseGroups(long timeoutNanos) {
        for (JChannel one : further) {
            send(one, null, new byte[8]);
        }
        try {
            return furtherMessages.tryAcquire(further.size() * seat.members(), timeoutNanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void close() {
        further.forEach(JChannel::close);
        JChannel open = channel;
        if (open != null) {
            open.close();
        }
    }

    private JChannel channel() {
        return Objects.requireNonNull(channel, "not started");
    }
}
