package dev.tutti.stomp.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FramesTest {

    private static Frame read(String text) throws IOException {
        return read(text.getBytes(StandardCharsets.UTF_8));
    }

    private static Frame read(byte[] bytes) throws IOException {
        return Frames.read(new ByteArrayInputStream(bytes), 100);
    }

    @Test
    void aFrameIsReadAsItWasWritten() throws IOException {
        Map<String, String> headers = Map.of("a:b", "c\nd\r\\e:", "ü", "");
        byte[] body = {0, 1, 0, '\n'};
        Frame frame = read(Frames.encode("SEND", headers, body));
        assertThat(frame.command()).isEqualTo("SEND");
        assertThat(frame.headers()).containsAllEntriesOf(headers).containsEntry("content-length", "4");
        assertThat(frame.body()).isEqualTo(body);
        assertThat(frame.isSkipped()).isFalse();
    }

    @Test
    void headersOfAConnectionAreNotEscaped() throws IOException {
        assertThat(new String(Frames.encode("CONNECT", Map.of("passcode", "a:b"), new byte[0]), StandardCharsets.UTF_8)).isEqualTo("CONNECT\npasscode:a:b\n\n\0");
        assertThat(read("CONNECTED\nendpoints:stomp://a:1\\n\n\n\0").header("endpoints")).isEqualTo("stomp://a:1\\n");
    }

    @Test
    void heartBeatsAndCarriageReturnsAreSkipped() throws IOException {
        Frame frame = read("\n\r\n\nMESSAGE\r\na:1\r\na:2\r\n\r\nbody\0");
        assertThat(frame.header("a")).isEqualTo("1");
        assertThat(frame.body()).asString().isEqualTo("body");
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "", "MESS", "MESSAGE\na:1\n", "MESSAGE\n\nbody", "MESSAGE\nnothing\n\n\0", "MESSAGE\na:\\t\n\n\0", "MESSAGE\na:\\", "MESSAGE\ncontent-length:x\n\n\0",
        "MESSAGE\ncontent-length:3\n\nab", "MESSAGE\ncontent-length:1\n\nab\0", "MESSAGE\ncontent-length:9999999999\n\nab\0",
    })
    void hostileBytesEndTheConnection(String text) {
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> read(text));
    }

    @Test
    void anEndlessHeadEndsTheConnection() {
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> read("MESSAGE\n" + "a:b\n".repeat(100_000)));
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> read("M".repeat(100_000)));
    }

    @Test
    void anyBytesAreAFrameOrAnIOException() {
        Random random = new Random(1);
        for (int round = 0; round < 20_000; round++) {
            byte[] bytes = Frames.encode("MESSAGE", Map.of("content-length", "3", "b", "c:d"), new byte[] {1, 2, 3});
            for (int i = 0; i < 1 + round % 4; i++) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            }
            try {
                assertThat(read(bytes).command()).isNotNull();
            } catch (IOException e) {
                assertThat(e).hasMessageContaining("the server");
            }
        }
    }
}
