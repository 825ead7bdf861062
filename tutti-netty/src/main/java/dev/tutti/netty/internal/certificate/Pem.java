package dev.tutti.netty.internal.certificate;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CRL;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** PEM files (RFC 7468) of certificates and PKCS#8 keys. */
public final class Pem {

    private static final Pattern KEY =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");
    private static final long FILE_BYTES_MAX = 1 << 20;

    private Pem() {}

    /** @throws IOException if the file is wrong; the message says what is wrong and what would be right */
    public static List<X509Certificate> certificates(Path file) throws IOException {
        return certificates(file, read(file));
    }

    public static List<X509Certificate> certificates(Path file, byte[] content) throws IOException {
        List<X509Certificate> certificates = new ArrayList<>();
        try {
            CertificateFactory factory = CertificateFactory.getInstance("X.509");
            for (Certificate each : factory.generateCertificates(new ByteArrayInputStream(content))) {
                certificates.add((X509Certificate) each);
            }
        } catch (GeneralSecurityException e) {
            throw new IOException(file + ": not PEM certificates: " + e.getMessage(), e);
        }
        if (certificates.isEmpty()) {
            throw new IOException(file + ": has no certificate; it must have -----BEGIN CERTIFICATE-----");
        }
        return certificates;
    }

    /**
     * @param algorithm algorithm of the certificate's key
     * @throws IOException if the file is wrong; the message says what is wrong and what would be right
     */
    public static PrivateKey privateKey(Path file, String algorithm) throws IOException {
        return privateKey(file, read(file), algorithm);
    }

    public static PrivateKey privateKey(Path file, byte[] content, String algorithm) throws IOException {
        String text = new String(content, StandardCharsets.US_ASCII);
        Matcher matcher = KEY.matcher(text);
        if (!matcher.find()) {
            String there = text.contains("PRIVATE KEY-----") ? "a key of another format" : "no key";
            throw new IOException(file + ": has " + there + "; it must have -----BEGIN PRIVATE KEY-----, unencrypted"
                    + " PKCS#8 (openssl pkcs8 -topk8 -nocrypt -in old.pem -out new.pem)");
        }
        try {
            byte[] encoded = Base64.getMimeDecoder().decode(matcher.group(1));
            return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(encoded));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new IOException(
                    file + ": no private key for the certificate's " + algorithm + " key: " + e.getMessage(), e);
        }
    }

    /** @throws IOException if the file is wrong; the message says what is wrong and what would be right */
    public static List<X509CRL> revocations(Path file) throws IOException {
        return revocations(file, read(file));
    }

    public static List<X509CRL> revocations(Path file, byte[] content) throws IOException {
        List<X509CRL> lists = new ArrayList<>();
        try {
            for (CRL each : CertificateFactory.getInstance("X.509").generateCRLs(new ByteArrayInputStream(content))) {
                lists.add((X509CRL) each);
            }
        } catch (GeneralSecurityException e) {
            throw new IOException(file + ": not PEM revocation lists: " + e.getMessage(), e);
        }
        if (lists.isEmpty()) {
            throw new IOException(file + ": has no revocation list; it must have -----BEGIN X509 CRL-----");
        }
        return lists;
    }

    /** Reads a small file completely. */
    public static byte[] read(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            throw new IOException(file.toAbsolutePath() + ": there is no such file");
        }
        if (Files.size(file) > FILE_BYTES_MAX) {
            throw new IOException(file + ": has " + Files.size(file) + " bytes, at most " + FILE_BYTES_MAX);
        }
        if (!Files.isReadable(file)) {
            throw new IOException(file + ": can't be read by this user");
        }
        return Files.readAllBytes(file);
    }

    /** Writes certificates, readable by everybody; a reader sees the old file or the new one. */
    public static void write(Path file, List<X509Certificate> certificates) throws IOException {
        StringBuilder text = new StringBuilder();
        try {
            for (X509Certificate certificate : certificates) {
                text.append(block("CERTIFICATE", certificate.getEncoded()));
            }
        } catch (GeneralSecurityException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
        replace(file, text.toString(), "rw-r--r--");
    }

    /** Writes a revocation list, readable by everybody; a reader sees the old file or the new one. */
    public static void writeRevocations(Path file, byte[] list) throws IOException {
        replace(file, block("X509 CRL", list), "rw-r--r--");
    }

    /** Writes a key, readable by the owner only. */
    public static void write(Path file, Key key) throws IOException {
        replace(file, block("PRIVATE KEY", key.getEncoded()), "rw-------");
    }

    public static String block(String label, byte[] content) {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        return "-----BEGIN " + label + "-----\n" + text + "\n-----END " + label + "-----\n";
    }

    private static void replace(Path file, String text, String permissions) throws IOException {
        Path directory = file.toAbsolutePath().getParent();
        // Only the owner may read a temporary file, from its creation on.
        Path temporary = Files.createTempFile(directory, ".", ".pem");
        try {
            Files.writeString(temporary, text);
            if (Files.getFileStore(temporary).supportsFileAttributeView("posix")) {
                Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString(permissions));
            }
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }
}
