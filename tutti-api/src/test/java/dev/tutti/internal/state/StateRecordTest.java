package dev.tutti.internal.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import dev.tutti.internal.state.StateRecord.Chunk;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Layouts of docs/wire.md, and bytes that match none of them. */
class StateRecordTest {

    private static final CutId CUT = new CutId(7, 2, 0x1122334455667788L, 3);

    private static Packet packet(byte[] bytes) {
        return Packet.create(Memory.onHeap(), bytes.length).append(bytes, 0, bytes.length);
    }

    private static final List<StateRecord> SAMPLES = List.of(
            new StateRecord.Status(CUT, 11, 12, 13, true, false),
            new StateRecord.Have(CUT, 13),
            new StateRecord.Pull(1, CUT, 1 << 20, 2 << 20),
            new StateRecord.Grant(2, 3 << 20),
            new StateRecord.Stop(3),
            new StateRecord.Begin(4, -1),
            new StateRecord.End(5, 1L << 40),
            new StateRecord.Refused(6, "no such snapshot"));

    @Test
    void everyRecordIsReadAsItWasWritten() {
        for (StateRecord sample : SAMPLES) {
            assertThat(StateRecord.read(packet(sample.bytes()))).isEqualTo(sample);
        }
    }

    @Test
    void layoutsAreThoseOfTheDocument() {
        HexFormat hex = HexFormat.of();
        assertThat(hex.formatHex(SAMPLES.get(0).bytes()))
                .isEqualTo("01" + "0000000000000007" + "00000002" + "1122334455667788" + "00000003"
                        + "000000000000000b" + "000000000000000c" + "000000000000000d" + "01" + "00");
        assertThat(hex.formatHex(SAMPLES.get(1).bytes()))
                .isEqualTo("02" + "0000000000000007" + "00000002" + "1122334455667788" + "00000003" + "000000000000000d");
        assertThat(hex.formatHex(SAMPLES.get(2).bytes()))
                .isEqualTo("03" + "0000000000000001" + "0000000000000007" + "00000002" + "1122334455667788" + "00000003"
                        + "0000000000100000" + "0000000000200000");
        assertThat(hex.formatHex(SAMPLES.get(3).bytes())).isEqualTo("04" + "0000000000000002" + "0000000000300000");
    }

    @Test
    void chunkThatWasChangedIsNotIntact() {
        byte[] array = new byte[StateRecord.CHUNK_HEADER_BYTES + 1_000];
        new SplittableRandom(1).nextBytes(array);
        StateRecord.writeChunkHeader(array, array.length, 9, 61_440);
        Chunk chunk = (Chunk) StateRecord.read(packet(array));
        assertThat(chunk).isNotNull();
        assertThat(chunk.transfer()).isEqualTo(9);
        assertThat(chunk.offset()).isEqualTo(61_440);
        assertThat(chunk.isIntact()).isTrue();
        for (int index = StateRecord.CHUNK_HEADER_BYTES - 4; index < array.length; index++) {
            byte[] changed = array.clone();
            changed[index] ^= 16;
            Chunk read = (Chunk) StateRecord.read(packet(changed));
            assertThat(read).isNotNull();
            assertThat(read.isIntact()).as("with byte %s changed", index).isFalse();
        }
    }

    @Test
    void whatIsCutOffOrTooLongIsNoRecord() {
        for (StateRecord sample : SAMPLES) {
            byte[] bytes = sample.bytes();
            boolean isText = sample instanceof StateRecord.Refused;
            for (int length = 0; length < (isText ? 9 : bytes.length); length++) {
                assertThat(StateRecord.read(packet(Arrays.copyOf(bytes, length)))).isNull();
            }
            if (!isText) {
                assertThat(StateRecord.read(packet(Arrays.copyOf(bytes, bytes.length + 1)))).isNull();
            }
        }
    }

    @Test
    void hostileBytesNeverThrow() {
        SplittableRandom random = new SplittableRandom(3);
        int read = 0;
        for (int round = 0; round < 100_000; round++) {
            byte[] bytes = new byte[random.nextInt(80)];
            random.nextBytes(bytes);
            if (bytes.length > 0) {
                bytes[0] = (byte) random.nextInt(11);
            }
            read += StateRecord.read(packet(bytes)) == null ? 0 : 1;
        }
        assertThat(read).as("some are records by chance").isPositive();
    }
}
