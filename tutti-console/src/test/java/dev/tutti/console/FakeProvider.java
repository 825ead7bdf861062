package dev.tutti.console;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.tutti.internal.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/** A provider of OpenID Connect on loopback, which lets in whom the test wants, and makes the mistakes that the test wants. */
final class FakeProvider implements AutoCloseable {

    static final String CLIENT = "tutti";
    static final String SECRET = "s3cret: of the client";

    /** Made once, as that takes long. */
    private static final RSAKey FIRST = rsa("first");

    /** Makes an ID token of its claims. */
    @FunctionalInterface
    interface Signer {
        String sign(JWTClaimsSet claims) throws JOSEException;
    }

    private record Code(Map<String, String> asked) {}

    private final HttpServer server;
    private final int port;
    private final AtomicBoolean isClosed = new AtomicBoolean();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Map<String, Code> codes = new ConcurrentHashMap<>();
    final AtomicInteger keysRead = new AtomicInteger();

    volatile Map<String, Object> person = Map.of("sub", "248289", "preferred_username", "ann", "roles", List.of("music", "tutti-operator"));
    volatile UnaryOperator<JWTClaimsSet.Builder> mistake = claims -> claims;
    volatile JWK key = FIRST;
    volatile List<JWK> published = List.of(key);
    volatile Signer signer = this::signed;
    volatile boolean isDown;
    volatile String authorization = "";
    volatile String issuerTold;

    FakeProvider() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        port = server.getAddress().getPort();
        issuerTold = issuer();
        server.createContext("/.well-known/openid-configuration", exchange -> answer(exchange, Map.of(
                "issuer", issuerTold,
                "authorization_endpoint", issuer() + "/authorize",
                "token_endpoint", issuer() + "/token",
                "jwks_uri", issuer() + "/keys",
                "end_session_endpoint", issuer() + "/logout")));
        server.createContext("/authorize", this::authorize);
        server.createContext("/token", this::token);
        server.createContext("/keys", exchange -> {
            keysRead.incrementAndGet();
            answer(exchange, Json.parse(new JWKSet(published).toString(true)));
        });
        server.start();
    }

    String issuer() {
        return "http://127.0.0.1:" + port;
    }

    static RSAKey rsa(String id) {
        try {
            return new RSAKeyGenerator(2_048).keyID(id).generate();
        } catch (JOSEException e) {
            throw new IllegalStateException(e);
        }
    }

    static ECKey ec(String id) {
        try {
            return new ECKeyGenerator(Curve.P_256).keyID(id).generate();
        } catch (JOSEException e) {
            throw new IllegalStateException(e);
        }
    }

    private String signed(JWTClaimsSet claims) throws JOSEException {
        boolean isRsa = key instanceof RSAKey;
        JWSSigner by = isRsa ? new RSASSASigner((RSAKey) key) : new ECDSASigner((ECKey) key);
        JWSHeader header = new JWSHeader.Builder(isRsa ? JWSAlgorithm.RS256 : JWSAlgorithm.ES256)
                .keyID(key.getKeyID())
                .type(JOSEObjectType.JWT)
                .build();
        SignedJWT token = new SignedJWT(header, claims);
        token.sign(by);
        return token.serialize();
    }

    /** Lets the person in who has been sent to an address; returns the address to which the browser goes back. */
    URI letIn(URI sentTo) {
        Map<String, String> asked = parameters(sentTo.getRawQuery());
        String code = UUID.randomUUID().toString();
        codes.put(code, new Code(asked));
        return URI.create(asked.get("redirect_uri") + "?code=" + code + "&state=" + asked.get("state") + "&iss=" + issuer());
    }

    private void authorize(HttpExchange exchange) throws IOException {
        byte[] page = ("<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><link rel=\"icon\" href=\"data:,\"><title>Provider</title><h1>Who are you?</h1><a id=\"ann\" href=\""
                + letIn(exchange.getRequestURI()).toString().replace("&", "&amp;") + "\">Ann</a></html>").getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "text/html; charset=utf-8");
        exchange.sendResponseHeaders(200, page.length);
        exchange.getResponseBody().write(page);
        exchange.close();
    }

    private void token(HttpExchange exchange) throws IOException {
        Map<String, String> form = parameters(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
        authorization = String.valueOf(exchange.getRequestHeaders().getFirst("Authorization"));
        Code code = codes.remove(form.getOrDefault("code", ""));
        if (code == null
                || !form.get("redirect_uri").equals(code.asked.get("redirect_uri"))
                || !challenge(form.get("code_verifier")).equals(code.asked.get("code_challenge"))) {
            refuse(exchange);
            return;
        }
        Instant now = Instant.now();
        JWTClaimsSet.Builder claims = new JWTClaimsSet.Builder()
                .issuer(issuer())
                .audience(form.get("client_id"))
                .claim("nonce", code.asked.get("nonce"))
                .issueTime(Date.from(now))
                .expirationTime(Date.from(now.plusSeconds(300)));
        person.forEach(claims::claim);
        try {
            answer(exchange, Map.of("token_type", "Bearer", "access_token", "x", "id_token", signer.sign(mistake.apply(claims).build())));
        } catch (JOSEException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String challenge(String verifier) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(verifier.getBytes(StandardCharsets.US_ASCII));
            return Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void refuse(HttpExchange exchange) throws IOException {
        byte[] body = "{\"error\": \"invalid_grant\"}".getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(400, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private void answer(HttpExchange exchange, Object document) throws IOException {
        byte[] body = Json.write(document).getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(isDown ? 503 : 200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    static Map<String, String> parameters(String query) {
        Map<String, String> parameters = new TreeMap<>();
        for (String each : query.split("&")) {
            int equals = each.indexOf('=');
            parameters.put(each.substring(0, equals), URLDecoder.decode(each.substring(equals + 1), StandardCharsets.UTF_8));
        }
        return parameters;
    }

    @Override
    public void close() {
        if (isClosed.compareAndSet(false, true)) {
            server.stop(0);
            threads.close();
        }
    }
}
