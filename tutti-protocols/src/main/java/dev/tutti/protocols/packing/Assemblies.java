package dev.tutti.protocols.packing;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.core.stack.Receipt;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The large messages of a group that a receiver puts together at the same time, one for each stream.
 *
 * <p>In reliable groups their senders keep to the memory that there is ({@link LargeMessages}); in others the one that
 * was begun first is given up where there is too little. For one thread at a time.
 */
public final class Assemblies {

    private record Assembly(Member sender, Reassembly reassembly) {}

    private final SpareArrays spares;
    private final long messageBytesMax;
    private final boolean isReliable;

    /** In the order in which they were begun. */
    private final Map<Receipt, Assembly> assemblies = new LinkedHashMap<>();

    // Written by the one thread; those who count may read what was true a moment ago.
    private long abandoned;
    private long bytes;
    private long bytesMost;

    /**
     * @param spares where memory comes from while there is some
     * @param messageBytesMax longest message; in unreliable groups, all together
     */
    public Assemblies(SpareArrays spares, long messageBytesMax, boolean isReliable) {
        this.spares = spares;
        this.messageBytesMax = messageBytesMax;
        this.isReliable = isReliable;
    }

    /** Whether the message is longer than any that is taken here, so that {@link #add} would give it up. */
    public boolean isTooLarge(Records.Piece piece) {
        return piece.total() > messageBytesMax;
    }

    /** Longest message that is taken here. */
    public long messageBytesMax() {
        return messageBytesMax;
    }

    /** Takes a piece, and gives the message when it is complete; see {@link Reassembly#add}. */
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

    /** A large multicast that the old view did not complete is sent again from its start, or never. */
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

    /** Memory of the messages that are being put together. From any thread. */
    public long bytes() {
        return bytes;
    }

    /** The most that {@link #bytes} has been. */
    public long bytesMost() {
        return bytesMost;
    }

    /** How many messages were begun and not completed. From any thread. */
    public long abandoned() {
        return abandoned;
    }
}
