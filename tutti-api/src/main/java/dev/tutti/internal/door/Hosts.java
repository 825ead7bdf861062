package dev.tutti.internal.door;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Names under which a listener accepts requests. A foreign page can make its own name resolve to this machine (DNS
 * rebinding); the request then carries that name and is refused. An IP address can't be pointed elsewhere and is
 * allowed.
 *
 * <p>Immutable.
 */
public final class Hosts {

    private static final Pattern IPV4 = Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}");
    private static final Pattern IPV6 = Pattern.compile("\\[[0-9A-Fa-f:.]{2,45}(%[0-9A-Za-z._~-]{1,32})?]");

    private final Set<String> allowed = new TreeSet<>(List.of("localhost"));

    /**
     * @param names names besides {@code localhost}, with or without a port; empty ones are ignored, and so are LOOPBACK
     *     and ANY, which stand for addresses in settings
     */
    public Hosts(Collection<String> names) {
        for (String name : names) {
            allowed.add(withoutPort(name).toLowerCase(Locale.ROOT));
        }
        allowed.removeAll(List.of("", "loopback", "any"));
    }

    /** @param host value of the header: a name or address, with or without a port */
    public boolean isAllowed(@Nullable String host) {
        if (host == null) {
            return false;
        }
        String name = withoutPort(host);
        return IPV4.matcher(name).matches()
                || IPV6.matcher(name).matches()
                || allowed.contains(name.toLowerCase(Locale.ROOT));
    }

    /**
     * Returns whether a request was made by a page of this listener, or by no page at all: browsers add the origin of
     * the page.
     */
    public static boolean isOwn(@Nullable String origin, @Nullable String host) {
        return origin == null || host != null && (origin.equals("http://" + host) || origin.equals("https://" + host));
    }

    private static String withoutPort(String host) {
        int end = host.lastIndexOf(']');
        int colon = host.indexOf(':', Math.max(end, 0));
        return colon < 0 ? host : host.substring(0, colon);
    }
}
