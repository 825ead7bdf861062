package dev.tutti.netty.internal.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Settings;
import dev.tutti.netty.internal.loop.Io;
import dev.tutti.netty.internal.loop.Ios;
import dev.tutti.netty.internal.tcp.Probe;
import dev.tutti.netty.tls.Certificates;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Certificates end while there are connections. A class of its own, as it waits for seconds. */
@Timeout(60)
class CertificateEndsTest {

    @TempDir
    Path directory;

    static Stream<Io> ios() {
        return Ios.available();
    }

    @ParameterizedTest
    @MethodSource("ios")
    void aLivingConnectionEndsWhenItsCertificateIsRevokedOrExpires(Io io) throws Exception {
        Settings settings = TlsSettings.files(directory, io, "ca", "one");
        Path revoked = directory.resolve("revoked.pem");
        Certificates.PemFiles authority =
                new Certificates.PemFiles(directory.resolve("ca.pem"), directory.resolve("ca-key.pem"));
        Certificates.revoke(revoked, authority, List.of());
        Settings shortLived = TlsSettings.settings(io, authority, Certificates.createNode(
                directory, authority, new Certificates.Request("short", List.of(), Duration.ofSeconds(4), true)));
        try (Probe one = Probe.start(settings.with(TransportSettings.TLS_REVOKED, revoked.toString()));
                Probe two = Probe.start(TlsSettings.files(directory, io, "ca", "two"));
                Probe three = Probe.start(shortLived)) {
            three.connect(one);
            one.await(Probe.Kind.ACCEPTED);
            two.connect(one);
            one.await(Probe.Kind.ACCEPTED);
            Certificates.revoke(revoked, authority, List.of(directory.resolve("two.pem")));
            TlsSettings.touch(revoked);
            List<String> ends = List.of(
                    one.await(Probe.Kind.DISCONNECTED).detail(), one.await(Probe.Kind.DISCONNECTED).detail());
            assertThat(ends)
                    .anySatisfy(end -> assertThat(end).startsWith("its certificate is revoked: CN=two"))
                    .anySatisfy(end -> assertThat(end).startsWith("its certificate has expired"));
            assertThat(one.counter("connections.distrusted")).isEqualTo(2);
        }
    }
}
