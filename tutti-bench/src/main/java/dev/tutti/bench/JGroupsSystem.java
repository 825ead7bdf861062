package dev.tutti.bench;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
 * JGroups with the {@code tcp.xml} or the {@code udp.xml} that it ships, but for: {@code bundler.capacity} of 65536, because
 * with the shipped 16k it drops messages silently under load; the loopback address and a fixed port; with TCP, all members
 * as {@code initial_hosts}; with UDP, a multicast address of this run's. It keeps the array that is sent, so each message is
 * a new one.
 */
final class JGroupsSystem implements GroupSystem {

    /** What differs from the file, by protocol. */
    static Map<String, Map<String, String>> settings(Seat seat) {
        return Map.of(
                "UDP",
                Map.of(
                        "bind_addr", "127.0.0.1",
                        "bind_port", Integer.toString(seat.port()),
                        "port_range", "0",
                        "mcast_addr", seat.multicastAddress(MULTICAST_NET),
                        "mcast_port", Integer.toString(seat.multicastPort()),
                        "bundler.capacity", "65536"),
                "TCP",
                Map.of(
                        "bind_addr", "127.0.0.1",
                        "bind_port", Integer.toString(seat.port()),
                        "port_range", "0",
                        "bundler.capacity", "65536"),
                "TCPPING",
                Map.of(
                        "initial_hosts",
                        seat.ports().stream().map(port -> "127.0.0.1[" + port + "]").collect(Collectors.joining(",")),
                        "port_range",
                        "0"));
    }

    /** Keeps its multicast addresses from those of other systems. */
    private static final int MULTICAST_NET = 79;

    private final Seat seat;
    private final Listener listener;
    private final boolean isUdp;
    private final boolean isTotal;
    private @Nullable JChannel channel;

    /** @param isTotal with SEQUENCER above membership */
    JGroupsSystem(Seat seat, Listener listener, boolean isUdp, boolean isTotal) {
        this.seat = seat;
        this.listener = listener;
        this.isUdp = isUdp;
        this.isTotal = isTotal;
    }

    @Override
    public void start() {
        try {
            ProtocolStackConfigurator stack = ConfiguratorFactory.getStackConfigurator(isUdp ? "udp.xml" : "tcp.xml");
            var settings = settings(seat);
            for (ProtocolConfiguration protocol : stack.getProtocolStack()) {
                protocol.getProperties().putAll(settings.getOrDefault(protocol.getProtocolName(), Map.of()));
            }
            if (isTotal) {
                List<ProtocolConfiguration> protocols = stack.getProtocolStack();
                int membership = 0;
                while (!protocols.get(membership).getProtocolName().endsWith("GMS")) {
                    membership++;
                }
                protocols.add(membership + 1, new ProtocolConfiguration("SEQUENCER", new HashMap<>()));
            }
            channel = new JChannel(stack).name(seat.name()).setReceiver(new Receiver() {
                @Override
                public void receive(Message message) {
                    listener.onMessage(message.getArray(), message.getOffset(), message.getLength());
                }

                @Override
                public void viewAccepted(View view) {
                    listener.onView(
                            view.size(),
                            Seat.rankOf(view.getCoord().toString()),
                            view.getViewId().toString().replace(' ', '_'));
                }
            });
        } catch (Exception e) {
            throw new BenchException("JGroups does not start: " + e.getMessage(), e);
        }
    }

    @Override
    public void join() {
        try {
            channel().connect(GROUP);
        } catch (Exception e) {
            throw new BenchException("JGroups does not connect: " + e.getMessage(), e);
        }
    }

    @Override
    public void multicast(byte[] message) {
        send(null, message);
    }

    @Override
    public void unicast(int rank, byte[] message) {
        String name = Seat.name(rank);
        for (Address address : channel().getView().getMembersRaw()) {
            if (address.toString().equals(name)) {
                send(address, message);
                return;
            }
        }
        throw new IllegalArgumentException(name + " is not in " + channel().getView());
    }

    private void send(@Nullable Address receiver, byte[] message) {
        try {
            channel().send(new BytesMessage(receiver, message.clone()));
        } catch (Exception e) {
            throw new BenchException("JGroups does not send: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        JChannel open = channel;
        if (open != null) {
            open.close();
        }
    }

    private JChannel channel() {
        return Objects.requireNonNull(channel, "not started");
    }
}
