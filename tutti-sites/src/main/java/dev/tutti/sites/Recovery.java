package dev.tutti.sites;

import static java.util.Objects.requireNonNull;

import dev.tutti.SendException;
import dev.tutti.sites.internal.log.Entry;
import dev.tutti.sites.internal.log.RetainedLog;
import dev.tutti.sites.internal.log.RetainedLogs;
import dev.tutti.sites.internal.relay.Retention;
import dev.tutti.sites.internal.relay.SequenceVector;
import dev.tutti.sites.internal.relay.SiteFrame;
import dev.tutti.sites.internal.relay.ViewMark;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Brings back the messages of logs that were set aside, by earlier runs of this member or when its part of the site gave up its
 * state: those that the site does not know are sent to all its members, which keep them. Then the logs are deleted.
 *
 * <p>That is done in passes. A pass goes through all logs, from the oldest on, and belongs to one view: members ignore what comes in a
 * later one, since the state that the pass began with may have been given up, and the site may lack what came before. Another
 * pass follows then. The logs are deleted after a pass that ended in its view.
 */
final class Recovery {

    /** Content of a frame, in bytes, unless a single message is larger. */
    private static final long FRAME_BYTES = 48 << 10;

    /** Positions of a log that are looked at under the lock at once. */
    private static final int CHUNK = 512;

    private final SiteGroup siteGroup;
    private final RetainedLogs logs;

    // Guarded by the site group's lock.
    private boolean isDue;

    /** Number of states that were given up. */
    private long givenUp;

    /** Other sites that were known, in states that were given up. */
    private final TreeSet<String> sites = new TreeSet<>();

    /** Messages that were dropped although sites lack them, in those states. */
    private final SequenceVector dropped = new SequenceVector();

    /** Messages that were kept once in those states, or would have been. */
    private final SequenceVector seen = new SequenceVector();

    Recovery(SiteGroup siteGroup, RetainedLogs logs) {
        this.siteGroup = siteGroup;
        this.logs = logs;
        this.isDue = !logs.aside().isEmpty();
    }

    /** Returns whether there is something to bring back; under the lock. */
    boolean isDue() {
        return isDue;
    }

    /**
     * Sets aside what this member has kept, before it gives up the state of its part of the site; under the lock. Until that was brought
     * back, nothing is sent that would overtake it. Returns the log that takes its place.
     */
    RetainedLog giveUp(Retention retention) {
        siteGroup.gate().setHeld(true);
        isDue = true;
        givenUp++;
        sites.addAll(retention.sites());
        dropped.raise(retention.dropped());
        seen.raise(retention.seen());
        return logs.setAside();
    }

    /** Brings back all that is set aside. The rest stays for the next start if the group is left meanwhile. */
    void run() {
        for (Pass pass = begin(); pass != null && pass.send() && siteGroup.gate().awaitRecovered(); pass = begin()) {
            end(pass);
        }
    }

    private @Nullable Pass begin() {
        siteGroup.lock().lock();
        try {
            return isDue && !siteGroup.isClosed() ? new Pass() : null;
        } finally {
            siteGroup.lock().unlock();
        }
    }

    private void end(Pass pass) {
        siteGroup.locked(() -> {
            if (pass.isCurrent()) {
                logs.deleteAside();
                isDue = false;
                sites.clear();
                dropped.clear();
                seen.clear();
                siteGroup.gate().setHeld(false);
            }
        });
    }

    /** One way through all logs. */
    private final class Pass {

        private final ViewMark view = view();
        private final long after = givenUp;
        private final List<RetainedLog> aside = logs.aside();
        private final SiteFrame.Recovered first;
        private final SiteFrame.Recovered last = SiteFrame.Recovered.of(seen.copy());

        /** Place in the log that is read. */
        private long position;

        Pass() {
            TreeSet<String> known = new TreeSet<>(sites);
            known.addAll(logs.sites());
            SequenceVector gone = dropped.copy();
            aside.forEach(log -> log.dropped().forEach(gone::raise));
            first = new SiteFrame.Recovered(List.copyOf(known), gone, new SequenceVector(), List.of());
        }

        private ViewMark view() {
            return ViewMark.of(requireNonNull(siteGroup.localView()).id());
        }

        /** Returns whether members take what this pass sends; under the lock. */
        boolean isCurrent() {
            return !siteGroup.isClosed() && after == givenUp && view.equals(view());
        }

        /** Returns false if the group was left. */
        boolean send() {
            if (!send(first)) {
                return false;
            }
            for (RetainedLog log : aside) {
                position = log.first();
                for (List<Entry> entries = next(log); entries != null; entries = next(log)) {
                    if (!entries.isEmpty() && !send(SiteFrame.Recovered.of(entries))) {
                        return false;
                    }
                }
            }
            return send(last);
        }

        /** Returns messages that the site lacks, of those that come next in a log; null at its end, or if this pass is in vain. */
        private @Nullable List<Entry> next(RetainedLog log) {
            List<Entry> entries = new ArrayList<>();
            siteGroup.lock().lock();
            try {
                if (position >= log.end() || !isCurrent()) {
                    return null;
                }
                long bytes = 0;
                for (long until = Math.min(log.end(), position + CHUNK); position < until; position++) {
                    Entry entry = log.at(position);
                    if (entry == null || siteGroup.retention().seen().covers(entry.member(), entry.sequence())) {
                        continue;
                    }
                    bytes += entry.cost();
                    if (!entries.isEmpty() && bytes > FRAME_BYTES) {
                        break;
                    }
                    entries.add(entry);
                }
                return entries;
            } finally {
                siteGroup.lock().unlock();
            }
        }

        private boolean send(SiteFrame.Recovered content) {
            siteGroup.gate().onRecovering();
            return Recovery.send(new SiteFrame.BroughtBack(view, content), content.entries().size(), siteGroup);
        }
    }

    /**
     * Sends a frame that the gate expects, again after each time-out; returns false if the group was left. A frame that is too long
     * for the group has one message, which is counted as lost to other members.
     */
    static boolean send(SiteFrame frame, int messages, SiteGroup siteGroup) {
        byte[] bytes = frame.encode();
        while (true) {
            try {
                siteGroup.local().send(bytes);
                return true;
            } catch (SendException e) {
                if (e.reason().isFinal() || e.reason() == SendException.Reason.INTERRUPTED) {
                    siteGroup.gate().onRecovered();
                    return false;
                }
                if (e.reason() == SendException.Reason.TOO_LARGE) {
                    siteGroup.gate().onRecovered();
                    siteGroup.onTooLarge(messages, e);
                    return true;
                }
            }
        }
    }
}
