package dev.tutti.tomcat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file that holds the cluster's secret and nothing else. */
final class SecretFile {

    private static final int BYTES_MAX = 4_096;

    private SecretFile() {}

    /**
     * Returns the text without white space around it.
     *
     * @throws IllegalArgumentException if the file can't be read, is empty or too long
     */
    static String read(Path file) {
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(BYTES_MAX + 1);
        } catch (IOException e) {
            throw new IllegalArgumentException("secretFile: " + file + " can't be read: " + e, e);
        }
        if (bytes.length > BYTES_MAX) {
            throw new IllegalArgumentException("secretFile: " + file + " has more than " + BYTES_MAX + " bytes");
        }
        String secret = new String(bytes, StandardCharsets.UTF_8).strip();
        if (secret.isEmpty()) {
            throw new IllegalArgumentException("secretFile: " + file + " is empty");
        }
        return secret;
    }
}
