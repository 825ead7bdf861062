package dev.tutti.internal.settings;

import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.settings.Size;
import dev.tutti.protocols.node.GroupSettings;

/** The longest message that fits into the heap of a process. */
public final class MessageBytes {

    private static final long LEAST = 1 << 20;
    private static final long MOST = 1 << 30;

    /**
     * Divisor of the heap that gives the default. Messages that are assembled at the same time take twice the longest
     * one, and a quarter more while their memory grows: half of the heap at most
     * (docs/decisions/0247-large-messages-take-turns.md).
     */
    private static final int SHARE = 5;

    private MessageBytes() {}

    static long ofHeap(long heapBytes) {
        return Math.clamp(heapBytes / SHARE, LEAST, MOST);
    }

    /**
     * Replaces the value 0 by the default share of the heap.
     *
     * @throws SettingException if the heap has no room for a message of the length that is set
     */
    public static Settings withMax(String group, Settings settings, long heapBytes) {
        long bytes = settings.get(GroupSettings.MESSAGE_BYTES_MAX).bytes();
        if (bytes == 0) {
            return settings.with(GroupSettings.MESSAGE_BYTES_MAX, Size.bytes(ofHeap(heapBytes)));
        }
        if (bytes > heapBytes / 2) {
            throw new SettingException("group '" + group + "': message-bytes-max is " + bytes + " bytes, more than half of the heap of "
                    + heapBytes + " bytes; give the process a larger heap (-Xmx), or set less");
        }
        return settings;
    }
}
