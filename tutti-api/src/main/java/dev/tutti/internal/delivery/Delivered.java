package dev.tutti.internal.delivery;

import dev.tutti.Message;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A message object that is reused for one message after another, so that none is allocated. */
final class Delivered implements Message {

    /**
     * The message objects of one delivering thread, used in turn. An object that a listener has kept belongs to no
     * message while the next {@value #COUNT} are delivered, so its use fails instead of showing another message.
     */
    static final class Ring {
        static final int COUNT = 64;

        private final @Nullable Delivered[] all = new Delivered[COUNT];
        private int index;

        /** Memory that the last buffer was cut from, with its read-only view below: one region serves many messages. */
        private @Nullable ByteBuffer shown;

        private @Nullable ByteBuffer readOnly;

        Delivered next() {
            index = (index + 1) % COUNT;
            Delivered next = all[index];
            if (next == null) {
                next = new Delivered(this);
                all[index] = next;
            }
            return next;
        }

        private ByteBuffer readOnly(ByteBuffer memory) {
            ByteBuffer region = readOnly;
            if (region == null || shown != memory) {
                region = memory.asReadOnlyBuffer();
                readOnly = region;
                shown = memory;
            }
            return region;
        }
    }

    private final Ring ring;
    private @Nullable Member sender;
    private @Nullable View view;
    private boolean isUnicast;
    private @Nullable ByteBuffer memory;

    private int offset;
    private int length;

    /** Number of messages so far; a stream of an earlier message is no longer valid. */
    private int generation;

    Delivered(Ring ring) {
        this.ring = ring;
    }

    void begin(Member from, View in, boolean toOne, ByteBuffer bytes, int at, int size) {
        sender = from;
        view = in;
        isUnicast = toOne;
        memory = bytes;
        offset = at;
        length = size;
    }

    void end() {
        memory = null;
        // Not volatile: a fence for each message costs more than detecting a stream that another thread has kept is
        // worth.
        generation++;
    }

    private ByteBuffer memory() {
        ByteBuffer valid = memory;
        if (valid == null) {
            throw new IllegalStateException(OVER);
        }
        return valid;
    }

    private static <T> T present(@Nullable T value) {
        if (value == null) {
            throw new IllegalStateException("the message has not been delivered yet");
        }
        return value;
    }

    @Override
    public Member sender() {
        memory();
        return present(sender);
    }

    @Override
    public View view() {
        memory();
        return present(view);
    }

    @Override
    public boolean isUnicast() {
        memory();
        return isUnicast;
    }

    @Override
    public int length() {
        memory();
        return length;
    }

    @Override
    public byte[] bytes() {
        byte[] copy = new byte[length];
        memory().get(offset, copy);
        return copy;
    }

    @Override
    public String text() {
        return new String(bytes(), StandardCharsets.UTF_8);
    }

    @Override
    public ByteBuffer buffer() {
        return ring.readOnly(memory()).slice(offset, length);
    }

    @Override
    public InputStream stream() {
        return new Content(memory(), generation);
    }

    /** The content as a stream, which fails when the callback has returned. */
    private final class Content extends InputStream {
        private final ByteBuffer bytes;
        private final int valid;
        private int at;
        private int mark;

        Content(ByteBuffer bytes, int valid) {
            this.bytes = bytes;
            this.valid = valid;
        }

        private int left() {
            if (generation != valid) {
                throw new IllegalStateException(OVER);
            }
            return length - at;
        }

        @Override
        public int read() {
            return left() == 0 ? -1 : bytes.get(offset + at++) & 0xff;
        }

        @Override
        public int read(byte[] target, int start, int count) {
            Objects.checkFromIndexSize(start, count, target.length);
            int left = left();
            if (count > 0 && left == 0) {
                return -1;
            }
            int taken = Math.min(count, left);
            bytes.get(offset + at, target, start, taken);
            at += taken;
            return taken;
        }

        @Override
        public long skip(long count) {
            int skipped = Math.clamp(count, 0, left());
            at += skipped;
            return skipped;
        }

        @Override
        public int available() {
            return left();
        }

        @Override
        public boolean markSupported() {
            return true;
        }

        @Override
        public void mark(int readLimit) {
            mark = at;
        }

        @Override
        public void reset() {
            at = mark;
        }
    }

    private static final String OVER =
            "a message is valid only during the callback it was passed to; take bytes() or text() there";

    @Override
    public String toString() {
        return memory == null ? "message (no longer valid)" : length + " bytes from " + sender;
    }
}
