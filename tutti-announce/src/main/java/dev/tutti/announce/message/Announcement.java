package dev.tutti.announce.message;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A web node as it announces itself.
 *
 * @param route name of the node in the identifiers of its sessions, which Tomcat calls {@code jvmRoute}
 * @param scheme {@code http} or {@code https}
 * @param host address or name that balancers connect to
 * @param domain nodes among which a session moves first when its node is gone; empty if the node is in none
 * @param sessions sessions that the node serves
 */
public record Announcement(
        String route, String scheme, String host, int port, String domain, List<WebContext> contexts, Load load, long sessions) {

    /** Most contexts of a node. */
    public static final int CONTEXTS_MAX = 256;

    private static final Pattern ROUTE = Pattern.compile("[A-Za-z0-9_.-]{1,80}");
    private static final Pattern HOST = Pattern.compile("[A-Za-z0-9_.-]{1,253}|[0-9A-Fa-f:.]{2,45}");
    private static final Pattern DOMAIN = Pattern.compile("[A-Za-z0-9_.-]{0,80}");
    private static final int PORT_MAX = 65_535;

    public Announcement {
        check(ROUTE.matcher(route).matches(), "a route has 1 to 80 letters, digits, '_', '-' and '.'", route);
        check(scheme.equals("http") || scheme.equals("https"), "a scheme is http or https", scheme);
        check(HOST.matcher(host).matches(), "a host is a name or an address, without a port", host);
        check(port >= 1 && port <= PORT_MAX, "a port is 1 to " + PORT_MAX, String.valueOf(port));
        check(isDomain(domain), "a domain has at most 80 letters, digits, '_', '-' and '.'", domain);
        check(contexts.size() <= CONTEXTS_MAX, "a node has at most " + CONTEXTS_MAX + " contexts", String.valueOf(contexts.size()));
        check(sessions >= 0, "sessions are not negative", String.valueOf(sessions));
        Set<String> seen = new HashSet<>();
        for (WebContext context : contexts) {
            String key = context.path() + " of hosts " + context.aliases() + " in version '" + context.version() + "'";
            check(seen.add(key), "a context is announced once", key);
        }
        contexts = contexts.stream().sorted().toList();
    }

    /** Returns whether a text may be the name of a domain. */
    public static boolean isDomain(String text) {
        return DOMAIN.matcher(text).matches();
    }

    private static void check(boolean isRight, String rule, String value) {
        if (!isRight) {
            throw new IllegalArgumentException(rule + "; it is '" + value + "'");
        }
    }

    /** Returns this announcement with other contexts. */
    public Announcement with(List<WebContext> others) {
        return new Announcement(route, scheme, host, port, domain, others, load, sessions);
    }

    /** Returns this announcement with another load and number of sessions. */
    public Announcement with(Load measured, long counted) {
        return new Announcement(route, scheme, host, port, domain, contexts, measured, counted);
    }

    /** Returns the base of the node's addresses, such as {@code http://10.0.0.1:8080}. */
    public String url() {
        return scheme + "://" + (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }
}
