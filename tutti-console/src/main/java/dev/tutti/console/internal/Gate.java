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
 * Who may look: whoever brings the token, or the link that was printed once, gets a session. Secrets are compared in constant
 * time, and sessions kept by their digest alone.
 *
 * <p>All methods may be called from any thread.
 */
public final class Gate {

    /** Log-ins at a time; a further one ends the oldest. */
    static final int SESSIONS_MAX = 64;

    /** How long the printed link is good for. */
    static final long LINK_NANOS = TimeUnit.MINUTES.toNanos(15);

    public static final int TOKEN_LENGTH_MIN = 16;
    static final int TOKEN_LENGTH_MAX = 512;

    /** Characters from which on nobody guesses a token over a network: those that the console makes have more. */
    static final int TOKEN_LENGTH_SAFE = 32;

    /** What became of an attempt. */
    sealed interface Outcome {}

    /** The value of the cookie. */
    record Open(String session) implements Outcome {}

    /** It was wrong. */
    record Wrong() implements Outcome {}

    private final byte[] tokenDigest;
    private final boolean isGuessable;
    private final long sessionNanos;
    private final LongSupplier nanoTime;
    private final SecureRandom random = new SecureRandom();

    // Under the lock. Ends of sessions by digest, in the order in which they began.
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

    /** 256 bits that nobody guesses. */
    static String newSecret() {
        return secret(new SecureRandom());
    }

    private static String secret(SecureRandom random) {
        byte[] bytes = new byte[32];
        random.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** Whether somebody might guess the token, so that log-ins have to be delayed after failures. Links can't be guessed. */
    boolean isGuessable() {
        return isGuessable;
    }

    /** Makes what a link is to carry: good once, and not for long. An earlier one is good no more. */
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

    /** Whether a request that brings the token itself may pass; no session begins. */
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

    /** Of equal length whatever came, so that comparing says nothing of it. */
    private static byte[] digest(String secret) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
