package dev.tutti.sites;

import dev.tutti.Group;
import dev.tutti.SendException;
import dev.tutti.sites.internal.log.DiskLog;
import dev.tutti.sites.internal.log.Entry;
import dev.tutti.sites.internal.log.Spill;
import dev.tutti.sites.internal.relay.SequenceVector;
import dev.tutti.sites.internal.relay.SiteFrame;
import java.util.ArrayList;
import java.util.List;

/**
 * Brings back the messages of logs that were set aside, by earlier runs of this member or when its part of the site gave up its
 * state: those that the site does not know are sent to all its members, which keep them. Then the files are deleted.
 */
final class Recovery {

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

    /** Brings back all that is set aside; the rest stays for the next start if the group is left meanwhile. */
    void run() {
        for (DiskLog log = spill.aside(); log != null; log = spill.aside()) {
            if (!bringBack(log) || !siteGroup.gate().awaitRecovered()) {
                return;
            }
            spill.deleteAside();
        }
        SequenceVector seen = siteGroup.givenUp();
        if (seen.isEmpty() || sendExpected(SiteFrame.Recovered.of(seen))) {
            siteGroup.onBroughtBack();
        }
    }

    private boolean bringBack(DiskLog log) {
        SequenceVector dropped = new SequenceVector();
        log.dropped().forEach(dropped::raise);
        if (!sendExpected(new SiteFrame.Recovered(spill.sites(), dropped, new SequenceVector(), List.of()))) {
            return false;
        }
        List<Entry> frame = new ArrayList<>();
        long bytes = 0;
        for (long position = log.first(); position < log.end(); position++) {
            Entry entry = log.at(position);
            if (entry == null || siteGroup.hasSeen(entry)) {
                continue;
            }
            if (!frame.isEmpty() && bytes + entry.cost() > FRAME_BYTES) {
                if (!sendExpected(SiteFrame.Recovered.of(frame))) {
                    return false;
                }
                frame = new ArrayList<>();
                bytes = 0;
            }
            frame.add(entry);
            bytes += entry.cost();
        }
        return frame.isEmpty() || sendExpected(SiteFrame.Recovered.of(frame));
    }

    private boolean sendExpected(SiteFrame.Recovered frame) {
        siteGroup.gate().onRecovering();
        return send(frame, group, siteGroup);
    }

    /**
     * Sends a frame that the gate expects, again after each time-out; returns false if the group was left. A frame that is too long
     * for the group has one message, which is counted as lost to other members.
     */
    static boolean send(SiteFrame.Recovered frame, Group group, SiteGroup siteGroup) {
        byte[] bytes = frame.encode();
        while (true) {
            try {
                group.send(bytes);
                return true;
            } catch (SendException e) {
                if (e.reason().isFinal() || e.reason() == SendException.Reason.INTERRUPTED) {
                    siteGroup.gate().onRecovered();
                    return false;
                }
                if (e.reason() == SendException.Reason.TOO_LARGE) {
                    siteGroup.gate().onRecovered();
                    siteGroup.onTooLarge(frame.entries().size(), e);
                    return true;
                }
            }
        }
    }
}
