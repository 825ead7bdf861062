package dev.tutti.cli.doctor;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Checks that the bound address and its netmask fit the addresses of the seeds. */
final class RouteCheck implements Check {

    @Override
    public String name() {
        return "route";
    }

    @Override
    public Duration deadline() {
        return Duration.ofSeconds(5);
    }

    @Override
    public List<Finding> run(DoctorContext context) throws IOException {
        InetAddress bound = context.bound();
        Set<InetAddress> addresses = new LinkedHashSet<>();
        context.peers.forEach(peer -> addresses.add(peer.address()));
        List<Finding> found = new ArrayList<>();
        lookAtFamilies(bound, addresses, found);
        for (InetAddress address : addresses) {
            if (bound != null && bound.isLoopbackAddress() && !address.isLoopbackAddress() && !isOwn(address)) {
                found.add(Finding.fault(
                        name(),
                        "bind.address is loopback, where " + address.getHostAddress() + " can't dial back",
                        "bind.address: SITE_LOCAL, or the address in that network; with a secret (tutti certs secret)"));
            } else if (address instanceof Inet4Address remote && !remote.isLoopbackAddress()) {
                look(remote, found);
            }
        }
        if (found.isEmpty()) {
            found.add(Finding.ok(name(), addresses.isEmpty() ? "nobody to go to" : "there is a way to all seeds"));
        }
        return found;
    }

    /** A node that is bound to an address of one family takes no connections at addresses of the other. */
    private void lookAtFamilies(@Nullable InetAddress bound, Set<InetAddress> addresses, List<Finding> found) {
        if (bound == null || bound.isAnyLocalAddress() || addresses.isEmpty()) {
            return;
        }
        boolean isBoundToFour = bound instanceof Inet4Address;
        if (addresses.stream().noneMatch(address -> address instanceof Inet4Address == isBoundToFour)) {
            found.add(Finding.fault(
                    name(),
                    "all seeds have " + (isBoundToFour ? "IPv6" : "IPv4") + " addresses ("
                            + addresses.iterator().next().getHostAddress() + "), and bind.address is " + bound.getHostAddress()
                            + (isBoundToFour ? " (IPv4)" : " (IPv6)"),
                    "use one family in bind.address and discovery.seeds of all nodes"));
        }
    }

    private static boolean isOwn(InetAddress address) throws IOException {
        return NetworkInterface.getByInetAddress(address) != null;
    }

    private void look(Inet4Address remote, List<Finding> found) throws IOException {
        if (isOwn(remote) || !Routes.interfaceTo(remote).isEmpty()) {
            return;
        }
        for (NetworkInterface card : NetworkInterface.networkInterfaces().toList()) {
            for (InterfaceAddress own : card.getInterfaceAddresses()) {
                if (own.getAddress() instanceof Inet4Address local && !local.isLoopbackAddress()) {
                    int length = Routes.commonPrefix(local, remote);
                    String mask = local.getHostAddress() + "/" + own.getNetworkPrefixLength();
                    found.add(Finding.fault(
                            name(),
                            "no route to " + remote.getHostAddress() + ": it is outside of " + mask + " (" + card.getName()
                                    + "), and there is no gateway",
                            "if the two are in one network the netmask is wrong; as root: ip address replace "
                                    + local.getHostAddress() + "/" + length + " dev " + card.getName()
                                    + "; otherwise: ip route add " + remote.getHostAddress() + " via GATEWAY"));
                    return;
                }
            }
        }
        found.add(Finding.fault(
                name(), "no route to " + remote.getHostAddress() + ": no interface has an address", "ip link and ip address show them"));
    }
}
