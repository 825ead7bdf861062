package dev.tutti.spring.serial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.MalformedException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ObjectBytesTest {

    private record Cart(List<String> articles) implements Serializable {
        Cart {
            if (articles.contains("forbidden")) {
                throw new IllegalStateException("forbidden");
            }
        }
    }

    private final ObjectBytes values = new ObjectBytes(List.of());
    private final ObjectBytes shop = new ObjectBytes(List.of("dev.tutti.spring.serial.*"));

    @Test
    void allowedClassesComeBack() {
        assertThat(shop.decode(shop.encode(new Cart(List.of("tea"))))).isEqualTo(new Cart(List.of("tea")));
        assertThat(values.decode(values.encode(new IllegalStateException("text")))).hasToString("java.lang.IllegalStateException: text");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> values.encode(new Cart(List.of())))
                .withMessageContaining("ObjectBytesTest$Cart is not allowed; add it, or its package as in com.shop.*, to tutti.spring.allowed-classes");
        assertThatIllegalStateException()
                .isThrownBy(() -> values.decode(shop.encode(new Cart(List.of()))))
                .withMessageContaining("see tutti.spring.allowed-classes");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ObjectBytes(List.of("*")))
                .withMessageStartingWith("tutti.spring.allowed-classes: '*' is neither a class");
    }

    @Test
    void collectionsThatWouldBeHashedForEverAreRefused() {
        Set<Object> shared = new HashSet<>();
        Set<Object> other = new HashSet<>();
        // Few enough to be hashed while they are made, and more than bytes are worth.
        for (int depth = 0; depth < 14; depth++) {
            shared = new HashSet<>(Arrays.asList(shared, other, depth));
            other = new HashSet<>(Arrays.asList(shared, other));
        }
        byte[] bytes = values.encode(shared);
        assertThatIllegalStateException().isThrownBy(() -> values.decode(bytes)).withMessageContaining("to hash");
    }

    @Test
    void arraysThatTheBytesCannotFillAreRefused() {
        byte[] bytes = values.encode(new long[2]);
        bytes[bytes.length - 2 * Long.BYTES - Integer.BYTES] = 0x05;
        assertThatIllegalStateException().isThrownBy(() -> values.decode(bytes)).withMessageContaining("REJECTED");
    }

    /** A member whose codec throws anything else would leave the group. */
    @Test
    void bytesThatAClassRefusesAreMalformed() {
        byte[] bytes = shop.encode(new Cart(new ArrayList<>(List.of("forbiddem"))));
        for (int at = 0; at < bytes.length - 9; at++) {
            if (new String(bytes, at, 9, java.nio.charset.StandardCharsets.ISO_8859_1).equals("forbiddem")) {
                bytes[at + 8] = 'n';
            }
        }
        ByteOutput out = new ByteOutput().putBytes(bytes);
        assertThatThrownBy(() -> shop.codec().take(new ByteInput(out.copy())))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("forbidden");
    }
}
