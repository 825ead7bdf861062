package dev.tutti.bench.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.bench.systems.Content;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class FlowTest {

    private static final long SUM = 7;

    private final Flow flow = new Flow();

    @Test
    void acceptsWhatWasSent() {
        flow.onMessage(1, 0, SUM);
        flow.onMessage(1, 1, SUM);
        flow.onEnd(1, 2, 2 * SUM);
        assertThat(flow.fault()).isNull();
        assertThat(flow.count()).isEqualTo(2);
    }

    @Test
    void acceptsASenderOfNothing() {
        flow.onMessage(1, 0, SUM);
        flow.onEnd(1, 1, SUM);
        flow.onEnd(2, 0, 0);
        assertThat(flow.fault()).isNull();
        assertThat(flow.count()).isZero();
    }

    @Test
    void namesWhatIsMissing() {
        flow.onMessage(1, 0, SUM);
        flow.onEnd(1, 3, 3 * SUM);
        assertThat(flow.fault()).contains("1 messages received and 3 sent");
    }

    @Test
    void namesWhatIsOutOfOrder() {
        flow.onMessage(1, 0, SUM);
        flow.onMessage(1, 2, SUM);
        flow.onMessage(1, 1, SUM);
        flow.onEnd(1, 3, 3 * SUM);
        assertThat(flow.fault()).contains("2 out of order").contains("message 2 where 1 was due");
    }

    @Test
    void noticesRepetitions() {
        flow.onMessage(1, 0, SUM);
        flow.onMessage(1, 0, SUM);
        flow.onEnd(1, 1, SUM);
        assertThat(flow.fault()).contains("1 out of order");
    }

    @Test
    void noticesChangedContent() {
        flow.onMessage(1, 0, SUM + 1);
        flow.onEnd(1, 1, SUM);
        assertThat(flow.fault()).contains("content");
    }

    @Test
    void contentHasOneSumInArraysAndBuffers() {
        byte[] message = Content.message(3, 0, 1, 1027);
        byte[] shifted = new byte[1040];
        System.arraycopy(message, 0, shifted, 5, message.length);
        ByteBuffer direct = ByteBuffer.allocateDirect(1040).put(shifted);
        long sum = Content.sum(message, 0, message.length);
        assertThat(Content.sum(shifted, 5, message.length)).isEqualTo(sum);
        assertThat(Content.sum(direct.asReadOnlyBuffer(), 5, message.length)).isEqualTo(sum);
        shifted[700]++;
        assertThat(Content.sum(shifted, 5, message.length)).isNotEqualTo(sum);
    }

    @Test
    void smallMessagesHaveTheirRankAndLowBitsOfTheirNumber() {
        for (int length : new int[] {1, 2, 8, 39}) {
            byte[] small = Content.small(9, length);
            for (long number : new long[] {0, 1, 15, 16, 4095, 1 << 20}) {
                Content.number(small, 9, number);
                ByteBuffer buffer = ByteBuffer.wrap(small);
                assertThat(Content.smallRank(small[0])).isEqualTo(9);
                assertThat(Content.smallNumber(small, 0, length)).isEqualTo(number & Content.smallMask(length));
                assertThat(Content.smallNumber(buffer, 0, length)).isEqualTo(number & Content.smallMask(length));
            }
        }
    }

    @Test
    void noticesASmallMessageThatIsMissing() {
        long mask = Content.smallMask(1);
        flow.begin(1);
        for (long number = 0; number < 40; number++) {
            if (number != 20) {
                flow.onSmallMessage(number & mask, mask, SUM);
            }
        }
        flow.onEnd(1, 40, 40 * SUM);
        assertThat(flow.fault()).contains("39 messages received and 40 sent").contains("out of order");
    }
}
