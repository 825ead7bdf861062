package dev.tutti.internal;

import dev.tutti.core.settings.SettingException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Key that nodes and operators share. It is never sent: proofs are HMAC-SHA-256 over a challenge of the node that is asked,
 * which is valid once and for {@value #CHALLENGE_SECONDS} s, and over all that is asked for. From any thread.
 */
public final class OperatorKey {

    /** Shortest key, in characters. */
    public static final int LENGTH_MIN = 32;

    static final long CHALLENGE_SECONDS = 30;

    /** Most challenges that wait for a proof; a further one makes the oldest invalid. */
    static final int CHALLENGES_MAX = 256;

    private static final int FILE_BYTES_MAX = 4_096;
    private static final String ALGORITHM = "HmacSHA256";

    private final byte[] key;
    private final LongSupplier nanoTime;
    private final SecureRandom random = new SecureRandom();

    /** Ends of challenges, the oldest first; guarded by this object's lock. */
    private final SequencedMap<String, Long> challenges = new LinkedHashMap<>();

    OperatorKey(String key, LongSupplier nanoTime) {
        this.key = key.getBytes(StandardCharsets.UTF_8);
        this.nanoTime = nanoTime;
    }

    /**
     * Reads the key in a file; null if the file's name is empty.
     *
     * @param setting setting that names the file, for errors
     * @throws SettingException if the file can't be read, others may read it, or the key is too short
     */
    public static @Nullable OperatorKey of(String setting, String file, LongSupplier nanoTime) {
        return file.isEmpty() ? null : new OperatorKey(read(setting, Path.of(file)), nanoTime);
    }

    private static String read(String setting, Path file) {
        if (!Files.exists(file)) {
            throw new SettingException(setting + ": " + file + " is not there");
        }
        try {
            PrivateFile.check(file);
            try (InputStream in = Files.newInputStream(file)) {
                String key = new String(in.readNBytes(FILE_BYTES_MAX), StandardCharsets.UTF_8).strip();
                if (key.length() < LENGTH_MIN) {
                    throw new SettingException(setting + ": the key in " + file + " has " + key.length() + " characters, at least "
                            + LENGTH_MIN + " are needed; make one with: openssl rand -hex 32");
                }
                return key;
            }
        } catch (IOException e) {
            throw new SettingException(setting + ": " + e.getMessage(), e);
        }
    }

    /** Returns a new challenge. */
    public synchronized String challenge() {
        byte[] bytes = new byte[24];
        random.nextBytes(bytes);
        String challenge = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        if (challenges.size() >= CHALLENGES_MAX) {
            challenges.pollFirstEntry();
        }
        challenges.put(challenge, nanoTime.getAsLong() + TimeUnit.SECONDS.toNanos(CHALLENGE_SECONDS));
        return challenge;
    }

    /** Returns the proof over a challenge and what is asked for. */
    public String prove(String challenge, List<String> fields) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            update(mac, "tutti operator 1");
            update(mac, challenge);
            fields.forEach(field -> update(mac, field));
            return Base64.getUrlEncoder().withoutPadding().encodeToString(mac.doFinal());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
        }
    }

    /** Adds a text with its length before it, so that no two lists of texts are the same bytes. */
    private static void update(Mac mac, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        mac.update((byte) (bytes.length >>> 24));
        mac.update((byte) (bytes.length >>> 16));
        mac.update((byte) (bytes.length >>> 8));
        mac.update((byte) bytes.length);
        mac.update(bytes);
    }

    /** Returns whether a proof is right, and uses the challenge up. */
    public boolean isProven(String challenge, String proof, List<String> fields) {
        Long endNanos;
        synchronized (this) {
            endNanos = challenges.remove(challenge);
        }
        byte[] expected = prove(challenge, fields).getBytes(StandardCharsets.UTF_8);
        return MessageDigest.isEqual(expected, proof.getBytes(StandardCharsets.UTF_8))
                && endNanos != null
                && nanoTime.getAsLong() - endNanos < 0;
    }
}
