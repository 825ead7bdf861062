package dev.tutti.internal.diagnostics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.internal.Json;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class DiagnosticsTest {

    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Map<String, Object> STATUS = Map.of("node", Map.of("name", "a"));
    private static final Map<String, Function<String, Map<String, ?>>> ANSWERS =
            Map.of("status", argument -> argument.isEmpty() ? STATUS : Map.of("argument", argument));

    private Path temporary;
    private DiagnosticsDirectory directory;

    @BeforeEach
    void makeDirectory() throws IOException {
        // Not the test directory of JUnit: the path of a socket is short.
        temporary = Files.createTempDirectory("tt");
        directory = new DiagnosticsDirectory(temporary.resolve("d"));
    }

    @AfterEach
    void removeDirectory() throws IOException {
        try (var files = Files.walk(temporary)) {
            for (Path file : files.sorted((left, right) -> right.compareTo(left)).toList()) {
                Files.delete(file);
            }
        }
    }

    @Test
    void answersWithTheStatus() throws IOException {
        try (Diagnostics diagnostics = Diagnostics.open(directory, 7800, ANSWERS)) {
            for (int repetition = 0; repetition < 3; repetition++) {
                assertThat(Json.parse(Diagnostics.ask(diagnostics.socket(), "status", LONG))).isEqualTo(STATUS);
            }
        }
    }

    @Test
    void answersAtLength() throws IOException {
        Map<String, Object> status = Map.of("text", "x".repeat(3_000_000));
        try (Diagnostics diagnostics = Diagnostics.open(directory, 7800, Map.of("status", argument -> status))) {
            assertThat(Json.parse(Diagnostics.ask(diagnostics.socket(), "status", LONG))).isEqualTo(status);
        }
    }

    @Test
    void isListedWhileItIsOpen() throws IOException {
        assertThat(directory.entries()).isEmpty();
        long pid = ProcessHandle.current().pid();
        try (Diagnostics second = Diagnostics.open(directory, 7801, ANSWERS);
                Diagnostics first = Diagnostics.open(directory, 7800, ANSWERS)) {
            assertThat(directory.entries())
                    .containsExactly(
                            new DiagnosticsDirectory.Entry(pid, 7800, first.socket()),
                            new DiagnosticsDirectory.Entry(pid, 7801, second.socket()));
        }
        assertThat(directory.entries()).isEmpty();
        assertThat(directory.path()).isEmptyDirectory();
    }

    @Test
    void removesSocketsOfTheDead() throws IOException {
        Path dead = socketOfTheDead();
        Files.setLastModifiedTime(dead, FileTime.from(Instant.now().minusMillis(DiagnosticsDirectory.DEAD_AGE_MILLIS)));
        assertThat(directory.entries()).isEmpty();
        assertThat(dead).doesNotExist();
    }

    /** A node that is just starting has bound its socket and does not listen yet; so has one that takes the place of a namesake. */
    @Test
    void leavesAYoungSocketToItsNode() throws IOException {
        Path young = socketOfTheDead();
        assertThat(directory.entries()).isEmpty();
        assertThat(young).exists();
    }

    private Path socketOfTheDead() throws IOException {
        Path dead = directory.socket(1, 9);
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(dead));
        server.close();
        assertThat(dead).exists();
        return dead;
    }

    /** A stopped process takes no connection: the backlog is full after a few. */
    @Test
    @Timeout(60)
    void aNodeThatTakesNoConnectionIsListedAndHoldsNobodyUp() throws IOException {
        Path socket = directory.socket(1, 1);
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(socket), 2);
            for (int look = 0; look < 10; look++) {
                assertThat(directory.entries()).hasSize(1);
            }
            assertThatThrownBy(() -> Diagnostics.ask(socket, "status", Duration.ofMillis(50)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContainingAll(socket.toString(), "takes no connection");
        }
    }

    @Test
    void takesThePlaceOfADeadNamesake() throws IOException {
        Diagnostics.open(directory, 7800, ANSWERS).close();
        Files.createFile(directory.socket(ProcessHandle.current().pid(), 7800));
        try (Diagnostics diagnostics = Diagnostics.open(directory, 7800, ANSWERS)) {
            assertThat(Diagnostics.ask(diagnostics.socket(), "status", LONG)).contains("node");
        }
    }

    @Test
    void keepsItsDirectoryPrivate() throws IOException {
        try (Diagnostics diagnostics = Diagnostics.open(directory, 7800, ANSWERS)) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.path())))
                    .isEqualTo("rwx------");
            assertThat(diagnostics.socket()).hasParent(directory.path());
        }
        Files.setPosixFilePermissions(directory.path(), PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThatThrownBy(() -> Diagnostics.open(directory, 7800, ANSWERS))
                .isInstanceOf(IOException.class)
                .hasMessage(directory.path() + " is open to others (rwxr-xr-x); chmod 700 it, or remove it");
    }

    private DiagnosticsDirectory ofSomebodyElse() throws IOException {
        UserPrincipal somebody = FileSystems.getDefault().getUserPrincipalLookupService().lookupPrincipalByName("4711");
        return new DiagnosticsDirectory(directory.path(), somebody);
    }

    @Test
    void neitherServesNorAsksInADirectoryOfSomebodyElse() throws IOException {
        try (Diagnostics diagnostics = Diagnostics.open(directory, 7800, ANSWERS)) {
            DiagnosticsDirectory foreign = ofSomebodyElse();
            assertThatThrownBy(() -> Diagnostics.open(foreign, 7801, ANSWERS))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("belongs to " + Files.getOwner(directory.path()).getName() + " and not to 4711");
            assertThatThrownBy(foreign::entries)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("could read and forge answers");
            assertThat(directory.entries()).extracting(DiagnosticsDirectory.Entry::socket).containsExactly(diagnostics.socket());
        }
    }

    @Test
    void doesNotAskInADirectoryThatOthersMayEnter() throws IOException {
        try (Diagnostics diagnostics = Diagnostics.open(directory, 7800, ANSWERS)) {
            Files.setPosixFilePermissions(directory.path(), PosixFilePermissions.fromString("rwxrwxrwx"));
            assertThatThrownBy(directory::entries).hasMessageContaining("is open to others (rwxrwxrwx)");
            Files.delete(diagnostics.socket());
            Files.delete(directory.path());
            Files.createSymbolicLink(directory.path(), Files.createDirectory(temporary.resolve("elsewhere")));
            assertThatThrownBy(directory::entries).hasMessageContaining("is not a directory");
        }
    }

    @Test
    void refusesADirectoryThatIsALink() throws IOException {
        Files.createSymbolicLink(directory.path(), Files.createDirectory(temporary.resolve("elsewhere")));
        assertThatThrownBy(() -> Diagnostics.open(directory, 7800, ANSWERS))
                .hasMessage(directory.path() + " is not a directory; remove it");
    }

    @Test
    void saysThatThePathIsTooLong() {
        DiagnosticsDirectory deep = new DiagnosticsDirectory(temporary.resolve("x".repeat(100)));
        assertThatThrownBy(() -> Diagnostics.open(deep, 7800, ANSWERS))
                .isInstanceOf(IOException.class)
                .hasMessageEndingWith("a socket's path may have 103; use a shorter java.io.tmpdir");
    }

    @Test
    void answersTheNextClientWhateverTheOneBeforeDoes() throws IOException {
        Duration deadline = Duration.ofMillis(50);
        try (Diagnostics diagnostics = Diagnostics.open(directory, 7800, ANSWERS, deadline);
                SocketChannel silent = connect(diagnostics);
                SocketChannel talker = connect(diagnostics)) {
            connect(diagnostics).close();
            talker.write(ByteBuffer.wrap("x".repeat(10 * Diagnostics.REQUEST_BYTES_MAX).getBytes(StandardCharsets.UTF_8)));
            assertThat(Diagnostics.ask(diagnostics.socket(), "status", LONG)).contains("node");
            assertThat(silent.read(ByteBuffer.allocate(1))).as("closed at its deadline").isEqualTo(-1);
        }
    }

    @Test
    @Timeout(20)
    void answerThatDoesNotReturnIsAnErrorAndHoldsUpNoOtherQuestion() throws IOException {
        CountDownLatch release = new CountDownLatch(1);
        Map<String, Function<String, Map<String, ?>>> answers = new ConcurrentHashMap<>(ANSWERS);
        answers.put("stuck", argument -> {
            awaitQuietly(release);
            return Map.of("text", "late");
        });
        try (Diagnostics diagnostics = Diagnostics.open(directory, 7800, answers, Duration.ofMillis(50))) {
            assertThat(Diagnostics.ask(diagnostics.socket(), "stuck", LONG)).contains("error", "'stuck' has not returned within 100 ms");
            assertThat(Diagnostics.ask(diagnostics.socket(), "status", LONG)).contains("node");
            assertThat(Diagnostics.ask(diagnostics.socket(), "stuck", LONG)).contains("error", "'stuck' has not returned yet");
            release.countDown();
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void givesWhatFollowsTheQuestionToItsAnswer() throws IOException {
        try (Diagnostics diagnostics = Diagnostics.open(directory, 7800, ANSWERS)) {
            assertThat(Json.parse(Diagnostics.ask(diagnostics.socket(), "status  12 ", LONG))).isEqualTo(Map.of("argument", "12"));
        }
    }

    @Test
    void namesTheQuestionsThatThereAre() throws IOException {
        try (Diagnostics diagnostics = Diagnostics.open(directory, 7800, ANSWERS)) {
            assertThat(Json.parse(Diagnostics.ask(diagnostics.socket(), "stop", LONG)))
                    .isEqualTo(Map.of("error", "there is no question 'stop', only status"));
        }
    }

    @Test
    void tellsThatTheStatusFailed() throws IOException {
        try (Diagnostics diagnostics = Diagnostics.open(directory, 7800, Map.of("status", argument -> {
            throw new IllegalStateException("the node is closed");
        }))) {
            assertThat(Json.parse(Diagnostics.ask(diagnostics.socket(), "status", LONG)))
                    .isEqualTo(Map.of("error", "the node is closed"));
        }
    }

    @Test
    void answersTheNextQuestionAfterAnErrorOfAnAnswer() throws IOException {
        AtomicInteger asked = new AtomicInteger();
        try (Diagnostics diagnostics = Diagnostics.open(directory, 7800, Map.of("status", argument -> {
            if (asked.getAndIncrement() == 0) {
                throw new AssertionError("by the test");
            }
            return Map.of("fine", true);
        }))) {
            assertThat(Json.parse(Diagnostics.ask(diagnostics.socket(), "status", LONG)))
                    .isEqualTo(Map.of("error", "java.lang.AssertionError: by the test"));
            assertThat(Json.parse(Diagnostics.ask(diagnostics.socket(), "status", LONG))).isEqualTo(Map.of("fine", true));
        }
    }

    @Test
    void givesUpOnANodeThatDoesNotAnswer() throws IOException {
        Path socket = directory.socket(1, 1);
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(socket));
            assertThatThrownBy(() -> Diagnostics.ask(socket, "status", Duration.ofMillis(50)))
                    .isInstanceOf(IOException.class)
                    .hasMessage(socket + " has not answered within 50 ms");
        }
    }

    private static SocketChannel connect(Diagnostics diagnostics) throws IOException {
        return SocketChannel.open(UnixDomainSocketAddress.of(diagnostics.socket()));
    }
}
