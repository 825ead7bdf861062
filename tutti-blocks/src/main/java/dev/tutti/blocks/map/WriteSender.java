package dev.tutti.blocks.map;

import dev.tutti.Group;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.internal.block.Upkeep;
import dev.tutti.blocks.internal.clock.HybridClock;
import dev.tutti.core.View;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Sends the messages of one member of a map in the last writer's form: gives each the next sequence and time, and keeps
 * writes until they are delivered here. A sequence is above all that this member has sent or received. {@link #open},
 * {@link #write} and {@link #close} take the map's lock, everything else is called under it.
 */
final class WriteSender<K, V> {

    /**
     * A write that was not delivered here yet.
     *
     * @param body read back from its bytes before it is sent: if the writer can read it, the others can
     */
    record OpenWrite<K, V>(CompletableFuture<Void> written, MapMessage.Body<K, V> body) {}

    private final String map;
    private final Store.Bounds bounds;
    private final RegisterCodec<K, V> codec;
    private final Entries<K, V> entries;
    private final Upkeep upkeep;

    // Guarded by the lock; the volatile ones are read without it.
    private final TreeMap<Long, OpenWrite<K, V>> open = new TreeMap<>();
    private volatile @Nullable Group group;
    private volatile @Nullable String closedBecause;
    private long sequence;

    /** @param map its kind and name, for messages */
    WriteSender(String map, Store.Bounds bounds, RegisterCodec<K, V> codec, Entries<K, V> entries, Upkeep upkeep) {
        this.map = map;
        this.bounds = bounds;
        this.codec = codec;
        this.entries = entries;
        this.upkeep = upkeep;
    }

    /** Begins: messages go to this group. */
    void open(Group joined) {
        upkeep.lock().lock();
        try {
            group = joined;
        } finally {
            upkeep.lock().unlock();
        }
    }

    /** Fails all open writes; others are refused from now on. */
    void close(String reason) {
        List<OpenWrite<K, V>> lost;
        upkeep.lock().lock();
        try {
            closedBecause = reason;
            lost = takeUpTo(Long.MAX_VALUE);
        } finally {
            upkeep.lock().unlock();
        }
        lost.forEach(each -> each.written().completeExceptionally(
                new MapException(MapException.Reason.CLOSED, map + ": " + reason)));
    }

    void leave() {
        Group joined = group;
        if (joined != null) {
            joined.close();
        }
    }

    // ------------------------------------------------------------------ sending

    /**
     * Sends a write.
     *
     * @param out the message
     * @param keys that it writes
     * @param needsRoom whether new keys must have room
     * @return completed when it is delivered here
     */
    CompletableFuture<Void> write(ByteOutput out, List<K> keys, boolean needsRoom) {
        CompletableFuture<Void> written = new CompletableFuture<>();
        CompletableFuture<Void> accepted;
        long number;
        MapMessage.Body<K, V> body = readBack(out);
        upkeep.lock().lock();
        try {
            Group joined = group;
            if (closedBecause != null || joined == null) {
                throw new MapException(MapException.Reason.CLOSED, map + ": " + closedBecause);
            }
            if (needsRoom) {
                checkRoom(keys, out.length());
            }
            byte[] message = stamp(out, keys);
            number = sequence;
            open.put(number, new OpenWrite<>(written, body));
            accepted = joined.sendAsync(message);
        } catch (MapException e) {
            written.completeExceptionally(e);
            return written;
        } finally {
            upkeep.lock().unlock();
        }
        accepted.whenComplete((done, failure) -> {
            if (failure != null) {
                onUnsent(number, failure);
            }
        });
        return written;
    }

    private MapMessage.Body<K, V> readBack(ByteOutput out) {
        try {
            ByteInput in = new ByteInput(ByteBuffer.wrap(out.array(), 0, out.length()));
            return MapMessage.body(MapMessage.header(in).kind(), codec, in);
        } catch (RuntimeException e) {
            throw new MapException(
                    MapException.Reason.UNREADABLE, map + ": its codecs can't read what they have written: " + e, e);
        }
    }

    private void onUnsent(long number, Throwable failure) {
        OpenWrite<K, V> own;
        upkeep.lock().lock();
        try {
            own = open.remove(number);
        } finally {
            upkeep.lock().unlock();
        }
        if (own != null) {
            MapException.Reason reason =
                    closedBecause == null ? MapException.Reason.REFUSED : MapException.Reason.CLOSED;
            own.written().completeExceptionally(new MapException(reason, map + ": " + failure.getMessage(), failure));
        }
    }

    private void checkRoom(List<K> added, int bytes) {
        if (bounds.overflow() == Overflow.EVICT) {
            return;
        }
        int more = 0;
        for (K key : added) {
            more += entries.get(key) == null ? 1 : 0;
        }
        if (more > 0 && !bounds.isWithin(entries.size() + more, entries.bytes() + bytes)) {
            throw new MapException(
                    MapException.Reason.FULL,
                    map + " has " + entries.size() + " entries of " + entries.bytes() + " bytes, and " + more
                            + " more of " + bytes + " bytes would be beyond " + bounds);
        }
    }

    /**
     * Sends a message other than a write, without waiting. Does nothing before {@link #open} and after the end.
     *
     * @param unsent runs, under the lock, if it can't be sent; the map's upkeep runs again a little later
     */
    void send(ByteOutput out, Runnable unsent) {
        Group joined = group;
        if (joined != null && upkeep.isActive()) {
            upkeep.onUnsent(joined.sendAsync(stamp(out, List.of())), unsent);
        }
    }

    /**
     * Writes the sender's part of the message's header: the next sequence, the view that was reported, whether there is
     * more to merge, the time.
     *
     * @param written keys that the message writes: it is later than their present values
     */
    private byte[] stamp(ByteOutput out, List<K> written) {
        HybridClock.Stamp stamp = entries.stamp(written);
        sequence = Math.max(sequence + 1, stamp.written());
        View told = upkeep.reached();
        return MapMessage.stamp(
                out, sequence, told == null ? 0 : told.id().number(), entries.housekeeping().isBurdened(), stamp);
    }

    // ------------------------------------------------------------------ deliveries

    /** Returns the highest sequence that was sent or received. */
    long sequence() {
        return sequence;
    }

    /** Notes a sequence that was received. */
    void learn(long received) {
        sequence = Math.max(sequence, received);
    }

    /** Takes the open write of a sequence, to be completed outside of the lock; null if there is none. */
    @Nullable OpenWrite<K, V> take(long number) {
        return open.remove(number);
    }

    /** Takes the open writes up to a sequence, to be completed outside of the lock. */
    List<OpenWrite<K, V>> takeUpTo(long number) {
        Map<Long, OpenWrite<K, V>> contained = open.headMap(number, true);
        List<OpenWrite<K, V>> taken = new ArrayList<>(contained.values());
        contained.clear();
        return taken;
    }

    /** Returns the number of open writes. */
    int openCount() {
        return open.size();
    }
}
