package dev.tutti.jetty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ObjectStreamException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class AttributeCodecTest {

    private final Counters counters = new Counters();
    private final AttributeCodec codec = new AttributeCodec("dev.tutti.jetty.*", counters);

    /** A class whose code misbehaves. */
    static final class Hostile implements Serializable {
        private static final long serialVersionUID = 1L;
        private final boolean isWrittenWell;

        Hostile(boolean isWrittenWell) {
            this.isWrittenWell = isWrittenWell;
        }

        private Object writeReplace() throws ObjectStreamException {
            if (!isWrittenWell) {
                throw new ConcurrentModificationException("as a collection that a thread is changing");
            }
            return this;
        }

        private Object readResolve() throws ObjectStreamException {
            throw new LinkageError("it can't be read");
        }
    }

    @Test
    void whatIsWrittenIsReadAgain() {
        byte[] bytes = codec.encode("x", new ArrayList<>(List.of("book", 1L)));
        assertThat(codec.decode("x", bytes)).isEqualTo(List.of("book", 1L));
    }

    @Test
    void bytesOfAnybodyAreReadOrNotButNeverThrow() {
        byte[] valid = codec.encode("x", new ArrayList<>(List.of("book", 1L)));
        Random random = new Random(1);
        for (int round = 0; round < 5_000; round++) {
            byte[] bytes = Arrays.copyOf(valid, random.nextInt(valid.length + 1));
            for (int change = random.nextInt(4); change > 0 && bytes.length > 0; change--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            codec.decode("x", bytes);
        }
        assertThat(codec.decode("x", new byte[0])).isNull();
        assertThat(counters.notDecoded.sum()).isGreaterThan(1_000);
    }

    @Test
    void whateverTheClassesOfTheApplicationThrowIsCaughtAndCounted() {
        codec.check("x", new Hostile(false));
        assertThat(codec.encode("x", new Hostile(false))).isNull();
        assertThat(counters.notEncoded.sum()).isEqualTo(1);
        byte[] bytes = codec.encode("x", new Hostile(true));
        assertThat(bytes).isNotNull();
        assertThat(codec.decode("x", bytes)).isNull();
        assertThat(counters.notDecoded.sum()).isEqualTo(1);
    }

    @Test
    void valuesThatJettyItselfSetsAreNotRefused() {
        codec.check("org.eclipse.jetty.security.form_POST", new Object());
        assertThatThrownBy(() -> codec.check("form", new Object()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("session attribute 'form' of java.lang.Object can't be replicated: class java.lang.Object does not implement java.io.Serializable");
    }
}
