package dev.tutti.campaign.chaos.process;

import dev.tutti.core.Member;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Content of a message: its sender, receiver and index, padded with bytes derived from these, so that a wrong message
 * shows by its hash.
 */
public final class Content {

    /** Length of the shortest message, in bytes. */
    static final int BYTES_MIN = 1 + 8 + 4 + 8 + 8 + 4;

    /** Index of a message that its sender would not have sent to the member that received it. */
    public static final long STRANGE = -1;

    private Content() {}

    /**
     * @param receiver receiver of a unicast; null for all
     * @param index number of the message among those of the sender to this receiver, or to all, from 1
     */
    public static byte[] of(Member sender, @Nullable Member receiver, long index, int length) {
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

    /** Returns the index of a message at {@code self}; {@link #STRANGE} if it names another sender or receiver. */
    public static long index(byte[] content, Member sender, Member self, boolean isUnicast) {
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

    public static long hash(byte[] content) {
        CRC32C sum = new CRC32C();
        sum.update(content);
        return sum.getValue() << 32 | content.length;
    }
}
