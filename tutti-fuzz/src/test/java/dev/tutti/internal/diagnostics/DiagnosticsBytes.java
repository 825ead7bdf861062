package dev.tutti.internal.diagnostics;

import dev.tutti.internal.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;

/** Opens the socket of {@code tutti view} to the fuzzer. */
public final class DiagnosticsBytes {

    private static final int ANSWER_BYTES_MAX = 4_096;

    private final Diagnostics diagnostics;

    /** Serves a node that does not exist, for as long as this process lives. */
    public DiagnosticsBytes() {
        try {
            DiagnosticsDirectory directory = new DiagnosticsDirectory(Files.createTempDirectory("tutti-fuzz"));
            diagnostics = Diagnostics.open(directory, 1, Map.of("status", argument -> Map.of("name", "fuzz")));
            diagnostics.socket().toFile().deleteOnExit();
            directory.path().toFile().deleteOnExit();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends {@code input} and nothing more; returns the answer. */
    public String ask(byte[] input) throws IOException {
        ByteBuffer answer = ByteBuffer.allocate(ANSWER_BYTES_MAX);
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(diagnostics.socket()));
            try {
                ByteBuffer question = ByteBuffer.wrap(input);
                while (question.hasRemaining()) {
                    channel.write(question);
                }
                channel.shutdownOutput();
                while (channel.read(answer) >= 0) {
                    // Reads up to the end.
                }
            } catch (IOException e) {
                // The server had read enough and has closed.
                return "closed";
            }
        }
        String text = new String(answer.array(), 0, answer.position(), StandardCharsets.UTF_8);
        if (text.isEmpty()) {
            return "closed";
        }
        return Json.parse(text) instanceof Map<?, ?> map && map.containsKey("error") ? "error" : "status";
    }

    public static List<byte[]> questions() {
        return List.of(bytes("status\n"), bytes("stop\n"), bytes("status"), bytes("x".repeat(100)), bytes("status\nstatus\n"));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
