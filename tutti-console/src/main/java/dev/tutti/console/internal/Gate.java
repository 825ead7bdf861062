package dev.tutti.console.internal;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Log-ins to the console: the token, or the link that was printed once, opens a session. Secrets are compared in
 * constant time, and of sessions only digests are kept.
 *
 * <p>All methods may be called from any thread.
 */
public final class Gate {

    /** Most sessions at a time; a further one ends the oldest. */
    static final int SESSIONS_MAX = 64;

    /** Time for which the printed link is valid. */
    static final long LINK_NANOS = TimeUnit.MINUTES.toNanos(15);

    public static final int TOKEN_LENGTH_MIN = 16;
    static final int TOKEN_LENGTH_MAX = 512;

    /** Length from which on a token can't be guessed over a network; generated ones are longer. */
    static final int TOKEN_LENGTH_SAFE = 32;

    /** Result of an attempt to log in. */
    sealed interface Outcome {}

    /** Success, with the value of the cookie. */
    record Open(String session) implements Outcome {}

    /** Failure: the secret was wrong. */
    record Wrong() implements Outcome {}

    private final byte[] tokenDigest;
    private final boolean isGuessable;
    private final long sessionNanos;
    private final LongSupplier nanoTime;
    private final SecureRandom random = new SecureRandom();

    // Guarded by the lock. Ends of sessions by digest, in the order of their beginning.
    private final Map<String, Long> sessions = new LinkedHashMap<>();
    private byte @Nullable [] linkDigest;
    private long linkEndNanos;
    private long refused;

    Gate(String token, long sessionNanos, LongSupplier nanoTime) {
        if (token.length() < TOKEN_LENGTH_MIN || token.length() > TOKEN_LENGTH_MAX) {
            throw new IllegalArgumentException("a token has " + TOKEN_LENGTH_MIN + " to " + TOKEN_LENGTH_MAX
                    + " characters, not " + token.length());
        }
        this.tokenDigest = digest(token);
        this.isGuessable = token.length() < TOKEN_LENGTH_SAFE;
        this.sessionNanos = sessionNanos;
        this.nanoTime = nanoTime;
    }

    /** Returns a new secret of 256 random bits. */
    static String newSecret() {
        return secret(new SecureRandom());
    }

    private static String secret(SecureRandom random) {
        byte[] bytes = new byte[32];
        random.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /**
     * Returns whether the token is short enough to guess, so that log-ins are delayed after failures. Links can't be
     * guessed.
     */
    boolean isGuessable() {
        return isGuessable;
    }

    /** Returns the code for a new link, valid once and for a short time. Earlier codes become invalid. */
    public synchronized String newLink() {
        String code = secret(random);
        linkDigest = digest(code);
        linkEndNanos = nanoTime.getAsLong() + LINK_NANOS;
        return code;
    }

    synchronized Outcome enter(String token) {
        return judge(MessageDigest.isEqual(digest(token), tokenDigest));
    }

    synchronized Outcome enterByLink(String code) {
        byte[] expected = linkDigest;
        boolean isRight = expected != null
                && MessageDigest.isEqual(digest(code), expected)
                && nanoTime.getAsLong() - linkEndNanos < 0;
        Outcome outcome = judge(isRight);
        if (outcome instanceof Open) {
            linkDigest = null;
        }
        return outcome;
    }

    /** Returns whether a request with the token itself may pass; no session begins. */
    synchronized boolean isToken(String token) {
        boolean isRight = MessageDigest.isEqual(digest(token), tokenDigest);
        refused += isRight ? 0 : 1;
        return isRight;
    }

    synchronized boolean isOpen(@Nullable String session) {
        if (session == null || session.length() > TOKEN_LENGTH_MAX) {
            return false;
        }
        String key = HexFormat.of().formatHex(digest(session));
        Long end = sessions.get(key);
        if (end == null) {
            return false;
        }
        if (nanoTime.getAsLong() - end >= 0) {
            sessions.remove(key);
            return false;
        }
        return true;
    }

    synchronized void leave(@Nullable String session) {
        if (session != null && session.length() <= TOKEN_LENGTH_MAX) {
            sessions.remove(HexFormat.of().formatHex(digest(session)));
        }
    }

    synchronized long refused() {
        return refused;
    }

    private Outcome judge(boolean isRight) {
        if (!isRight) {
            refused++;
            return new Wrong();
        }
        String session = secret(random);
        long nowNanos = nanoTime.getAsLong();
        sessions.values().removeIf(end -> nowNanos - end >= 0);
        if (sessions.size() >= SESSIONS_MAX) {
            sessions.remove(sessions.keySet().iterator().next());
        }
        sessions.put(HexFormat.of().formatHex(digest(session)), nowNanos + sessionNanos);
        return new Open(session);
    }

    /** Returns a digest, of equal length for any secret, so that comparing reveals nothing. */
    private static byte[] digest(String secret) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
