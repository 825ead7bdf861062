package dev.tutti.blocks.internal.content;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.blocks.codec.Codec;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Values of the application as people read them. */
class ShownValueTest {

    record Cart(String owner, List<String> items) {}

    /** A value without a text of its own. */
    private static final class Opaque {}

    private static final Codec<Opaque> OPAQUE_TEXT = Codec.of(in -> new Opaque(), (value, out) -> out.putByte('h').putByte('i'));
    private static final Codec<Opaque> OPAQUE_BYTES = Codec.of(in -> new Opaque(), (value, out) -> out.putByte(0).putByte(0xff));
    private static final Codec<Opaque> FAILING = Codec.of(in -> new Opaque(), (value, out) -> {
        throw new IllegalStateException("on purpose");
    });

    @Test
    void aValueWithATextOfItsOwnShowsIt() {
        Cart cart = new Cart("ann", List.of("violin"));
        assertThat(ShownValue.of(cart, Codec.of(Cart.class)).text()).isEqualTo("Cart[owner=ann, items=[violin]]");
        assertThat(ShownValue.of(42, Codec.INT)).isEqualTo(new ShownValue("42", "4 bytes"));
        assertThat(ShownValue.of("x".repeat(1_000), Codec.TEXT).text()).hasSize(ShownValue.TEXT_MAX + 1).endsWith("…");
    }

    @Test
    void otherValuesAreTheTextOfTheirBytesOrTheirFirstBytes() {
        assertThat(ShownValue.of(new Opaque(), OPAQUE_TEXT)).isEqualTo(new ShownValue("hi", "2 bytes"));
        assertThat(ShownValue.of(new Opaque(), OPAQUE_BYTES)).isEqualTo(new ShownValue("00ff", "2 bytes"));
        assertThat(ShownValue.of("grüß\n".getBytes(StandardCharsets.UTF_8), Codec.BYTES)).isEqualTo(new ShownValue("grüß\n", "7 bytes"));
        byte[] noise = new byte[1_000];
        noise[7] = 1;
        assertThat(ShownValue.of(noise, Codec.BYTES).text()).isEqualTo("0000000000000001" + "00".repeat(24) + "…");
    }

    @Test
    void largeValuesAreEncodedToABoundAndFailuresAreTold() {
        assertThat(ShownValue.of("x".repeat(100_000), Codec.TEXT).size()).isEqualTo("more than 64 KiB");
        assertThat(ShownValue.of(new Opaque(), FAILING).text()).contains("can't be shown", "on purpose");
    }
}
