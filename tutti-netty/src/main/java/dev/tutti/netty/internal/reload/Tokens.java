package dev.tutti.netty.internal.reload;

import dev.tutti.netty.tls.PrivateFile;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tokens of clusters, or of other names that a server knows, from a file that is read again after a change. Tokens are kept and compared as SHA-256, so that the time of a
 * comparison tells nothing about them. Thread-safe.
 */
public final class Tokens {

    private static final Logger LOG = LoggerFactory.getLogger(Tokens.class);

    /** Name of a token that is good for all. */
    public static final String ALL = "*";

    private static final String BEARER = "Bearer ";
    private static final String BASIC = "Basic ";
    private static final int LENGTH_MIN = 16;
    private static final int LINES_MAX = 100_000;
    private static final long BYTES_MAX = 32L << 20;

    private final ReloadedFiles<Map<ByteBuffer, String>> file;

    /** Guarded by the lock. */
    private long checkedNanos = System.nanoTime();

    /**
     * @param named what the names are of, such as a cluster, for people
     * @throws IOException if the file can't be used; the message says why
     */
    public Tokens(Path path, String named) throws IOException, GeneralSecurityException {
        file = new ReloadedFiles<>(List.of(path), () -> load(path, named));
    }

    /** Returns the name that a token is for; null if there is no such token. */
    public @Nullable String nameOf(String token) {
        try {
            return current().get(digest(token));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** Returns the token that a request has brought; empty if there is none. */
    public static String sent(HttpHeaders headers) {
        String value = headers.get(HttpHeaderNames.AUTHORIZATION, "");
        if (value.startsWith(BEARER)) {
            return value.substring(BEARER.length()).strip();
        }
        if (value.startsWith(BASIC)) {
            // Browsers ask for a name and a password; the token is the password.
            try {
                String pair = new String(Base64.getDecoder().decode(value.substring(BASIC.length()).strip()), StandardCharsets.UTF_8);
                return pair.substring(pair.indexOf(':') + 1);
            } catch (IllegalArgumentException e) {
                return "";
            }
        }
        return "";
    }

    private synchronized Map<ByteBuffer, String> current() {
        long nowNanos = System.nanoTime();
        if (nowNanos - checkedNanos >= ReloadedFiles.CHECK_NANOS) {
            checkedNanos = nowNanos;
            try {
                if (file.refresh()) {
                    LOG.info("tokens read again");
                }
            } catch (IOException | GeneralSecurityException e) {
                LOG.error("the tokens have changed and can't be used; going on with those before: {}", e.getMessage());
            }
        }
        return file.value();
    }

    private static Map<ByteBuffer, String> load(Path path, String named) throws IOException, GeneralSecurityException {
        PrivateFile.check(path);
        if (Files.size(path) > BYTES_MAX) {
            throw new IOException(path + ": has more than " + BYTES_MAX + " bytes");
        }
        Map<ByteBuffer, String> tokens = new HashMap<>();
        List<String> lines = Files.readAllLines(path);
        if (lines.size() > LINES_MAX) {
            throw new IOException(path + ": has more than " + LINES_MAX + " lines");
        }
        for (int index = 0; index < lines.size(); index++) {
            String line = lines.get(index).strip();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            String[] words = line.split("\\s+");
            if (words.length != 2 || words[1].length() < LENGTH_MIN) {
                throw new IOException(path + ", line " + (index + 1) + ": write a " + named + ", or *, and a token of at least "
                        + LENGTH_MIN + " characters");
            }
            tokens.put(digest(words[1]), words[0]);
        }
        if (tokens.isEmpty()) {
            throw new IOException(path + ": has no token; write one line for each " + named + ": its name, and a token");
        }
        return Map.copyOf(tokens);
    }

    private static ByteBuffer digest(String token) throws GeneralSecurityException {
        return ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8)));
    }
}
