package dev.tutti.netty.tls;

import dev.tutti.netty.internal.certificate.Pem;
import dev.tutti.netty.internal.certificate.X509;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.TreeMap;

/** Creates an authority, and certificates for the nodes of a cluster, as PEM files for {@code tls.*}. Thread-safe. */
public final class Certificates {

    /** Tolerated difference of clocks: certificates are valid from a little before their creation. */
    private static final Duration CLOCK_SLACK = Duration.ofHours(1);

    private Certificates() {}

    /**
     * Two files: a certificate, for everybody to read, and its private key, for the owner only.
     *
     * @param certificate for {@code tls.certificate}, or an authority's for {@code tls.authority}
     * @param key for {@code tls.key}; that of an authority belongs on no node
     */
    public record PemFiles(Path certificate, Path key) {}

    /**
     * A certificate to make.
     *
     * @param name name of the node, in the certificate, and of the files
     * @param alternativeNames host names and addresses that the node may have; none for any
     * @param validity time for which it is valid
     * @param isForced whether existing files are replaced
     */
    public record Request(String name, List<String> alternativeNames, Duration validity, boolean isForced) {

        public Request {
            if (!name.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,63}")) {
                throw new IllegalArgumentException("'" + name + "' is no name for a certificate; use 1 to 64 letters,"
                        + " digits, '.', '-' and '_'");
            }
            if (validity.isNegative() || validity.isZero() || validity.compareTo(Duration.ofDays(36_500)) > 0) {
                throw new IllegalArgumentException("validity of " + validity.toDays() + " days, 1 to 36500");
            }
            alternativeNames = List.copyOf(alternativeNames);
        }

        /** Returns a request for a certificate for a year that replaces nothing. */
        public static Request of(String name) {
            return new Request(name, List.of(), Duration.ofDays(365), false);
        }
    }

    /**
     * Makes {@code <name>.pem} and {@code <name>-key.pem} of a new authority.
     *
     * @throws IOException if they are there already and the request is not forced, or can't be written
     */
    public static PemFiles createAuthority(Path directory, Request request) throws IOException {
        PemFiles files = files(directory, request);
        try {
            return write(files, X509.authority(X509.newKeys(), request.name(), validity(request)));
        } catch (GeneralSecurityException e) {
            throw new IOException("can't make an authority: " + e.getMessage(), e);
        }
    }

    /**
     * Makes {@code <name>.pem} and {@code <name>-key.pem} of a node, signed by an authority that
     * {@link #createAuthority} has made.
     *
     * @throws IOException if they are there already and the request is not forced, can't be written, or the authority
     *     can't be used
     */
    public static PemFiles createNode(Path directory, PemFiles authority, Request request) throws IOException {
        PemFiles files = files(directory, request);
        X509.Identity identity = authority(authority);
        X509Certificate signer = identity.certificate();
        try {
            X509.Identity node = X509.node(
                    identity, X509.newKeys(), request.name(), request.alternativeNames(), validity(request));
            node.certificate().verify(signer.getPublicKey());
            return write(files, node);
        } catch (GeneralSecurityException e) {
            throw new IOException(
                    "can't sign with " + authority.key() + " for " + authority.certificate() + ": " + e.getMessage(), e);
        }
    }

    /**
     * Creates a list of revoked certificates for {@code tls.revoked}, or adds to one.
     *
     * @param list file to replace; certificates that the same authority has revoked in it stay revoked
     * @param certificates certificates of the nodes that are no longer trusted; none makes a list without entries
     * @throws IOException if the list can't be written, the authority can't be used, or has not signed a certificate
     */
    public static void revoke(Path list, PemFiles authority, List<Path> certificates) throws IOException {
        X509.Identity identity = authority(authority);
        Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        TreeMap<BigInteger, Instant> revoked = new TreeMap<>();
        if (Files.exists(list)) {
            for (X509CRL before : Pem.revocations(list)) {
                if (before.getIssuerX500Principal().equals(identity.certificate().getSubjectX500Principal())
                        && before.getRevokedCertificates() != null) {
                    before.getRevokedCertificates()
                            .forEach(each -> revoked.put(each.getSerialNumber(), each.getRevocationDate().toInstant()));
                }
            }
        }
        try {
            for (Path file : certificates) {
                X509Certificate certificate = Pem.certificates(file).getFirst();
                certificate.verify(identity.certificate().getPublicKey());
                revoked.putIfAbsent(certificate.getSerialNumber(), now);
            }
            Pem.writeRevocations(list, X509.revocations(identity, revoked, now));
        } catch (GeneralSecurityException e) {
            throw new IOException("can't revoke with " + authority.key() + ": " + e.getMessage(), e);
        }
    }

    private static X509.Identity authority(PemFiles authority) throws IOException {
        X509Certificate signer = Pem.certificates(authority.certificate()).getFirst();
        if (signer.getBasicConstraints() < 0 || !signer.getPublicKey().getAlgorithm().equals("EC")) {
            throw new IOException(authority.certificate() + ": is not the certificate of an authority with an EC key");
        }
        return new X509.Identity(Pem.privateKey(authority.key(), "EC"), signer);
    }

    private static X509.Validity validity(Request request) {
        Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        return new X509.Validity(now.minus(CLOCK_SLACK), now.plus(request.validity()));
    }

    private static PemFiles files(Path directory, Request request) throws IOException {
        PemFiles files = new PemFiles(
                directory.resolve(request.name() + ".pem"), directory.resolve(request.name() + "-key.pem"));
        for (Path file : List.of(files.certificate(), files.key())) {
            if (Files.exists(file) && !request.isForced()) {
                throw new IOException(file + ": is there already; it is replaced only if that is asked for");
            }
        }
        Files.createDirectories(directory);
        return files;
    }

    private static PemFiles write(PemFiles files, X509.Identity identity) throws IOException {
        Pem.write(files.key(), identity.key());
        Pem.write(files.certificate(), List.of(identity.certificate()));
        return files;
    }
}
