package dev.tutti.sites;

import static java.util.Objects.requireNonNull;

import dev.tutti.Group;
import dev.tutti.Message;
import dev.tutti.Node;
import dev.tutti.NodeInspection;
import dev.tutti.Subscription;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import dev.tutti.sites.internal.relay.SiteFrame;
import dev.tutti.sites.internal.relay.SitePart;
import dev.tutti.sites.internal.table.SiteRow;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A node's part in a cluster of several sites.
 *
 * <p>Each site is a cluster of its own. Some members of a site are <em>masters</em>: they also run a bridge node, and the
 * bridge nodes of all sites form the bridge cluster, over which {@linkplain SiteGroup site groups} pass their messages on.
 * A site works when the others are gone.
 *
 * <p>All methods may be called from any thread.
 */
public final class Sites implements AutoCloseable {

    /** Name of the group in which the nodes of a site agree on its masters. */
    public static final String GROUP = "tutti.sites";

    private final SitesBuilder settings;
    private final Bridge bridge;
    private final Map<String, SiteGroup> groups = new ConcurrentSkipListMap<>();
    private final AtomicLong malformed = new AtomicLong();
    private final ReentrantLock publishing = new ReentrantLock();
    private volatile SitesView view = SitesView.NONE;
    private volatile SitesView sent = SitesView.NONE;

    /** Last list that came, whatever its number. */
    private volatile SitesView received = SitesView.NONE;

    /** Highest number of a list that a member of this site was told, and that another one has taken the place of. */
    private volatile long overruling;

    private volatile @Nullable Group group;
    private volatile @Nullable Subscription report;
    private volatile boolean isClosed;

    private Sites(SitesBuilder settings) {
        this.settings = settings;
        this.bridge = new Bridge(this, settings);
    }

    /** Begins to configure the part of {@code node}, which is in its site's cluster. */
    public static SitesBuilder on(Node node) {
        return new SitesBuilder(node);
    }

    static Sites open(SitesBuilder settings) {
        Sites sites = new Sites(settings);
        sites.group = settings.node()
                .group(GROUP)
                .onView(sites::onView)
                .onMessage(sites::onMessage)
                .onClosed(reason -> sites.onLost())
                .join();
        sites.report = settings.node().components().add(SitesReport.COMPONENT, () -> SitesReport.of(sites));
        sites.bridge.check();
        sites.tick();
        return sites;
    }

    /** Returns this node's site. */
    public String site() {
        return settings.site();
    }

    public Node node() {
        return settings.node();
    }

    /** Returns the view of the sites that this node was told last; without sites until it was told one. */
    public SitesView view() {
        return view;
    }

    /** Returns whether this node is a master: it runs a bridge node that has joined the others. */
    public boolean isMaster() {
        return bridge.isOpen();
    }

    /** Returns the address of this node's bridge node, for seeds and logs; empty while it is no master. */
    public Optional<String> bridgeAddress() {
        return bridge.address();
    }

    /**
     * Returns the state of this node's bridge node, whose links are those to masters; empty while this node is no master.
     *
     * @throws IllegalStateException as {@link Node#inspection} does
     */
    public Optional<NodeInspection> bridgeInspection() {
        return bridge.inspection();
    }

    /** Returns the bridge nodes of all masters that are connected, with their sites; none while this node is no master. */
    public Map<NodeId, String> bridgeNodes() {
        return bridge.sitesOfMasters();
    }

    /** Begins to configure a group that spans sites. */
    public SiteGroupBuilder group(String name) {
        return new SiteGroupBuilder(this, name);
    }

    /** Returns counts: of the bridge, and of messages that could not be read. */
    public Map<String, Long> status() {
        TreeMap<String, Long> status = new TreeMap<>(bridge.status());
        status.put("malformed", malformed.get());
        status.put("view", view.number());
        return status;
    }

    /** Leaves all site groups and the other sites. The node stays as it is. */
    @Override
    public void close() {
        isClosed = true;
        groups.values().forEach(SiteGroup::close);
        bridge.close();
        Subscription reporting = report;
        if (reporting != null) {
            reporting.close();
        }
        Group joined = group;
        if (joined != null) {
            joined.close();
        }
    }

    // ------------------------------------------------------------------ for site groups

    SitesBuilder settings() {
        return settings;
    }

    Bridge bridge() {
        return bridge;
    }

    boolean isClosed() {
        return isClosed;
    }

    void add(SiteGroup added) {
        if (isClosed) {
            throw new IllegalStateException("the sites of node " + node().name() + " are closed");
        }
        if (groups.putIfAbsent(added.name(), added) != null) {
            throw new IllegalStateException("site group " + added.name() + " is joined already");
        }
        bridge.announce();
    }

    void remove(SiteGroup removed) {
        groups.remove(removed.name(), removed);
        bridge.announce();
    }

    List<SiteGroup> groups() {
        return List.copyOf(groups.values());
    }

    @Nullable SiteGroup joined(String name) {
        return groups.get(name);
    }

    /** Returns the members of a view that may be masters, the first of them first; all if none may be. */
    List<Member> masters(View of) {
        List<Member> candidates = of.members().stream()
                .filter(member -> settings.masterNames().matcher(member.name()).matches())
                .toList();
        List<Member> able = candidates.isEmpty() ? of.members() : candidates;
        return able.subList(0, Math.min(settings.masters(), able.size()));
    }

    /** Returns whether this node is the one that speaks for its site. */
    boolean isFirst() {
        Group joined = group;
        return joined != null && !isClosed && masters(joined.view()).getFirst().node().equals(node().id());
    }

    /** Returns the members of this site, or of this node's part of it. */
    SitePart part() {
        Group joined = group;
        if (joined == null) {
            return SitePart.NONE;
        }
        View now = joined.view();
        return new SitePart(
                node().id().incarnation(),
                now.id().number(),
                now.members().stream().map(Member::name).toList(),
                now.members().stream().map(member -> member.node().incarnation()).toList());
    }

    /** Returns whether this node has to be a master, of its site or of one of its groups. */
    boolean isMasterNeeded() {
        Group joined = group;
        return !isClosed
                && joined != null
                && (isAmongMasters(joined.view())
                        || groups().stream().anyMatch(one -> isAmongMasters(one.localView())));
    }

    private boolean isAmongMasters(@Nullable View of) {
        return of != null && masters(of).stream().anyMatch(member -> member.node().equals(node().id()));
    }

    /**
     * Tells the nodes of this site the list of sites. Never waits; a list that is not accepted is followed by another. A list
     * is told again for nodes that have joined; but none that this site has gone beyond, nor another one under its last number.
     */
    void publish(long number, List<SiteRow> rows) {
        Group joined = group;
        if (joined == null || !isFirst()) {
            return;
        }
        SitesView next = viewOf(number, rows);
        publishing.lock();
        try {
            SitesView last = latest();
            if (number > last.number() || next.equals(last)) {
                sent = next;
                ByteOutput out = new ByteOutput().putByte(LIST).putLong(number);
                SiteFrame.putList(out, rows, row -> row.put(out));
                joined.sendAsync(out.copy());
            }
        } finally {
            publishing.unlock();
        }
    }

    /** Returns the last list that this node was told, or has sent to its site and may not have been told yet. */
    SitesView latest() {
        SitesView told = view;
        SitesView under = sent;
        return under.number() > told.number() ? under : told;
    }

    /** Returns whether a member of this site was told another list than the last one, which has the same number or a lower one. */
    boolean isOverruled() {
        return overruling > 0 && overruling >= latest().number();
    }

    long overruling() {
        return overruling;
    }

    private static SitesView viewOf(long number, List<SiteRow> rows) {
        return new SitesView(number, rows.stream()
                .map(row -> new Site(row.name(), Site.State.valueOf(row.state().name()), row.members()))
                .toList());
    }

    // ------------------------------------------------------------------ inputs

    private void onView(View next) {
        bridge.announceEarly();
        bridge.announce();
        bridge.publish();
        bridge.check();
    }

    private void onMessage(Message message) {
        SitesView next;
        try {
            ByteInput in = new ByteInput(message.buffer());
            byte kind = in.takeByte();
            long number = in.takeLong();
            if (kind == OTHER) {
                overruling = Math.max(overruling, number);
                return;
            }
            next = viewOf(number, SiteRow.takeList(in));
        } catch (MalformedException e) {
            malformed.incrementAndGet();
            return;
        }
        received = next;
        if (next.number() > view.number()) {
            SitesReport.tellChanges(this, view, next);
            view = next;
            settings.onView().accept(next);
        }
    }

    /** Says that this node was told a list, in another part of its site, which those that it is told now do not go beyond. */
    private void tellOther() {
        Group joined = group;
        SitesView told = view;
        SitesView last = received;
        if (joined != null && !last.equals(told) && last.number() <= told.number()) {
            joined.sendAsync(new ByteOutput().putByte(OTHER).putLong(told.number()).copy());
        }
    }

    /** Ends with the node, or with this part of it. */
    private void onLost() {
        isClosed = true;
        bridge.check();
    }

    /** Looks once in a while at what may have to be tried again. */
    private void tick() {
        node().threads().startAfter(TICK_NANOS, "tutti-sites", () -> {
            if (!isClosed) {
                bridge.check();
                tellOther();
                bridge.tick();
                groups().forEach(SitesReport::look);
                groups().forEach(SiteGroup::attend);
                tick();
            }
        });
    }

    @Override
    public String toString() {
        return "site " + site() + ", " + requireNonNull(view);
    }

    private static final long TICK_NANOS = 500_000_000;

    /** Kinds of messages in the group of a site. */
    private static final byte LIST = 1;

    private static final byte OTHER = 2;
}
