package dev.tutti.campaign.chaos;

import dev.tutti.core.Member;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * What is in a message: who sent it, to whom and in which place, filled up with what follows from that, so that a wrong
 * one shows by its hash.
 */
final class Content {

    /** Bytes of the shortest message. */
    static final int BYTES_MIN = 1 + 8 + 4 + 8 + 8 + 4;

    /** The index of a message that is not what its sender would have sent to who got it. */
    static final long STRANGE = -1;

    private Content() {}

    /**
     * @param receiver null for all
     * @param index counts the messages of the sender to this receiver, or to all, from 1
     */
    static byte[] of(Member sender, @Nullable Member receiver, long index, int length) {
        byte[] content = new byte[Math.max(length, BYTES_MIN)];
        ByteBuffer buffer = ByteBuffer.wrap(content);
        buffer.put((byte) (receiver == null ? 0 : 1));
        buffer.putLong(sender.node().incarnation()).putInt(sender.join()).putLong(index);
        buffer.putLong(receiver == null ? 0 : receiver.node().incarnation());
        buffer.putInt(receiver == null ? 0 : receiver.join());
        SplittableRandom filler = new SplittableRandom(sender.node().incarnation() * 31 + index);
        while (buffer.remaining() >= Long.BYTES) {
            buffer.putLong(filler.nextLong());
        }
        return content;
    }

    /** The index of what {@code self} got; {@link #STRANGE} if it says another sender, or was for somebody else. */
    static long index(byte[] content, Member sender, Member self, boolean isUnicast) {
        if (content.length < BYTES_MIN) {
            return STRANGE;
        }
        ByteBuffer buffer = ByteBuffer.wrap(content);
        boolean isKind = buffer.get() == (isUnicast ? 1 : 0);
        boolean isSender = buffer.getLong() == sender.node().incarnation() && buffer.getInt() == sender.join();
        long index = buffer.getLong();
        boolean isReceiver =
                !isUnicast || buffer.getLong() == self.node().incarnation() && buffer.getInt() == self.join();
        return isKind && isSender && isReceiver ? index : STRANGE;
    }

    static long hash(byte[] content) {
        CRC32C sum = new CRC32C();
        sum.update(content);
        return sum.getValue() << 32 | content.length;
    }
}
