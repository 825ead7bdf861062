package dev.tutti.netty.internal.address;

import dev.tutti.core.driver.TransportException;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Settings;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;

/**
 * The address and ports that a node listens on, and the address that others dial.
 *
 * @param choice choice among the machine's addresses
 * @param address address to listen on
 * @param port first port to try; 0 for any free one
 * @param portLast last port to try
 * @param advertise address set for others to dial; blank for the bound address
 */
public record Binding(AddressChoice choice, InetAddress address, int port, int portLast, String advertise) {

    /**
     * @throws TransportException if no address matches
     */
    public static Binding of(Settings settings) {
        AddressChoice choice = new AddressChoice(interfaces(), Resolver::lookUp);
        int port = settings.get(TransportSettings.BIND_PORT);
        int last = port == 0 ? 0 : Math.min(port + settings.get(TransportSettings.BIND_PORT_RANGE), 65_535);
        return new Binding(
                choice,
                choice.listen(settings.get(TransportSettings.BIND_ADDRESS)),
                port,
                last,
                settings.get(TransportSettings.ADVERTISE));
    }

    private static List<AddressChoice.Interface> interfaces() {
        try {
            List<AddressChoice.Interface> found = new ArrayList<>();
            for (NetworkInterface each : Collections.list(NetworkInterface.getNetworkInterfaces())) {
                if (each.isUp()) {
                    found.add(new AddressChoice.Interface(
                            each.getIndex(), each.getName(), Collections.list(each.getInetAddresses())));
                }
            }
            return found;
        } catch (SocketException e) {
            throw new TransportException("can't list the network interfaces: " + e.getMessage(), e);
        }
    }

    /**
     * Returns whether frames carry checksums. Traffic to another advertised address may take any path, and needs them.
     */
    public boolean isSummed(Settings settings, boolean isSecure) {
        return switch (settings.get(TransportSettings.CHECKSUM)) {
            case AUTO -> !isSecure && !(address.isLoopbackAddress() && advertise.isEmpty());
            case ON -> true;
            case OFF -> false;
        };
    }

    /**
     * Tries the ports in turn.
     *
     * @throws TransportException if none can be bound
     */
    public Channel bind(Function<InetSocketAddress, ChannelFuture> attempt) {
        for (int candidate = port; ; candidate++) {
            ChannelFuture binding = attempt.apply(new InetSocketAddress(address, candidate));
            binding.awaitUninterruptibly();
            Throwable cause = binding.cause();
            if (cause == null) {
                return binding.channel();
            }
            String message = String.valueOf(cause.getMessage());
            boolean isInUse = message.contains("in use");
            if (!isInUse || candidate == portLast) {
                throw new TransportException(explain(isInUse, message), cause);
            }
        }
    }

    private String explain(boolean isInUse, String message) {
        String where = new HostPort(address.getHostAddress(), port).toString();
        if (isInUse && port == portLast) {
            return "bind.port: " + where + " is in use; set another bind.port, 0 for any free one,"
                    + " or bind.port-range to try the following ones";
        }
        if (isInUse) {
            return "bind.port: " + where + " to " + portLast + " are all in use; set another bind.port,"
                    + " 0 for any free one, or a larger bind.port-range";
        }
        if (message.contains("denied") || message.contains("not permitted")) {
            return "bind.port: no permission to listen on " + where
                    + "; ports below 1024 belong to the administrator, use one above";
        }
        return "bind.address: can't listen on " + where + ": " + message;
    }

    /**
     * Returns the address for others to dial when {@code boundPort} was bound.
     *
     * @throws TransportException if the setting is no address
     */
    public String advertised(int boundPort) {
        if (advertise.isBlank()) {
            return new HostPort(choice.advertise(address).getHostAddress(), boundPort).toString();
        }
        try {
            HostPort wanted = HostPort.parse(advertise);
            return (wanted.port() < 0 ? new HostPort(wanted.host(), boundPort) : wanted).toString();
        } catch (IllegalArgumentException e) {
            throw new TransportException("bind.advertise: " + e.getMessage(), e);
        }
    }
}
