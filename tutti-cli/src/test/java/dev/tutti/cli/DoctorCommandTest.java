package dev.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.cli.terminal.ExitCodes;
import dev.tutti.internal.Json;
import dev.tutti.rendezvous.RendezvousServer;
import dev.tutti.rendezvous.settings.RendezvousServerSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The doctor on this machine alone, without breaking anything on it. */
class DoctorCommandTest {

    @TempDir
    private Path directory;

    private static List<?> findings(Run run) {
        return (List<?>) ((Map<?, ?>) Json.parse(run.out())).get("findings");
    }

    @Test
    void isContentWithAMemberThatIsThere() {
        try (Node node = Node.tcp(0).name("ann").start();
                Group _ = node.group("chat").join()) {
            Run run = Run.of("doctor", "--seed", node.address(), "--group", "chat", "--port", "0");
            assertThat(run.out())
                    .contains("taken as one of theirs by ann")
                    .contains("group chat is set up as at ann")
                    .contains("large packets arrive")
                    .endsWith("Nothing is wrong.\n");
            assertThat(run.code()).isZero();
            assertThat(node.groups().getFirst().view().size()).isEqualTo(1);
        }
    }

    @Test
    void namesTheSettingThatDiffers() {
        try (Node node = Node.tcp(0).name("ann").start();
                Group _ = node.group("chat").causal().join()) {
            Run run = Run.of("doctor", "--seed", node.address(), "--group", "chat", "--port", "0");
            assertThat(run.out())
                    .contains("group chat: stack is fifo here and causal at ann")
                    .contains("-> set groups.chat.stack to the same at all members")
                    .endsWith("One thing is wrong.\n");
            assertThat(run.code()).isEqualTo(ExitCodes.FAILED);
        }
    }

    @Test
    void namesWhatIsTheDefaultThere() {
        try (Node node = Node.tcp(0).name("ann").start();
                Group _ = node.group("chat").join()) {
            Run run = Run.of(
                    "doctor", "--seed", node.address(), "--group", "chat", "--port", "0", "-D", "group.dissemination=ring");
            assertThat(run.out()).contains("group chat: dissemination is ring here and fan-out at ann");
            assertThat(run.code()).isEqualTo(ExitCodes.FAILED);
        }
    }

    @Test
    void asksRendezvousServers() throws IOException {
        Path tokens = secret("tokens", "tutti a-token-of-sixteen\n");
        Path token = secret("token", "a-token-of-sixteen\n");
        try (RendezvousServer server = RendezvousServer.open(RendezvousServer.defaults()
                .with(RendezvousServerSettings.PORT, 0)
                .with(RendezvousServerSettings.TOKENS_FILE, tokens.toString()))) {
            String url = server.urls().getFirst();
            String[] command = {
                "doctor", "--port", "0", "-D", "rendezvous.servers=" + url, "-D", "rendezvous.relay=never", "-D",
                "rendezvous.token-file=" + token
            };
            Run relayed = Run.of(
                    "doctor", "--port", "0", "-D", "rendezvous.servers=" + url, "-D", "security.insecure=true", "-D",
                    "rendezvous.token-file=" + token);
            assertThat(relayed.out()).as(relayed.err()).contains(url + " answers, and lists no node").endsWith("Nothing is wrong.\n");
            Run right = Run.of(command);
            assertThat(right.out()).as(right.err()).contains(url + " answers, and lists no node of cluster tutti at present");
            Files.writeString(token, "another-token-of-nobody");
            Run run = Run.of(command);
            assertThat(run.out()).contains(url + ": ", "HTTP 401: the server does not know this token", "-> rendezvous.token-file");
            assertThat(run.code()).isEqualTo(ExitCodes.FAILED);
        }
        assertThat(Run.of("doctor", "--port", "0", "-D", "rendezvous.servers=tcp://127.0.0.1:1", "-D", "rendezvous.relay=never").out())
                .contains("tcp://127.0.0.1:1: ", "start 'tutti rendezvous' there");
    }

    @Test
    void saysWhatAProxyThatRefusesNeeds() throws IOException {
        try (ServerSocket proxy = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> refuse(proxy));
            Path file = secret("tutti.yaml", "rendezvous:\n  proxy: http://127.0.0.1:" + proxy.getLocalPort() + "\n");
            Run run = Run.of(
                    "doctor", "--config", file.toString(), "--port", "0", "-D", "rendezvous.servers=ws://meet.invalid:80", "-D",
                    "rendezvous.relay=never");
            assertThat(run.out()).as(run.err()).contains(
                    "ws://meet.invalid:80: ", "the proxy 127.0.0.1:" + proxy.getLocalPort() + " refuses the connection: 407", "-> rendezvous.proxy");
        }
    }

    private static void refuse(ServerSocket proxy) {
        try {
            while (true) {
                try (Socket client = proxy.accept()) {
                    client.getInputStream().read();
                    client.getOutputStream().write("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n".getBytes());
                    client.shutdownOutput();
                    client.getInputStream().readAllBytes();
                }
            }
        } catch (IOException e) {
            // The test is over.
            return;
        }
    }

    private Path secret(String name, String text) throws IOException {
        Path file = directory.resolve(name);
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return file;
    }

    @Test
    void saysAsJsonThatNobodyListens() {
        Run run = Run.of("doctor", "--seed", "127.0.0.1:1", "--port", "0", "--json");
        assertThat(run.code()).isEqualTo(ExitCodes.FAILED);
        assertThat(findings(run)).anySatisfy(each -> {
            Map<?, ?> finding = (Map<?, ?>) each;
            assertThat(finding.get("check")).isEqualTo("reach");
            assertThat(finding.get("level")).isEqualTo("fault");
            assertThat(finding.get("text")).isEqualTo("127.0.0.1:1: nobody listens at that port");
        });
    }

    @Test
    void saysThatFilesOfCertificatesAreMissing() {
        Run run = Run.of("doctor", "--port", "0", "--tls-certificate", "no.pem", "--tls-key", "no.pem", "--tls-authority", "no.pem");
        assertThat(run.code()).isEqualTo(ExitCodes.FAILED);
        assertThat(run.out()).contains("FAULT").contains("tls.certificate: no.pem can't be read");
    }

    @Test
    void refusesWrongSettings() {
        assertThat(Run.of("doctor", "-D", "detection.heartbeat=1 week").code()).isEqualTo(ExitCodes.WRONG);
    }
}
