package dev.tutti.stomp.internal.broker;

import dev.tutti.stomp.internal.codec.Content;
import dev.tutti.stomp.internal.codec.Destination;
import dev.tutti.stomp.internal.codec.FrameWriter;
import dev.tutti.stomp.internal.codec.Headers;
import dev.tutti.stomp.internal.codec.StompVersion;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A message on its way to subscribers. The part that is the same for all of them, its <em>tail</em>, is written once:
 * after the command and the subscription's own headers the same bytes follow for every subscriber of one version.
 * Thread-safe.
 */
public final class Publication {

    private static final int PLAIN = 3;

    private final int group;
    private final String origin;
    private final long number;
    private final int index;
    private final Content content;
    private final String id;
    private final AtomicInteger uses = new AtomicInteger();
    private final AtomicInteger shardsLeft = new AtomicInteger();
    private long chargedBytes;

    /** Position among the messages that its group has delivered here; set before others see it. */
    private long position;

    /** Tails by version, or one for all if nothing needs escapes. */
    private final @Nullable ByteBuf[] tails = new ByteBuf[PLAIN + 1];

    private boolean isPlainKnown;
    private boolean isPlain;
    private boolean isTextKnown;
    private boolean isText;

    /**
     * @param group index of one of the server's groups, or {@link #INFO_GROUP}
     * @param origin of the sender
     * @param number of the envelope that it came in
     * @param index in that envelope
     */
    public Publication(int group, String origin, long number, int index, Content content) {
        this.group = group;
        this.origin = origin;
        this.number = number;
        this.index = index;
        this.content = content;
        this.id = origin + "-" + number + (index == 0 ? "" : "." + index);
    }

    /** Group index of messages of the server itself. */
    public static final int INFO_GROUP = -1;

    public int group() {
        return group;
    }

    public boolean isInfo() {
        return group == INFO_GROUP;
    }

    String origin() {
        return origin;
    }

    long number() {
        return number;
    }

    int index() {
        return index;
    }

    public Content content() {
        return content;
    }

    public Destination destination() {
        return content.destination();
    }

    /** Returns the message-id. */
    public String id() {
        return id;
    }

    public long position() {
        return position;
    }

    void position(long at) {
        position = at;
    }

    /** Returns an estimate of the memory it takes. */
    public int bytes() {
        return content.bytes() + 256;
    }

    /**
     * Notes that it is offered to shards, each of which will report that it is {@linkplain #drained done}.
     *
     * @param charged bytes of the backlog that it takes until then
     */
    public void offered(int shards, long charged) {
        chargedBytes = charged;
        shardsLeft.set(shards);
        retain(shards);
    }

    /** Notes that a shard is done with it; returns the bytes of the backlog that are free now. */
    public long drained() {
        release();
        return shardsLeft.decrementAndGet() == 0 ? chargedBytes : 0;
    }

    /** Keeps the tails until {@link #release} has been called as often. */
    public void retain(int count) {
        uses.addAndGet(count);
    }

    /** Ends a use. The last one releases the tails; a later use may write them again. */
    public void release() {
        if (uses.decrementAndGet() > 0) {
            return;
        }
        synchronized (this) {
            for (int each = 0; each < tails.length && uses.get() == 0; each++) {
                ByteBuf tail = tails[each];
                if (tail != null) {
                    tail.release();
                    tails[each] = null;
                }
            }
        }
    }

    /** Returns the bytes after the subscription's own headers, to the NUL. Only while {@linkplain #retain retained}. */
    public synchronized ByteBuf tail(StompVersion version) {
        if (!isPlainKnown) {
            isPlain = isPlain();
            isPlainKnown = true;
        }
        int slot = isPlain ? PLAIN : version.ordinal();
        ByteBuf tail = tails[slot];
        if (tail == null) {
            tail = write(version);
            tails[slot] = tail;
        }
        return tail;
    }

    /** Returns whether it may be sent in a text frame of a WebSocket. */
    public synchronized boolean isText() {
        if (!isTextKnown) {
            isText = FrameWriter.isText(content.body());
            isTextKnown = true;
        }
        return isText;
    }

    private boolean isPlain() {
        Headers headers = content.headers();
        boolean plain = StompVersion.isPlain(destination().text());
        for (int each = 0; each < headers.count() && plain; each++) {
            plain = StompVersion.isPlain(headers.name(each)) && StompVersion.isPlain(headers.value(each));
        }
        return plain;
    }

    private ByteBuf write(StompVersion version) {
        StringBuilder head = new StringBuilder(128 + content.headers().length());
        head.append("message-id:").append(id).append('\n');
        FrameWriter.header(version, "destination", destination().text(), head);
        FrameWriter.headers(version, content.headers(), head);
        head.append("content-length:").append(content.body().length).append("\n\n");
        byte[] start = head.toString().getBytes(StandardCharsets.UTF_8);
        int length = start.length + content.body().length + 1;
        ByteBuf tail = ByteBufAllocator.DEFAULT.directBuffer(length, length);
        return tail.writeBytes(start).writeBytes(content.body()).writeByte(0);
    }
}
