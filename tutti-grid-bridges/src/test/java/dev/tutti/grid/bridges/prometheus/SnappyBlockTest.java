package dev.tutti.grid.bridges.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SnappyBlockTest {

    /** Decompresses a block, as its description says: {@code google/snappy/format_description.txt}. */
    static byte[] decompress(byte[] block) {
        int[] at = {0};
        int length = 0;
        for (int shift = 0; ; shift += 7) {
            int each = block[at[0]++];
            length |= (each & 0x7f) << shift;
            if (each >= 0) {
                break;
            }
        }
        byte[] out = new byte[length];
        int filled = 0;
        while (at[0] < block.length) {
            int tag = block[at[0]++] & 0xff;
            if ((tag & 3) == 0) {
                int count = tag >>> 2;
                count = (count < 60 ? count : little(block, at, count - 59)) + 1;
                System.arraycopy(block, at[0], out, filled, count);
                at[0] += count;
                filled += count;
            } else {
                int count = (tag & 3) == 1 ? (tag >>> 2 & 7) + 4 : (tag >>> 2) + 1;
                int offset = (tag & 3) == 1 ? (tag >>> 5) << 8 | block[at[0]++] & 0xff : little(block, at, (tag & 3) == 2 ? 2 : 4);
                for (int i = 0; i < count; i++) {
                    out[filled] = out[filled - offset];
                    filled++;
                }
            }
        }
        assertThat(filled).isEqualTo(length);
        return out;
    }

    private static int little(byte[] block, int[] at, int bytes) {
        int value = 0;
        for (int i = 0; i < bytes; i++) {
            value |= (block[at[0]++] & 0xff) << 8 * i;
        }
        return value;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 15, 16, 127, 128, 1_000, 32_767, 32_768, 32_769, 70_000})
    void blocksAreReadByTheirDescription(int length) {
        byte[] random = new byte[length];
        new Random(length).nextBytes(random);
        assertThat(decompress(SnappyBlock.compress(random))).isEqualTo(random);
    }

    @Test
    void whatRepeatsItselfBecomesSmall() {
        StringBuilder text = new StringBuilder();
        Random random = new Random(1);
        while (text.length() < 300_000) {
            text.append("__name__ hosts_cpu_load host web").append(random.nextInt(1_000)).append(' ');
        }
        byte[] bytes = text.toString().getBytes(StandardCharsets.US_ASCII);
        byte[] block = SnappyBlock.compress(bytes);
        assertThat(block.length).isLessThan(bytes.length / 4);
        assertThat(decompress(block)).isEqualTo(bytes);
    }
}
