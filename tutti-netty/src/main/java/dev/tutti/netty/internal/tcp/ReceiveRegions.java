package dev.tutti.netty.internal.tcp;

import dev.tutti.netty.internal.memory.DirectMemory;
import dev.tutti.netty.internal.memory.ReceiveRegion;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** Regions of a loop that have room and that no connection uses. Used on the loop only. */
final class ReceiveRegions {

    /** Least room of a kept region: enough for a usual packet, and for a read that is worth its system call. */
    static final int ROOM_MIN = 92 * 1024 + FrameCheck.HEAD_BYTES_MAX;

    private static final int OPEN_MAX = 4;

    private final DirectMemory memory;
    private final ArrayDeque<ReceiveRegion> open = new ArrayDeque<>();

    /** Regions returned by connections that ended while the kernel still had a read in progress. */
    private final List<ReceiveRegion> beingRead = new ArrayList<>();

    ReceiveRegions(DirectMemory memory) {
        this.memory = memory;
    }

    /** Returns a region with room for {@code bytes}, which is at most the size of a new one. */
    ReceiveRegion checkOut(int bytes) {
        reclaim();
        ReceiveRegion last = open.peekLast();
        if (last == null || last.room() < bytes) {
            return new ReceiveRegion(memory.acquireReceive());
        }
        return open.removeLast();
    }

    void checkIn(ReceiveRegion region) {
        if (region.isBeingRead()) {
            beingRead.add(region);
            return;
        }
        if (!region.isShared) {
            region.position = 0;
        }
        if (open.size() < OPEN_MAX && region.room() >= ROOM_MIN) {
            open.addLast(region);
        } else {
            region.block.release();
        }
    }

    /** Returns all memory. */
    void close() {
        reclaim();
        open.forEach(region -> region.block.release());
        open.clear();
    }

    private void reclaim() {
        for (int index = beingRead.size() - 1; 0 <= index; index--) {
            if (!beingRead.get(index).isBeingRead()) {
                checkIn(beingRead.remove(index));
            }
        }
    }
}
