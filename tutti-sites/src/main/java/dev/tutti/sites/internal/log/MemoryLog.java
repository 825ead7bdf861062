package dev.tutti.sites.internal.log;

import java.util.ArrayList;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Log in memory. Its owner bounds it. */
public final class MemoryLog implements RetainedLog {

    /** Places before the first message from which on they are given back. */
    private static final int UNUSED_MIN = 1024;

    private ArrayList<@Nullable Entry> entries = new ArrayList<>();

    /** Position of the first element of {@link #entries}. */
    private long base;

    private long first;
    private long bytes;

    public MemoryLog() {
        this(0);
    }

    /** @param start position of the first message */
    MemoryLog(long start) {
        this.base = start;
        this.first = start;
    }

    @Override
    public long append(Entry entry) {
        entries.add(entry);
        bytes += entry.cost();
        return end() - 1;
    }

    @Override
    public long first() {
        return first;
    }

    @Override
    public long end() {
        return base + entries.size();
    }

    @Override
    public @Nullable Entry at(long position) {
        return position < first || position >= end() ? null : entries.get((int) (position - base));
    }

    @Override
    public void trimTo(long position) {
        long last = Math.min(position, end());
        for (; first < last; first++) {
            Entry gone = entries.set((int) (first - base), null);
            if (gone != null) {
                bytes -= gone.cost();
            }
        }
        int unused = (int) (first - base);
        if (unused >= UNUSED_MIN && unused >= entries.size() / 2) {
            entries = new ArrayList<>(entries.subList(unused, entries.size()));
            base = first;
        }
    }

    @Override
    public void noteDropped(OriginMember member, long sequence) {
        // Nothing here outlasts the process.
    }

    @Override
    public Map<OriginMember, Long> dropped() {
        return Map.of();
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    public void close() {
        trimTo(end());
    }
}
