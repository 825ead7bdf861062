package dev.tutti.netty.internal.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.address.HostPort;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.netty.internal.certificate.X509;
import dev.tutti.netty.internal.loop.Io;
import dev.tutti.netty.internal.loop.Ios;
import dev.tutti.netty.internal.tcp.Probe;
import dev.tutti.netty.tls.ClusterSecret;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A client that shows its certificate whichever authorities the server names. Clients of the JDK show none if theirs is not
 * of one of these, so that they are refused without a look at the signature.
 */
class ShownCertificateTest {

    private static final String IOS = "ios";
    private static final String CLUSTER = "tutti";

    private final String secret = ClusterSecret.generate();

    static Stream<Io> ios() {
        return Ios.available();
    }

    @ParameterizedTest
    @MethodSource(IOS)
    void certificateThatTheAuthorityHasNotSignedIsRefused(Io io) throws Exception {
        X509.Identity authority = SecretAuthority.of(ClusterSecret.of(secret), CLUSTER);
        String name = authority.certificate().getSubjectX500Principal().getName().replace("CN=", "");
        X509.Identity forged = X509.authority(X509.newKeys(), name, SecretAuthority.ALWAYS);
        try (Probe probe = probe(io)) {
            assertThat(isLetIn(probe, forged)).isFalse();
            assertThat(probe.counter("tls.handshakes-failed")).isEqualTo(1);
            assertThat(probe.events).isEmpty();
            assertThat(isLetIn(probe, authority)).as("signed by the authority of that name").isTrue();
        }
    }

    private Probe probe(Io io) {
        return Probe.start(Probe.settings(io)
                .with(TransportSettings.CLUSTER, CLUSTER)
                .with(TransportSettings.SECRET, secret));
    }

    /** Returns whether a client with a certificate of this authority gets the server's first bytes. */
    private static boolean isLetIn(Probe probe, X509.Identity authority) throws Exception {
        X509.Identity own = X509.node(authority, X509.newKeys(), "client", List.of(), SecretAuthority.ALWAYS);
        SSLContext context = SSLContext.getInstance("TLSv1.3");
        context.init(new KeyManager[] {new Insistent(own)}, new TrustManager[] {new Credulous()}, new SecureRandom());
        int port = HostPort.parse(probe.driver.address()).port();
        try (SSLSocket socket = (SSLSocket)
                context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port)) {
            socket.startHandshake();
            return 0 <= socket.getInputStream().read();
        } catch (IOException e) {
            return false;
        }
    }

    /** Has one certificate, and shows it to everybody. */
    private static final class Insistent extends X509ExtendedKeyManager {

        private final X509.Identity own;

        Insistent(X509.Identity own) {
            this.own = own;
        }

        @Override
        public String[] getClientAliases(String type, Principal[] issuers) {
            return new String[] {"own"};
        }

        @Override
        public String chooseClientAlias(String[] types, Principal[] issuers, Socket socket) {
            return "own";
        }

        @Override
        public String chooseEngineClientAlias(String[] types, Principal[] issuers, SSLEngine engine) {
            return "own";
        }

        @Override
        public String[] getServerAliases(String type, Principal[] issuers) {
            return new String[0];
        }

        @Override
        public String chooseServerAlias(String type, Principal[] issuers, Socket socket) {
            return "own";
        }

        @Override
        public X509Certificate[] getCertificateChain(String alias) {
            return new X509Certificate[] {own.certificate()};
        }

        @Override
        public PrivateKey getPrivateKey(String alias) {
            return own.key();
        }
    }

    /** Trusts every server. */
    private static final class Credulous extends X509ExtendedTrustManager {

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
