package dev.tutti.rendezvous.internal.http;

import dev.tutti.netty.internal.reload.ReloadedFiles;
import dev.tutti.netty.tls.PrivateFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tokens of clusters, from a file that is read again after a change. Tokens are kept and compared as SHA-256, so that the time of a
 * comparison tells nothing about them. Thread-safe.
 */
final class Tokens {

    private static final Logger LOG = LoggerFactory.getLogger(Tokens.class);

    /** Cluster of a token that is good for all. */
    static final String ALL = "*";

    private static final int LENGTH_MIN = 16;
    private static final int LINES_MAX = 100_000;
    private static final long BYTES_MAX = 32L << 20;

    private final ReloadedFiles<Map<ByteBuffer, String>> file;

    /** Guarded by the lock. */
    private long checkedNanos = System.nanoTime();

    Tokens(Path path) throws IOException, GeneralSecurityException {
        file = new ReloadedFiles<>(List.of(path), () -> load(path));
    }

    /** Returns the cluster that a token is for; null if there is no such token. */
    @Nullable String clusterOf(String token) {
        try {
            return current().get(digest(token));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
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

    private static Map<ByteBuffer, String> load(Path path) throws IOException, GeneralSecurityException {
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
                throw new IOException(path + ", line " + (index + 1) + ": write a cluster, or *, and a token of at least "
                        + LENGTH_MIN + " characters");
            }
            tokens.put(digest(words[1]), words[0]);
        }
        if (tokens.isEmpty()) {
            throw new IOException(path + ": has no token; write one line for each cluster: its name, and a token");
        }
        return Map.copyOf(tokens);
    }

    private static ByteBuffer digest(String token) throws GeneralSecurityException {
        return ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8)));
    }
}
