package dev.tutti.balancer.internal.modcluster;

import dev.tutti.announce.message.Announcement;
import dev.tutti.announce.message.ContextState;
import dev.tutti.announce.message.Load;
import dev.tutti.announce.message.WebContext;
import dev.tutti.balancer.internal.member.Directory;
import dev.tutti.balancer.internal.table.WebNode;
import dev.tutti.balancer.internal.table.WebNode.Origin;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.io.Serial;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The management protocol of mod_cluster (MCMP 0.2.1), by which its listener in a web server tells a balancer of the server and its
 * contexts. Commands are methods of HTTP, their arguments a form in the body. Names of hosts are ignored, as mod_proxy_cluster does
 * unless it is told otherwise. Thread-safe.
 */
public final class ModClusterProtocol {

    private static final Logger LOG = LoggerFactory.getLogger(ModClusterProtocol.class);

    private static final String VERSION = "0.2.1";
    private static final String ALL = "/*";
    private static final int ARGUMENTS_MAX = 64;
    private static final int LOAD_MAX = 100;

    /** Errors that a listener understands. */
    private enum Fault {
        /** The command is wrong, and would be wrong again. */
        SYNTAX,
        /** The command can't be carried out now; the listener sends its whole configuration again. */
        MEM
    }

    private static final class CommandException extends Exception {

        @Serial
        private static final long serialVersionUID = 1L;

        private final Fault fault;

        CommandException(Fault fault, String message) {
            super(message, null, false, false);
            this.fault = fault;
        }
    }

    private final Directory directory;
    private final long leaseNanos;
    private final AtomicLong commands = new AtomicLong();
    private final AtomicLong faults = new AtomicLong();

    /** @param leaseNanos time for which a node stays without a message */
    public ModClusterProtocol(Directory directory, long leaseNanos) {
        this.directory = directory;
        this.leaseNanos = leaseNanos;
    }

    /** Carries a command out. */
    public FullHttpResponse answer(FullHttpRequest request) {
        commands.incrementAndGet();
        String command = request.method().name();
        try {
            if (request.decoderResult().isFailure()) {
                throw new CommandException(Fault.SYNTAX, "the command is malformed");
            }
            Map<String, String> arguments = arguments(request.content().toString(StandardCharsets.UTF_8));
            boolean isForAll = request.uri().equals(ALL) || request.uri().endsWith(ALL);
            return respond(carryOut(command, isForAll, arguments));
        } catch (CommandException e) {
            faults.incrementAndGet();
            LOG.warn("mod_cluster: {} is refused: {}", command, e.getMessage());
            FullHttpResponse response = respond("");
            response.setStatus(HttpResponseStatus.INTERNAL_SERVER_ERROR);
            response.headers().set("Version", VERSION).set("Type", e.fault.name()).set("Mess", String.valueOf(e.getMessage()));
            return response;
        }
    }

    private String carryOut(String command, boolean isForAll, Map<String, String> arguments) throws CommandException {
        return switch (command) {
            case "CONFIG" -> config(arguments);
            case "ENABLE-APP" -> contexts(isForAll, arguments, context -> context.in(ContextState.ENABLED));
            case "DISABLE-APP" -> contexts(isForAll, arguments, context -> context.in(ContextState.DRAINING));
            case "STOP-APP" -> {
                contexts(isForAll, arguments, context -> context.in(ContextState.STOPPED));
                String route = route(arguments);
                yield "Type=STOP-APP-RSP&JvmRoute=" + route + "&Alias=" + arguments.getOrDefault("alias", "") + "&Context="
                        + arguments.getOrDefault("context", "") + "&Requests=" + inFlight(route, isForAll, arguments);
            }
            case "REMOVE-APP" -> remove(isForAll, arguments);
            case "STATUS" -> status(arguments);
            case "PING" -> "Type=PING-RSP&State=" + state(arguments.getOrDefault("jvmroute", "")) + "&id=1";
            case "INFO" -> info();
            case "DUMP" -> dump();
            case "VERSION" -> "release: tutti, protocol: " + VERSION;
            default -> throw new CommandException(Fault.SYNTAX, command + " is no command of mod_cluster");
        };
    }

    // ------------------------------------------------------------------ commands

    private String config(Map<String, String> arguments) throws CommandException {
        String route = route(arguments);
        String type = arguments.getOrDefault("type", "http");
        if (!type.equals("http") && !type.equals("https")) {
            throw new CommandException(Fault.SYNTAX, "Type is " + type + "; this balancer speaks http or https to nodes: register that connector"
                    + " (connectorPort of the listener)");
        }
        WebNode before = directory.leased(route);
        try {
            Announcement content = new Announcement(
                    route,
                    type,
                    arguments.getOrDefault("host", ""),
                    Integer.parseInt(arguments.getOrDefault("port", "")),
                    arguments.getOrDefault("domain", ""),
                    before == null ? List.of() : before.content().contexts(),
                    before == null ? Load.none() : before.content().load(),
                    0);
            put(new WebNode(content, Origin.MOD_CLUSTER, before != null && before.isStandby()));
        } catch (IllegalArgumentException e) {
            throw new CommandException(Fault.SYNTAX, "CONFIG of " + route + ": " + e.getMessage());
        }
        return "";
    }

    private String contexts(boolean isForAll, Map<String, String> arguments, UnaryOperator<WebContext> change)
            throws CommandException {
        WebNode node = node(arguments);
        List<String> paths = isForAll ? List.of() : paths(arguments);
        List<WebContext> contexts = new ArrayList<>();
        for (WebContext context : node.content().contexts()) {
            contexts.add(isForAll || paths.contains(context.path()) ? change.apply(context) : context);
        }
        try {
            for (String path : paths) {
                boolean isNew = contexts.stream().noneMatch(context -> context.path().equals(path));
                if (isNew) {
                    contexts.add(change.apply(WebContext.of(path)));
                }
            }
            put(new WebNode(node.content().with(contexts), Origin.MOD_CLUSTER, node.isStandby()));
        } catch (IllegalArgumentException e) {
            throw new CommandException(Fault.SYNTAX, "contexts of " + node.route() + ": " + e.getMessage());
        }
        return "";
    }

    private String remove(boolean isForAll, Map<String, String> arguments) throws CommandException {
        if (isForAll) {
            directory.onEnded(route(arguments));
            return "";
        }
        WebNode node = node(arguments);
        List<String> paths = paths(arguments);
        List<WebContext> left =
                node.content().contexts().stream().filter(context -> !paths.contains(context.path())).toList();
        put(new WebNode(node.content().with(left), Origin.MOD_CLUSTER, node.isStandby()));
        return "";
    }

    /** Takes a load, which is 100 for an idle node and 1 for a full one; 0 for a standby node, -1 for one that is broken. */
    private String status(Map<String, String> arguments) throws CommandException {
        WebNode node = node(arguments);
        int free;
        try {
            free = Integer.parseInt(arguments.getOrDefault("load", String.valueOf(LOAD_MAX)));
        } catch (NumberFormatException e) {
            throw new CommandException(Fault.SYNTAX, "Load is a number from -1 to " + LOAD_MAX + ", not " + arguments.get("load"));
        }
        Load load = Load.of("mod-cluster", 1 - free / (double) LOAD_MAX);
        put(new WebNode(node.content().with(load, 0), Origin.MOD_CLUSTER, free <= 0));
        return "Type=STATUS-RSP&JVMRoute=" + node.route() + "&State=" + state(node.route()) + "&id=1";
    }

    private String state(String route) {
        return directory.tallies().isSuspect(route) ? "NOTOK" : "OK";
    }

    private void put(WebNode node) throws CommandException {
        String reason = directory.onLease(node, leaseNanos);
        if (reason != null) {
            throw new CommandException(Fault.MEM, reason);
        }
    }

    private int inFlight(String route, boolean isForAll, Map<String, String> arguments) throws CommandException {
        Map<String, Integer> counts = directory.tallies().of(route).inFlightOfContexts();
        List<String> paths = isForAll ? List.copyOf(counts.keySet()) : paths(arguments);
        return paths.stream().mapToInt(path -> counts.getOrDefault(path, 0)).sum();
    }

    // ------------------------------------------------------------------ reports

    private String info() {
        StringBuilder text = new StringBuilder();
        int number = 1;
        for (WebNode node : directory.table().nodes()) {
            text.append("Node: [").append(number).append("],Name: ").append(node.route()).append(",Balancer: tutti,LBGroup: ")
                    .append(node.content().domain()).append(",Host: ").append(node.content().host()).append(",Port: ")
                    .append(node.content().port()).append(",Type: ").append(node.content().scheme()).append(",Load: ")
                    .append(Math.round((1 - node.content().load().value()) * LOAD_MAX)).append('\n');
            number++;
        }
        number = 1;
        for (WebNode node : directory.table().nodes()) {
            for (WebContext context : node.content().contexts()) {
                text.append("Context: [").append(number).append(":1:1], Context: ")
                        .append(context.path().isEmpty() ? "/" : context.path()).append(", Status: ").append(status(context.state()))
                        .append('\n');
            }
            number++;
        }
        return text.toString();
    }

    private static String status(ContextState state) {
        return switch (state) {
            case ENABLED -> "ENABLED";
            case DRAINING -> "DISABLED";
            case STOPPED -> "STOPPED";
        };
    }

    private String dump() {
        return "balancer: [1] Name: tutti Sticky: 1 [JSESSIONID]/[jsessionid]\n" + info();
    }

    // ------------------------------------------------------------------ arguments

    private WebNode node(Map<String, String> arguments) throws CommandException {
        String route = route(arguments);
        WebNode node = directory.leased(route);
        if (node == null) {
            throw new CommandException(Fault.MEM, "there is no node " + route + "; send CONFIG first");
        }
        return node;
    }

    private static String route(Map<String, String> arguments) throws CommandException {
        String route = arguments.get("jvmroute");
        if (route == null || route.isEmpty()) {
            throw new CommandException(Fault.SYNTAX, "the command has no JVMRoute");
        }
        return route;
    }

    private static List<String> paths(Map<String, String> arguments) throws CommandException {
        String all = arguments.get("context");
        if (all == null || all.isEmpty()) {
            throw new CommandException(Fault.SYNTAX, "the command has no Context");
        }
        List<String> paths = new ArrayList<>();
        for (String path : all.split(",")) {
            paths.add(path.equals("/") ? "" : path);
        }
        return paths;
    }

    /** Returns arguments by their names in small letters; of two with one name the first counts. */
    private static Map<String, String> arguments(String form) throws CommandException {
        Map<String, String> arguments = new TreeMap<>();
        for (String pair : form.strip().split("&")) {
            int equals = pair.indexOf('=');
            if (pair.isEmpty()) {
                continue;
            }
            if (equals <= 0 || arguments.size() >= ARGUMENTS_MAX) {
                throw new CommandException(Fault.SYNTAX, "arguments are at most " + ARGUMENTS_MAX + " of NAME=VALUE, with & between");
            }
            arguments.putIfAbsent(decoded(pair.substring(0, equals)).toLowerCase(Locale.ROOT), decoded(pair.substring(equals + 1)));
        }
        return arguments;
    }

    private static String decoded(String text) throws CommandException {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new CommandException(Fault.SYNTAX, "an argument is not encoded as in forms");
        }
    }

    /** Returns the number of commands, and of those that were refused, by name. */
    public Map<String, Long> numbers() {
        return Map.of("mod-cluster-commands", commands.get(), "mod-cluster-faults", faults.get());
    }

    private static FullHttpResponse respond(String text) {
        FullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, HttpResponseStatus.OK, Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
        response.headers().set(HttpHeaderNames.CONTENT_TYPE, "text/plain; charset=utf-8").set(HttpHeaderNames.SERVER, "tutti");
        return response;
    }
}
