package dev.tutti.sites;

import dev.tutti.Group;
import dev.tutti.SendException;
import dev.tutti.sites.internal.log.DiskLog;
import dev.tutti.sites.internal.log.Entry;
import dev.tutti.sites.internal.log.Spill;
import dev.tutti.sites.internal.relay.SiteFrame;
import java.util.ArrayList;
import java.util.List;

/**
 * Brings back the messages that earlier runs of this member have kept: those that its site does not know are sent to all its
 * members, which keep them. Then their files are deleted. Runs once, on a thread of its own.
 */
final class Recovery implements Runnable {

    /** Content of a frame, in bytes, unless a single message is larger. */
    private static final long FRAME_BYTES = 48 << 10;

    private final SiteGroup siteGroup;
    private final Group group;
    private final Spill spill;

    Recovery(SiteGroup siteGroup, Group group, Spill spill) {
        this.siteGroup = siteGroup;
        this.group = group;
        this.spill = spill;
    }

    @Override
    public void run() {
        for (DiskLog log : spill.earlier()) {
            if (!bringBack(log)) {
                return;
            }
        }
        if (siteGroup.gate().awaitRecovered()) {
            spill.deleteEarlier();
        }
    }

    private boolean bringBack(DiskLog log) {
        List<Entry> frame = new ArrayList<>();
        long bytes = 0;
        for (long position = log.first(); position < log.end(); position++) {
            Entry entry = log.at(position);
            if (entry == null || siteGroup.hasSeen(entry)) {
                continue;
            }
            if (!frame.isEmpty() && bytes + entry.cost() > FRAME_BYTES) {
                if (!send(frame)) {
                    return false;
                }
                frame = new ArrayList<>();
                bytes = 0;
            }
            frame.add(entry);
            bytes += entry.cost();
        }
        return frame.isEmpty() || send(frame);
    }

    private boolean send(List<Entry> frame) {
        siteGroup.gate().onRecovering();
        return send(frame, group, siteGroup.gate());
    }

    /** Sends a frame, again and again until it is accepted; returns false if the group was left. */
    static boolean send(List<Entry> frame, Group group, SendGate gate) {
        byte[] bytes = new SiteFrame.Recovered(frame).encode();
        while (true) {
            try {
                group.send(bytes);
                return true;
            } catch (SendException e) {
                if (e.reason().isFinal()) {
                    gate.onRecovered();
                    return false;
                }
            }
        }
    }
}
