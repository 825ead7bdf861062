package dev.tutti.cli.config;

import dev.tutti.cli.terminal.CommandException;
import dev.tutti.cli.terminal.ExitCodes;
import dev.tutti.cli.terminal.Table;
import dev.tutti.cli.terminal.Terminal;
import dev.tutti.netty.tls.Certificates;
import dev.tutti.netty.tls.Certificates.PemFiles;
import dev.tutti.netty.tls.Certificates.Request;
import dev.tutti.netty.tls.ClusterSecret;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tutti certs}: creates the files for mutual TLS. */
@Command(
        name = "certs",
        description = "Makes an authority and certificates for the nodes of a cluster, or a secret that does for both.",
        synopsisSubcommandLabel = "(authority | node | secret | show)",
        footer = {
            "",
            "The authority's key belongs on no node: keep it where you sign.",
            "",
            "Examples:",
            "  tutti certs authority --out pki",
            "  tutti certs node --authority pki --out pki ann bob",
            "  tutti node --group a --bind SITE_LOCAL --tls-certificate pki/ann.pem \\",
            "      --tls-key pki/ann-key.pem --tls-authority pki/authority.pem",
            "  tutti certs show pki/ann.pem",
            "  tutti certs secret cluster.secret",
            "  tutti node --group a --secret-file cluster.secret"
        })
public final class CertsCommand implements Callable<Integer> {

    private static final String AUTHORITY = "authority";
    private static final int FILE_BYTES_MAX = 1024 * 1024;

    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // set before the command is called
    private CommandSpec spec;

    public CertsCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        spec.commandLine().usage(terminal.out());
        return ExitCodes.DONE;
    }

    @Command(description = "Makes an authority: NAME.pem for every node, NAME-key.pem to sign with.")
    int authority(
            @Parameters(arity = "0..1", paramLabel = "NAME", defaultValue = AUTHORITY) String name,
            @Option(names = "--out", paramLabel = "DIR", defaultValue = ".") Path directory,
            @Option(names = "--days", defaultValue = "3650", description = "Default: ${DEFAULT-VALUE}.") int days,
            @Option(names = "--force", description = "Replaces files that are there.") boolean isForced)
            throws IOException {
        PemFiles files = Certificates.createAuthority(directory, request(name, List.of(), days, isForced));
        terminal.print("certificate, for every node: " + files.certificate());
        terminal.print("key, to sign with, for no node: " + files.key());
        return ExitCodes.DONE;
    }

    @Command(description = "Makes a certificate for each node: NAME.pem and NAME-key.pem.")
    int node(
            @Parameters(arity = "1..*", paramLabel = "NAME", description = "Names of nodes.") List<String> names,
            @Option(
                            names = "--authority",
                            paramLabel = "DIR",
                            defaultValue = ".",
                            description = "Directory with authority.pem and authority-key.pem. Default: this one.")
                    Path authority,
            @Option(
                            names = "--host",
                            paramLabel = "HOST",
                            split = ",",
                            description = "Host name or address to put in; if there is any, the node can have no other.")
                    List<String> hosts,
            @Option(names = "--out", paramLabel = "DIR", defaultValue = ".") Path directory,
            @Option(names = "--days", defaultValue = "365", description = "Default: ${DEFAULT-VALUE}.") int days,
            @Option(names = "--force", description = "Replaces files that are there.") boolean isForced)
            throws IOException {
        PemFiles signer =
                new PemFiles(authority.resolve(AUTHORITY + ".pem"), authority.resolve(AUTHORITY + "-key.pem"));
        if (!Files.exists(signer.key())) {
            throw new CommandException(signer.key() + " is not there; make it with: tutti certs authority --out "
                    + authority);
        }
        List<String> alternatives = hosts == null ? List.of() : hosts;
        for (String name : names) {
            PemFiles files =
                    Certificates.createNode(directory, signer, request(name, alternatives, days, isForced));
            terminal.print(name + ": " + files.certificate() + ", " + files.key());
        }
        return ExitCodes.DONE;
    }

    @Command(description = "Adds certificates to a revocation list for tls.revoked; nodes read it again by themselves.")
    int revoke(
            @Parameters(paramLabel = "LIST", description = "Is made if it is not there.") Path list,
            @Parameters(arity = "0..*", paramLabel = "PEM", description = "Certificates that are not trusted any more.")
                    List<Path> certificates,
            @Option(
                            names = "--authority",
                            paramLabel = "DIR",
                            defaultValue = ".",
                            description = "Directory with authority.pem and authority-key.pem. Default: this one.")
                    Path authority)
            throws IOException {
        PemFiles signer =
                new PemFiles(authority.resolve(AUTHORITY + ".pem"), authority.resolve(AUTHORITY + "-key.pem"));
        List<Path> revoked = certificates == null ? List.of() : certificates;
        Certificates.revoke(list, signer, revoked);
        terminal.print(list + ": " + revoked.size() + (revoked.size() == 1 ? " certificate" : " certificates") + " added");
        return ExitCodes.DONE;
    }

    @Command(description = "Makes a cluster secret, from which nodes derive their certificates.")
    int secret(@Parameters(paramLabel = "FILE", description = "Must not be there yet; - prints it.") String file)
            throws IOException {
        String secret = ClusterSecret.generate();
        if (file.equals("-")) {
            terminal.print(secret);
            return ExitCodes.DONE;
        }
        Path path = Path.of(file);
        try (var channel = Files.newByteChannel(
                path, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), forTheOwner(path))) {
            channel.write(StandardCharsets.UTF_8.encode(secret + "\n"));
        } catch (FileAlreadyExistsException e) {
            throw new CommandException(path + ": is there already; a new secret would shut out nodes that have it", e);
        }
        terminal.print("secret, for every node: " + path);
        return ExitCodes.DONE;
    }

    @Command(description = "Prints whose a certificate is, who signed it, and how long it is good.")
    int show(@Parameters(paramLabel = "PEM") Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(FILE_BYTES_MAX);
            var certificates = CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(bytes));
            if (certificates.isEmpty()) {
                throw new CommandException(file + ": has no certificate");
            }
            Table table = new Table("subject", "issuer", "from", "to", "serial");
            for (var certificate : certificates) {
                X509Certificate x509 = (X509Certificate) certificate;
                table.add(
                        x509.getSubjectX500Principal().getName(),
                        x509.getIssuerX500Principal().getName(),
                        x509.getNotBefore().toInstant().toString(),
                        x509.getNotAfter().toInstant().toString(),
                        x509.getSerialNumber().toString(16));
            }
            table.print(terminal);
            return ExitCodes.DONE;
        } catch (CertificateException e) {
            throw new CommandException(file + ": is no certificate in PEM format: " + e.getMessage(), e);
        }
    }

    private static Request request(String name, List<String> hosts, int days, boolean isForced) {
        try {
            return new Request(name, hosts, Duration.ofDays(days), isForced);
        } catch (IllegalArgumentException e) {
            throw new CommandException(String.valueOf(e.getMessage()), e);
        }
    }

    private static FileAttribute<?>[] forTheOwner(Path path) {
        boolean isPosix = path.getFileSystem().supportedFileAttributeViews().contains("posix");
        return isPosix
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
                }
                : new FileAttribute<?>[0];
    }
}
