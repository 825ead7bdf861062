package dev.tutti.discovery.kubernetes;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Identity of a pod: the files that Kubernetes mounts, and rewrites when a token is about to expire or an authority changes.
 *
 * @param directory of the files
 * @param server URL of the API server; empty for the one of the environment
 * @param namespace of the pods; empty for the one of the files
 * @param variables of the environment
 */
record ServiceAccount(Path directory, String server, String namespace, UnaryOperator<@Nullable String> variables) {

    private static final long BYTES_MAX = 1 << 20;

    /** Returns the API server. */
    URI api() throws IOException {
        if (!server.isEmpty()) {
            return URI.create(server);
        }
        String host = variables.apply("KUBERNETES_SERVICE_HOST");
        String port = variables.apply("KUBERNETES_SERVICE_PORT");
        if (host == null || host.isEmpty() || port == null || !port.matches("[0-9]{1,5}")) {
            throw new IOException("Kubernetes: this process runs in no pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not"
                    + " set; set discovery.kubernetes.server outside of pods");
        }
        return URI.create("https://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port);
    }

    String token() throws IOException {
        return new String(read("token"), StandardCharsets.UTF_8).strip();
    }

    byte[] authorities() throws IOException {
        return read("ca.crt");
    }

    String podNamespace() throws IOException {
        return namespace.isEmpty() ? new String(read("namespace"), StandardCharsets.UTF_8).strip() : namespace;
    }

    private byte[] read(String name) throws IOException {
        Path file = directory.resolve(name);
        try {
            if (Files.size(file) > BYTES_MAX) {
                throw new IOException("Kubernetes: " + file + " has " + Files.size(file) + " bytes, at most " + BYTES_MAX);
            }
            return Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            throw new IOException("Kubernetes: " + file + " is not there: the pod has no service account with"
                    + " automountServiceAccountToken, or discovery.kubernetes.account-directory is wrong", e);
        }
    }
}
