package dev.tutti.netty.internal.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Settings;
import dev.tutti.netty.internal.loop.Io;
import dev.tutti.netty.internal.tcp.Probe;
import dev.tutti.netty.tls.Certificates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Certificates and secrets in files. */
@Timeout(60)
class SecurityFilesTest {

    @TempDir
    Path directory;

    @Test
    void readsFilesAgainWhenTheyChange() throws Exception {
        Settings settings = TlsSettings.files(directory, Io.NIO, "ca", "node");
        Security security = new Security(FileSource.of(settings));
        String before = security.description();
        assertThat(security.refresh()).isFalse();
        assertThat(security.description()).isEqualTo(before);
        assertThat(counters(security)).containsEntry("tls.reloads", 0L);

        TlsSettings.files(directory, Io.NIO, "next-ca", "next");
        for (String name : List.of("ca", "node")) {
            for (String kind : List.of(".pem", "-key.pem")) {
                String next = name.equals("ca") ? "next-ca" : "next";
                Files.copy(
                        directory.resolve(next + kind),
                        directory.resolve(name + kind),
                        StandardCopyOption.REPLACE_EXISTING);
                TlsSettings.touch(directory.resolve(name + kind));
            }
        }
        assertThat(security.refresh()).isTrue();
        assertThat(security.description()).isNotEqualTo(before);
        assertThat(counters(security)).containsEntry("tls.reloads", 1L);

        String good = security.description();
        Files.writeString(directory.resolve("node.pem"), "half a file");
        assertThat(security.refresh()).isFalse();
        assertThat(security.engine(true)).isNotNull();
        assertThat(security.description()).isEqualTo(good);
        assertThat(counters(security)).containsEntry("tls.reloads", 1L).containsEntry("tls.reloads-failed", 1L);
    }

    private static Map<String, Long> counters(Security security) {
        Map<String, Long> counters = new TreeMap<>();
        security.count(counters);
        return counters;
    }

    @Test
    void filesThatOthersCanReadAreRefused() throws IOException {
        Settings settings = TlsSettings.files(directory, Io.NIO, "ca", "node");
        Path key = directory.resolve("node-key.pem");
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-rw-rw-"));
        TlsSettings.refuses(settings, "chmod 600 " + key);
        Path secret = Files.writeString(directory.resolve("secret"), TlsSettings.GENERATED);
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-r-----"));
        TlsSettings.refuses(secretFile(secret), "chmod 600 " + secret);
    }

    @Test
    void aMissingSecretFileIsNamedWithItsSettingAndTheNextStep() throws IOException {
        Path secret = directory.resolve("cluster.secret");
        TlsSettings.refuses(secretFile(secret), "security.secret-file: " + secret + ": there is no such file");
        TlsSettings.refuses(secretFile(secret), "tutti certs secret " + secret);
    }

    private static Settings secretFile(Path file) {
        return Probe.settings(Io.NIO).with(TransportSettings.SECRET_FILE, file.toString());
    }

    private Path secrets(String... lines) throws IOException {
        Path file = directory.resolve("secret");
        if (!Files.exists(file)) {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        }
        Files.write(file, List.of(lines));
        TlsSettings.touch(file);
        return file;
    }

    @Test
    void aSecretChangesByWayOfAFileWithTwo() throws Exception {
        Path file = secrets(TlsSettings.GENERATED);
        Security changing = new Security(SecretSource.of(secretFile(file), "127.0.0.1:7800"));
        Trust before = new Security(SecretSource.of(TlsSettings.secret(Io.NIO, TlsSettings.GENERATED), "127.0.0.1:7801")).trust();
        Trust after = new Security(SecretSource.of(TlsSettings.secret(Io.NIO, TlsSettings.OTHER_SECRET), "127.0.0.1:7801")).trust();
        assertThat(believes(changing.trust(), before)).isTrue();
        assertThat(believes(changing.trust(), after)).isFalse();
        secrets(TlsSettings.GENERATED, TlsSettings.OTHER_SECRET);
        assertThat(changing.refresh()).isTrue();
        assertThat(believes(changing.trust(), before)).isTrue();
        assertThat(believes(changing.trust(), after)).isTrue();
        assertThat(believes(before, changing.trust())).as("shows the first").isTrue();
        secrets(TlsSettings.OTHER_SECRET, TlsSettings.GENERATED, "");
        assertThat(changing.refresh()).isTrue();
        assertThat(believes(after, changing.trust())).as("shows the first").isTrue();
        assertThat(believes(before, changing.trust())).isFalse();
        assertThat(believes(changing.trust(), before)).isTrue();
        secrets(TlsSettings.OTHER_SECRET, TlsSettings.GENERATED, TlsSettings.SECRET);
        assertThat(changing.refresh()).as("three").isFalse();
        assertThat(believes(after, changing.trust())).isTrue();
    }

    private static boolean believes(Trust here, Trust there) {
        return here.objection(there.chain(), Instant.now(), true) == null;
    }

    @Test
    void saysWhatIsWrongWithFiles() throws IOException {
        Settings good = TlsSettings.files(directory, Io.NIO, "ca", "one");
        TlsSettings.files(directory, Io.NIO, "ca", "two");
        TlsSettings.refuses(good.with(TransportSettings.TLS_KEY, directory.resolve("two-key.pem").toString()), "is not the key of");
        TlsSettings.refuses(good.with(TransportSettings.TLS_KEY, ""), "tls.key is not set");
        TlsSettings.refuses(good.with(TransportSettings.TLS_KEY, directory.resolve("none.pem").toString()), "no such file");
        TlsSettings.refuses(good.with(TransportSettings.TLS_KEY, directory.resolve("one.pem").toString()), "BEGIN PRIVATE KEY");
        TlsSettings.refuses(
                good.with(TransportSettings.TLS_AUTHORITY, directory.resolve("ca-key.pem").toString()),
                "ca-key.pem");
        TlsSettings.refuses(good.with(TransportSettings.SECRET, TlsSettings.SECRET), "both set");
        Path old = Files.writeString(directory.resolve("old.pem"), "-----BEGIN EC PRIVATE KEY-----\nAAAA\n");
        TlsSettings.refuses(good.with(TransportSettings.TLS_KEY, old.toString()), "openssl pkcs8");
    }
}
