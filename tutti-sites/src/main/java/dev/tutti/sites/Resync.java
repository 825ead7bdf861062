package dev.tutti.sites;

import static java.util.Objects.requireNonNull;

import dev.tutti.Group;
import dev.tutti.GroupState;
import dev.tutti.SendException;
import dev.tutti.Snapshot;
import dev.tutti.Threads;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.core.Member;
import dev.tutti.core.Printable;
import dev.tutti.internal.Logs;
import dev.tutti.sites.internal.log.Entry;
import dev.tutti.sites.internal.relay.BridgeFrame;
import dev.tutti.sites.internal.relay.SequenceVector;
import dev.tutti.sites.internal.relay.SiteFrame;
import dev.tutti.sites.internal.resync.Arriving;
import dev.tutti.sites.internal.resync.Cut;
import dev.tutti.sites.internal.resync.Lineage;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Takes over the state of another site at a cut, and gives this site's state to others: docs/design/sites.md, <em>State of another
 * site</em>. The masters of both sites talk to each other; all members of the receiving site act at the same places among its
 * messages. Under the site group's lock, except for what says otherwise.
 */
final class Resync {

    private static final Logger LOG = Logs.of(Resync.class);

    /** Most bytes of a state, and of its cut. */
    private static final long STATE_BYTES_MAX = 256 << 20;

    /** Bytes of the parts in which a state travels. */
    private static final int PART_BYTES = 48 << 10;

    /** Time until a site is asked again. */
    private static final long ASK_NANOS = 2_000_000_000L;

    /** Time without progress after which a transfer is given up. */
    private static final long LATE_NANOS = 15_000_000_000L;

    /** Attempt of this master to get the state of another site. */
    private static final class Attempt {
        private final long transfer;
        private final String site;
        private final Member master;
        private final ArrayDeque<BridgeFrame.StatePart> parts = new ArrayDeque<>();
        private long bytes;
        private long progressNanos;
        private boolean isBegun;

        Attempt(long transfer, String site, Member master, long nowNanos) {
            this.transfer = transfer;
            this.site = site;
            this.master = master;
            this.progressNanos = nowNanos;
        }
    }

    /** A site that waits for the state of this one, and its master. */
    private record Receiver(long transfer, String site, Member master, Map<String, SequenceVector> has, long sinceNanos) {}

    private final SiteGroup group;
    private final @Nullable GroupState application;
    private final Bridge bridge;
    private final Threads threads;
    private final Pump pump;
    private final Lineage lineage;

    /** Sites whose state this one need not take over, since they have said so. */
    private final TreeSet<String> settled = new TreeSet<>();

    /** Sites that lacked messages themselves when they were last asked. */
    private final TreeSet<String> behind = new TreeSet<>();

    private final TreeMap<String, Long> askedNanos = new TreeMap<>();
    private @Nullable Attempt attempt;
    private @Nullable Arriving arriving;
    private @Nullable Receiver receiver;
    private boolean isCutting;
    private boolean isGiving;
    private long attempts;
    private long taken;
    private long given;
    private long failed;

    Resync(SiteGroup group, SiteGroupBuilder settings) {
        this.group = group;
        this.application = settings.isResynchronized() ? settings.state() : null;
        this.bridge = settings.sites().bridge();
        this.threads = settings.sites().node().threads();
        this.lineage = new Lineage(settings.sites().site(), threads.epochMillis());
        this.pump = new Pump(threads, "tutti-sites-" + settings.group().name() + "-state", this::passOn, group::onFailed);
    }

    /** Returns whether messages of other sites are not taken, since the state of another site is on its way. */
    boolean isArriving() {
        return arriving != null;
    }

    /** Notes that messages of a site are lost to this one. */
    void onGap(String site) {
        lineage.onGap(site);
    }

    // ------------------------------------------------------------------ the receiving site: its master

    /** Looks at what is to be done; once in a while, and when something has changed. */
    void attend(boolean isMaster) {
        long now = threads.nanoTime();
        attendReceiver(now);
        if (application == null || !isMaster || !bridge.isOpen()) {
            attempt = null;
            return;
        }
        Attempt current = attempt;
        if (current != null) {
            boolean isLate = now - current.progressNanos > LATE_NANOS;
            if (isLate || !current.master.equals(bridge.masterOf(current.site, group.name()))) {
                giveUp(current, isLate ? "nothing came for " + LATE_NANOS / 1_000_000_000 + " s" : "its master has changed");
            }
        } else if (arriving == null) {
            ask(now);
        }
    }

    private void ask(long now) {
        for (String site : group.connectedSites()) {
            Member master = bridge.masterOf(site, group.name());
            Long asked = askedNanos.get(site);
            boolean isDue = lineage.isBehind() || !settled.contains(site);
            if (master != null && isDue && (asked == null || now - asked >= ASK_NANOS)) {
                askedNanos.put(site, now);
                behind.remove(site);
                // Unlike those of other masters of this site, and of earlier runs.
                long transfer = group.sites().node().id().incarnation() * 1_000_003 + ++attempts;
                attempt = new Attempt(transfer, site, master, now);
                bridge.sendAsync(
                        master, new BridgeFrame.StateAsk(group.name(), transfer, lineage.begunMillis(), lineage.isBehind()));
                return;
            }
        }
    }

    private @Nullable Attempt attempt(Member sender, long transfer) {
        Attempt current = attempt;
        return current != null && current.transfer == transfer && current.master.equals(sender) ? current : null;
    }

    void onOffer(Member sender, BridgeFrame.StateOffer offer) {
        Attempt current = attempt(sender, offer.transfer());
        if (current != null && !current.isBegun) {
            current.isBegun = true;
            current.progressNanos = threads.nanoTime();
            send(new SiteFrame.StateBegin(current.transfer, current.site));
        }
    }

    void onRefuse(Member sender, BridgeFrame.StateRefuse refuse) {
        Attempt current = attempt(sender, refuse.transfer());
        if (current == null) {
            return;
        }
        if (refuse.isFinal()) {
            settled.add(current.site);
        } else if (refuse.isBehind()) {
            behind.add(current.site);
        }
        if (current.isBegun) {
            giveUp(current, refuse.reason());
        } else {
            attempt = null;
        }
    }

    void onPart(Member sender, BridgeFrame.StatePart part) {
        Attempt current = attempt(sender, part.transfer());
        if (current != null && current.isBegun) {
            current.progressNanos = threads.nanoTime();
            current.bytes += part.bytes().length;
            if (current.bytes > STATE_BYTES_MAX) {
                giveUp(current, "it has more than " + STATE_BYTES_MAX + " bytes");
                return;
            }
            current.parts.add(part);
            pump.wake();
        }
    }

    /** Passes parts on to this site until there are none. On a thread of its own; waits while the window is closed. */
    private void passOn() {
        while (true) {
            long transfer;
            BridgeFrame.StatePart part;
            group.lock().lock();
            try {
                Attempt current = attempt;
                part = current == null ? null : current.parts.poll();
                if (current == null || part == null) {
                    return;
                }
                transfer = current.transfer;
                current.progressNanos = threads.nanoTime();
            } finally {
                group.lock().unlock();
            }
            try {
                Group joined = group.local();
                joined.send(new SiteFrame.StatePart(transfer, part.bytes()).encode());
                if (part.isLast()) {
                    joined.send(new SiteFrame.StateEnd(transfer, true).encode());
                }
            } catch (SendException e) {
                // The attempt is given up when nothing has come for some time.
                LOG.debug("site group {}: a part of a state was not accepted: {}", group.name(), e.getMessage());
                return;
            }
        }
    }

    private void giveUp(Attempt current, String reason) {
        attempt = null;
        if (current.isBegun) {
            LOG.warn("site group {}: the state of site {} does not come, and is asked for again: {}", group.name(), current.site,
                    Printable.escape(reason));
            send(new SiteFrame.StateEnd(current.transfer, false));
        }
    }

    private void send(SiteFrame frame) {
        group.local().sendAsync(frame.encode());
    }

    // ------------------------------------------------------------------ the receiving site: all members

    /** Takes a view of this site: all members give up what is on its way, since a newcomer would lack its beginning. */
    void onView() {
        end();
        attempt = null;
    }

    private void end() {
        if (arriving != null) {
            failed++;
            arriving = null;
            group.retention().setPinned(false);
        }
    }

    void onBegin(Member sender, SiteFrame.StateBegin begin) {
        if (application == null) {
            return;
        }
        end();
        arriving = new Arriving(begin.transfer(), begin.source(), STATE_BYTES_MAX);
        group.retention().setPinned(true);
        group.incoming().refuseAll("the site takes over the state of site " + begin.source());
        SitesReport.tellState(group, begin.source(), "resynchronizing", "takes over the state of site " + begin.source());
        Attempt current = attempt;
        if (current != null && current.transfer == begin.transfer() && sender.equals(group.self())) {
            TreeMap<String, SequenceVector> has = new TreeMap<>(group.arrivals().delivered());
            has.remove(current.site);
            bridge.sendAsync(current.master, new BridgeFrame.StateWait(group.name(), current.transfer, has));
        }
    }

    void onPart(SiteFrame.StatePart part) {
        Arriving coming = arriving;
        if (coming != null && coming.transfer() == part.transfer()) {
            coming.add(part.bytes());
        }
    }

    void onEnd(SiteFrame.StateEnd end, Listeners listeners) {
        Arriving coming = arriving;
        if (coming == null || coming.transfer() != end.transfer()) {
            return;
        }
        if (attempt != null && attempt.transfer == end.transfer()) {
            attempt = null;
        }
        if (!end.isWhole() || coming.isTooLarge()) {
            end();
            return;
        }
        try {
            install(coming, listeners);
        } catch (IOException | MalformedException e) {
            LOG.warn("site group {}: the state of site {} can't be read: {}", group.name(), coming.source(), e.getMessage());
            end();
        }
    }

    private void install(Arriving coming, Listeners listeners) throws IOException {
        DataInputStream in = coming.open();
        Cut cut = Arriving.readCut(in, STATE_BYTES_MAX);
        String source = coming.source();
        String own = group.retention().site();
        TreeMap<String, SequenceVector> delivered = new TreeMap<>(cut.delivered());
        SequenceVector ofThisSite = requireNonNull(delivered.getOrDefault(own, new SequenceVector()));
        delivered.remove(own);
        group.arrivals().replace(delivered, false);
        group.incoming().onInstalled();
        lineage.onTaken(cut);
        arriving = null;
        taken++;
        GroupState state = requireNonNull(application);
        listeners.add("install", () -> install(state, in, source));
        // What other members of this site have told, and the state lacks, is told again.
        for (Entry entry : group.retention().entries()) {
            boolean isHere = entry.reach().isEmpty() || entry.reach().contains(own);
            boolean isThere = entry.reach().isEmpty() || entry.reach().contains(source);
            if (isHere && isThere && !entry.isForOne() && !ofThisSite.covers(entry.member(), entry.sequence())) {
                listeners.onMessage(own, entry.member(), entry.content());
            }
        }
        group.retention().setPinned(false);
        SitesReport.tellState(group, source, "resynchronized", "has taken over the state of site " + source);
        listeners.add("attend", group::attend);
    }

    /** Installs the application's state. On the thread of listeners, without the lock. */
    private void install(GroupState state, DataInputStream in, String source) {
        try {
            state.install(in);
        } catch (IOException | RuntimeException e) {
            group.local().fail("resynchronize", "this member can't install the state of site " + source, e);
        }
    }

    // ------------------------------------------------------------------ the giving site

    void onAsk(Member sender, @Nullable String site, BridgeFrame.StateAsk ask) {
        String objection;
        boolean isFinal = false;
        if (application == null) {
            objection = "it does not resynchronize this group";
            isFinal = true;
        } else if (site == null || arriving != null || receiver != null) {
            objection = "it is busy with another state";
        } else {
            boolean isLast = group.connectedSites().stream().allMatch(other -> other.equals(site) || behind.contains(other));
            objection = lineage.objection(site, ask.begunMillis(), ask.isBehind(), isLast);
            isFinal = !ask.isBehind() && !objection.isEmpty();
        }
        if (objection.isEmpty()) {
            bridge.sendAsync(sender, new BridgeFrame.StateOffer(group.name(), ask.transfer()));
        } else {
            bridge.sendAsync(sender, new BridgeFrame.StateRefuse(group.name(), ask.transfer(), objection, isFinal, lineage.isBehind()));
        }
    }

    void onWait(Member sender, @Nullable String site, BridgeFrame.StateWait wait) {
        if (application == null || site == null || arriving != null || receiver != null) {
            bridge.sendAsync(
                    sender, new BridgeFrame.StateRefuse(group.name(), wait.transfer(), "it is busy with another state", false, false));
            return;
        }
        TreeMap<String, SequenceVector> has = new TreeMap<>(wait.has());
        has.remove(group.retention().site());
        receiver = new Receiver(wait.transfer(), site, sender, has, threads.nanoTime());
        isCutting = false;
        isGiving = false;
        attendReceiver(threads.nanoTime());
    }

    /** Makes the cut as soon as this site has what the other one has. */
    private void attendReceiver(long now) {
        Receiver waiting = receiver;
        if (waiting == null || isGiving) {
            return;
        }
        if (now - waiting.sinceNanos > LATE_NANOS) {
            receiver = null;
            String reason = isCutting ? "its group takes no messages" : "it lacks messages of a third site";
            bridge.sendAsync(waiting.master, new BridgeFrame.StateRefuse(group.name(), waiting.transfer, reason, false, false));
        } else if (!isCutting && Cut.covers(group.arrivals().delivered(), waiting.has)) {
            isCutting = true;
            send(new SiteFrame.StateCut(waiting.transfer, waiting.site));
        }
    }

    void onCut(Member sender, SiteFrame.StateCut cut, Listeners listeners) {
        lineage.onGiven(cut.receiver());
        Receiver waiting = receiver;
        if (waiting == null || waiting.transfer != cut.transfer() || !sender.equals(group.self())) {
            return;
        }
        TreeMap<String, SequenceVector> delivered = new TreeMap<>(group.arrivals().delivered());
        delivered.put(group.retention().site(), group.retention().seen().copy());
        byte[] head = new Cut(lineage.begunMillis(), lineage.behind(), delivered).encode();
        GroupState state = requireNonNull(application);
        isGiving = true;
        listeners.add("snapshot", () -> {
            Snapshot snapshot;
            try {
                snapshot = state.snapshot();
            } catch (RuntimeException | Error e) {
                group.locked(() -> receiver = null);
                throw e;
            }
            threads.start("tutti-sites-" + group.name() + "-snapshot", () -> give(waiting, head, snapshot));
        });
    }

    /** Sends the state. On a thread of its own, without the lock; waits while the window is closed. */
    private void give(Receiver to, byte[] head, Snapshot snapshot) {
        boolean isGiven = false;
        try (snapshot; Parts parts = new Parts(to)) {
            DataOutputStream out = new DataOutputStream(parts);
            out.writeInt(head.length);
            out.write(head);
            snapshot.write(out);
            out.flush();
            parts.isWhole = true;
            isGiven = true;
        } catch (IOException | RuntimeException e) {
            LOG.warn("site group {}: the state was not given to site {}: {}", group.name(), to.site, e.getMessage());
        }
        long count = isGiven ? 1 : 0;
        group.locked(() -> {
            receiver = null;
            given += count;
        });
    }

    /** Cuts what is written into parts, and sends them. */
    private final class Parts extends OutputStream {

        private final Receiver to;
        private final byte[] buffer = new byte[PART_BYTES];
        private int length;
        private boolean isWhole;

        Parts(Receiver to) {
            this.to = to;
        }

        @Override
        public void write(int value) throws IOException {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int count) throws IOException {
            int left = count;
            while (left > 0) {
                int now = Math.min(left, buffer.length - length);
                System.arraycopy(bytes, offset + count - left, buffer, length, now);
                length += now;
                left -= now;
                if (length == buffer.length) {
                    send(false);
                }
            }
        }

        private void send(boolean isLast) throws IOException {
            try {
                bridge.send(to.master, new BridgeFrame.StatePart(group.name(), to.transfer, Arrays.copyOf(buffer, length), isLast));
            } catch (SendException | IllegalStateException e) {
                throw new IOException("site " + to.site + " is not reached: " + e.getMessage(), e);
            }
            length = 0;
        }

        @Override
        public void close() throws IOException {
            if (isWhole) {
                send(true);
            } else {
                bridge.sendAsync(
                        to.master, new BridgeFrame.StateRefuse(group.name(), to.transfer, "its state could not be written", false, false));
            }
        }
    }

    // ------------------------------------------------------------------ state and report

    void put(ByteOutput out) {
        lineage.put(out);
    }

    void take(ByteInput in) {
        lineage.take(in);
        settled.clear();
    }

    void putStatus(Map<String, Long> status) {
        status.put("behind", application != null && lineage.isBehind() ? 1L : 0L);
        status.put("state-bytes", arriving == null ? 0L : arriving.bytes());
        status.put("states-taken", taken);
        status.put("states-given", given);
        status.put("states-failed", failed);
    }
}
