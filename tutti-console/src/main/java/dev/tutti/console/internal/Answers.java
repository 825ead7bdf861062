package dev.tutti.console.internal;

import dev.tutti.Operations.Kind;
import dev.tutti.Operations.Outcome;
import dev.tutti.blocks.inspection.DataQuery;
import dev.tutti.console.Role;
import dev.tutti.console.internal.CounterTable.Counter;
import dev.tutti.console.internal.Gate.Principal;
import dev.tutti.internal.Json;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Answers to requests below {@code /api/} of people and programs that are logged in. On threads that may wait. */
final class Answers {

    /** Request for something below {@code /api/}. */
    record Ask(String path, Map<String, List<String>> parameters, boolean isKept) {

        /** Returns a parameter; empty if it is not there. */
        String text(String name) {
            List<String> values = parameters.getOrDefault(name, List.of());
            return values.isEmpty() ? "" : values.getFirst();
        }
    }

    /** Kinds of views that show no data of the application; all others are for operators. */
    private static final Set<String> OPEN_KINDS = Set.of("locks", "tasks", "workers");

    /** Kind of views with values of the application. */
    private static final String VALUES = "entries";

    private final Site site;

    Answers(Site site) {
        this.site = site;
    }

    /** @throws IllegalStateException if this member does not answer */
    FullHttpResponse of(Ask ask, Principal principal, @Nullable SocketAddress remote) {
        return switch (ask.path()) {
            case "/api/cluster" -> json(HttpResponseStatus.OK, site.cluster());
            case "/api/inspection" -> found(site.inspection(ask.text("member")));
            case "/api/history" -> history(ask.text("span"));
            case "/api/views" -> found(site.views(ask.text("member")));
            case "/api/data" -> data(ask, principal, remote);
            case "/api/session" -> json(HttpResponseStatus.OK, session(principal));
            case "/api/link" -> link(ask, principal, remote);
            case "/api/operation" -> operation(ask, principal, remote);
            default -> plain(HttpResponseStatus.NOT_FOUND, "There is no such thing.");
        };
    }

    private FullHttpResponse history(String span) {
        try {
            return json(HttpResponseStatus.OK, site.history(History.Span.parse(span)));
        } catch (IllegalArgumentException e) {
            return json(HttpResponseStatus.BAD_REQUEST, Map.of("error", String.valueOf(e.getMessage())));
        }
    }

    /** Returns a page of data; data of the application is for operators, and each look at values is noted. */
    private FullHttpResponse data(Ask ask, Principal principal, @Nullable SocketAddress remote) {
        String kind = ask.text("kind");
        if (!OPEN_KINDS.contains(kind) && !principal.role().includes(Role.OPERATOR)) {
            return notPermitted(principal, remote, "see " + kind);
        }
        String member = ask.text("member");
        DataQuery query = new DataQuery(ask.text("group"), kind, ask.text("prefix"), ask.text("after"));
        Map<?, ?> page = site.page(member, query);
        if (kind.equals(VALUES) && page != null && !page.containsKey("error")) {
            // Without the beginning of keys that was searched for: it may be personal data, too.
            site.audit().onDone(remote, principal.name(), "has looked at values of group " + query.group() + " at " + member);
        }
        return found(page);
    }

    private static FullHttpResponse found(@Nullable Map<?, ?> found) {
        return found == null
                ? json(HttpResponseStatus.NOT_FOUND, Map.of("error", "no member of this name answers"))
                : json(HttpResponseStatus.OK, found);
    }

    private static Map<String, ?> session(Principal principal) {
        return Map.of("name", principal.name(), "role", principal.role().text(), "proof", principal.proof());
    }

    /** Makes a link for the next person. */
    private FullHttpResponse link(Ask ask, Principal principal, @Nullable SocketAddress remote) {
        Role role;
        try {
            role = Role.parse(ask.text("role"));
        } catch (IllegalArgumentException e) {
            return json(HttpResponseStatus.BAD_REQUEST, Map.of("error", String.valueOf(e.getMessage())));
        }
        if (!principal.role().includes(role)) {
            return notPermitted(principal, remote, "make a link for the role " + role.text());
        }
        String link = site.link(principal, role);
        site.counters().increment(Counter.LINKS_MADE);
        site.audit().onDone(remote, principal.name(), "has made a link for the role " + role.text());
        return json(
                HttpResponseStatus.OK,
                Map.of("link", link, "role", role.text(), "minutes", TimeUnit.NANOSECONDS.toMinutes(Gate.LINK_NANOS)));
    }

    /** Has members do something that changes them. */
    private FullHttpResponse operation(Ask ask, Principal principal, @Nullable SocketAddress remote) {
        Operators.Request request;
        try {
            Kind kind = Kind.parse(ask.text("operation"));
            List<String> arguments = switch (kind) {
                case DRAIN, STOP, EXCLUDE -> List.of();
                case LEAVE -> List.of(ask.text("group"));
                case CHANGE -> List.of(ask.text("group"), ask.text("setting"), ask.text("value"));
                case SET_ATTRIBUTE -> List.of(ask.text("attribute"), ask.text("value"));
                case REMOVE_ATTRIBUTE -> List.of(ask.text("attribute"));
            };
            request = new Operators.Request(kind, ask.text("member"), arguments);
        } catch (IllegalArgumentException e) {
            return json(HttpResponseStatus.BAD_REQUEST, Map.of("error", String.valueOf(e.getMessage())));
        }
        if (!principal.role().includes(Role.OPERATOR)) {
            return notPermitted(principal, remote, request.toString());
        }
        Map<String, Outcome> outcomes = site.operate(principal.name(), request);
        boolean isDone = outcomes.values().stream().allMatch(Outcome::isDone);
        site.counters().increment(isDone ? Counter.OPERATIONS : Counter.OPERATIONS_FAILED);
        List<String> texts = new ArrayList<>();
        List<Map<String, ?>> rows = new ArrayList<>();
        outcomes.forEach((member, outcome) -> {
            rows.add(Map.of("member", member, "done", outcome.isDone(), "text", outcome.text()));
            texts.add((member.isEmpty() ? "" : member + ": ") + outcome.text());
        });
        site.audit().onDone(
                remote, principal.name(), "asked to " + request + (isDone ? ", done: " : ", failed: ") + String.join("; ", texts));
        return json(HttpResponseStatus.OK, Map.of("done", isDone, "outcomes", rows));
    }

    private FullHttpResponse notPermitted(Principal principal, @Nullable SocketAddress remote, String what) {
        site.counters().increment(Counter.REQUESTS_NOT_PERMITTED);
        String text = "the role " + principal.role().text() + " may not " + what;
        site.audit().onRefused(remote, principal.name(), text);
        return json(HttpResponseStatus.FORBIDDEN, Map.of("error", text));
    }

    // ------------------------------------------------------------------ forms of answers

    static FullHttpResponse json(HttpResponseStatus status, Map<?, ?> document) {
        return response(status, "application/json", Json.write(document).getBytes(StandardCharsets.UTF_8));
    }

    static FullHttpResponse html(HttpResponseStatus status, String text) {
        return response(status, "text/html; charset=utf-8", text.getBytes(StandardCharsets.UTF_8));
    }

    static FullHttpResponse plain(HttpResponseStatus status, String text) {
        return response(status, "text/plain; charset=utf-8", (text + "\n").getBytes(StandardCharsets.UTF_8));
    }

    static FullHttpResponse response(HttpResponseStatus status, String type, byte[] content) {
        FullHttpResponse response =
                new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, Unpooled.wrappedBuffer(content));
        response.headers().set(HttpHeaderNames.CONTENT_TYPE, type);
        return response;
    }
}
