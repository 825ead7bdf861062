package dev.tutti.protocols.packing;

import dev.tutti.core.Member;
import dev.tutti.core.Receipt;
import dev.tutti.core.View;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Large messages of a group that a receiver assembles at the same time, one for each stream.
 *
 * <p>In reliable groups the senders keep within the memory of the receivers ({@link LargeMessages}). In others the
 * message begun first is abandoned if there is too little. For one thread at a time.
 */
public final class Assemblies {

    private record Assembly(Member sender, Reassembly reassembly) {}

    private final SpareArrays spares;
    private final long messageBytesMax;
    private final boolean isReliable;

    /** Messages in the order in which they were begun. */
    private final Map<Receipt, Assembly> assemblies = new LinkedHashMap<>();

    // Written by one thread; readers of metrics may see slightly older values.
    private long abandoned;
    private long bytes;
    private long bytesMost;

    /**
     * @param spares source of memory, as far as there is some
     * @param messageBytesMax longest message; in unreliable groups, limit of all together
     */
    public Assemblies(SpareArrays spares, long messageBytesMax, boolean isReliable) {
        this.spares = spares;
        this.messageBytesMax = messageBytesMax;
        this.isReliable = isReliable;
    }

    /** Returns whether the message is longer than any that is taken here, so that {@link #add} would abandon it. */
    public boolean isTooLarge(Records.Piece piece) {
        return piece.total() > messageBytesMax;
    }

    /** Returns the longest message that is taken here. */
    public long messageBytesMax() {
        return messageBytesMax;
    }

    /** Takes a piece, and returns the message once it is complete; see {@link Reassembly#add}. */
    public @Nullable ByteBuffer add(
            Member sender, Receipt receipt, ByteBuffer source, int offset, int length, Records.Piece piece) {
        if (isTooLarge(piece)) {
            return null;
        }
        Assembly assembly = assemblies.get(receipt);
        if (assembly == null) {
            assembly = begin(sender, receipt, piece.total());
        }
        Reassembly reassembly = assembly.reassembly();
        long before = reassembly.abandoned();
        long memory = reassembly.memoryBytes();
        ByteBuffer whole = reassembly.add(source, offset, length, piece);
        count(reassembly.abandoned() - before);
        if (reassembly.memoryBytes() != memory) {
            measure(reassembly.memoryBytes() - memory);
        }
        if (whole != null || !reassembly.isBegun()) {
            assemblies.remove(receipt);
        }
        return whole;
    }

    private Assembly begin(Member sender, Receipt receipt, long total) {
        // The stream of unicasts before this one ended with the session, or with a partition.
        abandon(old -> receipt.isUnicast() && old.getKey().isUnicast() && old.getValue().sender().equals(sender));
        if (!isReliable) {
            makeRoom(total);
        }
        Assembly assembly = new Assembly(sender, new Reassembly(spares));
        assemblies.put(receipt, assembly);
        return assembly;
    }

    private void makeRoom(long total) {
        long announced = total;
        for (Assembly assembly : assemblies.values()) {
            announced += assembly.reassembly().total();
        }
        Iterator<Assembly> oldest = assemblies.values().iterator();
        while (announced > messageBytesMax && oldest.hasNext()) {
            Reassembly given = oldest.next().reassembly();
            announced -= given.total();
            abandon(given);
            oldest.remove();
        }
    }

    /** Abandons multicasts that the old view did not complete: they are sent again from their start, or never. */
    public void startView(View view) {
        abandon(old -> !old.getKey().isUnicast() || !view.contains(old.getValue().sender()));
    }

    private void abandon(Predicate<Map.Entry<Receipt, Assembly>> isOver) {
        assemblies.entrySet().removeIf(entry -> {
            boolean isGone = isOver.test(entry);
            if (isGone) {
                abandon(entry.getValue().reassembly());
            }
            return isGone;
        });
    }

    private void abandon(Reassembly reassembly) {
        measure(-reassembly.memoryBytes());
        reassembly.abandon();
        count(1);
    }

    private void count(long more) {
        if (more > 0) {
            abandoned += more;
        }
    }

    private void measure(long more) {
        long now = bytes + more;
        bytes = now;
        if (now > bytesMost) {
            bytesMost = now;
        }
    }

    /** Returns the memory of the messages that are being assembled. From any thread. */
    public long bytes() {
        return bytes;
    }

    /** Returns the maximum of {@link #bytes} so far. */
    public long bytesMost() {
        return bytesMost;
    }

    /** Returns the number of messages that were begun and not completed. From any thread. */
    public long abandoned() {
        return abandoned;
    }
}
