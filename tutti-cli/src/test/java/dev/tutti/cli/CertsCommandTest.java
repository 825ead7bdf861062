package dev.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.cli.terminal.ExitCodes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CertsCommandTest {

    @TempDir
    private Path directory;

    @Test
    void makesCertificatesThatNodesAccept() throws InterruptedException {
        assertThat(certs("authority", "--out", text("")).code()).isEqualTo(ExitCodes.DONE);
        assertThat(certs("node", "--authority", text(""), "--out", text(""), "ann", "bob").code()).isEqualTo(ExitCodes.DONE);
        NodeBuilder ann = Node.tcp(0)
                .tls(directory.resolve("ann.pem"), directory.resolve("ann-key.pem"), directory.resolve("authority.pem"));
        assertMeet(
                ann,
                "--tls-certificate",
                text("bob.pem"),
                "--tls-key",
                text("bob-key.pem"),
                "--tls-authority",
                text("authority.pem"));
    }

    @Test
    void makesASecretThatNodesAcceptAndOnlyTheOwnerReads() throws IOException, InterruptedException {
        assertThat(certs("secret", text("secret")).code()).isEqualTo(ExitCodes.DONE);
        Path file = directory.resolve("secret");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------");
        assertMeet(Node.tcp(0).secret(Files.readString(file).strip()), "--secret-file", file.toString());
        Run again = certs("secret", file.toString());
        assertThat(again.code()).isEqualTo(ExitCodes.FAILED);
        assertThat(again.err()).contains("is there already").hasLineCount(1);
    }

    @Test
    void keysAreForTheirOwnersOnly() throws IOException {
        certs("authority", "--out", text(""));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("authority-key.pem"))))
                .isEqualTo("rw-------");
    }

    @Test
    void replacesNothingUnlessForced() throws IOException {
        certs("authority", "--out", text(""));
        String before = Files.readString(directory.resolve("authority.pem"));
        Run again = certs("authority", "--out", text(""));
        assertThat(again.code()).isEqualTo(ExitCodes.FAILED);
        assertThat(again.err()).contains("authority.pem", "is there already").hasLineCount(1);
        assertThat(directory.resolve("authority.pem")).hasContent(before);
        assertThat(certs("authority", "--out", text(""), "--force").code()).isEqualTo(ExitCodes.DONE);
        assertThat(Files.readString(directory.resolve("authority.pem"))).isNotEqualTo(before);
    }

    @Test
    void showsWhoseACertificateIs() {
        certs("authority", "--out", text(""));
        certs("node", "--authority", text(""), "--out", text(""), "ann");
        assertThat(certs("show", text("ann.pem")).out()).contains("subject", "CN=ann", "CN=authority");
    }

    @Test
    void saysWhatIsMissingOrWrong() throws IOException {
        assertThat(certs("node", "--authority", text(""), "ann").err())
                .startsWith("tutti: " + text("authority-key.pem") + " is not there; make it with: tutti certs authority");
        assertThat(certs("authority", "../x").err()).startsWith("tutti: '../x' is no name for a certificate");
        assertThat(certs("authority", "--days", "0").err()).startsWith("tutti: validity of 0 days, 1 to 36500");
        Path garbage = Files.writeString(directory.resolve("garbage"), "-----BEGIN CERTIFICATE-----\nx\n");
        assertThat(certs("show", garbage.toString()).err()).startsWith("tutti: " + garbage + ": ").hasLineCount(1);
        assertThat(certs("show", text("missing")).err()).isEqualTo("tutti: NoSuchFile: " + text("missing") + "\n");
    }

    /** Asserts that a node of the builder receives the messages of a chat with the options. */
    private static void assertMeet(NodeBuilder builder, String... options) throws InterruptedException {
        BlockingQueue<String> received = new LinkedBlockingQueue<>();
        CountDownLatch hasMet = new CountDownLatch(1);
        try (Node ann = builder.start()) {
            ann.group("chat")
                    .onMessage(message -> received.add(message.text()))
                    .onView(view -> {
                        if (view.size() == 2) {
                            hasMet.countDown();
                        }
                    })
                    .join();
            String[] common = {"chat", "--port", "0", "--seed", ann.address(), "-D", "transport.connect-timeout=30s"};
            String[] all = Stream.of(common, options).flatMap(Stream::of).toArray(String[]::new);
            Run bob = Run.readingAfter(hasMet, "hello", all);
            assertThat(bob.err()).isEmpty();
            assertThat(bob.code()).isEqualTo(ExitCodes.DONE);
            assertThat(received.poll(60, TimeUnit.SECONDS)).isEqualTo("hello");
        }
    }

    private static Run certs(String... arguments) {
        String[] all = new String[arguments.length + 1];
        all[0] = "certs";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        return Run.of(all);
    }

    private String text(String name) {
        return directory.resolve(name).toString();
    }
}
