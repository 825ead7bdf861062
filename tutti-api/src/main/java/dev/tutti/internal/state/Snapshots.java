package dev.tutti.internal.state;

import dev.tutti.GroupState;
import dev.tutti.Snapshot;
import dev.tutti.core.Member;
import dev.tutti.internal.Fence;
import dev.tutti.internal.Host;
import dev.tutti.internal.Logs;
import dev.tutti.internal.state.StateRecord.Pull;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The providing side: keeps a snapshot for each cut at which there were members without a state, as long as one of them
 * may need it, and writes it to those that ask, each on a thread of its own.
 *
 * <p>A snapshot is released when all members that it was taken for, or that read it, have the state or are gone; after
 * {@code state.keep}; or as the oldest when there are more than {@code state.snapshots}. A newcomer that still reads it is
 * refused the rest, and finds another one.
 */
final class Snapshots {

    /** Sends chunks and answers. Never waits. */
    interface Sender {
        void send(Member receiver, byte[] content, int length);
    }

    private static final class Kept {
        private final CutId cut;
        private final Snapshot snapshot;
        private final TreeSet<Member> newcomers;
        private int writers;
        private boolean isDropped;

        Kept(CutId cut, Snapshot snapshot, TreeSet<Member> newcomers) {
            this.cut = cut;
            this.snapshot = snapshot;
            this.newcomers = newcomers;
        }
    }

    private static final class Transfer {
        private final Member newcomer;
        private final long number;
        private final Kept kept;
        private long limit;
        private long sent;
        private @Nullable String stopped;

        Transfer(Member newcomer, Pull pull, Kept kept) {
            this.newcomer = newcomer;
            this.number = pull.transfer();
            this.kept = kept;
            this.limit = pull.limit();
            this.sent = pull.offset();
        }
    }

    private static final Logger LOG = Logs.of(Snapshots.class);

    private final String group;
    private final GroupState state;
    private final Host host;
    private final Fence fence;
    private final Sender sender;
    private final int countMax;
    private final long keepNanos;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed;
    private final List<Kept> kept = new ArrayList<>();
    private final TreeMap<Member, Transfer> transfers = new TreeMap<>();

    /** Requests that came before listeners have come to the cut. */
    private final TreeMap<Member, Pull> early = new TreeMap<>();

    private TreeSet<Member> lacking = new TreeSet<>();
    private long passedNumber;
    private boolean isClosed;
    private final LongAdder sentBytes = new LongAdder();

    Snapshots(String group, GroupState state, Host host, Fence fence, Sender sender, int countMax, Duration keep) {
        this.group = group;
        this.state = state;
        this.host = host;
        this.fence = fence;
        this.sender = sender;
        this.countMax = countMax;
        this.keepNanos = keep.toNanos();
        this.changed = host.condition(lock);
    }

    int count() {
        lock.lock();
        try {
            return kept.size();
        } finally {
            lock.unlock();
        }
    }

    int transfers() {
        lock.lock();
        try {
            return transfers.size();
        } finally {
            lock.unlock();
        }
    }

    /** Returns the bytes of state that were sent so far. */
    long sentBytes() {
        return sentBytes.sum();
    }

    // ------------------------------------------------------------------ where listeners are called

    /** Takes a snapshot for the newcomers that no earlier one serves. */
    void take(CutId cut, List<Member> newcomers) {
        TreeSet<Member> unserved = new TreeSet<>(newcomers);
        lock.lock();
        try {
            // Listeners may be late: a member that has got the state from others meanwhile needs none.
            unserved.retainAll(lacking);
            kept.forEach(known -> unserved.removeAll(known.newcomers));
        } finally {
            lock.unlock();
        }
        if (!unserved.isEmpty()) {
            Snapshot taken = snapshot(cut);
            if (taken != null) {
                keep(new Kept(cut, taken, unserved));
            }
        }
        pass(cut);
    }

    private @Nullable Snapshot snapshot(CutId cut) {
        Snapshot taken = fence.ask("snapshot", () -> Objects.requireNonNull(state.snapshot(), "snapshot() has returned null"));
        if (taken == null) {
            LOG.warn("group {}: there is no snapshot of cut {}: newcomers have to get the state from another member", group, cut);
        }
        return taken;
    }

    private void keep(Kept taken) {
        Kept oldest = null;
        lock.lock();
        try {
            taken.newcomers.retainAll(lacking);
            if (isClosed || taken.newcomers.isEmpty()) {
                oldest = taken;
            } else {
                kept.add(taken);
                if (kept.size() > countMax) {
                    oldest = kept.removeFirst();
                    LOG.warn("group {}: the snapshot of cut {} goes although {} may need it: state.snapshots is {}", group,
                            oldest.cut, oldest.newcomers, countMax);
                }
            }
        } finally {
            lock.unlock();
        }
        if (oldest != null) {
            drop(oldest, "the snapshot had to make room for later ones");
        }
        if (oldest != taken) {
            host.start("tutti-state-keep-" + group, () -> expire(taken));
        }
    }

    /** Answers requests for this cut or an earlier one, because listeners have come to it. */
    void pass(CutId cut) {
        TreeMap<Member, Pull> due = new TreeMap<>();
        lock.lock();
        try {
            passedNumber = Math.max(passedNumber, cut.number());
            early.forEach((newcomer, pull) -> {
                if (pull.cut().number() <= passedNumber) {
                    due.put(newcomer, pull);
                }
            });
            early.keySet().removeAll(due.keySet());
        } finally {
            lock.unlock();
        }
        due.forEach(this::onPull);
    }

    // ------------------------------------------------------------------ on the loop

    void onPull(Member newcomer, Pull pull) {
        Transfer transfer = null;
        lock.lock();
        try {
            Transfer before = transfers.remove(newcomer);
            if (before != null) {
                stop(before, "the newcomer has asked anew");
            }
            if (pull.cut().number() > passedNumber) {
                early.put(newcomer, pull);
                return;
            }
            for (Kept candidate : kept) {
                if (candidate.cut.equals(pull.cut()) && !isClosed) {
                    transfer = new Transfer(newcomer, pull, candidate);
                    transfers.put(newcomer, transfer);
                    candidate.writers++;
                    // Also one that an earlier snapshot was taken for: it reads this one now.
                    if (lacking.contains(newcomer)) {
                        candidate.newcomers.add(newcomer);
                    }
                }
            }
        } finally {
            lock.unlock();
        }
        if (transfer == null) {
            send(newcomer, new StateRecord.Refused(pull.transfer(), "it has no snapshot of cut " + pull.cut()));
            return;
        }
        Transfer started = transfer;
        host.start("tutti-state-" + group, () -> run(started, pull.offset()));
    }

    void onGrant(Member newcomer, StateRecord.Grant grant) {
        lock.lock();
        try {
            Transfer transfer = transfers.get(newcomer);
            if (transfer != null && transfer.number == grant.transfer() && grant.limit() > transfer.limit) {
                transfer.limit = grant.limit();
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    void onStop(Member newcomer, long number) {
        lock.lock();
        try {
            Transfer transfer = transfers.get(newcomer);
            if (transfer != null && transfer.number == number) {
                stop(transfer, "the newcomer needs no more");
            }
        } finally {
            lock.unlock();
        }
    }

    /** Releases snapshots that none of these members needs. */
    void onLacking(TreeSet<Member> members) {
        List<Kept> unneeded = new ArrayList<>();
        lock.lock();
        try {
            lacking = members;
            early.keySet().retainAll(lacking);
            for (Transfer transfer : transfers.values()) {
                if (!lacking.contains(transfer.newcomer)) {
                    stop(transfer, transfer.newcomer + " has the state or is gone");
                }
            }
            for (Kept candidate : kept) {
                candidate.newcomers.retainAll(lacking);
                if (candidate.newcomers.isEmpty()) {
                    unneeded.add(candidate);
                }
            }
            kept.removeAll(unneeded);
        } finally {
            lock.unlock();
        }
        unneeded.forEach(one -> drop(one, "nobody needs it"));
    }

    void close() {
        List<Kept> all;
        lock.lock();
        try {
            isClosed = true;
            all = List.copyOf(kept);
            kept.clear();
            early.clear();
        } finally {
            lock.unlock();
        }
        all.forEach(one -> drop(one, "the group was left"));
    }

    // ------------------------------------------------------------------ letting go

    private void stop(Transfer transfer, String reason) {
        if (transfer.stopped == null) {
            transfer.stopped = reason;
            changed.signalAll();
        }
    }

    private void drop(Kept one, String reason) {
        boolean isIdle;
        lock.lock();
        try {
            if (one.isDropped) {
                return;
            }
            one.isDropped = true;
            isIdle = one.writers == 0;
            for (Transfer transfer : transfers.values()) {
                if (transfer.kept == one) {
                    stop(transfer, reason);
                }
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        if (isIdle) {
            // The thread that drops a snapshot, the loop or a listener's, must not wait for the application.
            host.start("tutti-state-close-" + group, () -> close(one));
        }
    }

    private void close(Kept one) {
        fence.call("snapshot.close", one.snapshot::close);
    }

    private void expire(Kept one) {
        boolean isExpired;
        lock.lock();
        try {
            long leftNanos = keepNanos;
            while (!one.isDropped && leftNanos > 0) {
                leftNanos = changed.awaitNanos(leftNanos);
            }
            isExpired = !one.isDropped;
            kept.remove(one);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            isExpired = true;
        } finally {
            lock.unlock();
        }
        if (isExpired) {
            LOG.warn("group {}: the snapshot of cut {} goes after state.keep; {} have not said that they have the state",
                    group, one.cut, one.newcomers);
            drop(one, "the snapshot has expired (state.keep)");
        }
    }

    // ------------------------------------------------------------------ a transfer's own thread

    private void run(Transfer transfer, long offset) {
        LOG.info("group {}: {} gets the state of cut {} from byte {}", group, transfer.newcomer, transfer.kept.cut, offset);
        Throwable thrown = fence.attempt(() -> {
            Chunks chunks = new Chunks(transfer);
            send(transfer.newcomer, new StateRecord.Begin(transfer.number, transfer.kept.snapshot.bytes()));
            transfer.kept.snapshot.write(chunks, offset);
            chunks.finish();
            send(transfer.newcomer, new StateRecord.End(transfer.number, transfer.sent));
        });
        if (thrown != null) {
            refuse(transfer, thrown);
        }
        end(transfer);
    }

    private void refuse(Transfer transfer, Throwable cause) {
        String stopped = transfer.stopped;
        if (stopped == null || cause instanceof Error) {
            fence.report("snapshot.write", cause);
        }
        if (stopped == null) {
            send(transfer.newcomer, new StateRecord.Refused(transfer.number, "writing the snapshot has failed: " + cause));
        } else {
            LOG.info("group {}: the transfer of the state to {} ends at byte {}: {}", group, transfer.newcomer, transfer.sent,
                    stopped);
            send(transfer.newcomer, new StateRecord.Refused(transfer.number, stopped));
        }
    }

    private void end(Transfer transfer) {
        boolean isLast;
        lock.lock();
        try {
            transfers.remove(transfer.newcomer, transfer);
            transfer.kept.writers--;
            isLast = transfer.kept.isDropped && transfer.kept.writers == 0;
        } finally {
            lock.unlock();
        }
        if (isLast) {
            close(transfer.kept);
        }
    }

    private void send(Member receiver, StateRecord record) {
        byte[] content = record.bytes();
        sender.send(receiver, content, content.length);
    }

    /** Waits until the newcomer has room. */
    private void awaitRoom(Transfer transfer, int length) throws IOException {
        lock.lock();
        try {
            while (transfer.stopped == null && transfer.limit - transfer.sent < length) {
                changed.awaitUninterruptibly();
            }
            if (transfer.stopped != null) {
                throw new IOException("the transfer to " + transfer.newcomer + " has ended: " + transfer.stopped);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Cuts the written bytes into chunks. */
    private final class Chunks extends OutputStream {

        private final Transfer transfer;
        private final byte[] chunk = new byte[StateRecord.CHUNK_HEADER_BYTES + StateRecord.CHUNK_BYTES];
        private int end = StateRecord.CHUNK_HEADER_BYTES;

        Chunks(Transfer transfer) {
            this.transfer = transfer;
        }

        @Override
        public void write(int value) throws IOException {
            chunk[end++] = (byte) value;
            if (end == chunk.length) {
                emit();
            }
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            int at = offset;
            int left = length;
            while (left > 0) {
                int count = Math.min(left, chunk.length - end);
                System.arraycopy(bytes, at, chunk, end, count);
                end += count;
                at += count;
                left -= count;
                if (end == chunk.length) {
                    emit();
                }
            }
        }

        void finish() throws IOException {
            if (end > StateRecord.CHUNK_HEADER_BYTES) {
                emit();
            }
        }

        private void emit() throws IOException {
            int length = end - StateRecord.CHUNK_HEADER_BYTES;
            awaitRoom(transfer, length);
            StateRecord.writeChunkHeader(chunk, end, transfer.number, transfer.sent);
            sender.send(transfer.newcomer, chunk, end);
            transfer.sent += length;
            sentBytes.add(length);
            end = StateRecord.CHUNK_HEADER_BYTES;
        }
    }
}
