package dev.tutti.rendezvous.internal.http;

import dev.tutti.core.Printable;
import dev.tutti.rendezvous.internal.registry.Refused;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.util.List;
import java.util.Map;

/**
 * Target of a request.
 *
 * @param what first part of its meaning: {@code page}, {@code metrics}, {@code live}, {@code ready}, {@code nodes}, {@code listen},
 *     {@code connect} or {@code accept}
 * @param cluster empty where there is none
 * @param argument an address or a ticket; empty where there is none
 */
record Route(String what, String cluster, String argument, Map<String, List<String>> query) {

    private static final int CLUSTER_MAX = 255;
    private static final int ARGUMENT_MAX = 300;
    private static final int PARAMETERS_MAX = 8;

    /** Parts of a path between slashes, the empty one in front of the first slash included. */
    private static final int PARTS_MAX = 6;

    /** @throws Refused if there is nothing of that name, or a part of it is malformed */
    static Route of(String uri) throws Refused {
        QueryStringDecoder decoder = new QueryStringDecoder(uri, java.nio.charset.StandardCharsets.UTF_8, true, PARAMETERS_MAX);
        String path = decoder.rawPath();
        switch (path) {
            case "/":
                return new Route("page", "", "", Map.of());
            case "/metrics":
                return new Route("metrics", "", "", Map.of());
            case "/health/live":
                return new Route("live", "", "", Map.of());
            case "/health/ready":
                return new Route("ready", "", "", Map.of());
            default:
                break;
        }
        String[] parts = path.split("/", PARTS_MAX + 1);
        if (parts.length < 5 || !parts[0].isEmpty() || !parts[1].equals("v1") || !parts[2].equals("clusters")) {
            throw unknown();
        }
        String cluster = part("a cluster", parts[3], CLUSTER_MAX);
        Map<String, List<String>> query;
        try {
            query = decoder.parameters();
        } catch (IllegalArgumentException e) {
            throw new Refused(Refused.BAD_REQUEST, "what follows the question mark is not encoded as a query");
        }
        if (parts[4].equals("nodes") && parts.length == 5) {
            return new Route("nodes", cluster, "", query);
        }
        if (parts.length == PARTS_MAX && List.of("listen", "connect", "accept").contains(parts[4])) {
            return new Route(parts[4], cluster, part("an address or a ticket", parts[5], ARGUMENT_MAX), query);
        }
        throw unknown();
    }

    private static Refused unknown() {
        return new Refused(Refused.NOT_FOUND, "there is nothing of that name; the server has /v1/clusters/NAME/nodes, listen, connect,"
                + " accept, /metrics, /health/live and /");
    }

    private static String part(String what, String encoded, int lengthMax) throws Refused {
        String text;
        try {
            text = QueryStringDecoder.decodeComponent(encoded.replace("+", "%2B"));
        } catch (IllegalArgumentException e) {
            throw new Refused(Refused.BAD_REQUEST, what + " is not encoded as a part of a path");
        }
        if (text.isEmpty() || text.length() > lengthMax || !Printable.isName(text)) {
            throw new Refused(Refused.BAD_REQUEST, what + " has 1 to " + lengthMax + " printable characters");
        }
        return text;
    }

    /** @throws Refused if the parameter is no number in the range */
    long number(String name, long otherwise, long min, long max) throws Refused {
        List<String> values = query.get(name);
        if (values == null) {
            return otherwise;
        }
        try {
            long number = Long.parseLong(values.getFirst());
            if (min <= number && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Told below.
        }
        throw new Refused(Refused.BAD_REQUEST, name + " is a number from " + min + " to " + max);
    }

    boolean is(String name, String value) {
        return query.getOrDefault(name, List.of()).contains(value);
    }
}
