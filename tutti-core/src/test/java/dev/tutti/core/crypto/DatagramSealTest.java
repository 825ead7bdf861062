package dev.tutti.core.crypto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DatagramSealTest {

    private static final int HEADER_BYTES = 9;
    private static final String TEXT = "nobody may read this";

    private final byte[] secret = secret(1);
    private final DatagramSeal sender = new DatagramSeal(secret);
    private final DatagramSeal receiver = new DatagramSeal(secret);

    private static byte[] secret(int value) {
        byte[] secret = new byte[KeySchedule.SECRET_BYTES];
        Arrays.fill(secret, (byte) value);
        return secret;
    }

    private static Packet clear(long number) {
        byte[] text = TEXT.getBytes(StandardCharsets.US_ASCII);
        return Packet.create(Memory.onHeap(), HEADER_BYTES + text.length + DatagramSeal.TAG_BYTES)
                .appendByte(7)
                .appendLong(number)
                .append(text, 0, text.length);
    }

    private byte[] sealed(long number) {
        Packet datagram = clear(number);
        sender.seal(number, datagram, HEADER_BYTES);
        return bytes(datagram);
    }

    private static byte[] bytes(Packet packet) {
        byte[] bytes = new byte[packet.length()];
        packet.bytes().get(packet.offset(), bytes);
        return bytes;
    }

    private static boolean opens(DatagramSeal seal, long number, byte[] datagram) {
        Packet packet = Packet.create(Memory.onHeap(), datagram.length).append(datagram, 0, datagram.length);
        packet.skip(HEADER_BYTES);
        boolean isOpen = !packet.isMalformed() && seal.open(number, packet, HEADER_BYTES);
        if (isOpen) {
            assertThat(new String(bytes(packet), StandardCharsets.US_ASCII)).isEqualTo(TEXT);
        }
        return isOpen;
    }

    @Test
    void hidesTheContentAndShowsTheHeader() {
        byte[] datagram = sealed(5);
        assertThat(datagram).hasSize(HEADER_BYTES + TEXT.length() + DatagramSeal.TAG_BYTES).startsWith(7, 0, 0);
        assertThat(new String(datagram, StandardCharsets.ISO_8859_1)).doesNotContain("nobody", "read");
        assertThat(opens(receiver, 5, datagram)).isTrue();
    }

    @Test
    void opensNothingThatWasChanged() {
        byte[] datagram = sealed(1);
        for (int bit = 0; bit < 8 * datagram.length; bit++) {
            byte[] flipped = datagram.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            assertThat(opens(receiver, 1, flipped)).as("bit %s", bit).isFalse();
        }
        for (int length = 0; length < datagram.length; length++) {
            assertThat(opens(receiver, 1, Arrays.copyOf(datagram, length))).as("length %s", length).isFalse();
        }
        assertThat(opens(receiver, 2, datagram)).isFalse();
        assertThat(opens(new DatagramSeal(secret(2)), 1, datagram)).isFalse();
        assertThat(opens(receiver, 1, datagram)).isTrue();
    }

    @Test
    void contentThatSeveralReadIsEncryptedElsewhere() {
        byte[] text = TEXT.getBytes(StandardCharsets.US_ASCII);
        Packet content = Packet.create(Memory.onHeap(), text.length).append(text, 0, text.length);
        Packet datagram = Packet.create(Memory.onHeap(), 100).appendByte(7).appendLong(3);
        new DatagramSeal(secret).append(3, datagram, content);
        assertThat(bytes(content)).isEqualTo(text);
        assertThat(bytes(datagram)).isEqualTo(sealed(3));
    }

    @Test
    void theKeyChangesAndTheOneBeforeIsKeptForStragglers() {
        byte[] early = sealed(0);
        byte[] old = sealed(DatagramSeal.GENERATION - 1);
        byte[] fresh = sealed(DatagramSeal.GENERATION);
        byte[] forged = fresh.clone();
        forged[12] ^= 1;
        assertThat(opens(receiver, DatagramSeal.GENERATION, forged)).isFalse();
        assertThat(opens(receiver, 0, early)).isTrue();
        assertThat(opens(receiver, DatagramSeal.GENERATION, fresh)).isTrue();
        assertThat(opens(receiver, DatagramSeal.GENERATION - 1, old)).isTrue();
        byte[] later = sealed(2 * DatagramSeal.GENERATION);
        assertThat(opens(receiver, 2 * DatagramSeal.GENERATION, later)).isTrue();
        assertThat(opens(receiver, DatagramSeal.GENERATION, fresh)).isTrue();
        assertThat(opens(receiver, 0, early)).as("a key that is forgotten").isFalse();
    }

    @Test
    void aKeyChangesAmongDatagramsThatAreLostAndReordered() {
        Random random = new Random(17);
        for (int change = 1; change <= 10; change++) {
            long limit = change * DatagramSeal.GENERATION;
            Map<Long, byte[]> sealed = new HashMap<>();
            List<Long> underWay = new ArrayList<>();
            for (long number = limit - 50; number < limit + 50; number++) {
                sealed.put(number, sealed(number));
                if (random.nextInt(4) > 0) {
                    underWay.add(number);
                }
            }
            Collections.shuffle(underWay, random);
            for (long number : underWay) {
                assertThat(opens(receiver, number, sealed.get(number)))
                        .as("datagram %s, change %s", number - limit, change)
                        .isTrue();
            }
        }
    }

    @Test
    void numbersOfKeysThatAreFarAheadAreRefused() {
        assertThat(opens(receiver, 5 * DatagramSeal.GENERATION, sealed(0))).isFalse();
        assertThat(opens(receiver, -1, sealed(1))).isFalse();
        assertThatThrownBy(() -> sealed(3 * DatagramSeal.GENERATION))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("generation 0");
    }

    @Test
    void secretsHaveTheirLength() {
        assertThatThrownBy(() -> new DatagramSeal(new byte[16])).hasMessage("a secret of 16 bytes, must be 32");
    }
}
