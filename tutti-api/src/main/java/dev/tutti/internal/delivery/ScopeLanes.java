package dev.tutti.internal.delivery;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.internal.Fence;
import dev.tutti.internal.Host;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Delivers messages in scopes to a listener: those of one scope in order, one at a time, on a virtual thread that lives
 * as long as the scope has messages; different scopes run side by side.
 *
 * <p>Messages stay in the packet that they arrived in, which is consumed when the last of them is done; so waiting
 * messages fill the window of their sender. Besides, a scope holds {@value #WAITING_MAX} messages: beyond that, the
 * group waits for it.
 */
final class ScopeLanes {

    /** @param sender sender of the scope's messages; null if a scope's order is across senders */
    private record Key(@Nullable Member sender, int scope) {}

    private record Entry(Member sender, View view, boolean isUnicast, ByteBuffer bytes, int offset, int length, Use use) {}

    /** A packet with messages that are being delivered. */
    static final class Use {
        private final @Nullable Packet packet;
        private int count = 1;

        /** @param packet packet to be consumed; null if nothing waits for that */
        Use(@Nullable Packet packet) {
            this.packet = packet;
        }
    }

    private static final class Strand {
        private final Key key;
        private final ArrayDeque<Entry> entries = new ArrayDeque<>();
        private final Delivered.Ring ring = new Delivered.Ring();

        Strand(Key key) {
            this.key = key;
        }
    }

    static final int WAITING_MAX = 1_024;

    private final String name;
    private final boolean isAcrossSenders;
    private final Host host;
    private final Fence guard;
    private final Callbacks callbacks;
    private final Consumption consumption;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed;
    private final Map<Key, Strand> strands = new HashMap<>();

    /** Strand that the delivering thread waits for until it has room. */
    private @Nullable Strand awaited;

    /**
     * @param isAcrossSenders whether a scope orders all its messages, not just those of each sender
     * @param guard fence around the delivering threads
     */
    ScopeLanes(String name, boolean isAcrossSenders, Host host, Fence guard, Callbacks callbacks, Consumption consumption) {
        this.name = name;
        this.isAcrossSenders = isAcrossSenders;
        this.host = host;
        this.guard = guard;
        this.callbacks = callbacks;
        this.consumption = consumption;
        this.changed = host.condition(lock);
    }

    /**
     * Adds a message of a packet in use. Waits while its scope has too many.
     *
     * @param isAlone whether to wait until it is done, for messages too large to hold many of
     */
    public void add(
            Member sender,
            View view,
            boolean isUnicast,
            int scope,
            ByteBuffer bytes,
            int offset,
            int length,
            Use use,
            boolean isAlone) {
        Key key = new Key(isAcrossSenders ? null : sender, scope);
        lock.lock();
        try {
            Strand strand = strands.get(key);
            while (strand != null && strand.entries.size() >= WAITING_MAX) {
                awaited = strand;
                changed.awaitUninterruptibly();
                strand = strands.get(key);
            }
            boolean isNew = strand == null;
            if (strand == null) {
                strand = new Strand(key);
                strands.put(key, strand);
            }
            use.count++;
            strand.entries.add(new Entry(sender, view, isUnicast, bytes, offset, length, use));
            if (isNew) {
                Strand started = strand;
                host.start(name, () -> guard.call("delivery", () -> run(started)));
            }
            while (isAlone && strands.get(key) == strand) {
                changed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Notes that one message of the packet is done, or that all of them have been added. */
    void release(Use use) {
        boolean isDone;
        lock.lock();
        try {
            use.count--;
            isDone = use.count == 0;
        } finally {
            lock.unlock();
        }
        Packet packet = use.packet;
        if (isDone && packet != null) {
            consumption.consumeAside(packet);
        }
    }

    /** Waits until everything that was added is done. */
    void awaitDone() {
        lock.lock();
        try {
            while (!strands.isEmpty()) {
                changed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    private void run(Strand strand) {
        Calls calls = callbacks.calls();
        Calls.Call call = calls.open();
        boolean isDone = false;
        try {
            Entry entry = next(strand);
            while (entry != null) {
                Delivered message = strand.ring.next();
                try {
                    message.begin(
                            entry.sender(), entry.view(), entry.isUnicast(), entry.bytes(), entry.offset(), entry.length());
                    callbacks.onMessageAside(message, call);
                } finally {
                    message.end();
                    release(entry.use());
                }
                entry = next(strand);
            }
            isDone = true;
        } finally {
            calls.close(call);
            if (!isDone) {
                abandon(strand);
            }
        }
    }

    /** Drops the rest of a scope after a failed delivery, so that nothing waits for it. */
    private void abandon(Strand strand) {
        Entry entry = next(strand);
        while (entry != null) {
            release(entry.use());
            entry = next(strand);
        }
    }

    private @Nullable Entry next(Strand strand) {
        lock.lock();
        try {
            Entry entry = strand.entries.poll();
            if (entry == null) {
                strands.remove(strand.key);
                changed.signalAll();
            } else if (strand == awaited && strand.entries.size() <= WAITING_MAX / 2) {
                awaited = null;
                changed.signalAll();
            }
            return entry;
        } finally {
            lock.unlock();
        }
    }
}
