package dev.tutti.console.internal.oidc;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Log-ins that were begun and are not finished: each is valid once, for a time, and in the browser that has begun it. Only digests of what the
 * browser brings back are kept. All methods may be called from any thread.
 */
final class PendingLogins {

    /** Most log-ins; a further one makes the oldest invalid. */
    static final int MAX = 1_024;

    /** Most log-ins of one origin; a further one makes the oldest of these invalid. */
    static final int OF_ORIGIN_MAX = 64;

    /** Time for a person to log in at the provider. */
    static final long LIFE_NANOS = TimeUnit.MINUTES.toNanos(10);

    private static final int SECRET_BYTES = 32;
    private static final int TEXT_LENGTH_MAX = 128;

    /**
     * A log-in that was begun.
     *
     * @param state text that the provider sends back
     * @param browser text that the browser keeps as a cookie
     * @param nonce text that the ID token has to have
     * @param verifier secret of PKCE, of which the provider gets the digest first
     * @param redirect address of this console that the provider sends the browser to
     */
    record Login(String state, String browser, String nonce, String verifier, String redirect) {

        /** Returns the digest of the verifier, for {@code code_challenge}. */
        String challenge() {
            return digest(verifier);
        }
    }

    /** Log-in as it is kept. */
    private record Kept(Login login, String origin, String browserDigest, long endNanos) {}

    private final LongSupplier nanoTime;
    private final SecureRandom random = new SecureRandom();

    // Guarded by this object's lock. By the digest of the state, in the order of their beginning.
    private final SequencedMap<String, Kept> pending = new LinkedHashMap<>();

    PendingLogins(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Begins a log-in for a browser at an origin. */
    synchronized Login begin(String origin, String redirect) {
        long nowNanos = nanoTime.getAsLong();
        pending.values().removeIf(each -> nowNanos - each.endNanos >= 0);
        long ofOrigin = pending.values().stream().filter(each -> each.origin.equals(origin)).count();
        if (ofOrigin >= OF_ORIGIN_MAX) {
            pending.entrySet().stream()
                    .filter(each -> each.getValue().origin.equals(origin))
                    .map(Map.Entry::getKey)
                    .findFirst()
                    .ifPresent(pending::remove);
        } else if (pending.size() >= MAX) {
            pending.pollFirstEntry();
        }
        Login login = new Login(secret(), secret(), secret(), secret(), redirect);
        pending.put(digest(login.state), new Kept(login, origin, digest(login.browser), nowNanos + LIFE_NANOS));
        return login;
    }

    /** Ends a log-in; returns null if there is none of this state in this browser, or it was ended before. */
    synchronized @Nullable Login end(String state, String browser) {
        if (state.length() > TEXT_LENGTH_MAX || browser.length() > TEXT_LENGTH_MAX) {
            return null;
        }
        // Also of another browser's: who has learnt the state must not try again.
        Kept kept = pending.remove(digest(state));
        if (kept == null || nanoTime.getAsLong() - kept.endNanos >= 0) {
            return null;
        }
        boolean isOfBrowser = MessageDigest.isEqual(
                kept.browserDigest.getBytes(StandardCharsets.UTF_8), digest(browser).getBytes(StandardCharsets.UTF_8));
        return isOfBrowser ? kept.login : null;
    }

    synchronized int size() {
        return pending.size();
    }

    private String secret() {
        byte[] bytes = new byte[SECRET_BYTES];
        random.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static String digest(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.US_ASCII));
            return Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
