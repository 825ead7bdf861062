package dev.tutti.netty.internal.security;

import dev.tutti.netty.internal.certificate.Pem;
import dev.tutti.netty.internal.certificate.X509;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;

/** Opens the readers of TLS to the fuzzer: files of certificates and keys, and the preface. */
public final class TlsBytes {

    private static final Path FILE = Path.of("fuzz.pem");
    private static final Pass PASS = Pass.of(List.of(new byte[32]));

    private TlsBytes() {}

    /** Reads certificates. */
    public static String certificates(byte[] content) {
        try {
            for (X509Certificate each : Pem.certificates(FILE, content)) {
                // The other parts of a certificate that are read when it is used.
                each.getPublicKey();
                each.getBasicConstraints();
                each.getSubjectX500Principal();
            }
            return "taken";
        } catch (IOException e) {
            return refusal(e);
        }
    }

    /** Reads revocation lists. */
    public static String revocations(byte[] content) {
        try {
            for (X509CRL each : Pem.revocations(FILE, content)) {
                each.getIssuerX500Principal();
                each.getRevokedCertificates();
            }
            return "taken";
        } catch (IOException e) {
            return refusal(e);
        }
    }

    /** Returns a list of an authority with one entry. */
    public static List<byte[]> otherRevocations() {
        try {
            X509.Identity authority = X509.authority(X509.newKeys(), "ca", SecretAuthority.ALWAYS);
            TreeMap<BigInteger, Instant> revoked = new TreeMap<>(Map.of(BigInteger.TEN, Instant.EPOCH));
            byte[] list = X509.revocations(authority, revoked, Instant.EPOCH);
            return List.of(list, Pem.block("X509 CRL", list).getBytes(StandardCharsets.US_ASCII));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Reads a private key. */
    public static String key(byte[] content) {
        try {
            Pem.privateKey(FILE, content, "EC");
            return "taken";
        } catch (IOException e) {
            return refusal(e);
        }
    }

    private static String refusal(IOException e) {
        if (!String.valueOf(e.getMessage()).contains(FILE.toString())) {
            throw new IllegalStateException("a refusal that does not name the file", e);
        }
        return "refused";
    }

    /** Reads the preface of a TLS stream, in two pieces. */
    public static String preface(byte[] input) {
        Preface preface = new Preface(true);
        ByteBuf bytes = Unpooled.wrappedBuffer(input);
        int cut = input.length / 2;
        boolean isWhole = preface.isCompletedBy(bytes.slice(0, cut));
        boolean isWholeNow = preface.isCompletedBy(bytes.slice(cut, input.length - cut));
        if (isWhole && isWholeNow) {
            throw new IllegalStateException("a preface ended twice");
        }
        return !isWhole && !isWholeNow ? "waiting" : preface.isRight() ? "taken" : "refused";
    }

    /** Looks at the first message of a TLS client. */
    public static String clientHello(byte[] input) {
        ByteBuf bytes = Unpooled.wrappedBuffer(input);
        boolean isWhole = ClientHello.isWhole(bytes);
        String protocol = ClientHello.protocol(bytes);
        if (bytes.readableBytes() != input.length) {
            throw new IllegalStateException("looking at a message took something of it");
        }
        return PASS.isValid(protocol) ? "pass" : !isWhole ? "waiting" : protocol.isEmpty() ? "none" : "other protocol";
    }

    /** Returns the hellos of a node and of another client, and bytes that are no hello. */
    public static List<byte[]> clientHellos() {
        return List.of(clientHelloWith(PASS.issue()), clientHelloWith("h2"), new byte[] {'G', 'E', 'T'});
    }

    private static byte[] clientHelloWith(String protocol) {
        try {
            SSLEngine engine = SSLContext.getDefault().createSSLEngine();
            engine.setUseClientMode(true);
            SSLParameters parameters = engine.getSSLParameters();
            parameters.setApplicationProtocols(new String[] {protocol});
            engine.setSSLParameters(parameters);
            ByteBuffer hello = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
            engine.wrap(ByteBuffer.allocate(0), hello);
            return Arrays.copyOf(hello.array(), hello.position());
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    public static List<byte[]> prefaces() {
        byte[] right = new byte[4];
        Preface.bytes().readBytes(right);
        return List.of(right, new byte[] {'H', 'T', 'T', 'P'}, new byte[3], new byte[20]);
    }

    /** Returns seeds besides those in the corpus, which keeps generated certificates because their keys vary. */
    public static List<byte[]> otherCertificates() {
        return List.of(bytes("-----BEGIN CERTIFICATE-----\n".repeat(2_000)), new byte[] {0x30, (byte) 0x84, 127, -1, -1, -1});
    }

    /** Returns seeds besides those of the corpus. */
    public static List<byte[]> otherKeys() {
        return List.of(
                bytes("-----BEGIN PRIVATE KEY-----\n".repeat(2_000)),
                bytes("-----BEGIN PRIVATE KEY-----" + "A".repeat(60_000)));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
