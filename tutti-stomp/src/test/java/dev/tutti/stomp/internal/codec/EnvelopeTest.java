package dev.tutti.stomp.internal.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class EnvelopeTest {

    private static final Envelope.Publish PUBLISH = new Envelope.Publish(7, true, List.of(
            new Content(destination("/a/b"), Headers.of("k", "v"), "x".getBytes(StandardCharsets.UTF_8)),
            new Content(destination("/ä"), new Headers(), new byte[0])));

    private static Destination destination(String text) {
        try {
            return Destination.exact(text);
        } catch (FrameException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void keepsItsFormat() {
        assertThat(HexFormat.of().formatHex(Envelope.encode(PUBLISH)))
                .isEqualTo("0101" + "01" + "0000000000000007" + "0002"
                        + "0004" + "2f612f62" + "0001" + "0001" + "6b" + "0001" + "76" + "00000001" + "78"
                        + "0003" + "2fc3a4" + "0000" + "00000000");
        assertThat(HexFormat.of().formatHex(Envelope.encode(new Envelope.Confirm(258)))).isEqualTo("01020000000000000102");
        assertThat(HexFormat.of().formatHex(Envelope.encode(new Envelope.Endpoints("ab")))).isEqualTo("010300026162");
    }

    @Test
    void readsWhatItWrites() throws FrameException {
        assertThat(Envelope.decode(Envelope.encode(PUBLISH))).usingRecursiveComparison().isEqualTo(PUBLISH);
        assertThat(Envelope.decode(Envelope.encode(new Envelope.Confirm(-1)))).isEqualTo(new Envelope.Confirm(-1));
        assertThat(Envelope.decode(Envelope.encode(new Envelope.Endpoints("")))).isEqualTo(new Envelope.Endpoints(""));
    }

    @Test
    void refusesEveryBeginningOfOneAndWhatFollowsIt() {
        byte[] whole = Envelope.encode(PUBLISH);
        for (int length = 0; length < whole.length; length++) {
            byte[] part = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> Envelope.decode(part)).as("%d bytes", length).isInstanceOf(FrameException.class);
        }
        assertThatThrownBy(() -> Envelope.decode(Arrays.copyOf(whole, whole.length + 1)))
                .isInstanceOf(FrameException.class);
        whole[0] = 2;
        assertThatThrownBy(() -> Envelope.decode(whole)).hasMessageContaining("format 2");
    }
}
