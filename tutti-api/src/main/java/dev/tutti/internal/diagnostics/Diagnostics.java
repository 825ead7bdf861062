package dev.tutti.internal.diagnostics;

import dev.tutti.core.NodeId;
import dev.tutti.internal.Fence;
import dev.tutti.internal.Json;
import dev.tutti.internal.LocalSocket;
import dev.tutti.internal.Logs;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Answers questions about a node on this machine, to its own user, read-only. A client connects to the node's socket in
 * the {@link DiagnosticsDirectory}, sends a question ({@code status}, {@code events 17}) and a line feed, and gets one
 * JSON document up to the end of the connection. Clients are served one after another, with one deadline each for
 * reading the question, for the answer, and for writing it. An answer that has not returned at its deadline is left to
 * its own thread; until it returns, the same question is answered with an error at once.
 */
public final class Diagnostics implements AutoCloseable {

    static final int REQUEST_BYTES_MAX = 1_024;
    static final int ANSWER_BYTES_MAX = 64 * 1024 * 1024;

    /** Number of clients that may wait for their turn; the system refuses further ones. */
    static final int BACKLOG = 16;

    private static final Logger LOG = Logs.of(Diagnostics.class);

    private final ServerSocketChannel server;
    private final Path socket;
    private final Map<String, ? extends Function<String, ? extends Map<String, ?>>> answers;
    private final long deadlineNanos;
    private final Thread thread;

    /** Questions whose answer has been called and has not returned. */
    private final Set<String> beingAnswered = ConcurrentHashMap.newKeySet();

    private Diagnostics(
            ServerSocketChannel server,
            Path socket,
            Map<String, ? extends Function<String, ? extends Map<String, ?>>> answers,
            Duration deadline) {
        this.server = server;
        this.socket = socket;
        this.answers = answers;
        this.deadlineNanos = deadline.toNanos();
        this.thread = Thread.ofVirtual().name("tutti-diagnostics").unstarted(this::serve);
    }

    /**
     * Opens the diagnostics of a node; returns null if they can't be opened, which is logged: the node works without them.
     *
     * @param answers answers by the first word of a question, as for {@link #open}
     */
    public static @Nullable Diagnostics ofNode(
            DiagnosticsDirectory directory,
            NodeId node,
            Map<String, ? extends Function<String, ? extends Map<String, ?>>> answers) {
        int port = Integer.parseInt(node.address().substring(node.address().lastIndexOf(':') + 1));
        try {
            return open(directory, port, answers);
        } catch (IOException e) {
            LOG.warn("node {} can't be asked by 'tutti view': {}", node.name(), e.getMessage());
            return null;
        }
    }

    /**
     * @param port port of the node, to distinguish the nodes of one process
     * @param answers answers by the first word of a question, given the text after it; called on a virtual thread. May
     *     grow.
     * @throws IOException if the directory is not private or the socket can't be bound
     */
    public static Diagnostics open(
            DiagnosticsDirectory directory,
            int port,
            Map<String, ? extends Function<String, ? extends Map<String, ?>>> answers)
            throws IOException {
        return open(directory, port, answers, Duration.ofSeconds(2));
    }

    static Diagnostics open(
            DiagnosticsDirectory directory,
            int port,
            Map<String, ? extends Function<String, ? extends Map<String, ?>>> answers,
            Duration deadline)
            throws IOException {
        Path socket = directory.socket(ProcessHandle.current().pid(), port);
        // An earlier process with this number may have crashed and left its socket.
        Files.deleteIfExists(socket);
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            server.bind(UnixDomainSocketAddress.of(socket), BACKLOG);
        } catch (IOException e) {
            server.close();
            throw e;
        }
        Diagnostics diagnostics = new Diagnostics(server, socket, answers, deadline);
        diagnostics.thread.start();
        return diagnostics;
    }

    public Path socket() {
        return socket;
    }

    /**
     * Asks a node.
     *
     * @throws IOException if it does not answer within {@code timeout}
     */
    public static String ask(Path socket, String question, Duration timeout) throws IOException {
        return LocalSocket.ask(socket, question, ANSWER_BYTES_MAX, timeout);
    }

    private void serve() {
        while (server.isOpen()) {
            try (SocketChannel client = server.accept()) {
                answer(client);
            } catch (ClosedChannelException e) {
                LOG.debug("{} is closed", socket);
            } catch (IOException e) {
                LOG.debug("a client of {} was not answered: {}", socket, e.getMessage());
            }
        }
    }

    private void answer(SocketChannel client) throws IOException {
        long deadline = System.nanoTime() + deadlineNanos;
        client.configureBlocking(false);
        try (Selector selector = Selector.open()) {
            SelectionKey key = client.register(selector, SelectionKey.OP_READ);
            ByteBuffer request = ByteBuffer.allocate(REQUEST_BYTES_MAX);
            int length = -1;
            while (length < 0 && request.hasRemaining()) {
                LocalSocket.await(selector, deadline);
                if (client.read(request) < 0) {
                    return;
                }
                length = lineLength(request);
            }
            String question = new String(request.array(), 0, Math.max(length, 0), StandardCharsets.UTF_8);
            key.interestOps(SelectionKey.OP_WRITE);
            byte[] answer = (answer(question) + "\n").getBytes(StandardCharsets.UTF_8);
            LocalSocket.write(client, key, ByteBuffer.wrap(answer), System.nanoTime() + deadlineNanos);
        }
    }

    private String answer(String question) {
        int space = question.indexOf(' ');
        String word = space < 0 ? question : question.substring(0, space);
        Function<String, ? extends Map<String, ?>> answer = answers.get(word);
        if (answer == null) {
            return error("there is no question '" + word + "', only " + String.join(", ", answers.keySet()));
        }
        if (!beingAnswered.add(word)) {
            return error("'" + word + "' has not returned yet for somebody who asked before");
        }
        CompletableFuture<String> document = new CompletableFuture<>();
        Thread.ofVirtual().name("tutti-answer-" + word).start(() -> {
            String text;
            try {
                text = document(answer, question, space < 0 ? "" : question.substring(space + 1).strip());
            } finally {
                beingAnswered.remove(word);
            }
            document.complete(text);
        });
        String late = "'" + word + "' has not returned within " + 2 * deadlineNanos / 1_000_000 + " ms";
        return document.completeOnTimeout(error(late), 2 * deadlineNanos, TimeUnit.NANOSECONDS).join();
    }

    private String document(Function<String, ? extends Map<String, ?>> answer, String question, String argument) {
        StringBuilder document = new StringBuilder();
        Throwable thrown = FENCE.attempt(() -> document.append(Json.write(answer.apply(argument))));
        if (thrown == null) {
            return document.toString();
        }
        LOG.warn("'{}' can't be answered by the node behind {}", question, socket, thrown);
        return error(thrown instanceof Error ? thrown.toString() : String.valueOf(thrown.getMessage()));
    }

    private static String error(String text) {
        return Json.write(Map.of("error", text));
    }

    private static final Fence FENCE = Fence.of((callback, argument, thrown) -> {});

    private static int lineLength(ByteBuffer request) {
        for (int index = 0; index < request.position(); index++) {
            if (request.get(index) == '\n') {
                return index;
            }
        }
        return -1;
    }

    /** Stops answering and removes the socket. Idempotent. */
    @Override
    public void close() {
        try {
            server.close();
            Files.deleteIfExists(socket);
        } catch (IOException e) {
            LOG.warn("{} can't be removed: {}", socket, e.getMessage());
        }
    }
}
