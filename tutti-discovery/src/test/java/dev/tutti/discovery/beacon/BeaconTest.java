package dev.tutti.discovery.beacon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BeaconTest {

    private static final Beacon QUESTION = new Beacon(true, 42, "shöp", "10.0.0.1:7800");

    @Test
    void isReadAsItWasWritten() {
        Beacon answer = new Beacon(false, -1, "", "[fd01::2]:1");
        assertThat(Beacon.decode(QUESTION.encode())).isEqualTo(QUESTION);
        assertThat(Beacon.decode(answer.encode())).isEqualTo(answer);
    }

    @Test
    void partsAndMoreThanOneAreNone() {
        byte[] bytes = new byte[QUESTION.encode().remaining()];
        QUESTION.encode().get(bytes);
        for (int length = 0; length < bytes.length; length++) {
            assertThat(Beacon.decode(ByteBuffer.wrap(bytes, 0, length))).as("first %s bytes", length).isNull();
        }
        ByteBuffer longer = ByteBuffer.allocate(bytes.length + 1).put(bytes).put((byte) 0).flip();
        assertThat(Beacon.decode(longer)).isNull();
    }

    @Test
    void anyBytesAreReadWithoutAnException() {
        Random random = new Random(1);
        byte[] valid = new byte[QUESTION.encode().remaining()];
        QUESTION.encode().get(valid);
        for (int round = 0; round < 20_000; round++) {
            byte[] bytes = valid.clone();
            for (int flips = random.nextInt(8); flips >= 0; flips--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            Beacon read = Beacon.decode(ByteBuffer.wrap(bytes));
            assertThat(read == null || read.cluster().length() <= 255).isTrue();
        }
    }

    @Test
    void textsThatAreTooLongAreRefused() {
        assertThatThrownBy(() -> new Beacon(true, 1, "x".repeat(256), "h:1").encode())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has 256 bytes, at most 255");
    }
}
