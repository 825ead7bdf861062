package dev.tutti.console.internal;

import dev.tutti.console.internal.CounterTable.Counter;
import dev.tutti.console.internal.look.Assets;
import dev.tutti.console.internal.look.Assets.Asset;
import dev.tutti.internal.Json;
import dev.tutti.internal.Logs;
import dev.tutti.internal.door.Backoff.Attempt;
import dev.tutti.internal.door.Hosts;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.handler.codec.http.cookie.Cookie;
import io.netty.handler.codec.http.cookie.ServerCookieDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** Answers the requests of one connection, one after another. On the connection's loop. */
final class Routes extends SimpleChannelInboundHandler<FullHttpRequest> {

    /** Makes the routes of a connection. */
    @FunctionalInterface
    interface Factory {
        Routes forConnection(Deadline deadline);
    }

    private static final Logger LOG = Logs.of(Routes.class);

    private static final int PARAMETERS_MAX = 8;
    private static final String BEARER = "Bearer ";

    private final Site site;
    private final Deadline deadline;
    private final boolean isForHealth;
    private boolean isAnswering;
    private @Nullable Browser browser;

    /** A log-in that waits for its check. */
    private @Nullable Attempt waiting;

    /** A program on this connection has sent the right token before. */
    private boolean isAudited;

    /** @param isForHealth whether health is the only thing served here */
    Routes(Site site, Deadline deadline, boolean isForHealth) {
        this.site = site;
        this.deadline = deadline;
        this.isForHealth = isForHealth;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
        site.counters().increment(Counter.REQUESTS);
        deadline.stop();
        if (isAnswering) {
            // Browsers wait for an answer before their next request.
            site.counters().increment(Counter.REQUESTS_MALFORMED);
            ctx.close();
            return;
        }
        isAnswering = true;
        DecoderResult decoded = request.decoderResult();
        if (!decoded.isSuccess()) {
            site.counters().increment(Counter.REQUESTS_MALFORMED);
            reply(ctx, request, plain(statusOf(decoded.cause()), "The request can't be read."), true);
            return;
        }
        QueryStringDecoder uri =
                new QueryStringDecoder(request.uri(), StandardCharsets.UTF_8, true, PARAMETERS_MAX);
        try {
            route(ctx, request, uri.path(), uri.parameters());
        } catch (IllegalArgumentException e) {
            // Thrown by the decoder for invalid escapes.
            site.counters().increment(Counter.REQUESTS_MALFORMED);
            reply(ctx, request, plain(HttpResponseStatus.BAD_REQUEST, "The address can't be read."), true);
        }
    }

    private static HttpResponseStatus statusOf(Throwable cause) {
        return switch (cause) {
            case TooLongHttpLineException e -> HttpResponseStatus.REQUEST_URI_TOO_LONG;
            case TooLongHttpHeaderException e -> HttpResponseStatus.REQUEST_HEADER_FIELDS_TOO_LARGE;
            case TooLongFrameException e -> HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE;
            default -> HttpResponseStatus.BAD_REQUEST;
        };
    }

    private void route(
            ChannelHandlerContext ctx, FullHttpRequest request, String path, Map<String, List<String>> parameters) {
        boolean isProbe = path.equals("/health") || path.equals("/ready");
        if (isForHealth && !isProbe) {
            reply(ctx, request, plain(HttpResponseStatus.NOT_FOUND, "There are /health and /ready."), true);
            return;
        }
        String host = request.headers().get(HttpHeaderNames.HOST);
        // Answers to probes are no secret, and probes may use any name for this machine.
        if (!isProbe && !site.hosts().isAllowed(host)) {
            site.counters().increment(Counter.REQUESTS_FOREIGN_HOST);
            reply(ctx, request, plain(HttpResponseStatus.MISDIRECTED_REQUEST,
                    "The console is not known by this name. Ask for localhost or an address, or add the name to console.hosts."), true);
            return;
        }
        boolean isGet = request.method().equals(HttpMethod.GET);
        boolean isPost = request.method().equals(HttpMethod.POST);
        boolean takesPost = path.equals("/login") || path.equals("/logout");
        if (!isGet && !(isPost && takesPost) || isGet && path.equals("/logout")) {
            FullHttpResponse response = plain(HttpResponseStatus.METHOD_NOT_ALLOWED, "The console does not do that.");
            response.headers().set(HttpHeaderNames.ALLOW, path.equals("/logout") ? "POST" : takesPost ? "GET, POST" : "GET");
            reply(ctx, request, response, true);
            return;
        }
        if (isPost && isForeign(request, host)) {
            site.counters().increment(Counter.REQUESTS_FOREIGN_PAGE);
            reply(ctx, request, plain(HttpResponseStatus.FORBIDDEN, "Another page has asked for this."), true);
            return;
        }
        switch (path) {
            case "/health" -> later(ctx, HttpUtil.isKeepAlive(request), () -> probe(site.health()));
            case "/ready" -> later(ctx, HttpUtil.isKeepAlive(request), () -> probe(site.readiness()));
            case "/login" -> login(ctx, request, isPost, parameters);
            case "/logout" -> logout(ctx, request);
            case "/" -> page(ctx, request);
            case "/favicon.ico" -> reply(ctx, request, asset(request, site.assets().get("icon.svg")), false);
            default -> {
                if (path.startsWith("/assets/")) {
                    asset(ctx, request, path.substring("/assets/".length()));
                } else if (path.startsWith("/api/")) {
                    api(ctx, request, path, parameters);
                } else {
                    reply(ctx, request, plain(HttpResponseStatus.NOT_FOUND, "There is no such page."), false);
                }
            }
        }
    }

    /** Returns whether a page that is not this console's caused the request. */
    private boolean isForeign(FullHttpRequest request, @Nullable String host) {
        String origin = request.headers().get(HttpHeaderNames.ORIGIN);
        String site = request.headers().get("Sec-Fetch-Site");
        // This header, where browsers send it, is more reliable than the origin, which they sometimes hide.
        return site != null
                ? !site.equals("same-origin") && !site.equals("none")
                : !Hosts.isOwn(origin, host);
    }

    // ------------------------------------------------------------------ pages

    private void page(ChannelHandlerContext ctx, FullHttpRequest request) {
        if (isLoggedIn(request)) {
            reply(ctx, request, asset(request, site.assets().get("index.html")), false);
        } else {
            FullHttpResponse response = plain(HttpResponseStatus.SEE_OTHER, "");
            response.headers().set(HttpHeaderNames.LOCATION, "/login");
            reply(ctx, request, response, false);
        }
    }

    private void asset(ChannelHandlerContext ctx, FullHttpRequest request, String name) {
        Asset asset = site.assets().find(name);
        FullHttpResponse response =
                asset == null ? plain(HttpResponseStatus.NOT_FOUND, "There is no such file.") : asset(request, asset);
        reply(ctx, request, response, false);
    }

    private static FullHttpResponse asset(FullHttpRequest request, Asset asset) {
        boolean isKnown = asset.tag().equals(request.headers().get(HttpHeaderNames.IF_NONE_MATCH));
        FullHttpResponse response = isKnown
                ? response(HttpResponseStatus.NOT_MODIFIED, asset.type(), new byte[0])
                : response(HttpResponseStatus.OK, asset.type(), asset.content());
        response.headers().set(HttpHeaderNames.CACHE_CONTROL, "no-cache").set(HttpHeaderNames.ETAG, asset.tag());
        return response;
    }

    // ------------------------------------------------------------------ logging in

    private void login(
            ChannelHandlerContext ctx, FullHttpRequest request, boolean isPost, Map<String, List<String>> parameters) {
        String once = first(parameters, "once");
        boolean isKept = HttpUtil.isKeepAlive(request);
        if (isPost) {
            QueryStringDecoder form = new QueryStringDecoder(
                    request.content().toString(StandardCharsets.UTF_8), StandardCharsets.UTF_8, false, PARAMETERS_MAX);
            String token = first(form.parameters(), "token");
            weigh(ctx, isKept, () -> enter(ctx, isKept, site.gate().enter(token == null ? "" : token.strip()), "token"));
        } else if (once != null) {
            // It can't be guessed, so failures of others are no reason to wait.
            enter(ctx, isKept, site.gate().enterByLink(once), "link");
        } else {
            reply(ctx, request, loginPage(HttpResponseStatus.OK, ""), false);
        }
    }

    /**
     * Checks a token: at once or, if it is guessable and others of this origin have failed before, after a delay.
     *
     * @param look answers, and returns whether the token was right
     */
    private void weigh(ChannelHandlerContext ctx, boolean isKept, BooleanSupplier look) {
        if (!site.gate().isGuessable()) {
            var unused = look.getAsBoolean();
            return;
        }
        Attempt attempt = site.backoff().begin(ctx.channel().remoteAddress(), "");
        if (attempt == null) {
            site.audit().onRefused(ctx.channel().remoteAddress(), "", "too many log-ins wait already");
            long waitSeconds = TimeUnit.NANOSECONDS.toSeconds(site.backoff().delayMaxNanos());
            FullHttpResponse later = loginPage(
                    HttpResponseStatus.TOO_MANY_REQUESTS,
                    "Too many attempts were wrong. Try again in " + waitSeconds + " seconds.");
            later.headers().set(HttpHeaderNames.RETRY_AFTER, waitSeconds);
            send(ctx, later, isKept);
        } else if (attempt.delayNanos() == 0) {
            attempt.end(look.getAsBoolean());
        } else {
            site.counters().increment(Counter.LOGINS_DELAYED);
            waiting = attempt;
            ctx.executor().schedule(() -> {
                if (waiting == attempt) {
                    waiting = null;
                    attempt.end(look.getAsBoolean());
                }
            }, attempt.delayNanos(), TimeUnit.NANOSECONDS);
        }
    }

    private boolean enter(ChannelHandlerContext ctx, boolean isKept, Gate.Outcome outcome, String how) {
        boolean isIn = outcome instanceof Gate.Open;
        audit(ctx, isIn, how);
        FullHttpResponse response =
                switch (outcome) {
                    case Gate.Open open -> {
                        // No redirection: after a link on a foreign page, the request would come without the cookie.
                        FullHttpResponse entered = html(HttpResponseStatus.OK, ENTERED);
                        entered.headers().set(HttpHeaderNames.SET_COOKIE, site.cookie(open.session()));
                        yield entered;
                    }
                    case Gate.Wrong wrong ->
                        loginPage(HttpResponseStatus.FORBIDDEN, "That was not it. A link is good once, and for 15 minutes.");
                };
        send(ctx, response, isKept);
        return isIn;
    }

    private void audit(ChannelHandlerContext ctx, boolean isIn, String how) {
        if (isIn) {
            site.audit().onAdmitted(ctx.channel().remoteAddress(), "", how);
        } else {
            site.audit().onRefused(ctx.channel().remoteAddress(), "", "wrong " + how);
        }
    }

    private void logout(ChannelHandlerContext ctx, FullHttpRequest request) {
        site.gate().leave(cookie(request));
        FullHttpResponse response = html(HttpResponseStatus.OK, LEFT);
        response.headers().set(HttpHeaderNames.SET_COOKIE, site.noCookie());
        response.headers().set("Clear-Site-Data", "\"cookies\", \"storage\"");
        reply(ctx, request, response, false);
    }

    private FullHttpResponse loginPage(HttpResponseStatus status, String message) {
        String page = new String(site.assets().get("login.html").content(), StandardCharsets.UTF_8);
        return html(status, page.replace("<!--message-->", message));
    }

    private boolean isLoggedIn(FullHttpRequest request) {
        return site.gate().isOpen(cookie(request));
    }

    private @Nullable String cookie(FullHttpRequest request) {
        String header = request.headers().get(HttpHeaderNames.COOKIE);
        if (header == null) {
            return null;
        }
        for (Cookie cookie : ServerCookieDecoder.STRICT.decodeAll(header)) {
            if (cookie.name().equals(site.cookieName())) {
                return cookie.value();
            }
        }
        return null;
    }

    // ------------------------------------------------------------------ what programs read

    private void api(
            ChannelHandlerContext ctx, FullHttpRequest request, String path, Map<String, List<String>> parameters) {
        boolean isKept = HttpUtil.isKeepAlive(request);
        String authorization = request.headers().get(HttpHeaderNames.AUTHORIZATION);
        if (isLoggedIn(request)) {
            serve(ctx, isKept, path, parameters, cookie(request));
        } else if (authorization != null && authorization.startsWith(BEARER)) {
            String token = authorization.substring(BEARER.length()).strip();
            weigh(ctx, isKept, () -> serveProgram(ctx, isKept, path, parameters, token));
        } else {
            refuse(ctx, isKept);
        }
    }

    private void refuse(ChannelHandlerContext ctx, boolean isKept) {
        site.counters().increment(Counter.REQUESTS_WITHOUT_LOGIN);
        send(ctx, plain(HttpResponseStatus.UNAUTHORIZED, "Log in first."), isKept);
    }

    private boolean serveProgram(
            ChannelHandlerContext ctx, boolean isKept, String path, Map<String, List<String>> parameters, String token) {
        boolean isRight = site.gate().isToken(token);
        if (!isRight || !isAudited) {
            audit(ctx, isRight, "bearer token");
        }
        isAudited = isRight;
        if (isRight) {
            serve(ctx, isKept, path, parameters, null);
        } else {
            refuse(ctx, isKept);
        }
        return isRight;
    }

    /** @param session null for a program, which sends its token each time */
    private void serve(
            ChannelHandlerContext ctx, boolean isKept, String path, Map<String, List<String>> parameters, @Nullable String session) {
        switch (path) {
            case "/api/stream" -> stream(ctx, session);
            case "/api/cluster" -> later(ctx, isKept, () -> json(HttpResponseStatus.OK, site.cluster()));
            case "/api/inspection" -> {
                String member = first(parameters, "member");
                later(ctx, isKept, () -> inspection(member == null ? "" : member));
            }
            default -> send(ctx, plain(HttpResponseStatus.NOT_FOUND, "There is no such thing."), isKept);
        }
    }

    private FullHttpResponse inspection(String member) {
        Map<?, ?> found = site.inspection(member);
        return found == null
                ? json(HttpResponseStatus.NOT_FOUND, Map.of("error", "no member of this name answers"))
                : json(HttpResponseStatus.OK, found);
    }

    private static FullHttpResponse probe(Site.Health health) {
        return json(health.isGood() ? HttpResponseStatus.OK : HttpResponseStatus.SERVICE_UNAVAILABLE, health.document());
    }

    private void stream(ChannelHandlerContext ctx, @Nullable String session) {
        Browser opened = new Browser(
                ctx.channel(), () -> session == null || site.gate().isOpen(session), site.counters());
        if (!site.admit(opened)) {
            site.counters().increment(Counter.BROWSERS_REFUSED);
            FullHttpResponse response =
                    plain(HttpResponseStatus.SERVICE_UNAVAILABLE, "As many pages are open as console.browsers-max allows.");
            send(ctx, response, false);
            return;
        }
        deadline.stay();
        browser = opened;
        opened.start(Assets.HEADERS);
        site.greet(opened);
    }

    // ------------------------------------------------------------------ answers

    /** Answers on a thread that may wait. */
    private void later(ChannelHandlerContext ctx, boolean isKept, Supplier<FullHttpResponse> answer) {
        Thread.ofVirtual().name("tutti-console-request").start(() -> {
            FullHttpResponse response;
            try {
                response = answer.get();
            } catch (IllegalStateException e) {
                LOG.debug("a request can't be answered", e);
                response = json(HttpResponseStatus.SERVICE_UNAVAILABLE, Map.of("error", String.valueOf(e.getMessage())));
            }
            FullHttpResponse made = response;
            try {
                ctx.executor().execute(() -> send(ctx, made, isKept));
            } catch (RejectedExecutionException e) {
                LOG.debug("the console has closed before an answer");
            }
        });
    }

    private void reply(ChannelHandlerContext ctx, FullHttpRequest request, FullHttpResponse response, boolean isLast) {
        send(ctx, response, !isLast && HttpUtil.isKeepAlive(request));
    }

    private void send(ChannelHandlerContext ctx, FullHttpResponse response, boolean isKept) {
        Assets.HEADERS.forEach(response.headers()::set);
        if (!response.headers().contains(HttpHeaderNames.CACHE_CONTROL)) {
            response.headers().set(HttpHeaderNames.CACHE_CONTROL, "no-store");
        }
        HttpUtil.setContentLength(response, response.content().readableBytes());
        HttpUtil.setKeepAlive(response.headers(), HttpVersion.HTTP_1_1, isKept);
        isAnswering = false;
        deadline.start();
        if (isKept) {
            ctx.writeAndFlush(response).addListener(written -> deadline.start());
        } else {
            ctx.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
        }
    }

    private static FullHttpResponse json(HttpResponseStatus status, Map<?, ?> document) {
        return response(status, "application/json", Json.write(document).getBytes(StandardCharsets.UTF_8));
    }

    private static FullHttpResponse html(HttpResponseStatus status, String text) {
        return response(status, "text/html; charset=utf-8", text.getBytes(StandardCharsets.UTF_8));
    }

    private static FullHttpResponse plain(HttpResponseStatus status, String text) {
        return response(status, "text/plain; charset=utf-8", (text + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private static FullHttpResponse response(HttpResponseStatus status, String type, byte[] content) {
        FullHttpResponse response =
                new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, Unpooled.wrappedBuffer(content));
        response.headers().set(HttpHeaderNames.CONTENT_TYPE, type);
        return response;
    }

    private static @Nullable String first(Map<String, List<String>> parameters, String name) {
        List<String> values = parameters.getOrDefault(name, List.of());
        return values.isEmpty() ? null : values.getFirst();
    }

    // ------------------------------------------------------------------ the connection

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        Browser open = browser;
        if (open != null && ctx.channel().isWritable()) {
            open.onRoom();
        }
        ctx.fireChannelWritabilityChanged();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        Browser open = browser;
        if (open != null) {
            site.dismiss(open);
        }
        Attempt abandoned = waiting;
        if (abandoned != null) {
            waiting = null;
            abandoned.abandon();
        }
        ctx.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        LOG.debug("a connection of the console is closed", cause);
        ctx.close();
    }

    private static final String ENTERED = """
            <!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=/">
            <title>tutti console</title><p>You are logged in. <a href="/">Go on</a></p></html>
            """;

    private static final String LEFT = """
            <!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=/login">
            <title>tutti console</title><p>You are logged out. <a href="/login">Log in again</a></p></html>
            """;
}
