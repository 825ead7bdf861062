package dev.tutti.sites;

import dev.tutti.GroupState;
import dev.tutti.Snapshot;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.sites.internal.log.Entry;
import dev.tutti.sites.internal.log.RetainedLog;
import dev.tutti.sites.internal.relay.Retention;
import dev.tutti.sites.internal.relay.SequenceVector;
import dev.tutti.sites.internal.relay.SiteFrame;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * State of a site group: the messages of other sites that were delivered, those that other sites have, those that are
 * kept for them, and those that were dropped though they lack them; and after that the application's state, if there is one.
 */
final class SiteGroupState implements GroupState {

    /** Messages that are read from the log at once. */
    private static final int CHUNK = 256;

    /** Longest part of a state, in bytes. */
    private static final int PART_MAX = 256 << 20;

    private final SiteGroup group;
    private final @Nullable GroupState application;

    /** Messages that this side has kept and the other may lack, until its state is installed. */
    private SiteFrame.Recovered own = SiteFrame.Recovered.NOTHING;

    SiteGroupState(SiteGroup group, @Nullable GroupState application) {
        this.group = group;
        this.application = application;
    }

    @Override
    public Snapshot snapshot() {
        ByteOutput out = new ByteOutput();
        RetainedLog log;
        long first;
        long end;
        group.lock().lock();
        try {
            Retention retention = group.retention();
            SequenceVector.putAll(out, group.arrivals().delivered());
            SequenceVector.putAll(out, retention.acknowledgedCopy());
            retention.seen().put(out);
            retention.dropped().put(out);
            group.localMessages().put(out);
            group.resync().put(out);
            log = retention.log();
            first = log.first();
            end = log.end();
        } finally {
            group.lock().unlock();
        }
        return new Image(out.copy(), log, first, end, application == null ? null : application.snapshot());
    }

    /** The state at a cut. Messages are read when they are written; those that all sites got meanwhile are left out. */
    private final class Image implements Snapshot {

        private final byte[] vectors;
        private final RetainedLog log;
        private final long first;
        private final long end;
        private final @Nullable Snapshot rest;

        Image(byte[] vectors, RetainedLog log, long first, long end, @Nullable Snapshot rest) {
            this.vectors = vectors;
            this.log = log;
            this.first = first;
            this.end = end;
            this.rest = rest;
        }

        @Override
        public void write(OutputStream to) throws IOException {
            DataOutputStream out = new DataOutputStream(to);
            out.writeInt(vectors.length);
            out.write(vectors);
            for (long position = first; position < end; position += CHUNK) {
                ByteOutput chunk = new ByteOutput();
                SiteFrame.putList(chunk, read(position, Math.min(CHUNK, end - position)), entry -> entry.put(chunk));
                out.writeInt(chunk.length());
                out.write(chunk.array(), 0, chunk.length());
            }
            out.writeInt(0);
            out.flush();
            if (rest != null) {
                rest.write(to);
            }
        }

        private List<Entry> read(long position, long count) {
            List<Entry> entries = new ArrayList<>();
            group.lock().lock();
            try {
                for (long at = position; at < position + count; at++) {
                    Entry entry = log.at(at);
                    if (entry != null) {
                        entries.add(entry);
                    }
                }
            } finally {
                group.lock().unlock();
            }
            return entries;
        }

        @Override
        public void close() {
            if (rest != null) {
                rest.close();
            }
        }
    }

    @Override
    public void install(InputStream from) throws IOException {
        throw new IllegalStateException("the group gives the replacement, too");
    }

    @Override
    public void install(InputStream from, Replacement replacement) throws IOException {
        DataInputStream in = new DataInputStream(from);
        SequenceVector seen;
        try {
            ByteInput vectors = part(in, in.readInt());
            TreeMap<String, SequenceVector> delivered = SequenceVector.takeAll(vectors);
            TreeMap<String, SequenceVector> acknowledged = SequenceVector.takeAll(vectors);
            seen = SequenceVector.take(vectors);
            SequenceVector dropped = SequenceVector.take(vectors);
            if (replacement.isMerge()) {
                group.takeEarly();
            }
            group.lock().lock();
            try {
                SiteFrame.Recovered replaced = group.replace(replacement.isMerge(), delivered, acknowledged);
                // A stream that has failed before has replaced what is this side's own.
                own = own.isEmpty() ? replaced : own;
                group.retention().onDropped(dropped);
                group.localMessages().replace(vectors);
                group.resync().take(vectors);
            } finally {
                group.lock().unlock();
            }
            for (int length = in.readInt(); length != 0; length = in.readInt()) {
                List<Entry> entries = SiteFrame.takeList(part(in, length), Entry.BYTES_MIN, Entry::take);
                group.lock().lock();
                try {
                    entries.forEach(group.retention()::keep);
                } finally {
                    group.lock().unlock();
                }
            }
            group.lock().lock();
            try {
                group.retention().onSeen(seen);
            } finally {
                group.lock().unlock();
            }
        } catch (MalformedException e) {
            throw new IOException("the state of site group " + group.name() + " can't be read: " + e.getMessage(), e);
        }
        if (application != null) {
            application.install(from, replacement);
        } else if (from.read() != -1) {
            throw new IOException("the other members of site group " + group.name() + " have a state, and this one has none");
        }
        handOver(seen, replacement);
        own = SiteFrame.Recovered.NOTHING;
        group.bringBack();
    }

    private static ByteInput part(DataInputStream in, int length) throws IOException {
        if (length < 0 || length > PART_MAX) {
            throw new IOException("a part of the state has " + length + " bytes, and at most " + PART_MAX + " are possible");
        }
        byte[] part = in.readNBytes(length);
        if (part.length < length) {
            throw new IOException("the state ends within a part");
        }
        return new ByteInput(part);
    }

    /**
     * Gives this side's messages to the members of the other, which pass them on, too. The group takes a number of bytes in
     * advance; the rest is sent when it can be sent.
     */
    private void handOver(SequenceVector seen, Replacement replacement) {
        if (own.isEmpty()) {
            return;
        }
        List<SiteFrame.Recovered> frames = new ArrayList<>();
        frames.add(new SiteFrame.Recovered(own.sites(), own.dropped(), new SequenceVector(), List.of()));
        List<Entry> entries = own.entries().stream().filter(entry -> !seen.covers(entry.member(), entry.sequence())).toList();
        for (int from = 0; from < entries.size(); from += CHUNK) {
            frames.add(SiteFrame.Recovered.of(entries.subList(from, Math.min(entries.size(), from + CHUNK))));
        }
        frames.add(SiteFrame.Recovered.of(own.seen()));
        List<SiteFrame.Recovered> rest = new ArrayList<>();
        for (SiteFrame.Recovered frame : frames) {
            group.gate().onRecovering();
            if (!rest.isEmpty() || !handOver(frame, replacement)) {
                rest.add(frame);
            }
        }
        if (!rest.isEmpty()) {
            group.sendRecovered(rest);
        }
    }

    private static boolean handOver(SiteFrame frame, Replacement replacement) {
        try {
            replacement.handOver(frame.encode());
            return true;
        } catch (IllegalStateException e) {
            return false;
        }
    }
}
