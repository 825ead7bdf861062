package dev.tutti.netty.internal.security;

import dev.tutti.core.driver.TransportException;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.Settings;
import dev.tutti.netty.internal.certificate.Pem;
import dev.tutti.netty.tls.PrivateFile;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;

/**
 * Certificates from PEM files.
 *
 * @param revoked PEM file of revocation lists; none if the list is empty
 */
record FileSource(
        Path certificate,
        Path key,
        Path authority,
        List<Path> revoked,
        boolean isNameChecked)
        implements Security.Source {

    private static final List<Setting<String>> SETTINGS = List.of(
            TransportSettings.TLS_CERTIFICATE,
            TransportSettings.TLS_KEY,
            TransportSettings.TLS_AUTHORITY,
            TransportSettings.TLS_REVOKED);

    static boolean isSet(Settings settings) {
        return SETTINGS.stream().anyMatch(setting -> !settings.get(setting).isBlank());
    }

    static FileSource of(Settings settings) {
        return new FileSource(
                required(settings, TransportSettings.TLS_CERTIFICATE),
                required(settings, TransportSettings.TLS_KEY),
                required(settings, TransportSettings.TLS_AUTHORITY),
                optional(settings, TransportSettings.TLS_REVOKED),
                settings.get(TransportSettings.TLS_VERIFY_NAMES));
    }

    private static Path required(Settings settings, Setting<String> setting) {
        List<Path> path = optional(settings, setting);
        if (path.isEmpty()) {
            throw new TransportException(
                    setting + " is not set; TLS needs tls.certificate, tls.key and tls.authority");
        }
        return path.getFirst();
    }

    private static List<Path> optional(Settings settings, Setting<String> setting) {
        String text = settings.get(setting).strip();
        return text.isEmpty() ? List.of() : List.of(Path.of(text));
    }

    @Override
    public List<Path> files() {
        List<Path> files = new ArrayList<>(List.of(certificate, key, authority));
        files.addAll(revoked);
        return files;
    }

    @Override
    public String kind() {
        return "files";
    }

    @Override
    public Trust load() throws IOException, GeneralSecurityException {
        List<X509Certificate> chain = Pem.certificates(certificate);
        X509Certificate own = chain.getFirst();
        try {
            own.checkValidity();
        } catch (GeneralSecurityException e) {
            throw new IOException(certificate + ": is not valid now: " + e.getMessage(), e);
        }
        PrivateKey privateKey = Pem.privateKey(key, own.getPublicKey().getAlgorithm());
        PrivateFile.check(key);
        checkPair(privateKey, own);
        List<X509Certificate> authorities = Pem.certificates(authority);
        return Trust.of(
                privateKey,
                chain,
                Trust.Authorities.of(authorities, chain),
                new Trust.Rules(revocations(authorities), isNameChecked, true));
    }

    private List<X509CRL> revocations(List<X509Certificate> authorities) throws IOException {
        List<X509CRL> lists = new ArrayList<>();
        for (Path file : revoked) {
            for (X509CRL list : Pem.revocations(file)) {
                if (authorities.stream().noneMatch(each -> isSignedBy(list, each))) {
                    throw new IOException(file + ": the list of " + list.getIssuerX500Principal().getName()
                            + " is not signed by an authority in " + authority);
                }
                lists.add(list);
            }
        }
        return lists;
    }

    private static boolean isSignedBy(X509CRL list, X509Certificate authority) {
        try {
            list.verify(authority.getPublicKey());
            return list.getIssuerX500Principal().equals(authority.getSubjectX500Principal());
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    private void checkPair(PrivateKey privateKey, X509Certificate own) throws IOException, GeneralSecurityException {
        String algorithm =
                switch (own.getPublicKey().getAlgorithm()) {
                    case "EC" -> "SHA256withECDSA";
                    case "RSA" -> "SHA256withRSA";
                    default -> own.getPublicKey().getAlgorithm();
                };
        byte[] probe = own.getEncoded();
        Signature signing = Signature.getInstance(algorithm);
        signing.initSign(privateKey);
        signing.update(probe);
        byte[] signed = signing.sign();
        Signature verifying = Signature.getInstance(algorithm);
        verifying.initVerify(own.getPublicKey());
        verifying.update(probe);
        if (!verifying.verify(signed)) {
            throw new IOException(key + ": is not the key of the certificate in " + certificate);
        }
    }
}
