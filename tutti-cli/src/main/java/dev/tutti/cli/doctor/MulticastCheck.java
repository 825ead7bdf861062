package dev.tutti.cli.doctor;

import dev.tutti.address.HostPort;
import dev.tutti.core.driver.TransportSettings;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Checks that multicasts leave this machine by the right interface, and come back to it. */
final class MulticastCheck implements Check {

    private static final Duration PATIENCE = Duration.ofSeconds(1);

    @Override
    public String name() {
        return "multicast";
    }

    @Override
    public Duration deadline() {
        return Duration.ofSeconds(5);
    }

    @Override
    public List<Finding> run(DoctorContext context) throws IOException {
        String text = context.get(TransportSettings.MULTICAST_ADDRESS);
        boolean isUdp = context.isUdp();
        InetAddress bound = context.bound();
        if (text.isEmpty() || !isUdp || bound == null) {
            return List.of(Finding.ok(name(), "not used"));
        }
        // The probe has parsed the address and joined the group already.
        InetAddress group = InetAddress.ofLiteral(HostPort.parse(text).host());
        NetworkInterface card = NetworkInterface.getByInetAddress(bound);
        List<Finding> found = new ArrayList<>();
        if (group instanceof Inet4Address address && !bound.isLoopbackAddress()) {
            route(address, card.getName(), found);
        }
        if (context.get(TransportSettings.MULTICAST_TTL) == 0
                && context.peers.stream().anyMatch(peer -> !peer.address().isLoopbackAddress())) {
            found.add(Finding.fault(
                    name(), "transport.multicast.ttl is 0, which never leaves this machine", "transport.multicast.ttl: 1"));
        }
        if (!returns(group, card)) {
            found.add(Finding.fault(
                    name(),
                    "what is sent to " + group.getHostAddress() + " by " + card.getName() + " does not come back to this machine"
                            + " within " + Doctor.seconds(PATIENCE),
                    "allow it in the firewall, as root: nft add rule inet filter input ip daddr 224.0.0.0/4 accept; ip link"
                            + " show " + card.getName() + " has to say MULTICAST"));
        }
        if (found.isEmpty()) {
            found.add(Finding.ok(name(), group.getHostAddress() + " by " + card.getName() + " comes back"));
        }
        return found;
    }

    private void route(Inet4Address group, String card, List<Finding> found) throws IOException {
        String way = Routes.interfaceTo(group);
        String advice = "as root: ip route add 224.0.0.0/4 dev " + card;
        if (way.isEmpty()) {
            found.add(Finding.fault(name(), "there is no route to the multicast address " + group.getHostAddress(), advice));
        } else if (!way.equals("*") && !way.equals(card)) {
            found.add(Finding.note(
                    name(),
                    "multicasts to " + group.getHostAddress() + " are routed by " + way + ", and the node uses " + card,
                    advice));
        }
    }

    private static boolean returns(InetAddress group, NetworkInterface card) throws IOException {
        byte[] token = new byte[16];
        new SecureRandom().nextBytes(token);
        StandardProtocolFamily family =
                group instanceof Inet4Address ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6;
        try (Selector selector = Selector.open();
                DatagramChannel channel = DatagramChannel.open(family)) {
            channel.bind(new InetSocketAddress(0));
            channel.setOption(StandardSocketOptions.IP_MULTICAST_IF, card);
            channel.setOption(StandardSocketOptions.IP_MULTICAST_LOOP, true);
            channel.join(group, card);
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ);
            int port = ((InetSocketAddress) channel.getLocalAddress()).getPort();
            try {
                channel.send(ByteBuffer.wrap(token), new InetSocketAddress(group, port));
            } catch (IOException e) {
                return false;
            }
            if (selector.select(PATIENCE.toMillis()) == 0) {
                return false;
            }
            ByteBuffer got = ByteBuffer.allocate(64);
            channel.receive(got);
            return got.flip().equals(ByteBuffer.wrap(token));
        }
    }
}
