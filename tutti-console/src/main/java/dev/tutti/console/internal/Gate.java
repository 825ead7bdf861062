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
 * Who may look: whoever brings the token, or the link that was printed once, gets a session. Attempts that fail are
 * rationed, whoever makes them. Secrets are compared in constant time, and sessions kept by their digest alone.
 *
 * <p>All methods may be called from any thread.
 */
public final class Gate {

    /** Failures that are answered at once; then one each {@link #REFILL_NANOS}. */
    static final int FAILURES_MAX = 5;

    static final long REFILL_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** Log-ins at a time; a further one ends the oldest. */
    static final int SESSIONS_MAX = 64;

    /** How long the printed link is good for. */
    static final long LINK_NANOS = TimeUnit.MINUTES.toNanos(15);

    public static final int TOKEN_LENGTH_MIN = 16;
    static final int TOKEN_LENGTH_MAX = 512;

    /** What became of an attempt. */
    sealed interface Outcome {}

    /** The value of the cookie. */
    record Open(String session) implements Outcome {}

    /** It was wrong. */
    record Wrong() implements Outcome {}

    /** Too many were wrong before. */
    record TooMany(long waitSeconds) implements Outcome {}

    private final byte[] tokenDigest;
    private final long sessionNanos;
    private final LongSupplier nanoTime;
    private final SecureRandom random = new SecureRandom();

    // Under the lock. Ends of sessions by digest, in the order in which they began.
    private final Map<String, Long> sessions = new LinkedHashMap<>();
    private byte @Nullable [] linkDigest;
    private long linkEndNanos;
    private long failuresLeft = FAILURES_MAX;
    private long refilledNanos;
    private long refused;

    Gate(String token, long sessionNanos, LongSupplier nanoTime) {
        if (token.length() < TOKEN_LENGTH_MIN || token.length() > TOKEN_LENGTH_MAX) {
            throw new IllegalArgumentException("a token has " + TOKEN_LENGTH_MIN + " to " + TOKEN_LENGTH_MAX
                    + " characters, not " + token.length());
        }
        this.tokenDigest = digest(token);
        this.sessionNanos = sessionNanos;
        this.nanoTime = nanoTime;
        this.refilledNanos = nanoTime.getAsLong();
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
        return ration(isRight) == 0 && isRight;
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
        long waitSeconds = ration(isRight);
        if (waitSeconds > 0) {
            return new TooMany(waitSeconds);
        }
        if (!isRight) {
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

    /** Seconds to wait; none if the attempt may be answered. While there are none left, the right one waits, too. */
    private long ration(boolean isRight) {
        long nowNanos = nanoTime.getAsLong();
        long refills = (nowNanos - refilledNanos) / REFILL_NANOS;
        failuresLeft = Math.min(FAILURES_MAX, failuresLeft + refills);
        refilledNanos += refills * REFILL_NANOS;
        if (failuresLeft == 0) {
            refused++;
            return Math.max(1, TimeUnit.NANOSECONDS.toSeconds(REFILL_NANOS));
        }
        if (!isRight) {
            failuresLeft--;
            refused++;
        }
        return 0;
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
