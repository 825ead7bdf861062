package dev.tutti.campaign.application;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** Digest of the messages of a group: for each stream of each sender a count, and a hash of the order. */
final class Image {

    private final TreeMap<String, long[]> streams = new TreeMap<>();
    private final boolean isInOneOrder;
    private long order;

    /** @param isInOneOrder whether all members have all messages in one order, which is then part of the image */
    Image(boolean isInOneOrder) {
        this.isInOneOrder = isInOneOrder;
    }

    Image copy() {
        Image copy = new Image(isInOneOrder);
        streams.forEach((source, stream) -> copy.streams.put(source, stream.clone()));
        copy.order = order;
        return copy;
    }

    void add(Content message) {
        long[] stream = streams.computeIfAbsent(message.source(), source -> new long[2]);
        stream[0]++;
        stream[1] = mix(stream[1], message.number());
        if (isInOneOrder && !message.isScoped()) {
            order = mix(order, mix(message.source().hashCode(), message.number()));
        }
    }

    /** Returns the number of streams of which the image has any message. */
    int size() {
        return streams.size();
    }

    long hash() {
        long hash = order;
        for (Map.Entry<String, long[]> each : streams.entrySet()) {
            hash = mix(mix(mix(hash, each.getKey().hashCode()), each.getValue()[0]), each.getValue()[1]);
        }
        return hash;
    }

    private static long mix(long hash, long value) {
        return (hash ^ value * 0x9E3779B97F4A7C15L) * 0xD6E8FEB86659FD93L ^ hash >>> 29;
    }

    /** Writes the image, and {@code ballastBytes} more bytes that can be checked. */
    void write(OutputStream target, int ballastBytes, long ballastSeed) throws IOException {
        DataOutputStream out = new DataOutputStream(target);
        out.writeInt(streams.size());
        for (Map.Entry<String, long[]> each : streams.entrySet()) {
            out.writeUTF(each.getKey());
            out.writeLong(each.getValue()[0]);
            out.writeLong(each.getValue()[1]);
        }
        out.writeLong(order);
        out.writeInt(ballastBytes);
        out.writeLong(ballastSeed);
        SplittableRandom ballast = new SplittableRandom(ballastSeed);
        for (int index = 0; index < ballastBytes; index += Long.BYTES) {
            out.writeLong(ballast.nextLong());
        }
        out.flush();
    }

    /**
     * Reads an image, and checks its ballast.
     *
     * @throws IllegalStateException if the bytes differ from those written
     */
    static Image read(DataInputStream in, boolean isInOneOrder) throws IOException {
        Image image = new Image(isInOneOrder);
        int count = in.readInt();
        if (count < 0 || count > STREAMS_MAX) {
            throw new IllegalStateException("the state has " + count + " streams");
        }
        for (int index = 0; index < count; index++) {
            image.streams.put(in.readUTF(), new long[] {in.readLong(), in.readLong()});
        }
        image.order = in.readLong();
        int ballastBytes = in.readInt();
        SplittableRandom ballast = new SplittableRandom(in.readLong());
        for (int index = 0; index < ballastBytes; index += Long.BYTES) {
            if (in.readLong() != ballast.nextLong()) {
                throw new IllegalStateException("the state is another than was written, at byte " + index + " of its end");
            }
        }
        return image;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        streams.forEach((source, stream) -> text.append(' ').append(source).append('=').append(stream[0]));
        return Long.toHexString(hash()) + text;
    }

    private static final int STREAMS_MAX = 100_000;
}
