package dev.tutti.balancer.internal.admin;

import dev.tutti.announce.message.AnnounceMessage.Ordered;
import dev.tutti.announce.message.Announcement;
import dev.tutti.announce.message.ContextState;
import dev.tutti.announce.message.WebContext;
import dev.tutti.balancer.internal.member.BalancerMember;
import dev.tutti.balancer.internal.member.Directory;
import dev.tutti.balancer.internal.proxy.Counters;
import dev.tutti.balancer.internal.table.WebNode;
import dev.tutti.internal.Json;
import dev.tutti.internal.door.Hosts;
import dev.tutti.netty.internal.reload.Admission;
import dev.tutti.netty.internal.reload.Admission.Verdict;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The page of a balancer at {@code /}, the same as JSON at {@code /v1/nodes}, {@code /metrics}, {@code /health/live} and
 * {@code /health/ready}, and orders: {@code POST /v1/nodes/ROUTE/enable}, {@code /drain} or {@code /stop}. Thread-safe.
 */
public final class Console {

    /** Name in the file of tokens. */
    static final String TOKEN_NAME = "balancer";

    private static final String NODES = "/v1/nodes";
    private static final int OK = 200;

    private final Directory directory;
    private final BalancerMember member;
    private final Counters counters;
    private final Supplier<Map<String, Long>> gauges;
    private final BooleanSupplier isReady;
    private final Admission admission;

    /**
     * @param gauges present numbers of the proxy
     * @param isReady whether requests are accepted
     */
    public Console(
            Directory directory,
            BalancerMember member,
            Counters counters,
            Supplier<Map<String, Long>> gauges,
            BooleanSupplier isReady,
            Admission admission) {
        this.directory = directory;
        this.member = member;
        this.counters = counters;
        this.gauges = gauges;
        this.isReady = isReady;
        this.admission = admission;
    }

    /** Returns the answer to requests before the balancer is in its group. */
    public static FullHttpResponse starting() {
        return text(503, "starting");
    }

    /** Answers a request. */
    public FullHttpResponse answer(Channel channel, FullHttpRequest request) {
        String path = request.uri().split("\\?", 2)[0];
        boolean isGet = request.method().equals(HttpMethod.GET) || request.method().equals(HttpMethod.HEAD);
        if (request.decoderResult().isFailure()) {
            return text(400, "the request is malformed");
        }
        if (path.equals("/health/live")) {
            return text(OK, "live");
        }
        if (path.equals("/health/ready")) {
            return isReady.getAsBoolean() ? text(OK, "ready") : text(503, "closing");
        }
        FullHttpResponse refusal = refusal(channel, request);
        if (refusal != null) {
            return refusal;
        }
        if (isGet && path.equals("/")) {
            return respond(OK, "text/html; charset=utf-8", new Page(this).html());
        }
        if (isGet && path.equals(NODES)) {
            return respond(OK, "application/json", Json.write(snapshot()));
        }
        if (isGet && path.equals("/metrics")) {
            return respond(OK, "text/plain; version=0.0.4; charset=utf-8", MetricsText.of(counters.all(), gauges(), nodes()));
        }
        if (request.method().equals(HttpMethod.POST) && path.startsWith(NODES + "/")) {
            return order(request, path.substring(NODES.length() + 1));
        }
        return text(404, "there are /, /v1/nodes, /metrics, /health/live, /health/ready, and POST /v1/nodes/ROUTE/drain");
    }

    /** Returns null if the request may be answered. */
    private @Nullable FullHttpResponse refusal(Channel channel, FullHttpRequest request) {
        String host = request.headers().get(HttpHeaderNames.HOST);
        if (!Hosts.isOwn(request.headers().get(HttpHeaderNames.ORIGIN), host)) {
            return text(403, "a page of another server asks; only programs, and pages of the balancer, may");
        }
        if (admission.isOpen() && !new Hosts(List.of()).isAllowed(host)) {
            return text(403, "without tokens the page is at its address or localhost");
        }
        return switch (admission.check(channel, request.headers(), TOKEN_NAME)) {
            case Verdict.Admitted() -> null;
            case Verdict.NoToken() -> unauthorized("the balancer asks for a token");
            case Verdict.UnknownToken() -> unauthorized("the balancer does not know this token");
            case Verdict.OtherName(String name) -> text(403, "the token is for " + name + ", not for " + TOKEN_NAME);
        };
    }

    private static FullHttpResponse unauthorized(String reason) {
        FullHttpResponse response = text(401, reason);
        response.headers().set(HttpHeaderNames.WWW_AUTHENTICATE, "Basic realm=\"tutti balancer\", charset=\"UTF-8\"");
        return response;
    }

    // ------------------------------------------------------------------ orders

    private FullHttpResponse order(FullHttpRequest request, String rest) {
        int slash = rest.lastIndexOf('/');
        String route = slash < 0 ? rest : rest.substring(0, slash);
        ContextState state =
                switch (slash < 0 ? "" : rest.substring(slash + 1)) {
                    case "enable" -> ContextState.ENABLED;
                    case "drain" -> ContextState.DRAINING;
                    case "stop" -> ContextState.STOPPED;
                    default -> null;
                };
        if (state == null) {
            return text(404, "an order is POST /v1/nodes/ROUTE/enable, drain or stop");
        }
        boolean isDone = member.order(route, Ordered.ALL, state) || directory.order(route, state);
        if (!isDone) {
            return text(404, "there is no node " + route);
        }
        if (String.valueOf(request.headers().get(HttpHeaderNames.ACCEPT)).contains("text/html")) {
            FullHttpResponse back = text(303, "ordered");
            back.headers().set(HttpHeaderNames.LOCATION, "/");
            return back;
        }
        return text(202, "node " + route + " is asked: " + state.name().toLowerCase(Locale.ROOT));
    }

    // ------------------------------------------------------------------ content

    List<WebNode> nodes() {
        return directory.table().nodes();
    }

    Map<String, Long> numbers(WebNode node) {
        return directory.tallies().of(node.route()).numbers();
    }

    boolean isSuspect(WebNode node) {
        return directory.tallies().isSuspect(node.route());
    }

    long sessions(WebNode node) {
        return directory.tallies().sessions(node);
    }

    Map<String, String> balancers() {
        return member.balancers();
    }

    Map<String, String> refusals() {
        return member.refusals();
    }

    Map<String, Long> gauges() {
        Map<String, Long> all = new LinkedHashMap<>(gauges.get());
        all.put("nodes", (long) nodes().size());
        all.put("balancers", (long) member.balancers().size());
        all.put("nodes-crashed", directory.crashes());
        all.put("announcements-malformed", member.malformed());
        all.put("announcements-refused", member.refused());
        return all;
    }

    Map<String, Long> counts() {
        Map<String, Long> all = new LinkedHashMap<>();
        counters.all().forEach((name, value) -> all.put(name.text(), value));
        return all;
    }

    private Map<String, Object> snapshot() {
        List<Map<String, Object>> all = new ArrayList<>();
        for (WebNode node : nodes()) {
            Announcement content = node.content();
            List<Map<String, Object>> contexts = new ArrayList<>();
            for (WebContext context : content.contexts()) {
                contexts.add(Map.of(
                        "path", context.path().isEmpty() ? "/" : context.path(),
                        "aliases", context.aliases(),
                        "version", context.version(),
                        "state", context.state().name().toLowerCase(Locale.ROOT)));
            }
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("route", node.route());
            one.put("url", content.url());
            one.put("domain", content.domain());
            one.put("origin", node.origin().name().toLowerCase(Locale.ROOT));
            one.put("load", content.load().value());
            one.put("load-parts", content.load().parts());
            one.put("sessions", sessions(node));
            one.put("suspect", isSuspect(node));
            one.put("contexts", contexts);
            one.putAll(numbers(node));
            all.add(one);
        }
        Map<String, Object> snapshot = new LinkedHashMap<>();
        snapshot.put("nodes", all);
        snapshot.put("balancers", balancers());
        snapshot.put("refused", refusals());
        snapshot.put("counters", counts());
        snapshot.put("gauges", gauges());
        return snapshot;
    }

    // ------------------------------------------------------------------ answers

    private static FullHttpResponse text(int status, String text) {
        return respond(status, "text/plain; charset=utf-8", text + "\n");
    }

    private static FullHttpResponse respond(int status, String type, String text) {
        FullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(status), Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, type)
                .set(HttpHeaderNames.CACHE_CONTROL, "no-store")
                .set("X-Content-Type-Options", "nosniff")
                .set("X-Frame-Options", "DENY")
                .set("Referrer-Policy", "same-origin")
                .set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'");
        return response;
    }
}
