package dev.tutti.cli.doctor;

import dev.tutti.core.driver.TransportSettings;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Checks that the PEM files exist, are valid now, and are signed by the authority. */
final class CertificateCheck implements Check {

    private static final int FILE_BYTES_MAX = 1024 * 1024;
    private static final Duration SOON = Duration.ofDays(14);
    private static final String RENEW = "make a new one: tutti certs node --authority DIR --force NAME; nodes read it again by"
            + " themselves";

    @Override
    public String name() {
        return "certificates";
    }

    @Override
    public Duration deadline() {
        return Duration.ofSeconds(5);
    }

    @Override
    public List<Finding> run(DoctorContext context) {
        String certificate = context.get(TransportSettings.TLS_CERTIFICATE);
        String authority = context.get(TransportSettings.TLS_AUTHORITY);
        if (certificate.isEmpty() && authority.isEmpty()) {
            boolean hasSecret = !context.get(TransportSettings.SECRET).isEmpty()
                    || !context.get(TransportSettings.SECRET_FILE).isEmpty();
            return List.of(Finding.ok(name(), hasSecret ? "none: derived from the cluster secret" : "none: no TLS"));
        }
        List<Finding> found = new ArrayList<>();
        try {
            List<X509Certificate> own = read("tls.certificate", certificate);
            List<X509Certificate> authorities = read("tls.authority", authority);
            Instant now = context.clock.instant();
            own.forEach(each -> validity("tls.certificate", each, now, found));
            authorities.forEach(each -> validity("tls.authority", each, now, found));
            X509Certificate last = own.getLast();
            if (authorities.stream().noneMatch(each -> isSigned(last, each))) {
                found.add(Finding.fault(
                        name(),
                        certificate + " is signed by " + last.getIssuerX500Principal() + ", and not by tls.authority, "
                                + authorities.getFirst().getSubjectX500Principal(),
                        "use the authority that has signed it, the same at all nodes, or sign anew: tutti certs node"));
            }
            if (!Files.isReadable(Path.of(context.get(TransportSettings.TLS_KEY)))) {
                found.add(Finding.fault(
                        name(), "tls.key: '" + context.get(TransportSettings.TLS_KEY) + "' can't be read", "check its owner and path"));
            }
            if (found.isEmpty()) {
                found.add(Finding.ok(name(), own.getFirst().getSubjectX500Principal() + ", good until "
                        + own.getFirst().getNotAfter().toInstant()));
            }
        } catch (IOException | CertificateException e) {
            found.add(Finding.fault(name(), String.valueOf(e.getMessage()), "tutti certs --help says how to make them"));
        }
        return found;
    }

    private void validity(String setting, X509Certificate certificate, Instant now, List<Finding> found) {
        Instant from = certificate.getNotBefore().toInstant();
        Instant to = certificate.getNotAfter().toInstant();
        String what = setting + ": the certificate of " + certificate.getSubjectX500Principal();
        if (now.isAfter(to)) {
            found.add(Finding.fault(name(), what + " has expired: it was good until " + to, RENEW));
        } else if (now.isBefore(from)) {
            found.add(Finding.fault(
                    name(),
                    what + " is not valid before " + from + ", and here it is " + now,
                    "set this machine's clock (timedatectl set-ntp true), or " + RENEW));
        } else if (now.plus(SOON).isAfter(to)) {
            found.add(Finding.note(name(), what + " expires soon: " + to, RENEW));
        }
    }

    private static boolean isSigned(X509Certificate certificate, X509Certificate authority) {
        try {
            certificate.verify(authority.getPublicKey());
            return true;
        } catch (GeneralSecurityException e) {
            return certificate.equals(authority);
        }
    }

    private static List<X509Certificate> read(String setting, String file) throws IOException, CertificateException {
        if (file.isEmpty()) {
            throw new CertificateException(setting + " is not set, while others of the TLS settings are");
        }
        try (InputStream in = Files.newInputStream(Path.of(file))) {
            List<X509Certificate> all = new ArrayList<>();
            for (var each : CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(in.readNBytes(FILE_BYTES_MAX)))) {
                all.add((X509Certificate) each);
            }
            if (all.isEmpty()) {
                throw new CertificateException(setting + ": " + file + " has no certificate");
            }
            return all;
        } catch (IOException e) {
            throw new IOException(setting + ": " + file + " can't be read", e);
        }
    }
}
