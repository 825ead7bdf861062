package dev.tutti;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The one message object of a lane, pointed at each message in turn, so that none is allocated. */
final class Delivered implements Message {

    private @Nullable Member sender;
    private @Nullable View view;
    private boolean isUnicast;
    private @Nullable ByteBuffer memory;

    /** What {@link #buffer} was last cut from, and what listeners may see of it: one region serves many messages. */
    private @Nullable ByteBuffer shown;

    private @Nullable ByteBuffer readOnly;
    private int offset;
    private int length;

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
    }

    private ByteBuffer memory() {
        ByteBuffer valid = memory;
        if (valid == null) {
            throw new IllegalStateException(
                    "a message is valid only during the callback it was passed to; take bytes() or text() there");
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
        ByteBuffer valid = memory();
        ByteBuffer region = readOnly;
        if (region == null || shown != valid) {
            region = valid.asReadOnlyBuffer();
            readOnly = region;
            shown = valid;
        }
        return region.slice(offset, length);
    }

    @Override
    public InputStream stream() {
        return new ByteArrayInputStream(bytes());
    }

    @Override
    public String toString() {
        return memory == null ? "message (no longer valid)" : length + " bytes from " + sender;
    }
}
