package dev.tutti.console.internal;

import dev.tutti.console.Role;
import dev.tutti.console.internal.oidc.SingleSignOn;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Log-ins to the console: the token, a password, or a link that is valid once opens a session. Secrets are compared in
 * constant time, and of sessions and links only digests are kept.
 *
 * <p>A session of a user has the role that the user has now, and ends with the user. A link opens a session with the
 * role that it was made for, or that of its maker if that is less now.
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

    /** Most links that may be unused at a time, besides the printed one; a further one makes the oldest invalid. */
    static final int LINKS_MAX = 16;

    /** Length from which on a token can't be guessed over a network; generated ones are longer. */
    static final int TOKEN_LENGTH_SAFE = 32;

    /** Result of an attempt to log in. */
    sealed interface Outcome {}

    /** Success, with the value of the cookie. */
    record Open(String session) implements Outcome {}

    /** Failure: the secret was wrong. */
    record Wrong() implements Outcome {}

    /** Roles of users by name, at present. */
    @FunctionalInterface
    interface Roles {
        /** Returns the present role of a user; null if there is no such user. */
        @Nullable Role of(String user);
    }

    /**
     * Person or program that is logged in.
     *
     * @param name name for the log and for events
     * @param account user in the file whose session this is, or who made its link; empty if there is none
     * @param role present role
     * @param proof text that requests which change something bring along; other pages don't know it
     */
    record Principal(String name, String account, Role role, String proof) {}

    /** A link that is not used yet, or the session that began with it or with another log-in. */
    private record Pass(String name, String account, Role role, String proof, long endNanos) {}

    private final byte[] tokenDigest;
    private final Role tokenRole;
    private final Roles users;
    private final boolean isGuessable;
    private final long sessionNanos;
    private final LongSupplier nanoTime;
    private final SecureRandom random = new SecureRandom();

    // Guarded by the lock. By digest, in the order of their beginning.
    private final SequencedMap<String, Pass> sessions = new LinkedHashMap<>();
    private final SequencedMap<String, Pass> links = new LinkedHashMap<>();

    /** Digest of the printed link among the links. */
    private String printed = "";

    private long refused;

    /**
     * @param tokenRole role of those who bring the token, or the printed link
     */
    Gate(String token, Role tokenRole, Roles users, long sessionNanos, LongSupplier nanoTime) {
        if (token.length() < TOKEN_LENGTH_MIN || token.length() > TOKEN_LENGTH_MAX) {
            throw new IllegalArgumentException("a token has " + TOKEN_LENGTH_MIN + " to " + TOKEN_LENGTH_MAX
                    + " characters, not " + token.length());
        }
        this.tokenDigest = digest(token);
        this.tokenRole = tokenRole;
        this.users = users;
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

    /** Returns the code for a new printed link, valid once and for a short time. The previous one becomes invalid. */
    public synchronized String newLink() {
        links.remove(printed);
        String code = newLink(new Principal("link", "", tokenRole, ""), tokenRole);
        printed = key(code);
        return code;
    }

    /**
     * Returns the code for a new link, valid once and for a short time.
     *
     * @param maker person or program that gives it away
     * @throws IllegalArgumentException if the maker's role does not include {@code role}
     */
    synchronized String newLink(Principal maker, Role role) {
        if (!maker.role().includes(role)) {
            throw new IllegalArgumentException(
                    "a link has at most the role of its maker, " + maker.role().text() + ", not " + role.text());
        }
        String code = secret(random);
        long nowNanos = nanoTime.getAsLong();
        links.values().removeIf(link -> nowNanos - link.endNanos >= 0);
        // The printed link makes no room.
        if (links.size() - (links.containsKey(printed) ? 1 : 0) >= LINKS_MAX) {
            links.keySet().stream().filter(each -> !each.equals(printed)).findFirst().ifPresent(links::remove);
        }
        String giver = maker.name().startsWith(SingleSignOn.NAME_PREFIX) ? maker.name() : maker.account();
        String name = giver.isEmpty() ? "link" : "link of " + giver;
        links.put(key(code), new Pass(name, maker.account(), role, "", nowNanos + LINK_NANOS));
        return code;
    }

    synchronized Outcome enter(String token) {
        return MessageDigest.isEqual(digest(token), tokenDigest) ? open("token", "", tokenRole) : wrong();
    }

    /** Opens a session for a user whose password was right. */
    synchronized Outcome enterAs(String user, Role role) {
        return open(user, user, role);
    }

    /**
     * Opens a session for a person whom a provider knows. It has this role until it ends.
     *
     * @param name name for the log and for events, which no user of the file can have
     */
    synchronized Open enterByProvider(String name, Role role) {
        return open(name, "", role);
    }

    /** Counts a password that was wrong, or another log-in that let nobody in. */
    synchronized Outcome wrong() {
        refused++;
        return new Wrong();
    }

    synchronized Outcome enterByLink(String code) {
        Pass link = code.length() > TOKEN_LENGTH_MAX ? null : links.remove(key(code));
        return link == null || nanoTime.getAsLong() - link.endNanos >= 0 || present(link) == null
                ? wrong()
                : open(link.name, link.account, link.role);
    }

    /** Returns whether a request with the token itself may pass; no session begins. */
    synchronized boolean isToken(String token) {
        boolean isRight = MessageDigest.isEqual(digest(token), tokenDigest);
        refused += isRight ? 0 : 1;
        return isRight;
    }

    /** Returns the principal of requests that bring the token. */
    Principal program() {
        return new Principal("token", "", tokenRole, "");
    }

    synchronized boolean isOpen(@Nullable String session) {
        return principal(session) != null;
    }

    /** Returns the owner of a session; null if it is not open. */
    synchronized @Nullable Principal principal(@Nullable String session) {
        if (session == null || session.length() > TOKEN_LENGTH_MAX) {
            return null;
        }
        String key = key(session);
        Pass pass = sessions.get(key);
        if (pass == null) {
            return null;
        }
        Role role = present(pass);
        if (role == null || nanoTime.getAsLong() - pass.endNanos >= 0) {
            sessions.remove(key);
            return null;
        }
        return new Principal(pass.name, pass.account, role, pass.proof);
    }

    /** Returns the role that a pass has now; null if its user is gone. */
    private @Nullable Role present(Pass pass) {
        if (pass.account.isEmpty()) {
            return pass.role;
        }
        Role role = users.of(pass.account);
        // A user's own session follows a change of role in both directions; that of a link only downwards.
        return role == null || pass.account.equals(pass.name) ? role : Role.lesser(role, pass.role);
    }

    synchronized void leave(@Nullable String session) {
        if (session != null && session.length() <= TOKEN_LENGTH_MAX) {
            sessions.remove(key(session));
        }
    }

    synchronized long refused() {
        return refused;
    }

    private Open open(String name, String account, Role role) {
        String session = secret(random);
        long nowNanos = nanoTime.getAsLong();
        sessions.values().removeIf(pass -> nowNanos - pass.endNanos >= 0);
        if (sessions.size() >= SESSIONS_MAX) {
            sessions.pollFirstEntry();
        }
        sessions.put(key(session), new Pass(name, account, role, secret(random), nowNanos + sessionNanos));
        return new Open(session);
    }

    private static String key(String secret) {
        return HexFormat.of().formatHex(digest(secret));
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
