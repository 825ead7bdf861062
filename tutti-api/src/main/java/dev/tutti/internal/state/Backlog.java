package dev.tutti.internal.state;

import dev.tutti.core.Member;
import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import dev.tutti.core.Receipt;
import dev.tutti.internal.Logs;
import dev.tutti.internal.delivery.Item;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Items that a newcomer has received and can't process yet, in order: packets as copies, so that their senders' windows
 * open again, and the items between them.
 *
 * <p>A queue of blocks. The first ones are in memory; once their number reaches the limit, each full one goes to a slot
 * of a file, and comes back from it when its turn has come. Slots are reused, so that the file is no larger than its
 * content. When the file is full too, nothing more is accepted.
 *
 * <p>For one thread at a time; the counters may be read by others.
 */
final class Backlog {

    /** @param memoryBytes at least two blocks */
    record Limits(long memoryBytes, long fileBytes, Path directory) {}

    private record Stream(Member sender, @Nullable Receipt receipt) {}

    private static final class Block {
        private byte @Nullable [] memory = new byte[BLOCK_BYTES];
        private int length;
        private int slot = -1;
    }

    static final int BLOCK_BYTES = 1024 * 1024;
    private static final int MARKER = -1;
    private static final int HEADER_BYTES = 8;

    private static final Logger LOG = Logs.of(Backlog.class);

    private final Limits limits;
    private final int memoryBlocksMax;
    private final long slotsMax;
    private final ArrayDeque<Block> blocks = new ArrayDeque<>();
    private final ArrayDeque<Item> markers = new ArrayDeque<>();
    private final List<Stream> streams = new ArrayList<>();
    private final ArrayDeque<Integer> freeSlots = new ArrayDeque<>();
    private final Memory heap = Memory.onHeap();
    private @Nullable FileChannel file;
    private int slots;
    private int memoryBlocks;
    private int readAt;
    private boolean isFileBroken;
    private volatile long bytes;
    private volatile long fileBytes;
    private volatile String full = "";

    Backlog(Limits limits) {
        this.limits = limits;
        this.memoryBlocksMax = (int) Math.max(2, limits.memoryBytes() / BLOCK_BYTES);
        this.slotsMax = limits.fileBytes() / BLOCK_BYTES;
    }

    /** Returns the bytes of packets that wait. */
    long bytes() {
        return bytes;
    }

    /** Returns the bytes of those in the file. */
    long fileBytes() {
        return fileBytes;
    }

    /** Returns the reason why nothing more is accepted; empty if there is room. */
    String full() {
        return full;
    }

    boolean isEmpty() {
        return blocks.isEmpty() || blocks.size() == 1 && readAt == blocks.getFirst().length;
    }

    // ------------------------------------------------------------------ in

    /**
     * Copies a packet, which stays the caller's.
     *
     * @return false if there is no room
     */
    boolean add(Packet packet) {
        int length = packet.length();
        Block tail = room(HEADER_BYTES + length, false);
        if (tail == null) {
            return false;
        }
        ByteBuffer out = buffer(tail);
        out.putInt(stream(packet)).putInt(length);
        packet.bytes().get(packet.offset(), memory(tail), out.position(), length);
        tail.length = out.position() + length;
        bytes += length;
        return true;
    }

    /** Adds an item that is no packet. There is always room for it. */
    void addMarker(Item marker) {
        Block tail = room(HEADER_BYTES, true);
        if (tail == null) {
            throw new IllegalStateException("no block for a marker");
        }
        buffer(tail).putInt(MARKER).putInt(0);
        tail.length += HEADER_BYTES;
        markers.add(marker);
    }

    private int stream(Packet packet) {
        Member sender = packet.peer();
        if (sender == null) {
            throw new IllegalStateException("a packet without a sender");
        }
        for (int index = 0; index < streams.size(); index++) {
            Stream known = streams.get(index);
            if (known.receipt == packet.receipt() && known.sender.equals(sender)) {
                return index;
            }
        }
        streams.add(new Stream(sender, packet.receipt()));
        return streams.size() - 1;
    }

    private static byte[] memory(Block block) {
        byte[] memory = block.memory;
        if (memory == null) {
            throw new IllegalStateException("the block is in the file");
        }
        return memory;
    }

    private static ByteBuffer buffer(Block block) {
        return ByteBuffer.wrap(memory(block), block.length, BLOCK_BYTES - block.length);
    }

    private @Nullable Block room(int needed, boolean isForced) {
        Block tail = blocks.peekLast();
        if (tail != null && tail.memory != null && tail.length + needed <= BLOCK_BYTES) {
            return tail;
        }
        if (memoryBlocks >= memoryBlocksMax && !isForced && (tail == null || !spill(tail))) {
            return null;
        }
        full = "";
        Block next = new Block();
        memoryBlocks++;
        blocks.add(next);
        return next;
    }

    /** Writes a block to the file. The block is not being read: at least two are in memory. */
    private boolean spill(Block block) {
        Integer free = freeSlots.peek();
        if (isFileBroken || free == null && slots >= slotsMax) {
            if (full.isEmpty()) {
                full = isFileBroken ? "the file of waiting messages can't be written" : "state.held-file ("
                        + limits.fileBytes() + " bytes) is full";
                LOG.warn("{}; {} bytes wait for the state, and their senders from now on", full, bytes);
            }
            return false;
        }
        int slot = free == null ? slots : free;
        try {
            FileChannel channel = file == null ? open() : file;
            file = channel;
            write(channel, ByteBuffer.wrap(memory(block), 0, block.length), (long) slot * BLOCK_BYTES);
        } catch (IOException e) {
            isFileBroken = true;
            LOG.warn("the file of messages that wait for the state, in {}, can't be written", limits.directory(), e);
            return spill(block);
        }
        if (free == null) {
            slots++;
        } else {
            freeSlots.remove();
        }
        block.slot = slot;
        block.memory = null;
        memoryBlocks--;
        fileBytes += block.length;
        return true;
    }

    private FileChannel open() throws IOException {
        Path path = Files.createTempFile(limits.directory(), "tutti-state", ".held");
        return FileChannel.open(
                path, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE);
    }

    private static void write(FileChannel channel, ByteBuffer from, long position) throws IOException {
        long at = position;
        while (from.hasRemaining()) {
            at += channel.write(from, at);
        }
    }

    // ------------------------------------------------------------------ out

    /**
     * Returns the oldest item and removes it: a packet on the heap with its sender and receipt, or a marker; null if
     * there is none.
     *
     * @throws UncheckedIOException if the file can't be read: messages are lost then
     */
    @Nullable Item poll() {
        if (isEmpty()) {
            return null;
        }
        Block head = blocks.getFirst();
        if (readAt == head.length) {
            blocks.removeFirst();
            memoryBlocks--;
            readAt = 0;
            head = blocks.getFirst();
        }
        if (head.memory == null) {
            load(head);
        }
        ByteBuffer in = ByteBuffer.wrap(memory(head), readAt, head.length - readAt);
        int stream = in.getInt();
        int length = in.getInt();
        readAt += HEADER_BYTES + length;
        if (stream == MARKER) {
            return markers.remove();
        }
        bytes -= length;
        Stream of = streams.get(stream);
        return new Item.Arrival(Packet.create(heap, length)
                .append(memory(head), in.position(), length)
                .withPeer(of.sender)
                .withReceipt(of.receipt));
    }

    private void load(Block block) {
        FileChannel channel = file;
        byte[] memory = new byte[BLOCK_BYTES];
        ByteBuffer into = ByteBuffer.wrap(memory, 0, block.length);
        try {
            long at = (long) block.slot * BLOCK_BYTES;
            while (into.hasRemaining()) {
                int count = channel == null ? -1 : channel.read(into, at + into.position());
                if (count < 0) {
                    throw new IOException("the file ends at " + (at + into.position()));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("messages that have waited for the state can't be read back", e);
        }
        freeSlots.add(block.slot);
        block.slot = -1;
        block.memory = memory;
        memoryBlocks++;
        fileBytes -= block.length;
    }

    /** Removes all items and the file. */
    void clear() {
        blocks.clear();
        markers.clear();
        streams.clear();
        freeSlots.clear();
        slots = 0;
        memoryBlocks = 0;
        readAt = 0;
        bytes = 0;
        fileBytes = 0;
        full = "";
        FileChannel open = file;
        file = null;
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                LOG.warn("the file of messages that have waited for the state can't be removed", e);
            }
        }
    }
}
