package dev.tutti.balancer.internal.member;

import dev.tutti.announce.message.Announcement;
import dev.tutti.announce.message.Load;
import dev.tutti.announce.message.WebContext;
import dev.tutti.balancer.internal.table.WebNode;
import dev.tutti.balancer.internal.table.WebNode.Origin;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Reads lists of nodes that do not announce themselves. */
public final class ListedNodes {

    private static final int HTTP_PORT = 80;
    private static final int HTTPS_PORT = 443;

    private ListedNodes() {}

    /**
     * Returns the nodes of a text such as {@code web1=http://10.0.0.1:8080/shop,web2=http://10.0.0.2:8080/shop}.
     *
     * @throws IllegalArgumentException with the part that is wrong, and the reason
     */
    public static List<WebNode> parse(String text) {
        List<WebNode> nodes = new ArrayList<>();
        Set<String> routes = new HashSet<>();
        for (String part : text.split(",", -1)) {
            if (part.isBlank()) {
                continue;
            }
            String entry = part.strip();
            int separator = entry.indexOf('=');
            if (separator < 1) {
                throw new IllegalArgumentException("a node is route=http://host:port; '" + entry + "' has no '=' behind a route");
            }
            String route = entry.substring(0, separator);
            if (!routes.add(route)) {
                throw new IllegalArgumentException("a route is listed once; '" + route + "' is listed again");
            }
            nodes.add(node(route, entry.substring(separator + 1)));
        }
        if (nodes.size() > Directory.NODES_MAX) {
            throw new IllegalArgumentException(nodes.size() + " nodes are listed; at most " + Directory.NODES_MAX);
        }
        return nodes;
    }

    private static WebNode node(String route, String address) {
        try {
            URI url = URI.create(address);
            String scheme = String.valueOf(url.getScheme());
            String host = String.valueOf(url.getHost());
            int port = url.getPort() >= 0 ? url.getPort() : scheme.equals("https") ? HTTPS_PORT : HTTP_PORT;
            String path = url.getRawPath() == null ? "" : url.getRawPath();
            List<WebContext> contexts = List.of(WebContext.of(path.endsWith("/") ? path.substring(0, path.length() - 1) : path));
            return new WebNode(
                    new Announcement(route, scheme, host.replaceAll("[\\[\\]]", ""), port, "", contexts, Load.none(), 0), Origin.LISTED, false);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("a node is route=http://host:port; '" + route + "=" + address + "': " + e.getMessage(), e);
        }
    }
}
