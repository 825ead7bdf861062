package dev.tutti.console.internal;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Names under which the console may be asked for. A page elsewhere can let its own name point to this machine (DNS
 * rebinding); what it asks for then carries that name, and is refused.
 */
final class Hosts {

    private final Set<String> allowed = new TreeSet<>();

    /** @param bound the address that is listened on, without a port */
    Hosts(String bound, List<String> more) {
        allowed.addAll(List.of("localhost", "127.0.0.1", "[::1]"));
        allowed.add(bound.contains(":") ? "[" + bound + "]" : bound.toLowerCase(Locale.ROOT));
        more.forEach(host -> allowed.add(host.toLowerCase(Locale.ROOT)));
    }

    /** @param host the header: a name or address, with or without a port */
    boolean isAllowed(@Nullable String host) {
        return host != null && allowed.contains(withoutPort(host).toLowerCase(Locale.ROOT));
    }

    /** Whether a request was made by a page of this console, or by no page at all. */
    boolean isOwn(@Nullable String origin, @Nullable String host) {
        return origin == null || host != null && (origin.equals("http://" + host) || origin.equals("https://" + host));
    }

    private static String withoutPort(String host) {
        int end = host.lastIndexOf(']');
        int colon = host.indexOf(':', Math.max(end, 0));
        return colon < 0 ? host : host.substring(0, colon);
    }
}
