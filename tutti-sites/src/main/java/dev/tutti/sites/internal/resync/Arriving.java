package dev.tutti.sites.internal.resync;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A state of another site that arrives in parts at one member: the cut with its length, and the application's state. */
public final class Arriving {

    private final long transfer;
    private final String source;
    private final long bytesMax;
    private final List<byte[]> parts = new ArrayList<>();
    private long bytes;

    /**
     * @param transfer number of the attempt
     * @param source site that the state comes from
     * @param bytesMax most bytes that it may have
     */
    public Arriving(long transfer, String source, long bytesMax) {
        this.transfer = transfer;
        this.source = source;
        this.bytesMax = bytesMax;
    }

    public long transfer() {
        return transfer;
    }

    public String source() {
        return source;
    }

    public long bytes() {
        return bytes;
    }

    /** Takes the next part. */
    public void add(byte[] part) {
        bytes += part.length;
        if (isTooLarge()) {
            parts.clear();
        } else {
            parts.add(part);
        }
    }

    /** Returns whether more bytes have come than may; nothing of them is kept then. */
    public boolean isTooLarge() {
        return bytes > bytesMax;
    }

    /** Returns all parts as one stream. Each part is let go when it was read. */
    public DataInputStream open() {
        List<InputStream> streams = new ArrayList<>();
        parts.forEach(part -> streams.add(new ByteArrayInputStream(part)));
        parts.clear();
        return new DataInputStream(new SequenceInputStream(Collections.enumeration(streams)));
    }

    /**
     * Reads the cut at the beginning of a stream.
     *
     * @throws IOException if there is none
     * @throws dev.tutti.blocks.codec.MalformedException if it can't be read
     */
    public static Cut readCut(DataInputStream in, long bytesMax) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > bytesMax) {
            throw new IOException("the cut of a state has " + length + " bytes, and at most " + bytesMax + " are possible");
        }
        byte[] cut = in.readNBytes(length);
        if (cut.length < length) {
            throw new IOException("the state ends within its cut");
        }
        return Cut.decode(cut);
    }
}
