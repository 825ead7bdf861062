package dev.tutti.sites;

import dev.tutti.GroupState;
import dev.tutti.Snapshot;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.sites.internal.log.Entry;
import dev.tutti.sites.internal.log.RetainedLog;
import dev.tutti.sites.internal.relay.OutgoingStream;
import dev.tutti.sites.internal.relay.Recent;
import dev.tutti.sites.internal.relay.RelayItem;
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
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * State of a site group: the messages of other sites that were delivered, those that other sites have, those that are
 * kept for them, and those that were dropped though they lack them; and after that the application's state, if there is one.
 */
final class SiteGroupState implements GroupState {

    /** Messages that are read from the log at once. */
    private static final int CHUNK = 256;

    /** Content of a frame with messages of another site, in bytes, unless a single message is larger. */
    private static final long FRAME_BYTES = 48 << 10;

    /** Longest part of a state, in bytes. */
    private static final int PART_MAX = 256 << 20;

    private final SiteGroup group;
    private final @Nullable GroupState application;

    /** The last messages of other sites that this side has delivered and the other may lack, until its state is installed. */
    private Map<String, Recent> arrived = Map.of();

    /** Messages of other sites that this side has delivered, until the other's state is installed; null if this is no merge. */
    private @Nullable Map<String, SequenceVector> before;

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
            putRecent(out, group.arrivals().recent(), nanoTime());
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
        TreeMap<String, SequenceVector> delivered;
        TreeMap<String, Recent> recent;
        try {
            ByteInput vectors = part(in, in.readInt());
            delivered = SequenceVector.takeAll(vectors);
            TreeMap<String, SequenceVector> acknowledged = SequenceVector.takeAll(vectors);
            seen = SequenceVector.take(vectors);
            SequenceVector dropped = SequenceVector.take(vectors);
            if (replacement.isMerge()) {
                group.takeEarly();
            }
            group.lock().lock();
            try {
                if (replacement.isMerge() && before == null) {
                    before = group.arrivals().delivered();
                    arrived = group.arrivals().recent();
                }
                group.replace(replacement.isMerge(), delivered, acknowledged);
                group.retention().onDropped(dropped);
                group.localMessages().replace(vectors);
                group.resync().take(vectors);
                recent = takeRecent(vectors, nanoTime());
                group.arrivals().remember(recent);
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
        if (application == null && before != null) {
            group.catchUp(before, arrived, recent);
        }
        handOverArrived(delivered, recent, replacement);
        before = null;
        arrived = Map.of();
        group.bringBack();
    }

    private long nanoTime() {
        return group.sites().node().threads().nanoTime();
    }

    private static void putRecent(ByteOutput out, Map<String, Recent> recent, long nowNanos) {
        out.putInt(recent.size());
        recent.forEach((site, last) -> last.put(out.putText(site), nowNanos));
    }

    /** Takes the last messages of other sites, which a state of a former version does not have. */
    private static TreeMap<String, Recent> takeRecent(ByteInput in, long nowNanos) {
        TreeMap<String, Recent> recent = new TreeMap<>();
        for (int left = in.remaining() == 0 ? 0 : in.takeCount(2 * Integer.BYTES + Long.BYTES); left > 0; left--) {
            recent.put(in.takeText(), Recent.take(in, nowNanos));
        }
        return recent;
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

    /** Gives messages of other sites that this side has delivered, and the other lacks, to all: those sites may have dropped them. */
    private void handOverArrived(Map<String, SequenceVector> delivered, Map<String, Recent> theirs, Replacement replacement) {
        for (Map.Entry<String, Recent> of : arrived.entrySet()) {
            SequenceVector there = delivered.getOrDefault(of.getKey(), new SequenceVector());
            Recent recent = theirs.get(of.getKey());
            List<RelayItem> frame = new ArrayList<>();
            long bytes = 0;
            for (Recent.Item each : of.getValue().items()) {
                RelayItem item = each.item();
                boolean isSkipped = recent != null && recent.skipped().covers(item.member(), item.sequence());
                if (there.covers(item.member(), item.sequence()) && !isSkipped) {
                    continue;
                }
                long more = OutgoingStream.bytes(List.of(item));
                if (!frame.isEmpty() && bytes + more > FRAME_BYTES) {
                    replacement.handOver(new SiteFrame.Arrived(of.getKey(), frame).encode());
                    frame = new ArrayList<>();
                    bytes = 0;
                }
                frame.add(item.takenByOne());
                bytes += more;
            }
            if (!frame.isEmpty()) {
                replacement.handOver(new SiteFrame.Arrived(of.getKey(), frame).encode());
            }
        }
    }
}
