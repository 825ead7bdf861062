package dev.tutti.netty.internal.security;

import dev.tutti.address.HostPort;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Settings;
import dev.tutti.netty.internal.certificate.Pem;
import dev.tutti.netty.internal.certificate.X509;
import dev.tutti.netty.tls.ClusterSecret;
import dev.tutti.netty.tls.PrivateFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Certificates from a cluster secret. A file may have two lines while the secret changes: the authority of the first
 * one signs the certificate of this node, and those of both are trusted.
 */
final class SecretSource implements Security.Source {

    private static final int SECRETS_MAX = 2;

    private final @Nullable Path file;
    private final String text;
    private final String cluster;
    private final String name;
    private final String host;

    /** Authorities in use, cached: one of a secret chosen by people takes some tenths of a second. */
    private Map<ClusterSecret, X509.Identity> authorities = new LinkedHashMap<>();

    private SecretSource(@Nullable Path file, String text, String cluster, String name, String host) {
        this.file = file;
        this.text = text;
        this.cluster = cluster;
        this.name = name;
        this.host = host;
    }

    static boolean isSet(Settings settings) {
        return !settings.get(TransportSettings.SECRET).isEmpty() || !file(settings).isEmpty();
    }

    /** Returns the name of the setting that gives the secret. */
    static String setting(Settings settings) {
        return (settings.get(TransportSettings.SECRET).isEmpty() ? TransportSettings.SECRET_FILE : TransportSettings.SECRET).name();
    }

    private static String file(Settings settings) {
        return settings.get(TransportSettings.SECRET_FILE).strip();
    }

    static SecretSource of(Settings settings, String address) throws IOException {
        String text = settings.get(TransportSettings.SECRET);
        String file = file(settings);
        if (!text.isEmpty() && !file.isEmpty()) {
            throw new IOException("security.secret-file is set too; use one of them");
        }
        String name = settings.get(TransportSettings.NAME);
        return new SecretSource(
                file.isEmpty() ? null : Path.of(file),
                text,
                settings.get(TransportSettings.CLUSTER),
                name.isEmpty() ? address : name,
                HostPort.parse(address).host());
    }

    @Override
    public List<Path> files() {
        return file == null ? List.of() : List.of(file);
    }

    @Override
    public String kind() {
        return "secret";
    }

    @Override
    public Trust load() throws IOException, GeneralSecurityException {
        Map<ClusterSecret, X509.Identity> loaded = new LinkedHashMap<>();
        for (ClusterSecret secret : secrets()) {
            X509.Identity known = authorities.get(secret);
            loaded.put(secret, known == null ? SecretAuthority.of(secret, cluster) : known);
        }
        authorities = loaded;
        List<X509Certificate> believed = loaded.values().stream().map(X509.Identity::certificate).toList();
        X509.Identity first = loaded.values().iterator().next();
        X509.Identity node = X509.node(first, X509.newKeys(), name, List.of(host), SecretAuthority.ALWAYS);
        List<byte[]> known = loaded.values().stream().map(SecretAuthority::scalar).toList();
        return Trust.of(
                node.key(), List.of(node.certificate()), new Trust.Authorities(believed, Pass.of(known)), Trust.Rules.NONE);
    }

    private List<ClusterSecret> secrets() throws IOException {
        List<ClusterSecret> secrets = new ArrayList<>();
        try {
            if (file == null) {
                secrets.add(ClusterSecret.of(text));
                return secrets;
            }
            if (!Files.exists(file)) {
                throw new IOException(file + ": there is no such file; copy that of the cluster, or make the first one: tutti certs secret " + file);
            }
            byte[] content = Pem.read(file);
            PrivateFile.check(file);
            new String(content, StandardCharsets.UTF_8).lines().map(String::strip).filter(line -> !line.isEmpty())
                    .limit(SECRETS_MAX + 1).map(ClusterSecret::of).forEach(secrets::add);
        } catch (IllegalArgumentException e) {
            throw new IOException(file == null ? e.getMessage() : file + ": " + e.getMessage(), e);
        }
        if (secrets.isEmpty() || secrets.size() > SECRETS_MAX) {
            throw new IOException(file + ": has " + (secrets.isEmpty() ? "no secret" : "more than two secrets")
                    + "; it must have one line, or two while the secret changes");
        }
        return secrets;
    }
}
