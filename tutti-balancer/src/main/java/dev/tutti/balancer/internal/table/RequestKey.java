package dev.tutti.balancer.internal.table;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a request by which it is routed.
 *
 * @param host name of the host that the client asks, in lower case and without a port
 * @param path path as it was sent, without the query
 * @param routes routes in the identifiers of its sessions, in the order of the request; empty for a request without a session
 */
public record RequestKey(String host, String path, List<String> routes) {

    /** Most sessions of a request that are looked at. */
    private static final int ROUTES_MAX = 8;

    /**
     * @param host value of the header; null for none
     * @param cookies values of the header Cookie
     * @param cookieName name of the cookies of sessions; the parameter in a path has the same name in small letters
     */
    public static RequestKey of(@Nullable String host, String target, List<String> cookies, String cookieName) {
        int query = target.indexOf('?');
        String path = query < 0 ? target : target.substring(0, query);
        List<String> routes = List.of();
        if (!cookies.isEmpty()) {
            routes = fromCookies(cookies, cookieName);
        }
        int parameter = path.indexOf(';');
        if (parameter >= 0) {
            routes = fromPath(path, parameter, cookieName.toLowerCase(Locale.ROOT), routes);
        }
        // Nodes read several slashes as one.
        String plain = path.contains("//") ? path.replaceAll("/{2,}", "/") : path;
        return new RequestKey(host == null ? "" : withoutPort(host).toLowerCase(Locale.ROOT), plain, routes);
    }

    private static List<String> fromCookies(List<String> headers, String name) {
        List<String> routes = new ArrayList<>(1);
        for (String header : headers) {
            int start = 0;
            while (start < header.length() && routes.size() < ROUTES_MAX) {
                int end = header.indexOf(';', start);
                end = end < 0 ? header.length() : end;
                while (start < end && header.charAt(start) == ' ') {
                    start++;
                }
                int nameEnd = start + name.length();
                if (nameEnd < end && header.charAt(nameEnd) == '=' && header.startsWith(name, start)) {
                    addRoute(header.substring(nameEnd + 1, end), routes);
                }
                start = end + 1;
            }
        }
        return routes;
    }

    private static List<String> fromPath(String path, int first, String name, List<String> before) {
        List<String> routes = new ArrayList<>(before);
        int start = first;
        while (start >= 0 && routes.size() < ROUTES_MAX) {
            int nameEnd = start + 1 + name.length();
            if (path.startsWith(name, start + 1) && nameEnd < path.length() && path.charAt(nameEnd) == '=') {
                int end = nameEnd + 1;
                while (end < path.length() && path.charAt(end) != ';' && path.charAt(end) != '/') {
                    end++;
                }
                addRoute(path.substring(nameEnd + 1, end), routes);
            }
            start = path.indexOf(';', start + 1);
        }
        return routes;
    }

    private static void addRoute(String value, List<String> routes) {
        String id = value.length() > 1 && value.startsWith("\"") && value.endsWith("\"") ? value.substring(1, value.length() - 1) : value;
        id = id.stripTrailing();
        int dot = id.indexOf('.');
        routes.add(dot < 0 ? "" : id.substring(dot + 1));
    }

    /** Returns the route of a session's identifier; empty if it has none. */
    public static String routeOf(String id) {
        int dot = id.indexOf('.');
        return dot < 0 ? "" : id.substring(dot + 1);
    }

    private static String withoutPort(String host) {
        int bracket = host.lastIndexOf(']');
        int colon = host.indexOf(':', Math.max(bracket, 0));
        return colon < 0 ? host : host.substring(0, colon);
    }
}
