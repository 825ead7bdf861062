package dev.tutti.netty.internal.security;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.driver.TransportException;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Settings;
import dev.tutti.netty.internal.loop.Io;
import dev.tutti.netty.internal.tcp.NettyDriver;
import dev.tutti.netty.internal.tcp.Probe;
import dev.tutti.netty.tls.Certificates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/** Settings of nodes with TLS, and what tests do with them. */
final class TlsSettings {

    /** A secret as people choose them, which is stretched: that takes some tenths of a second, or a second without C2. */
    static final String CHOSEN = "q7Rk2-Vd9Zp4_Xm1Tb8Ys6Lf3Hn5Wc0Gj";

    /** Secrets as {@code tutti certs secret} makes them, which are not stretched. */
    static final String SECRET = "q7Rk2-Vd9Zp4_Xm1Tb8Ys6Lf3Hn5Wc0GjKx6Pu4EaSc";
    static final String OTHER_SECRET = "k3Wq8_Rt5Yb1-Nz7Mc2Dv9Hs4Gx6Jf0LpTa4Vi9OeQg";
    static final String GENERATED = "x0yGm3nS4uL0cWq7eH1zK8vR2tB5dJ9aFpN6iTgUoXk";

    private TlsSettings() {}

    static Settings secret(Io io, String secret) {
        return Probe.settings(io).with(TransportSettings.SECRET, secret);
    }

    /** Returns settings with files of a new node in {@code directory}; the authority is made when it is not there. */
    static Settings files(Path directory, Io io, String authority, String node) throws IOException {
        Certificates.PemFiles signer = new Certificates.PemFiles(
                directory.resolve(authority + ".pem"), directory.resolve(authority + "-key.pem"));
        if (!Files.exists(signer.certificate())) {
            signer = Certificates.createAuthority(directory, Certificates.Request.of(authority));
        }
        return settings(io, signer, Certificates.createNode(directory, signer, Certificates.Request.of(node)));
    }

    static Settings settings(Io io, Certificates.PemFiles signer, Certificates.PemFiles own) {
        return Probe.settings(io)
                .with(TransportSettings.TLS_CERTIFICATE, own.certificate().toString())
                .with(TransportSettings.TLS_KEY, own.key().toString())
                .with(TransportSettings.TLS_AUTHORITY, signer.certificate().toString());
    }

    /** Lets a file look changed. */
    static void touch(Path file) throws IOException {
        Files.setLastModifiedTime(
                file, java.nio.file.attribute.FileTime.from(Instant.now().plus(Duration.ofSeconds(10))));
    }

    /** Checks that no driver opens with these settings. */
    static void refuses(Settings settings, String reason) {
        assertThatThrownBy(() -> NettyDriver.open(settings))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining(reason);
    }
}
