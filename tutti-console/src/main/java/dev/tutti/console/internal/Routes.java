package dev.tutti.console.internal;

import dev.tutti.console.internal.Answers.Ask;
import dev.tutti.console.internal.CounterTable.Counter;
import dev.tutti.console.internal.Gate.Principal;
import dev.tutti.look.Assets;
import dev.tutti.look.Assets.Asset;
import dev.tutti.console.internal.oidc.SingleSignOn;
import dev.tutti.internal.Logs;
import dev.tutti.internal.door.Backoff.Attempt;
import dev.tutti.internal.door.Hosts;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.TooLongFrameException;
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
import java.security.MessageDigest;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
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

    /** Header with {@link Principal#proof}, which a page of this console sends and no other page can. */
    static final String PROOF = "X-Tutti-Proof";

    /** Paths that change something, besides that which they answer. */
    private static final Set<String> POSTS = Set.of("/login", "/logout", "/api/link", "/api/operation");


    private final Site site;
    private final Answers answers;
    private final LoginPage loginPage;
    private final ProviderLogin providerLogin;
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
        this.answers = new Answers(site);
        this.loginPage = new LoginPage(site);
        this.providerLogin = new ProviderLogin(site);
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
            reply(ctx, request, Answers.plain(statusOf(decoded.cause()), "The request can't be read."), true);
            return;
        }
        QueryStringDecoder uri =
                new QueryStringDecoder(request.uri(), StandardCharsets.UTF_8, true, PARAMETERS_MAX);
        try {
            route(ctx, request, uri.path(), uri.parameters());
        } catch (IllegalArgumentException e) {
            // Thrown by the decoder for invalid escapes.
            site.counters().increment(Counter.REQUESTS_MALFORMED);
            reply(ctx, request, Answers.plain(HttpResponseStatus.BAD_REQUEST, "The address can't be read."), true);
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
            reply(ctx, request, Answers.plain(HttpResponseStatus.NOT_FOUND, "There are /health and /ready."), true);
            return;
        }
        String host = request.headers().get(HttpHeaderNames.HOST);
        // Answers to probes are no secret, and probes may use any name for this machine.
        if (!isProbe && !site.hosts().isAllowed(host)) {
            site.counters().increment(Counter.REQUESTS_FOREIGN_HOST);
            reply(ctx, request, Answers.plain(HttpResponseStatus.MISDIRECTED_REQUEST,
                    "The console is not known by this name. Ask for localhost or an address, or add the name to console.hosts."), true);
            return;
        }
        boolean isGet = request.method().equals(HttpMethod.GET);
        boolean isPost = request.method().equals(HttpMethod.POST);
        boolean takesPost = POSTS.contains(path);
        boolean takesGet = !takesPost || path.equals("/login");
        if (!(isGet && takesGet) && !(isPost && takesPost)) {
            FullHttpResponse response = Answers.plain(HttpResponseStatus.METHOD_NOT_ALLOWED, "The console does not do that.");
            response.headers().set(HttpHeaderNames.ALLOW, takesPost ? takesGet ? "GET, POST" : "POST" : "GET");
            reply(ctx, request, response, true);
            return;
        }
        if (isPost && isForeign(request, host)) {
            site.counters().increment(Counter.REQUESTS_FOREIGN_PAGE);
            reply(ctx, request, Answers.plain(HttpResponseStatus.FORBIDDEN, "Another page has asked for this."), true);
            return;
        }
        switch (path) {
            case "/health" -> later(ctx, HttpUtil.isKeepAlive(request), () -> probe(site.health()));
            case "/ready" -> later(ctx, HttpUtil.isKeepAlive(request), () -> probe(site.readiness()));
            case "/login" -> login(ctx, request, isPost, parameters);
            case "/logout" -> logout(ctx, request, host);
            case ProviderLogin.BEGIN -> later(
                    ctx, HttpUtil.isKeepAlive(request), () -> providerLogin.begin(ctx.channel().remoteAddress(), String.valueOf(host)));
            case SingleSignOn.CALLBACK -> comeBack(ctx, request, parameters);
            case "/" -> page(ctx, request);
            case "/favicon.ico" -> reply(ctx, request, asset(request, site.assets().get("icon.svg")), false);
            default -> {
                if (path.startsWith("/assets/")) {
                    asset(ctx, request, path.substring("/assets/".length()));
                } else if (path.startsWith("/api/")) {
                    api(ctx, request, path, parameters);
                } else {
                    reply(ctx, request, Answers.plain(HttpResponseStatus.NOT_FOUND, "There is no such page."), false);
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
            FullHttpResponse response = Answers.plain(HttpResponseStatus.SEE_OTHER, "");
            response.headers().set(HttpHeaderNames.LOCATION, "/login");
            reply(ctx, request, response, false);
        }
    }

    private void asset(ChannelHandlerContext ctx, FullHttpRequest request, String name) {
        Asset asset = site.assets().find(name);
        FullHttpResponse response =
                asset == null ? Answers.plain(HttpResponseStatus.NOT_FOUND, "There is no such file.") : asset(request, asset);
        reply(ctx, request, response, false);
    }

    private static FullHttpResponse asset(FullHttpRequest request, Asset asset) {
        boolean isKnown = asset.tag().equals(request.headers().get(HttpHeaderNames.IF_NONE_MATCH));
        FullHttpResponse response = isKnown
                ? Answers.response(HttpResponseStatus.NOT_MODIFIED, asset.type(), new byte[0])
                : Answers.response(HttpResponseStatus.OK, asset.type(), asset.content());
        response.headers().set(HttpHeaderNames.CACHE_CONTROL, "no-cache").set(HttpHeaderNames.ETAG, asset.tag());
        return response;
    }

    // ------------------------------------------------------------------ logging in

    private void login(
            ChannelHandlerContext ctx, FullHttpRequest request, boolean isPost, Map<String, List<String>> parameters) {
        String once = first(parameters, "once");
        boolean isKept = HttpUtil.isKeepAlive(request);
        if (isPost) {
            Map<String, List<String>> form = form(request);
            String user = text(form, "user").strip();
            if (user.isEmpty()) {
                weigh(ctx, isKept, () -> enter(ctx, isKept, site.gate().enter(text(form, "token").strip()), "", "token"));
            } else {
                begin(ctx, isKept, user, attempt -> check(ctx, isKept, user, text(form, "password"), attempt));
            }
        } else if (once != null) {
            // It can't be guessed, so failures of others are no reason to wait.
            enter(ctx, isKept, site.gate().enterByLink(once), "", "link");
        } else {
            reply(ctx, request, loginPage.of(HttpResponseStatus.OK, ""), false);
        }
    }

    private static Map<String, List<String>> form(FullHttpRequest request) {
        return new QueryStringDecoder(
                        request.content().toString(StandardCharsets.UTF_8), StandardCharsets.UTF_8, false, PARAMETERS_MAX)
                .parameters();
    }

    /**
     * Checks a token: at once or, if it is guessable and others of this origin have failed before, after a delay.
     *
     * @param look answers, and returns whether the token was right
     */
    private void weigh(ChannelHandlerContext ctx, boolean isKept, BooleanSupplier look) {
        if (site.gate().isGuessable()) {
            begin(ctx, isKept, "", attempt -> attempt.end(look.getAsBoolean()));
        } else {
            var unused = look.getAsBoolean();
        }
    }

    /** Begins an attempt to log in, after a delay if there were failures. */
    private void begin(ChannelHandlerContext ctx, boolean isKept, String account, Consumer<Attempt> look) {
        // A log-in with an account is that of a user, whose password takes long to check.
        Attempt attempt = account.isEmpty()
                ? site.backoff().begin(ctx.channel().remoteAddress(), "")
                : site.backoff().beginSlow(ctx.channel().remoteAddress(), account);
        if (attempt == null) {
            refuseForNow(ctx, isKept, account);
        } else if (attempt.delayNanos() == 0) {
            look.accept(attempt);
        } else {
            site.counters().increment(Counter.LOGINS_DELAYED);
            waiting = attempt;
            ctx.executor().schedule(() -> {
                if (waiting == attempt) {
                    waiting = null;
                    look.accept(attempt);
                }
            }, attempt.delayNanos(), TimeUnit.NANOSECONDS);
        }
    }

    private void refuseForNow(ChannelHandlerContext ctx, boolean isKept, String account) {
        site.audit().onRefused(ctx.channel().remoteAddress(), account, "too many log-ins wait already");
        long waitSeconds = TimeUnit.NANOSECONDS.toSeconds(site.backoff().delayMaxNanos());
        FullHttpResponse later = loginPage.of(
                HttpResponseStatus.TOO_MANY_REQUESTS, "Too many attempts were wrong. Try again in " + waitSeconds + " seconds.");
        later.headers().set(HttpHeaderNames.RETRY_AFTER, waitSeconds);
        send(ctx, later, isKept);
    }

    /** Checks a password, which takes long, on another thread. */
    private void check(ChannelHandlerContext ctx, boolean isKept, String user, String password, Attempt attempt) {
        waiting = attempt;
        boolean isTaken = site.users().check(user, password, () -> ctx.channel().isActive(), role -> onLoop(ctx, () -> {
            if (waiting == attempt) {
                waiting = null;
                attempt.end(role != null);
                enter(ctx, isKept, role == null ? site.gate().wrong() : site.gate().enterAs(user, role), user, "password");
            }
        }));
        if (!isTaken) {
            waiting = null;
            attempt.abandon();
            refuseForNow(ctx, isKept, user);
        }
    }

    private boolean enter(ChannelHandlerContext ctx, boolean isKept, Gate.Outcome outcome, String account, String how) {
        boolean isIn = outcome instanceof Gate.Open;
        audit(ctx, isIn, account, how);
        FullHttpResponse response =
                switch (outcome) {
                    case Gate.Open open -> {
                        FullHttpResponse entered = LoginPage.entered();
                        entered.headers().set(HttpHeaderNames.SET_COOKIE, site.cookie(open.session()));
                        yield entered;
                    }
                    case Gate.Wrong wrong ->
                        loginPage.of(HttpResponseStatus.FORBIDDEN, "That was not it. A link is good once, and for 15 minutes.");
                };
        send(ctx, response, isKept);
        return isIn;
    }

    private void audit(ChannelHandlerContext ctx, boolean isIn, String account, String how) {
        if (isIn) {
            site.audit().onAdmitted(ctx.channel().remoteAddress(), account, how);
        } else {
            site.audit().onRefused(ctx.channel().remoteAddress(), account, "wrong " + how);
        }
    }

    /** Ends the log-in of a browser that is back from the provider. */
    private void comeBack(ChannelHandlerContext ctx, FullHttpRequest request, Map<String, List<String>> parameters) {
        String browser = cookie(request, site.loginCookieName());
        SingleSignOn.Return back = new SingleSignOn.Return(
                text(parameters, "state"), text(parameters, "code"), text(parameters, "error"), text(parameters, "iss"), browser == null ? "" : browser);
        later(ctx, HttpUtil.isKeepAlive(request), () -> providerLogin.finish(ctx.channel().remoteAddress(), back));
    }

    private void logout(ChannelHandlerContext ctx, FullHttpRequest request, @Nullable String host) {
        String session = cookie(request);
        String logout = providerLogin.logout(site.gate().principal(session), String.valueOf(host));
        site.gate().leave(session);
        FullHttpResponse response = logout == null ? LoginPage.left() : loginPage.leftHereOnly(logout);
        response.headers().set(HttpHeaderNames.SET_COOKIE, site.noCookie());
        response.headers().set("Clear-Site-Data", "\"cookies\", \"storage\"");
        reply(ctx, request, response, false);
    }

    private boolean isLoggedIn(FullHttpRequest request) {
        return site.gate().isOpen(cookie(request));
    }

    private @Nullable String cookie(FullHttpRequest request) {
        return cookie(request, site.cookieName());
    }

    private static @Nullable String cookie(FullHttpRequest request, String name) {
        String header = request.headers().get(HttpHeaderNames.COOKIE);
        if (header == null) {
            return null;
        }
        for (Cookie cookie : ServerCookieDecoder.STRICT.decodeAll(header)) {
            if (cookie.name().equals(name)) {
                return cookie.value();
            }
        }
        return null;
    }

    // ------------------------------------------------------------------ what programs read

    private void api(
            ChannelHandlerContext ctx, FullHttpRequest request, String path, Map<String, List<String>> parameters) {
        boolean isPost = request.method().equals(HttpMethod.POST);
        Ask ask = new Ask(path, isPost ? form(request) : parameters, HttpUtil.isKeepAlive(request));
        String authorization = request.headers().get(HttpHeaderNames.AUTHORIZATION);
        String session = cookie(request);
        Principal principal = site.gate().principal(session);
        if (principal != null && isPost && !isProven(request, principal)) {
            site.counters().increment(Counter.REQUESTS_UNPROVEN);
            site.audit().onRefused(ctx.channel().remoteAddress(), principal.name(), "a request without proof that a page of the console made it");
            reply(ctx, request, Answers.json(HttpResponseStatus.FORBIDDEN, Map.of("error", "no page of this console has asked for this")), false);
        } else if (principal != null) {
            serve(ctx, ask, principal, session);
        } else if (authorization != null && authorization.startsWith(BEARER)) {
            String token = authorization.substring(BEARER.length()).strip();
            weigh(ctx, ask.isKept(), () -> serveProgram(ctx, ask, token));
        } else {
            refuse(ctx, ask.isKept());
        }
    }

    /** Returns whether a page of this console made the request: no other page can read the session's proof. */
    private static boolean isProven(FullHttpRequest request, Principal principal) {
        String proof = request.headers().get(PROOF);
        return proof != null
                && MessageDigest.isEqual(
                        proof.getBytes(StandardCharsets.UTF_8), principal.proof().getBytes(StandardCharsets.UTF_8));
    }

    private void refuse(ChannelHandlerContext ctx, boolean isKept) {
        site.counters().increment(Counter.REQUESTS_WITHOUT_LOGIN);
        send(ctx, Answers.plain(HttpResponseStatus.UNAUTHORIZED, "Log in first."), isKept);
    }

    private boolean serveProgram(ChannelHandlerContext ctx, Ask ask, String token) {
        boolean isRight = site.gate().isToken(token);
        if (!isRight || !isAudited) {
            audit(ctx, isRight, "", "bearer token");
        }
        isAudited = isRight;
        if (isRight) {
            serve(ctx, ask, site.gate().program(), null);
        } else {
            refuse(ctx, ask.isKept());
        }
        return isRight;
    }

    /** @param session null for a program, which sends its token each time */
    private void serve(ChannelHandlerContext ctx, Ask ask, Principal principal, @Nullable String session) {
        if (ask.path().equals("/api/stream")) {
            stream(ctx, session);
        } else {
            later(ctx, ask.isKept(), () -> answers.of(ask, principal, ctx.channel().remoteAddress()));
        }
    }

    private static FullHttpResponse probe(Site.Health health) {
        return Answers.json(health.isGood() ? HttpResponseStatus.OK : HttpResponseStatus.SERVICE_UNAVAILABLE, health.document());
    }

    private void stream(ChannelHandlerContext ctx, @Nullable String session) {
        Browser opened = new Browser(
                ctx.channel(), () -> session == null || site.gate().isOpen(session), site.counters());
        if (!site.admit(opened)) {
            site.counters().increment(Counter.BROWSERS_REFUSED);
            FullHttpResponse response =
                    Answers.plain(HttpResponseStatus.SERVICE_UNAVAILABLE, "As many pages are open as console.browsers-max allows.");
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
                response = Answers.json(HttpResponseStatus.SERVICE_UNAVAILABLE, Map.of("error", String.valueOf(e.getMessage())));
            }
            FullHttpResponse made = response;
            onLoop(ctx, () -> send(ctx, made, isKept));
        });
    }

    private static void onLoop(ChannelHandlerContext ctx, Runnable task) {
        try {
            ctx.executor().execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("the console has closed before an answer");
        }
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

    private static @Nullable String first(Map<String, List<String>> parameters, String name) {
        List<String> values = parameters.getOrDefault(name, List.of());
        return values.isEmpty() ? null : values.getFirst();
    }

    private static String text(Map<String, List<String>> parameters, String name) {
        String value = first(parameters, name);
        return value == null ? "" : value;
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
}
