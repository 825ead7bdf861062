package dev.tutti.netty.internal.address;

import dev.tutti.address.AddressChoice;
import dev.tutti.address.HostPort;
import dev.tutti.core.driver.TransportException;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Settings;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
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
        AddressChoice choice = choiceOfMachine();
        int port = settings.get(TransportSettings.BIND_PORT);
        int last = port == 0 ? 0 : Math.min(port + settings.get(TransportSettings.BIND_PORT_RANGE), 65_535);
        return new Binding(
                choice,
                listen(choice, settings.get(TransportSettings.BIND_ADDRESS)),
                port,
                last,
                settings.get(TransportSettings.ADVERTISE));
    }

    private static AddressChoice choiceOfMachine() {
        try {
            return AddressChoice.ofMachine();
        } catch (UncheckedIOException e) {
            throw new TransportException(String.valueOf(e.getMessage()), e);
        }
    }

    private static InetAddress listen(AddressChoice choice, String wanted) {
        try {
            return choice.listen(wanted);
        } catch (IllegalArgumentException e) {
            throw new TransportException("bind.address: " + e.getMessage(), e);
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
        String where = new HostPort(HostPort.hostOf(address), port).toString();
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
     * @throws TransportException if the setting is no address, or no interface has an address that others could dial
     */
    public String advertised(int boundPort) {
        if (advertise.isBlank()) {
            try {
                return new HostPort(HostPort.hostOf(choice.advertise(address)), boundPort).toString();
            } catch (IllegalArgumentException e) {
                throw new TransportException("bind.address: " + e.getMessage() + "; or set bind.advertise", e);
            }
        }
        try {
            HostPort wanted = HostPort.parse(advertise);
            return (wanted.port() < 0 ? new HostPort(wanted.host(), boundPort) : wanted).toString();
        } catch (IllegalArgumentException e) {
            throw new TransportException("bind.advertise: " + e.getMessage(), e);
        }
    }
}
