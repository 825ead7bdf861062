package dev.tutti.sites.internal.relay;

import dev.tutti.sites.internal.log.Entry;
import dev.tutti.sites.internal.log.OriginMember;
import dev.tutti.sites.internal.log.RetainedLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Messages of this site that other sites do not have yet, at one member. Every member of a site group keeps all of
 * them, in the order in which it delivered them, so that any can take over from a master. Not thread-safe.
 *
 * <p>A message is kept until each site that is known, and that the message is for, has acknowledged it. Sites become
 * known when a master of theirs is seen for the first time, or because the application expects them.
 *
 * <p>Each site has a position in the log: that of the first message that it lacks. The log is trimmed to the least of them.
 */
public final class Retention {

    private final String site;
    private RetainedLog log;

    /** Another site that is known. */
    private static final class OtherSite {

        /** The messages that it has. */
        final SequenceVector has;

        /** Position of the first message that it lacks. */
        long position;

        /** Messages for it from that position on; those that it has out of order are among them. */
        long messages;

        long bytes;

        OtherSite(SequenceVector has, long position) {
            this.has = has;
            this.position = position;
        }
    }

    /** The other sites that are known, by name. */
    private final TreeMap<String, OtherSite> others = new TreeMap<>();

    private final Ages ages = new Ages();

    /** Messages that were kept once, or would have been. */
    private final SequenceVector seen = new SequenceVector();

    /** Messages that were dropped before all sites had them. */
    private final SequenceVector dropped = new SequenceVector();

    private boolean isPinned;
    private long droppedCount;
    private long droppedTaken;

    /** @param site of this member */
    public Retention(String site, RetainedLog log) {
        this.site = site;
        this.log = log;
    }

    /** Returns the site of this member. */
    public String site() {
        return site;
    }

    // ------------------------------------------------------------------ what is kept

    /** Keeps a message, if a site lacks it and it was not kept before. */
    public void keep(Entry entry) {
        if (seen.covers(entry.member(), entry.sequence())) {
            return;
        }
        seen.raise(entry.member(), entry.sequence());
        if (others.entrySet().stream().noneMatch(other -> lacks(other.getKey(), other.getValue(), entry))) {
            return;
        }
        long position = log.append(entry);
        others.forEach((name, other) -> {
            if (isFor(entry, name)) {
                other.messages++;
                other.bytes += entry.cost();
            }
            if (other.position == position && !lacks(name, other, entry)) {
                pass(name, other, entry);
            }
        });
    }

    /** Drops messages from the oldest on until {@code bytesMax} are kept. Returns their number. */
    public long dropDownTo(long bytesMax) {
        long count = 0;
        while (log.bytes() > bytesMax && log.first() < log.end()) {
            long position = log.first();
            Entry oldest = log.at(position);
            boolean isLacked = false;
            for (Map.Entry<String, OtherSite> other : others.entrySet()) {
                isLacked |= oldest != null && lacks(other.getKey(), other.getValue(), oldest);
                if (other.getValue().position == position) {
                    pass(other.getKey(), other.getValue(), oldest);
                }
            }
            if (oldest != null && isLacked) {
                log.noteDropped(oldest.member(), oldest.sequence());
                dropped.raise(oldest.member(), oldest.sequence());
                count++;
            }
            log.trimTo(position + 1);
        }
        droppedCount += count;
        return count;
    }

    /** Returns the messages that were dropped before all sites had them. */
    public SequenceVector dropped() {
        return dropped;
    }

    /** Notes messages that another member has dropped. Returns whether this one did not know that. */
    public boolean onDropped(SequenceVector others) {
        boolean isNew = !dropped.covers(others);
        others.asMap().forEach((member, sequence) -> {
            if (!dropped.covers(member, sequence)) {
                log.noteDropped(member, sequence);
                dropped.raise(member, sequence);
            }
        });
        return isNew;
    }

    /** Returns the number of messages that were dropped although a site lacks them. */
    public long droppedCount() {
        return droppedCount;
    }

    /** Returns the number of messages that were dropped although a site lacks them, since the last call. */
    public long takeDropped() {
        long since = droppedCount - droppedTaken;
        droppedTaken = droppedCount;
        return since;
    }

    public long bytes() {
        return log.bytes();
    }

    /** Returns the number of messages that are kept. */
    public long count() {
        return log.end() - log.first();
    }

    /** Returns the messages that were kept once, or would have been. */
    public SequenceVector seen() {
        return seen;
    }

    /** Returns the messages that are kept, in order. */
    public List<Entry> entries() {
        List<Entry> entries = new ArrayList<>();
        for (long at = log.first(); at < log.end(); at++) {
            Entry entry = log.at(at);
            if (entry != null) {
                entries.add(entry);
            }
        }
        return entries;
    }

    // ------------------------------------------------------------------ other sites

    /** Returns the other sites that are known. */
    public List<String> sites() {
        return List.copyOf(others.keySet());
    }

    /** Returns what another site lacks; nothing if it is not known. */
    public Lag lag(String other, long nowNanos) {
        OtherSite known = others.get(other);
        return known == null || known.messages == 0
                ? Lag.NONE
                : new Lag(known.messages, known.bytes, ages.of(known.position, nowNanos));
    }

    /** Looks once in a while: drops what all sites have, and notes the time for the ages of messages. */
    public void look(long nowNanos) {
        others.forEach(this::advance);
        trim();
        ages.look(log.first(), log.end(), nowNanos);
    }

    /** Returns the sites that the oldest message is kept for. */
    public List<String> lagging() {
        Entry oldest = log.at(log.first());
        return oldest == null
                ? List.of()
                : others.entrySet().stream()
                        .filter(other -> lacks(other.getKey(), other.getValue(), oldest))
                        .map(Map.Entry::getKey)
                        .toList();
    }

    public boolean knows(String other) {
        return others.containsKey(other);
    }

    /** Returns the messages that another site has acknowledged; none if it is not known. */
    public SequenceVector acknowledged(String other) {
        OtherSite known = others.get(other);
        return known == null ? new SequenceVector() : known.has;
    }

    /** Returns whether nothing that a member of this site has sent up to a number is kept for another site any more. */
    public boolean isPassed(String other, OriginMember member, long upTo) {
        OtherSite known = others.get(other);
        if (known == null) {
            return true;
        }
        if (!seen.covers(member, upTo)) {
            return false;
        }
        for (long at = known.position; at < log.end(); at++) {
            Entry entry = log.at(at);
            if (entry != null && entry.member().equals(member) && entry.sequence() <= upTo && lacks(other, known, entry)) {
                return false;
            }
        }
        return true;
    }

    /** Notes that a site is there: messages up to {@code start} are not for it. */
    public void add(String other, SequenceVector start) {
        if (other.equals(site)) {
            return;
        }
        OtherSite known = others.get(other);
        if (known == null) {
            known = new OtherSite(new SequenceVector(), log.first());
            others.put(other, known);
            for (long at = log.first(); at < log.end(); at++) {
                Entry entry = log.at(at);
                if (entry != null && isFor(entry, other)) {
                    known.messages++;
                    known.bytes += entry.cost();
                }
            }
        }
        known.has.raise(start);
        advance(other, known);
    }

    /** Gives up a site. */
    public void forget(String other) {
        others.remove(other);
        trim();
    }

    /** Notes that a site has these messages. */
    public void acknowledge(String other, SequenceVector has) {
        OtherSite known = others.get(other);
        if (known != null) {
            known.has.raise(has);
            advance(other, known);
            trim();
        }
    }

    /** Moves the position of a site to the first message that it lacks. */
    private void advance(String name, OtherSite other) {
        while (other.position < log.end()) {
            Entry entry = log.at(other.position);
            if (entry != null && lacks(name, other, entry)) {
                return;
            }
            pass(name, other, entry);
        }
    }

    /** Moves the position of a site behind the message there, if there is one. */
    private static void pass(String name, OtherSite other, @Nullable Entry entry) {
        other.position++;
        if (entry != null && isFor(entry, name)) {
            other.messages--;
            other.bytes -= entry.cost();
        }
    }

    /**
     * Keeps messages from now on even if all sites have them, or no longer: while the state of another site is taken over, which may
     * lack them.
     */
    public void setPinned(boolean isPinned) {
        this.isPinned = isPinned;
        trim();
    }

    private void trim() {
        if (isPinned) {
            return;
        }
        log.trimTo(others.values().stream().mapToLong(other -> other.position).min().orElse(log.end()));
    }

    private static boolean lacks(String name, OtherSite other, Entry entry) {
        return isFor(entry, name) && !other.has.covers(entry.member(), entry.sequence());
    }

    static boolean isFor(Entry entry, String other) {
        return entry.reach().isEmpty() || entry.reach().contains(other);
    }

    // ------------------------------------------------------------------ streams

    /**
     * Returns the next items of a stream to another site, and moves its position behind them.
     *
     * @param stream its position is moved
     * @param bytesMax of their content; the first may be larger
     * @return none if there are none
     */
    List<RelayItem> next(OutgoingStream stream, long bytesMax) {
        List<RelayItem> items = new ArrayList<>();
        if (stream.position() < log.first()) {
            tellDropped(stream, items);
        }
        long bytes = 0;
        while (stream.position() < log.end()) {
            Entry entry = log.at(stream.position());
            if (entry != null && !stream.sent().covers(entry.member(), entry.sequence())) {
                long cost = entry.cost();
                if (!items.isEmpty() && bytes + cost > bytesMax) {
                    break;
                }
                bytes += add(stream, entry, items) ? cost : Entry.OVERHEAD_BYTES;
            }
            stream.advance();
        }
        return items;
    }

    /** Adds a message, or that it is not for this site; and that those between it and the last one are not, either. */
    private static boolean add(OutgoingStream stream, Entry entry, List<RelayItem> items) {
        OriginMember member = entry.member();
        boolean isSent = isFor(entry, stream.site());
        long first = stream.sent().of(member) + 1;
        long skipped = isSent ? entry.sequence() - 1 : entry.sequence();
        if (first <= skipped) {
            items.add(new RelayItem.Skip(member, first, skipped));
        }
        if (isSent) {
            items.add(new RelayItem.Sent(member, entry.sequence(), entry.isForOne(), entry.content()));
        }
        stream.onSent(member, entry.sequence());
        return isSent;
    }

    /** Adds the messages that were dropped before they could be sent. */
    private void tellDropped(OutgoingStream stream, List<RelayItem> items) {
        stream.moveTo(log.first());
        dropped.asMap().forEach((member, sequence) -> {
            long first = stream.sent().of(member) + 1;
            if (sequence >= first) {
                items.add(new RelayItem.Lost(member, first, sequence));
                stream.onSent(member, sequence);
            }
        });
    }

    // ------------------------------------------------------------------ state

    /** Returns the sites that are known, with the messages that they have; a copy. */
    public Map<String, SequenceVector> acknowledgedCopy() {
        TreeMap<String, SequenceVector> copy = new TreeMap<>();
        others.forEach((name, other) -> copy.put(name, other.has.copy()));
        return copy;
    }

    /**
     * Replaces everything by the state of another member, whose messages are kept next.
     *
     * @param next log without messages, whose positions go on above those of the present one
     */
    public void reset(Map<String, SequenceVector> acknowledged, RetainedLog next) {
        others.clear();
        acknowledged.forEach((name, has) -> others.put(name, new OtherSite(has, next.end())));
        seen.clear();
        dropped.clear();
        ages.clear();
        log = next;
    }

    /** Notes what another member has seen, after its messages were kept. */
    public void onSeen(SequenceVector theirs) {
        seen.raise(theirs);
        others.forEach(this::advance);
        trim();
    }

    /** Returns the log, with the positions of the messages that are kept. */
    public RetainedLog log() {
        return log;
    }
}
