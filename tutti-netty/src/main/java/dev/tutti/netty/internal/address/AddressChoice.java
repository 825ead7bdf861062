package dev.tutti.netty.internal.address;

import dev.tutti.core.driver.TransportException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the address that a node listens on, as a function of the setting and of the machine's interfaces.
 *
 * <p>The first match wins, in the order of the interfaces' indexes and IPv4 before IPv6, so that the same machine gives
 * the same answer each time.
 *
 * @param interfaces interfaces that are up
 * @param resolver returns the addresses of a host name; empty if there are none
 */
public record AddressChoice(List<Interface> interfaces, Function<String, List<InetAddress>> resolver) {

    /** A network interface that is up. */
    record Interface(int index, String name, List<InetAddress> addresses) {}

    public AddressChoice {
        interfaces = interfaces.stream()
                .sorted(Comparator.comparingInt(Interface::index).thenComparing(Interface::name))
                .map(each -> new Interface(each.index(), each.name(), inOrder(each.addresses())))
                .toList();
    }

    private static List<InetAddress> inOrder(List<InetAddress> addresses) {
        return addresses.stream()
                .sorted(Comparator.comparing((InetAddress address) -> !(address instanceof Inet4Address))
                        .thenComparing(InetAddress::getHostAddress))
                .toList();
    }

    /** @throws TransportException if nothing matches, with the available interfaces */
    InetAddress listen(String wanted) {
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
     * Returns the address for other nodes to dial if the node listens on {@code bound}: itself, or the first for a
     * wildcard.
     */
    public InetAddress advertise(InetAddress bound) {
        if (!bound.isAnyLocalAddress()) {
            return bound;
        }
        for (Predicate<InetAddress> preference : List.<Predicate<InetAddress>>of(
                AddressChoice::isPrivate, AddressChoice::isGlobal, InetAddress::isLoopbackAddress)) {
            for (InetAddress address : addresses()) {
                if (preference.test(address)) {
                    return address;
                }
            }
        }
        throw nothing("ANY", "no interface has an address that others could dial; set bind.advertise");
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
                || !(address instanceof Inet4Address) && (address.getAddress()[0] & 0xfe) == 0xfc;
    }

    private InetAddress first(Predicate<InetAddress> matches, String text) {
        return addresses().stream()
                .filter(matches)
                .findFirst()
                .orElseThrow(() -> nothing(text, "no interface has such an address"));
    }

    private static InetAddress any() {
        return InetAddress.ofLiteral("0.0.0.0");
    }

    private InetAddress present(InetAddress address) {
        if (address.isAnyLocalAddress() || address.isLoopbackAddress() || addresses().contains(address)) {
            return address;
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

    private TransportException nothing(String text, String reason) {
        String there = interfaces.stream()
                .map(each -> each.name() + " "
                        + each.addresses().stream().map(InetAddress::getHostAddress).collect(Collectors.joining(" ")))
                .collect(Collectors.joining(", "));
        return new TransportException("bind.address: " + text + ": " + reason + "; this machine has " + there
                + "; or use GLOBAL, SITE_LOCAL, LINK_LOCAL, LOOPBACK, NON_LOOPBACK or ANY");
    }
}
