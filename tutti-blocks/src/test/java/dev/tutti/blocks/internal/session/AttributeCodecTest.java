package dev.tutti.blocks.internal.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.blocks.internal.session.AttributeCodec.ContainerValues;
import java.io.ObjectStreamException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class AttributeCodecTest {

    private static final ContainerValues CONTAINER = new ContainerValues("container.", List.of());

    private final SessionCounters counters = new SessionCounters();
    private final AttributeCodec codec = new AttributeCodec("dev.tutti.blocks.internal.session.*", CONTAINER, counters);

    private Object decode(byte[] bytes) {
        return codec.decode("x", bytes, AttributeCodecTest.class.getClassLoader());
    }

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
        assertThat(decode(bytes)).isEqualTo(List.of("book", 1L));
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
            decode(bytes);
        }
        assertThat(decode(new byte[0])).isNull();
        assertThat(counters.notDecoded.sum()).isGreaterThan(1_000);
    }

    @Test
    void whateverTheClassesOfTheApplicationThrowIsCaughtAndCounted() {
        codec.check("x", new Hostile(false));
        assertThat(codec.encode("x", new Hostile(false))).isNull();
        assertThat(counters.notEncoded.sum()).isEqualTo(1);
        byte[] bytes = codec.encode("x", new Hostile(true));
        assertThat(bytes).isNotNull();
        assertThat(decode(bytes)).isNull();
        assertThat(counters.notDecoded.sum()).isEqualTo(1);
    }

    @Test
    void valuesThatTheContainerItselfSetsAreNotRefused() {
        codec.check("container.form", new Object());
        assertThatThrownBy(() -> codec.check("form", new Object()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("session attribute 'form' of java.lang.Object can't be replicated: class java.lang.Object does not implement java.io.Serializable");
    }
}
