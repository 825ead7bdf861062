package dev.tutti.address;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the address that a server listens on, as a function of a text and of the machine's interfaces. The text is a
 * keyword ({@code GLOBAL}, {@code SITE_LOCAL}, {@code LINK_LOCAL}, {@code LOOPBACK}, {@code NON_LOOPBACK}, {@code ANY}), an IP
 * address, the name of an interface, a pattern of such names ({@code eth*}), or the name of a host.
 *
 * <p>The first match wins, in the order of the interfaces' indexes and IPv4 before IPv6, so that the same machine gives
 * the same answer each time. Immutable.
 *
 * @param interfaces interfaces that are up
 * @param resolver returns the addresses of a host name; empty if there are none
 */
public record AddressChoice(List<Interface> interfaces, Function<String, List<InetAddress>> resolver) {

    /** A network interface that is up. */
    public record Interface(int index, String name, List<InetAddress> addresses) {}

    public AddressChoice {
        interfaces = interfaces.stream()
                .sorted(Comparator.comparingInt(Interface::index).thenComparing(Interface::name))
                .map(each -> new Interface(each.index(), each.name(), inOrder(each.addresses())))
                .toList();
    }

    /**
     * Returns a choice among the present interfaces of this machine, with its name service.
     *
     * @throws UncheckedIOException if the system does not tell the interfaces
     */
    public static AddressChoice ofMachine() {
        try {
            List<Interface> found = new ArrayList<>();
            for (NetworkInterface each : Collections.list(NetworkInterface.getNetworkInterfaces())) {
                if (each.isUp()) {
                    found.add(new Interface(each.getIndex(), each.getName(), Collections.list(each.getInetAddresses())));
                }
            }
            return new AddressChoice(found, Resolver::lookUp);
        } catch (SocketException e) {
            throw new UncheckedIOException("can't list the network interfaces: " + e.getMessage(), e);
        }
    }

    private static List<InetAddress> inOrder(List<InetAddress> addresses) {
        return addresses.stream()
                .sorted(Comparator.comparing((InetAddress address) -> !isFour(address))
                        .thenComparing(InetAddress::getHostAddress))
                .toList();
    }

    /**
     * Returns the address to listen on.
     *
     * @throws IllegalArgumentException if nothing matches; the message names the text and the interfaces that there are
     */
    public InetAddress listen(String wanted) {
        String text = wanted.strip();
        Predicate<InetAddress> keyword = keyword(text);
        if (keyword != null) {
            return first(keyword, text);
        }
        if (text.equalsIgnoreCase("ANY")) {
            return any();
        }
        String host = text.startsWith("[") && text.endsWith("]") ? text.substring(1, text.length() - 1) : text;
        InetAddress literal = Resolver.literal(host);
        if (literal != null) {
            return present(literal);
        }
        List<Interface> matching = matching(host);
        if (!matching.isEmpty() || host.indexOf('*') >= 0 || host.indexOf('?') >= 0) {
            return matching.stream()
                    .flatMap(each -> each.addresses().stream())
                    .findFirst()
                    .orElseThrow(() -> nothing(text, "no interface of that name has an address"));
        }
        List<InetAddress> found = resolver.apply(host);
        if (found.isEmpty()) {
            throw nothing(text, "it is no keyword, address or interface, and no host of that name is known");
        }
        return present(found.getFirst());
    }

    /**
     * Returns the address to dial for a server that listens on {@code bound}: itself, or the first for a wildcard. That of IPv4
     * stands for addresses of IPv4 alone, that of IPv6 for both, IPv6 first.
     *
     * @throws IllegalArgumentException if there is none
     */
    public InetAddress advertise(InetAddress bound) {
        if (!bound.isAnyLocalAddress()) {
            return bound;
        }
        List<InetAddress> four = addresses().stream().filter(AddressChoice::isFour).toList();
        List<InetAddress> six = addresses().stream().filter(address -> !isFour(address)).toList();
        List<List<InetAddress>> families = isFour(bound) ? List.of(four) : List.of(six, four);
        for (List<InetAddress> family : families) {
            for (Predicate<InetAddress> preference :
                    List.<Predicate<InetAddress>>of(AddressChoice::isPrivate, AddressChoice::isGlobal)) {
                for (InetAddress address : family) {
                    if (preference.test(address)) {
                        return address;
                    }
                }
            }
        }
        return families.stream()
                .flatMap(List::stream)
                .filter(InetAddress::isLoopbackAddress)
                .findFirst()
                .orElseThrow(() -> nothing(HostPort.hostOf(bound), "no interface has an address that others could dial"));
    }

    private static @Nullable Predicate<InetAddress> keyword(String text) {
        return switch (text.toUpperCase(Locale.ROOT)) {
            case "GLOBAL" -> AddressChoice::isGlobal;
            case "SITE_LOCAL" -> AddressChoice::isPrivate;
            case "LINK_LOCAL" -> InetAddress::isLinkLocalAddress;
            case "LOOPBACK" -> InetAddress::isLoopbackAddress;
            case "NON_LOOPBACK" -> address -> !address.isLoopbackAddress() && !address.isLinkLocalAddress();
            default -> null;
        };
    }

    private static boolean isGlobal(InetAddress address) {
        return !address.isLoopbackAddress() && !address.isLinkLocalAddress() && !isPrivate(address);
    }

    /** Returns whether the address is private: of RFC 1918, or for IPv6 unique local or, older, site-local. */
    private static boolean isPrivate(InetAddress address) {
        return address.isSiteLocalAddress()
                || !isFour(address) && (address.getAddress()[0] & 0xfe) == 0xfc;
    }

    private InetAddress first(Predicate<InetAddress> matches, String text) {
        return addresses().stream()
                .filter(matches)
                .findFirst()
                .orElseThrow(() -> nothing(text, "no interface has such an address"));
    }

    /** Returns the wildcard of IPv4, and that of IPv6 on a machine that others reach by IPv6 alone. */
    private InetAddress any() {
        List<InetAddress> reached =
                addresses().stream().filter(address -> isPrivate(address) || isGlobal(address)).toList();
        boolean isSixAlone = !reached.isEmpty() && reached.stream().noneMatch(AddressChoice::isFour);
        return InetAddress.ofLiteral(isSixAlone ? "::" : "0.0.0.0");
    }

    private static boolean isFour(InetAddress address) {
        return address instanceof Inet4Address;
    }

    /** Returns the address as its interface has it, with its scope. */
    private InetAddress present(InetAddress address) {
        boolean isScoped = address instanceof Inet6Address six && six.getScopeId() > 0;
        if (address.isAnyLocalAddress() || address.isLoopbackAddress() || isScoped && addresses().contains(address)) {
            return address;
        }
        for (InetAddress each : addresses()) {
            if (each.equals(address)) {
                return each;
            }
        }
        throw nothing(address.getHostAddress(), "no interface has this address");
    }

    private List<Interface> matching(String pattern) {
        String expression = pattern.chars()
                .mapToObj(c -> c == '*' ? ".*" : c == '?' ? "." : Pattern.quote(Character.toString(c)))
                .collect(Collectors.joining());
        Predicate<String> matches = Pattern.compile(expression).asMatchPredicate();
        return interfaces.stream().filter(each -> matches.test(each.name())).toList();
    }

    private List<InetAddress> addresses() {
        List<InetAddress> all = new ArrayList<>();
        interfaces.forEach(each -> all.addAll(each.addresses()));
        return all;
    }

    private IllegalArgumentException nothing(String text, String reason) {
        String there = interfaces.stream()
                .map(each -> each.name() + " "
                        + each.addresses().stream().map(HostPort::hostOf).collect(Collectors.joining(" ")))
                .collect(Collectors.joining(", "));
        return new IllegalArgumentException(text + ": " + reason + "; this machine has " + there
                + "; or use GLOBAL, SITE_LOCAL, LINK_LOCAL, LOOPBACK, NON_LOOPBACK or ANY");
    }
}
