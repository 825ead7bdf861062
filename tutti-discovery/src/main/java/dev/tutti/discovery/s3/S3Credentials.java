package dev.tutti.discovery.s3;

import dev.tutti.internal.PrivateFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A pair of keys.
 *
 * @param accessKey public name of the pair
 * @param secretKey signs requests
 * @param sessionToken of keys that expire; empty for others
 */
record S3Credentials(String accessKey, String secretKey, String sessionToken) {

    /** Gives credentials for a request; null to send it unsigned. */
    @FunctionalInterface
    interface Source {
        @Nullable S3Credentials present() throws IOException;
    }

    /** Reads the variables that the tools of AWS read. */
    static Source environment(UnaryOperator<@Nullable String> variables) {
        return () -> {
            String accessKey = variables.apply("AWS_ACCESS_KEY_ID");
            String secretKey = variables.apply("AWS_SECRET_ACCESS_KEY");
            if (accessKey == null || accessKey.isEmpty() || secretKey == null || secretKey.isEmpty()) {
                throw new IOException("S3: there are no credentials: set discovery.s3.access-key and discovery.s3.secret-key,"
                        + " discovery.s3.credentials-file, the variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY,"
                        + " or discovery.s3.public if the bucket needs none");
            }
            String token = variables.apply("AWS_SESSION_TOKEN");
            return new S3Credentials(accessKey, secretKey, token == null ? "" : token);
        };
    }

    /** Reads a profile of a file as {@code ~/.aws/credentials} for each request: keys that expire are replaced there. */
    static Source file(Path file, String profile) {
        return () -> {
            Map<String, String> values = profile(file, profile);
            String accessKey = values.get("aws_access_key_id");
            String secretKey = values.get("aws_secret_access_key");
            if (accessKey == null || secretKey == null) {
                throw new IOException(file + ": profile [" + profile + "] has no aws_access_key_id or no aws_secret_access_key");
            }
            return new S3Credentials(accessKey, secretKey, values.getOrDefault("aws_session_token", ""));
        };
    }

    private static Map<String, String> profile(Path file, String profile) throws IOException {
        Map<String, String> values = new HashMap<>();
        boolean isThere = false;
        boolean isProfile = false;
        try {
            PrivateFile.check(file);
            for (String line : Files.readAllLines(file)) {
                String text = line.strip();
                int equals = text.indexOf('=');
                if (text.startsWith("[")) {
                    isProfile = text.equals("[" + profile + "]");
                    isThere |= isProfile;
                } else if (isProfile && equals > 0 && !text.startsWith("#")) {
                    values.put(text.substring(0, equals).strip(), text.substring(equals + 1).strip());
                }
            }
        } catch (NoSuchFileException e) {
            throw new IOException(file + " is not there; discovery.s3.credentials-file names it", e);
        }
        if (!isThere) {
            throw new IOException(file + " has no profile [" + profile + "]; discovery.s3.profile names it");
        }
        return values;
    }

    /** Without the secrets. */
    @Override
    public String toString() {
        return "access key " + accessKey;
    }
}
