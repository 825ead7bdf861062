package dev.tutti.console.internal.oidc;

import dev.tutti.console.internal.oidc.PendingLogins.Login;
import dev.tutti.core.Printable;
import dev.tutti.internal.Json;
import dev.tutti.internal.Logs;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Log-in at a provider of OpenID Connect, by authorization code with PKCE. The provider's discovery document is read when it is needed first, and again
 * after an hour. All methods may be called from any thread that may wait: a provider that does not answer costs 5 s, or 15 s at the end of a log-in.
 */
public final class SingleSignOn implements AutoCloseable {

    /** Beginning of the names of people that a provider has let in; no user of the file can have such a name. */
    public static final String NAME_PREFIX = "oidc:";

    /** Path of the page that a provider sends browsers to. */
    public static final String CALLBACK = "/login/callback";

    /** Time for a person to log in at the provider. */
    public static final long LIFE_SECONDS = TimeUnit.NANOSECONDS.toSeconds(PendingLogins.LIFE_NANOS);

    private static final Logger LOG = Logs.of(SingleSignOn.class);
    private static final Duration DEADLINE = Duration.ofSeconds(5);
    private static final long DISCOVERY_NANOS = TimeUnit.HOURS.toNanos(1);
    private static final long FAILURE_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final int SHOWN_LENGTH_MAX = 256;

    /** First status of HTTP that says that the server has failed. */
    private static final int SERVER_ERROR = 500;

    /**
     * This console at the provider.
     *
     * @param secret shared with the provider; empty for a client without one, which has PKCE alone
     * @param scopes scopes that are asked for, separated by spaces; {@code openid} is among them
     */
    public record Client(String id, String secret, String scopes) {}

    /** Provider that has told how it is reached. */
    private record Known(Discovery discovery, IdTokens tokens, long nanos) {}

    /** Log-in that was begun: where the browser goes, and what it keeps as a cookie until it is back. */
    public record Begun(String location, String browser) {}

    /**
     * Request of a browser that is back from the provider; texts are empty if they are not there.
     *
     * @param issuer issuer that the provider names in the address
     * @param browser cookie of the browser
     */
    public record Return(String state, String code, String error, String issuer, String browser) {}

    /** End of a log-in. */
    public sealed interface Outcome {}

    /**
     * Person that is let in.
     *
     * @param name name with {@link #NAME_PREFIX}
     * @param role role of the {@link ClaimRules}
     */
    public record Person(String name, String role) implements Outcome {}

    /**
     * Nobody is let in.
     *
     * @param text reason for the person, who may be anybody
     * @param why reason for the log
     * @param isUnanswered whether the provider could not be asked
     */
    public record Refusal(String text, String why, boolean isUnanswered) implements Outcome {}

    private final URI issuer;
    private final Client client;
    private final ClaimRules rules;
    private final ProviderClient http;
    private final PendingLogins logins;
    private final LongSupplier nanoTime;
    private final ReentrantLock lock = new ReentrantLock();

    /** Changed with the lock. */
    private volatile @Nullable Known known;

    // Guarded by the lock.
    private @Nullable IOException failure;
    private long failureNanos;

    SingleSignOn(URI issuer, Client client, ClaimRules rules, ProviderClient http, LongSupplier nanoTime) {
        this.issuer = issuer;
        this.client = client;
        this.rules = rules;
        this.http = http;
        this.logins = new PendingLogins(nanoTime);
        this.nanoTime = nanoTime;
    }

    /**
     * Returns the provider of an issuer. It need not be reachable yet.
     *
     * @param authorities PEM file with the authorities that may have signed its certificate; empty for those that the JVM trusts
     * @throws IllegalArgumentException if the issuer is no address of https, or of http on this machine
     * @throws IllegalStateException if the library that checks ID tokens is missing
     * @throws IOException if the file can't be used
     */
    public static SingleSignOn of(String issuer, Client client, ClaimRules rules, String authorities) throws IOException {
        URI address = Discovery.checked(issuer);
        requireLibrary();
        return new SingleSignOn(address, client, rules, new ProviderClient(authorities, DEADLINE), System::nanoTime);
    }

    private static void requireLibrary() {
        try {
            Class.forName("com.nimbusds.jwt.proc.DefaultJWTProcessor", false, SingleSignOn.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("log-ins by OpenID Connect need com.nimbusds:nimbus-jose-jwt beside tutti-console", e);
        }
    }

    /** Returns the host of the provider, for people. */
    public String host() {
        return issuer.getHost();
    }

    /** Returns the number of log-ins that are begun and not finished. */
    public int pending() {
        return logins.size();
    }

    /**
     * Begins a log-in.
     *
     * @param origin origin of the browser, of which a bounded number of log-ins is kept
     * @param redirect address of this console that the provider sends the browser to
     * @throws IOException if the provider can't be asked
     */
    public Begun begin(String origin, String redirect) throws IOException {
        Discovery discovery = known().discovery;
        Login login = logins.begin(origin, redirect);
        Map<String, String> parameters = new TreeMap<>();
        parameters.put("response_type", "code");
        parameters.put("client_id", client.id);
        parameters.put("redirect_uri", redirect);
        parameters.put("scope", client.scopes);
        parameters.put("state", login.state());
        parameters.put("nonce", login.nonce());
        parameters.put("code_challenge", login.challenge());
        parameters.put("code_challenge_method", "S256");
        return new Begun(address(discovery.authorization(), parameters), login.browser());
    }

    private static String address(URI page, Map<String, String> parameters) {
        return page + (page.getRawQuery() == null ? "?" : "&") + ProviderClient.encoded(parameters);
    }

    /** Ends a log-in, whatever comes out of it. */
    public Outcome finish(Return back) {
        Login login = logins.end(back.state, back.browser);
        if (login == null) {
            return refused(
                    "This log-in was not begun in this browser, has ended before, or has taken longer than "
                            + TimeUnit.NANOSECONDS.toMinutes(PendingLogins.LIFE_NANOS) + " minutes. Begin it again.",
                    "no log-in of this browser waits for this answer (state)");
        }
        if (!back.error.isEmpty() || back.code.isEmpty()) {
            String code = back.error.matches("[A-Za-z0-9_.-]{1,64}") ? back.error : "an answer without a code";
            return refused("The provider has refused: " + code + ".", "the provider has refused: " + code);
        }
        if (!back.issuer.isEmpty() && !back.issuer.equals(issuer.toString())) {
            return refused("The answer is of another provider.", "the answer is of another provider (iss)");
        }
        try {
            Known provider = known();
            Map<String, Object> claims = provider.tokens.check(token(provider.discovery, login, back.code), login.nonce());
            String name = rules.nameOf(claims);
            String role = rules.roleOf(claims);
            if (role == null) {
                return refused(
                        "The provider knows you as " + shown(name) + ", and you have no role at this console: the claim " + rules.role()
                                + " has none of its roles. Ask those who run it.",
                        "the claim " + rules.role() + " of " + shown(name) + " has none of console.oidc-operators and console.oidc-readers");
            }
            return new Person(NAME_PREFIX + shown(name), role);
        } catch (RefusedException e) {
            return refused("The answer of the provider is not good. The log of the console says why.", shown(String.valueOf(e.getMessage())));
        } catch (IOException e) {
            return unanswered(e);
        }
    }

    /** Notes that the provider could not be asked, and returns the refusal. */
    public Refusal unanswered(IOException failed) {
        LOG.warn("the OpenID provider {} can't be asked: {}", issuer.getHost(), failed.getMessage());
        return new Refusal(
                "The provider does not answer as it should. Try again in some seconds, or log in another way.",
                "the provider can't be asked: " + shown(String.valueOf(failed.getMessage())),
                true);
    }

    private static Refusal refused(String text, String why) {
        return new Refusal(text, why, false);
    }

    private static String shown(String text) {
        return Printable.escape(text.length() > SHOWN_LENGTH_MAX ? text.substring(0, SHOWN_LENGTH_MAX) + "…" : text);
    }

    /** Returns the ID token that the provider gives for a code. */
    private String token(Discovery discovery, Login login, String code) throws IOException, RefusedException {
        Map<String, String> form = new TreeMap<>();
        form.put("grant_type", "authorization_code");
        form.put("code", code);
        form.put("redirect_uri", login.redirect());
        form.put("client_id", client.id);
        form.put("code_verifier", login.verifier());
        String authorization = "";
        if (!client.secret.isEmpty() && discovery.isSecretInForm()) {
            form.put("client_secret", client.secret);
        } else if (!client.secret.isEmpty()) {
            String pair = ProviderClient.escaped(client.id) + ':' + ProviderClient.escaped(client.secret);
            authorization = "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
        }
        ProviderClient.Answer answer = http.post(discovery.token(), form, authorization);
        if (answer.status() >= SERVER_ERROR) {
            throw new IOException(discovery.token().getHost() + " answers with status " + answer.status() + " instead of a token");
        }
        Map<?, ?> values;
        try {
            values = Json.parse(answer.body()) instanceof Map<?, ?> map ? map : Map.of();
        } catch (IllegalArgumentException e) {
            throw new IOException(discovery.token().getHost() + " answers with status " + answer.status() + " and no JSON instead of a token", e);
        }
        if (answer.isGood() && values.get("id_token") instanceof String token) {
            return token;
        }
        Object error = values.get("error");
        throw new RefusedException("the provider gives no ID token for the code: status " + answer.status() + (error == null ? "" : ", " + error));
    }

    /**
     * Returns the page of the provider that ends the person's session there; null if there is none, or it is not known. Never waits.
     *
     * @param back address of this console to which the browser comes back
     */
    public @Nullable String logout(String back) {
        Known present = known;
        URI page = present == null ? null : present.discovery.logout();
        return page == null ? null : address(page, Map.of("client_id", client.id, "post_logout_redirect_uri", back));
    }

    /** Returns the provider, which is asked again from time to time. A failure stands for some seconds, so that those who wait learn it together. */
    private Known known() throws IOException {
        lock.lock();
        try {
            long nowNanos = nanoTime.getAsLong();
            Known present = known;
            if (present != null && nowNanos - present.nanos < DISCOVERY_NANOS) {
                return present;
            }
            IOException failed = failure;
            if (failed != null && nowNanos - failureNanos < FAILURE_NANOS) {
                throw new IOException(failed.getMessage(), failed);
            }
            try {
                Discovery discovery = discover();
                // The same keys go on, with the limit of how often they are read.
                IdTokens tokens = present != null && present.discovery.keys().equals(discovery.keys())
                        ? present.tokens
                        : new IdTokens(discovery, client.id, http);
                Known found = new Known(discovery, tokens, nanoTime.getAsLong());
                known = found;
                failure = null;
                return found;
            } catch (IOException e) {
                failure = e;
                failureNanos = nanoTime.getAsLong();
                throw e;
            }
        } finally {
            lock.unlock();
        }
    }

    private Discovery discover() throws IOException {
        ProviderClient.Answer answer = http.get(Discovery.address(issuer));
        if (!answer.isGood()) {
            throw new IOException(issuer.getHost() + " answers with status " + answer.status() + " instead of its discovery document");
        }
        return Discovery.parse(issuer, answer.body());
    }

    @Override
    public void close() {
        http.close();
    }
}
