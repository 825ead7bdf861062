package dev.tutti.grid.member;

import dev.tutti.Group;
import dev.tutti.SendException;
import dev.tutti.Threads;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.grid.internal.codec.GridCodec;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Tells the members of the site the entries of this member: those that change, and all of them when a member has come. One thread
 * at a time sends; several changes of one entry meanwhile are one message.
 */
final class Announcer {

    private static final int MESSAGE_BYTES = 32 << 10;

    private final Threads threads;
    private final String name;
    private final Registry registry;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final LinkedHashSet<String> changed = new LinkedHashSet<>();
    private boolean isForNewcomers;
    private boolean isWithOrphans;
    private boolean isRunning;
    private boolean isClosed;
    private @Nullable Group group;

    /** @param registry has the present entries of this member */
    Announcer(Threads threads, String name, Registry registry) {
        this.threads = threads;
        this.name = name;
        this.registry = registry;
    }

    /** Has to be called before anything is sent; until then it waits. */
    void onJoined(Group joined) {
        lock.lock();
        try {
            group = joined;
            wake();
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of entries whose changes have not been announced. */
    int waiting() {
        lock.lock();
        try {
            return changed.size();
        } finally {
            lock.unlock();
        }
    }

    /** Announces that an entry is new, has changed, or is withdrawn. */
    void announce(String id) {
        lock.lock();
        try {
            changed.add(id);
            wake();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Announces all entries to members that have come.
     *
     * @param withOrphans whether this member also tells them the entries that have no member now
     */
    void announceAll(boolean withOrphans) {
        lock.lock();
        try {
            isForNewcomers = true;
            isWithOrphans |= withOrphans;
            wake();
        } finally {
            lock.unlock();
        }
    }

    private void wake() {
        if (!isRunning && !isClosed && group != null && (isForNewcomers || !changed.isEmpty())) {
            isRunning = true;
            Group joined = group;
            threads.start("tutti-grid-" + name, () -> run(joined));
        }
    }

    private void run(Group joined) {
        for (List<byte[]> messages = next(); !messages.isEmpty(); messages = next()) {
            for (byte[] message : messages) {
                send(joined, message);
            }
        }
    }

    private void send(Group joined, byte[] message) {
        while (true) {
            try {
                joined.send(message);
                return;
            } catch (SendException e) {
                if (!Flow.mayContinue(e)) {
                    close();
                    return;
                }
            }
        }
    }

    private List<byte[]> next() {
        lock.lock();
        try {
            if (isClosed || !isForNewcomers && changed.isEmpty()) {
                isRunning = false;
                return List.of();
            }
            List<byte[]> records = new ArrayList<>();
            TreeMap<String, Holding> present = new TreeMap<>();
            registry.own().forEach(holding -> present.put(holding.entry().id(), holding));
            for (String id : changed) {
                Holding holding = present.get(id);
                if (holding == null || !isForNewcomers) {
                    records.add(holding == null ? withdrawn(id) : announced(holding));
                }
            }
            if (isForNewcomers) {
                present.values().forEach(holding -> records.add(announced(holding)));
                if (isWithOrphans) {
                    registry.orphans().forEach(orphan -> records.add(orphan(orphan)));
                }
                records.add(complete());
            }
            changed.clear();
            isForNewcomers = false;
            isWithOrphans = false;
            return messages(records);
        } finally {
            lock.unlock();
        }
    }

    private static List<byte[]> messages(List<byte[]> records) {
        List<byte[]> messages = new ArrayList<>();
        List<byte[]> open = new ArrayList<>();
        int bytes = 0;
        for (byte[] record : records) {
            if (!open.isEmpty() && bytes + record.length > MESSAGE_BYTES) {
                messages.add(Records.join(open, bytes));
                open.clear();
                bytes = 0;
            }
            open.add(record);
            bytes += record.length;
        }
        messages.add(Records.join(open, bytes));
        return messages;
    }

    private byte[] announced(Holding holding) {
        ByteOutput out = new ByteOutput();
        if (holding.leaseNanos() == 0) {
            Records.begin(out, Records.ENTRY);
        } else {
            Records.begin(out, Records.CLIENT_ENTRY);
            out.putLong(holding.leaseNanos());
            // The mediator may die, too, before the lease has ended.
            out.putLong(holding.endNanos() == null ? Records.CONNECTED : Math.max(0, holding.leftNanos(threads.nanoTime())));
        }
        GridCodec.ENTRY.put(holding.entry(), out);
        return Records.end(out);
    }

    private byte[] orphan(Holding holding) {
        ByteOutput out = new ByteOutput();
        Records.begin(out, Records.ORPHAN);
        out.putLong(holding.leaseNanos()).putLong(holding.leftNanos(threads.nanoTime()));
        GridCodec.ENTRY.put(holding.entry(), out);
        return Records.end(out);
    }

    private static byte[] withdrawn(String id) {
        ByteOutput out = new ByteOutput();
        Records.begin(out, Records.WITHDRAWN);
        return Records.end(out.putText(id));
    }

    private static byte[] complete() {
        ByteOutput out = new ByteOutput();
        Records.begin(out, Records.COMPLETE);
        return Records.end(out);
    }

    void close() {
        lock.lock();
        try {
            isClosed = true;
        } finally {
            lock.unlock();
        }
    }
}
