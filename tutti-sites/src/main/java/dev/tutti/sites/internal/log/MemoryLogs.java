package dev.tutti.sites.internal.log;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Logs in memory: one in use, and one that was set aside, which gets what is set aside later. Not thread-safe. */
public final class MemoryLogs implements RetainedLogs {

    private MemoryLog current = new MemoryLog();
    private @Nullable MemoryLog aside;

    /** Number of each sender's last message in the log that was set aside. */
    private final Map<OriginMember, Long> lastAside = new HashMap<>();

    @Override
    public RetainedLog current() {
        return current;
    }

    @Override
    public RetainedLog setAside() {
        if (current.first() == current.end()) {
            return current;
        }
        MemoryLog to = aside == null ? new MemoryLog() : aside;
        for (long position = current.first(); position < current.end(); position++) {
            Entry entry = current.at(position);
            if (entry != null && entry.sequence() > lastAside.getOrDefault(entry.member(), 0L)) {
                lastAside.put(entry.member(), entry.sequence());
                to.append(entry);
            }
        }
        aside = to;
        current = new MemoryLog(current.end());
        return current;
    }

    @Override
    public List<RetainedLog> aside() {
        return aside == null ? List.of() : List.of(aside);
    }

    @Override
    public void deleteAside() {
        aside = null;
        lastAside.clear();
    }

    @Override
    public List<String> sites() {
        return List.of();
    }

    @Override
    public void close() {
        // The memory is released with this object.
    }
}
