package dev.tutti.sites;

import dev.tutti.Group;
import dev.tutti.GroupBuilder;
import dev.tutti.GroupState;
import dev.tutti.Message;
import dev.tutti.Node;
import dev.tutti.NodeInspection;
import dev.tutti.SendException;
import dev.tutti.Snapshot;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import dev.tutti.internal.Logs;
import dev.tutti.sites.internal.relay.BridgeFrame;
import dev.tutti.sites.internal.relay.BridgeFrame.Announce;
import dev.tutti.sites.internal.relay.SequenceVector;
import dev.tutti.sites.internal.table.SiteRow;
import dev.tutti.sites.internal.table.SiteTable;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * A master's connection with the masters of the other sites: the bridge node, and the group of all masters on it. It is
 * open while this node has to be a master. Thread-safe.
 *
 * <p>The group is totally ordered: all masters apply the same announcements and views to their {@link SiteTable}.
 * Streams of site groups are messages to one master, which only their own order binds.
 */
final class Bridge {

    private static final Logger LOG = Logs.of(Bridge.class);

    private static final String GROUP = "sites";

    private final Sites sites;
    private final SitesBuilder settings;
    private final Pump pump;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final SiteTable table = new SiteTable();
    private final Map<String, Long> suspectedSince = new TreeMap<>();
    private @Nullable View view;

    private final AtomicLong malformed = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private volatile @Nullable Node node;
    private volatile @Nullable Group group;

    Bridge(Sites sites, SitesBuilder settings) {
        this.sites = sites;
        this.settings = settings;
        this.pump = new Pump(settings.node().threads(), "tutti-sites-bridge", this::openOrClose, this::onFailed);
    }

    /** Opens or closes the bridge node if this node has become, or ceased to be, a master. Never waits. */
    void check() {
        if (sites.isMasterNeeded() != (group != null)) {
            pump.wake();
        }
    }

    private void openOrClose() {
        boolean isNeeded = sites.isMasterNeeded();
        if (isNeeded && group == null) {
            // A node whose group has ended by itself is of no use.
            close();
            open();
        }
        if (!sites.isMasterNeeded() && node != null) {
            close();
        }
    }

    private void open() {
        Node started = null;
        try {
            started = settings.node().startBeside(settings.bridge().get().name(settings.node().name()));
            NodeId own = started.id();
            node = started;
            GroupBuilder builder = started.group(GROUP).total().set("window", settings.windowBytes() + " B");
            settings.linkSettings().forEach(builder::set);
            group = builder
                    .state(new TableState())
                    .onView(next -> onView(own, next))
                    .onMessage(this::onMessage)
                    .onClosed(reason -> onClosed())
                    .join();
            announce();
        } catch (RuntimeException e) {
            node = null;
            if (started != null) {
                started.close();
            }
            onFailed(e);
        }
    }

    /** Counts a failure, and tells every one, second, fourth and so on: the bridge is tried again twice a second. */
    private void onFailed(RuntimeException e) {
        long count = failures.incrementAndGet();
        if (Long.bitCount(count) == 1) {
            LOG.warn("the bridge node of site {} does not start, and is tried again (failed {} times): {}", settings.site(), count,
                    e.toString());
        }
    }

    /** Leaves the other sites. */
    void close() {
        Node closing = node;
        node = null;
        group = null;
        if (closing != null) {
            closing.close();
        }
        onClosed();
    }

    private void onClosed() {
        group = null;
        lock.lock();
        try {
            view = null;
        } finally {
            lock.unlock();
        }
        sites.groups().forEach(SiteGroup::endStreams);
    }

    Optional<String> address() {
        Node present = node;
        return group == null || present == null ? Optional.empty() : Optional.of(present.address());
    }

    boolean isOpen() {
        return group != null;
    }

    Optional<NodeInspection> inspection() {
        Node present = node;
        return group == null || present == null ? Optional.empty() : Optional.of(present.inspection());
    }

    // ------------------------------------------------------------------ questions

    /** Returns the oldest master of a site that has joined a site group; null if there is none. */
    @Nullable Member masterOf(String site, String siteGroup) {
        lock.lock();
        try {
            return table.masterOf(site, siteGroup);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the site of a master; null if it is not known. */
    @Nullable String siteOf(Member master) {
        lock.lock();
        try {
            Announce announced = table.announced(master);
            return announced == null ? null : announced.site();
        } finally {
            lock.unlock();
        }
    }

    /** Returns the sites of the masters that have said theirs. */
    TreeMap<NodeId, String> sitesOfMasters() {
        TreeMap<NodeId, String> found = new TreeMap<>();
        lock.lock();
        try {
            List<Member> masters = view == null ? List.of() : view.members();
            for (Member master : masters) {
                Announce announced = table.announced(master);
                if (announced != null) {
                    found.put(master.node(), announced.site());
                }
            }
        } finally {
            lock.unlock();
        }
        return found;
    }

    /** Returns the sites that have a master that has joined a site group. */
    List<String> sitesWith(String siteGroup) {
        lock.lock();
        try {
            return table.sitesWith(siteGroup);
        } finally {
            lock.unlock();
        }
    }

    Map<String, Long> status() {
        lock.lock();
        try {
            View now = view;
            return Map.of(
                    "bridge-open", isOpen() ? 1L : 0L,
                    "bridge-masters", now == null ? 0L : now.size(),
                    "bridge-malformed", malformed.get(),
                    "bridge-failures", failures.get(),
                    "sites", (long) table.rows().size(),
                    "sites-ignored", table.ignored());
        } finally {
            lock.unlock();
        }
    }

    // ------------------------------------------------------------------ sending

    /**
     * Sends to another master. Blocks while its window is closed.
     *
     * @throws dev.tutti.SendException if it was not accepted
     * @throws IllegalStateException if the bridge is closed
     */
    void send(Member receiver, BridgeFrame frame) {
        Group joined = group;
        if (joined == null) {
            throw new IllegalStateException("the bridge is closed");
        }
        joined.sendTo(receiver, frame.encode());
    }

    /** Sends to another master when that is possible. Fails if the bridge is closed, the master is gone, or the time-out passes. */
    CompletableFuture<Void> sendAsync(Member receiver, BridgeFrame frame) {
        Group joined = group;
        if (joined == null) {
            return CompletableFuture.failedFuture(new IllegalStateException("the bridge is closed"));
        }
        try {
            return joined.sendToAsync(receiver, frame.encode());
        } catch (SendException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Tells all masters this node's site, members and groups. A tick repeats it if it is not accepted. */
    void announce() {
        Group joined = group;
        if (joined != null) {
            joined.sendAsync(announcement().encode());
        }
    }

    /**
     * Tells the masters of other sites at once which members this site has, ahead of {@link #announce}, so that they send to the next
     * master. If it is not accepted, they learn it a little later.
     */
    void announceEarly() {
        Group joined = group;
        if (joined == null) {
            return;
        }
        List<Member> others;
        lock.lock();
        try {
            others = table.mastersBeside(settings.site());
        } finally {
            lock.unlock();
        }
        BridgeFrame.Early early = new BridgeFrame.Early(announcement());
        others.forEach(master -> sendAsync(master, early));
    }

    private Announce announcement() {
        List<String> groups = sites.groups().stream().map(SiteGroup::name).toList();
        SitesView told = sites.latest();
        // A number that this site has used for two lists needs a list after it.
        boolean isOverruled = sites.isOverruled();
        long seen = isOverruled ? sites.overruling() : told.number();
        int digest = isOverruled ? ~digest(told) : digest(told);
        return new Announce(settings.site(), sites.isFirst(), seen, digest, sites.part(), groups);
    }

    private static int digest(SitesView list) {
        return SiteTable.digest(list.sites().stream()
                .map(site -> new SiteRow(site.name(), SiteRow.State.valueOf(site.state().name()), site.members()))
                .toList());
    }

    /** Tells this site the list of sites, if this node speaks for it. */
    void publish() {
        long number;
        List<SiteRow> rows;
        lock.lock();
        try {
            number = table.number();
            rows = table.rows();
        } finally {
            lock.unlock();
        }
        if (group != null && number > 0) {
            sites.publish(number, rows);
        }
    }

    /** Decides, as the oldest master, which sites are away; and repeats what may be lost. */
    void tick() {
        Group joined = group;
        if (joined == null) {
            return;
        }
        long now = settings.node().threads().nanoTime();
        Announce wanted = announcement();
        boolean isAnnouncementLost;
        boolean isListLost;
        lock.lock();
        try {
            Announce announced = table.announced(joined.self());
            isAnnouncementLost = announced == null
                    || !announced.isLike(wanted)
                    || table.isOther(wanted.seen(), wanted.digest());
            isListLost = sites.view().number() < table.number();
            View current = view;
            if (current != null && current.coordinator().equals(joined.self())) {
                for (SiteRow row : table.rows()) {
                    if (row.state() == SiteRow.State.SUSPECTED) {
                        long since = suspectedSince.computeIfAbsent(row.name(), key -> now);
                        if (now - since >= settings.awayAfter().toNanos()) {
                            joined.sendAsync(new BridgeFrame.Away(row.name(), table.number()).encode());
                        }
                    } else {
                        suspectedSince.remove(row.name());
                    }
                }
            }
        } finally {
            lock.unlock();
        }
        if (isAnnouncementLost) {
            announce();
        }
        if (isListLost) {
            publish();
        }
    }

    // ------------------------------------------------------------------ inputs

    private void onView(NodeId own, View next) {
        Member self = next.members().stream()
                .filter(member -> member.node().equals(own))
                .findFirst()
                .orElseThrow();
        Set<Member> together = next.transitionalSet(self);
        lock.lock();
        try {
            view = next;
            table.onView(next);
        } finally {
            lock.unlock();
        }
        sites.groups().forEach(siteGroup -> siteGroup.onBridgeView(next, together));
        announce();
        publish();
    }

    private void onMessage(Message message) {
        BridgeFrame frame;
        try {
            frame = BridgeFrame.decode(message.buffer());
        } catch (MalformedException e) {
            malformed.incrementAndGet();
            return;
        }
        Member sender = message.sender();
        switch (frame) {
            case Announce announced -> change(() -> table.onAnnounce(message.view(), sender, announced));
            case BridgeFrame.Away away -> change(() -> table.onAway(away.site(), away.number()));
            case BridgeFrame.Early early -> onEarly(sender, early.announced());
            case BridgeFrame.Open open -> onOpen(sender, open.group(), open.stream(), new SequenceVector());
            case BridgeFrame.Begin begin -> onOpen(sender, begin.group(), begin.stream(), begin.behind());
            case BridgeFrame.Resume resume -> to(resume.group(), siteGroup -> siteGroup.outgoing().onResume(sender, resume));
            case BridgeFrame.Refuse refuse -> to(refuse.group(), siteGroup -> siteGroup.outgoing().onRefuse(sender, refuse));
            case BridgeFrame.Batch batch -> to(batch.group(), siteGroup -> siteGroup.incoming().onBatch(sender, batch));
            case BridgeFrame.StateAsk ask -> to(ask.group(), siteGroup -> siteGroup.resync().onAsk(sender, siteOf(sender), ask));
            case BridgeFrame.StateOffer offer -> to(offer.group(), siteGroup -> siteGroup.resync().onOffer(sender, offer));
            case BridgeFrame.StateWait wait -> to(wait.group(), siteGroup -> siteGroup.resync().onWait(sender, siteOf(sender), wait));
            case BridgeFrame.StatePart part -> to(part.group(), siteGroup -> siteGroup.resync().onPart(sender, part));
            case BridgeFrame.StateRefuse refuse -> to(refuse.group(), siteGroup -> siteGroup.resync().onRefuse(sender, refuse));
            case BridgeFrame.Acknowledge acknowledge ->
                    to(acknowledge.group(), siteGroup -> siteGroup.outgoing().onAcknowledge(sender, acknowledge));
        }
    }

    private void onOpen(Member sender, String name, long stream, SequenceVector behind) {
        SiteGroup siteGroup = sites.joined(name);
        if (siteGroup == null) {
            sendAsync(sender, new BridgeFrame.Refuse(name, stream, "node " + sites.node().name() + " at site " + settings.site()
                    + " has not joined site group " + name));
        } else {
            siteGroup.onOpen(sender, stream, behind);
        }
    }

    private void onEarly(Member sender, Announce announced) {
        lock.lock();
        try {
            table.onEarly(sender, announced);
        } finally {
            lock.unlock();
        }
        sites.groups().forEach(SiteGroup::attend);
    }

    /** Changes the table. */
    private void change(BooleanSupplier change) {
        boolean isChanged;
        lock.lock();
        try {
            isChanged = change.getAsBoolean();
        } finally {
            lock.unlock();
        }
        if (isChanged) {
            publish();
        }
        sites.groups().forEach(SiteGroup::attend);
    }

    /** Acts on a site group if this node has joined it, under its lock. */
    private void to(String name, Consumer<SiteGroup> action) {
        SiteGroup siteGroup = sites.joined(name);
        if (siteGroup != null) {
            siteGroup.locked(() -> action.accept(siteGroup));
        }
    }

    /** Table of a master that joins, or comes back from another part of the masters. */
    private final class TableState implements GroupState {

        @Override
        public Snapshot snapshot() {
            ByteOutput out = new ByteOutput();
            lock.lock();
            try {
                table.put(out);
            } finally {
                lock.unlock();
            }
            byte[] image = out.copy();
            return to -> to.write(image);
        }

        /** Takes the table of others. Views and messages up to it are passed over, so that no stream can go on. */
        @Override
        public void install(InputStream in) throws IOException {
            byte[] image = in.readAllBytes();
            lock.lock();
            try {
                table.replace(new ByteInput(image));
            } catch (MalformedException e) {
                throw new IOException("the list of sites can't be read: " + e.getMessage(), e);
            } finally {
                lock.unlock();
            }
            sites.groups().forEach(SiteGroup::endStreams);
        }

        @Override
        public boolean isAtomic() {
            return true;
        }
    }
}
