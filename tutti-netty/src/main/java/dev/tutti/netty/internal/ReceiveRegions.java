package dev.tutti.netty.internal;

import dev.tutti.core.Packet;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** The regions of a loop that have room and that no connection has. Used on the loop only. */
final class ReceiveRegions {

    /** A region that is given out takes a whole frame and a read that is worth its system call. */
    static final int ROOM_MIN = FrameCheck.HEAD_BYTES_MAX + Packet.FRAME_MAX + 28 * 1024;

    private static final int OPEN_MAX = 4;

    private final DirectMemory memory;
    private final ArrayDeque<ReceiveRegion> open = new ArrayDeque<>();

    /** Given back by connections that ended while the kernel still had a read under way. */
    private final List<ReceiveRegion> beingRead = new ArrayList<>();

    ReceiveRegions(DirectMemory memory) {
        this.memory = memory;
    }

    ReceiveRegion checkOut() {
        reclaim();
        ReceiveRegion region = open.pollLast();
        return region == null ? new ReceiveRegion(memory.acquireReceive()) : region;
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

    /** Gives everything back. */
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
