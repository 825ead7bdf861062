package dev.tutti.stomp.internal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A message on its way to subscribers. What they all get alike, its <em>tail</em>, is written once: after the command and the
 * subscription's own headers the same bytes follow for everybody who speaks one version. Thread-safe.
 */
final class Publication {

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

    /** Where it stands among what its group has delivered here; set before others see it. */
    private long position;

    /** By version, or one for all if none needs escapes. */
    private final @Nullable ByteBuf[] tails = new ByteBuf[PLAIN + 1];

    private boolean isPlainKnown;
    private boolean isPlain;
    private boolean isTextKnown;
    private boolean isText;

    /**
     * @param group which of the server's, or {@link #INFO_GROUP}
     * @param origin who has sent it
     * @param number of the envelope that it came in
     * @param index in that envelope
     */
    Publication(int group, String origin, long number, int index, Content content) {
        this.group = group;
        this.origin = origin;
        this.number = number;
        this.index = index;
        this.content = content;
        this.id = origin + "-" + number + (index == 0 ? "" : "." + index);
    }

    /** Instead of a group, of what the server itself says. */
    static final int INFO_GROUP = -1;

    int group() {
        return group;
    }

    boolean isInfo() {
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

    Content content() {
        return content;
    }

    Destination destination() {
        return content.destination();
    }

    /** The message-id. */
    String id() {
        return id;
    }

    long position() {
        return position;
    }

    void position(long at) {
        position = at;
    }

    /** About what it takes. */
    int bytes() {
        return content.bytes() + 256;
    }

    /**
     * It goes to shards, each of which will say that it is {@linkplain #drained done}.
     *
     * @param charged bytes of the backlog that it takes until then
     */
    void offered(int shards, long charged) {
        chargedBytes = charged;
        shardsLeft.set(shards);
        retain(shards);
    }

    /** A shard is done with it; says how many bytes of the backlog are free now. */
    long drained() {
        release();
        return shardsLeft.decrementAndGet() == 0 ? chargedBytes : 0;
    }

    /** The tails are kept until as many {@link #release} have been called. */
    void retain(int count) {
        uses.addAndGet(count);
    }

    /** Ends a use. With the last, tails are given back; another may make them again. */
    void release() {
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

    /** What follows the subscription's own headers, to the NUL. Only between {@link #retain} and {@link #release}. */
    synchronized ByteBuf tail(Version version) {
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

    /** Whether it may go into a text frame of a WebSocket. */
    synchronized boolean isText() {
        if (!isTextKnown) {
            isText = FrameWriter.isText(content.body());
            isTextKnown = true;
        }
        return isText;
    }

    private boolean isPlain() {
        Headers headers = content.headers();
        boolean plain = Version.isPlain(destination().text());
        for (int each = 0; each < headers.count() && plain; each++) {
            plain = Version.isPlain(headers.name(each)) && Version.isPlain(headers.value(each));
        }
        return plain;
    }

    private ByteBuf write(Version version) {
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
