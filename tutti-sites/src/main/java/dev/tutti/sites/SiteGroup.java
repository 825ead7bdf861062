package dev.tutti.sites;

import static java.util.Objects.requireNonNull;

import dev.tutti.Group;
import dev.tutti.Message;
import dev.tutti.SendException;
import dev.tutti.Threads;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.internal.Logs;
import dev.tutti.sites.internal.log.MemoryLogs;
import dev.tutti.sites.internal.log.OriginMember;
import dev.tutti.sites.internal.log.RetainedLog;
import dev.tutti.sites.internal.log.RetainedLogs;
import dev.tutti.sites.internal.log.Spill;
import dev.tutti.sites.internal.relay.BridgeFrame;
import dev.tutti.sites.internal.relay.Recent;
import dev.tutti.sites.internal.relay.Retention;
import dev.tutti.sites.internal.relay.SequenceVector;
import dev.tutti.sites.internal.relay.SiteFrame;
import dev.tutti.sites.internal.relay.ViewMark;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * A group that spans sites: a group at each site, whose messages reach the members at other sites, too.
 *
 * <p>A message is delivered at its own site as in any group. The members of that site keep it until each other site
 * has acknowledged it; masters pass it on, and whoever takes over from a master goes on where the other site has got
 * to. A member of another site delivers it once, in the order of its sender.
 *
 * <p>All methods may be called from any thread. Listeners may send; a send that would have to wait for another site
 * fails at once in a listener, since the listener itself holds up the acknowledgements.
 */
public final class SiteGroup implements AutoCloseable {

    private static final Logger LOG = Logs.of(SiteGroup.class);

    private final SiteGroupBuilder settings;
    private final Sites sites;
    private final String name;
    private final Threads threads;
    private final ReentrantLock lock = new ReentrantLock();
    private final SendGate gate;

    private final AtomicLong malformed = new AtomicLong();

    private final RetainedLogs logs;

    /** The logs, if they are files that outlast this process; null if messages are kept in memory. */
    private final @Nullable Spill spill;

    // Guarded by the lock.
    private final Retention retention;
    private final LocalMessages localMessages;
    private final Arrivals arrivals = new Arrivals(this);
    private final Outgoing outgoing;
    private final Incoming incoming;
    private final Resync resync;
    private final Recovery recovery;
    private long tooLarge;

    private final Pump recoveryPump;
    private volatile @Nullable View localView;
    private volatile @Nullable Group group;
    private volatile boolean isClosed;

    private SiteGroup(SiteGroupBuilder settings) {
        this.settings = settings;
        this.sites = settings.sites();
        this.name = settings.group().name();
        this.threads = sites.node().threads();
        this.spill = settings.directory() == null ? null : new Spill(settings.directory());
        this.logs = spill == null ? new MemoryLogs() : spill;
        this.retention = new Retention(sites.site(), logs.current());
        settings.expected().forEach(site -> retention.add(site, new SequenceVector()));
        logs.sites().forEach(site -> retention.add(site, new SequenceVector()));
        this.gate = new SendGate(settings, retention, lock, threads);
        this.outgoing = new Outgoing(settings, retention, lock, this::onFailed);
        this.localMessages = new LocalMessages(this, settings, retention, gate, outgoing);
        this.incoming = new Incoming(settings, arrivals::of, lock, this::onFailed);
        this.resync = new Resync(this, settings);
        this.recovery = new Recovery(this, logs);
        this.recoveryPump = new Pump(threads, "tutti-sites-" + name + "-recovery", recovery::run, this::onFailed);
    }

    static SiteGroup join(SiteGroupBuilder settings) {
        SiteGroup joined = new SiteGroup(settings);
        try {
            joined.sites.add(joined);
            Group group = settings.group()
                    .state(new SiteGroupState(joined, settings.state()))
                    .onView(joined::onView)
                    .onMessage(joined::onMessage)
                    .onClosed(joined::onGroupClosed)
                    .join();
            joined.open(group);
        } catch (RuntimeException e) {
            joined.onClosed();
            throw e;
        }
        return joined;
    }

    private void open(Group joined) {
        locked(() -> {
            group = joined;
            outgoing.open(joined);
            incoming.open(joined);
        });
        sites.bridge().check();
        attend();
        if (spill != null && spill.damagedBytes() > 0) {
            LOG.warn("site group {}: {} bytes of messages that an earlier run has kept in {} are damaged, and lost", name,
                    spill.damagedBytes(), settings.directory());
        }
        bringBack();
    }

    public String name() {
        return name;
    }

    public Sites sites() {
        return sites;
    }

    /** Returns the group of this site's members. */
    public Group local() {
        return requireNonNull(group, "the site group is not joined");
    }

    @Nullable View localView() {
        return localView;
    }

    /** Returns the other sites that messages are kept for. */
    public List<String> knownSites() {
        lock.lock();
        try {
            return retention.sites();
        } finally {
            lock.unlock();
        }
    }

    /** Returns the other sites that have joined this group and are connected, as far as this member knows: masters do. */
    public List<String> connectedSites() {
        return sites.bridge().sitesWith(name).stream().filter(site -> !site.equals(sites.site())).toList();
    }

    /** Returns whether this member passes on messages between this site and others. */
    public boolean isMaster() {
        View view = localView;
        return !isClosed
                && view != null
                && sites.masters(view).getFirst().node().equals(sites.node().id());
    }

    /** Returns the bound of the messages that this member keeps for other sites; see {@link SiteGroupBuilder#retain}. */
    public long retainedBytesMax() {
        return settings.retainedBytesMax();
    }

    /** Returns counts: messages and bytes that are kept, streams, duplicates that were dropped. */
    public Map<String, Long> status() {
        TreeMap<String, Long> status = new TreeMap<>();
        locked(() -> {
            localMessages.putStatus(status);
            status.put("malformed", malformed.get());
            status.put("too-large", tooLarge);
            arrivals.putStatus(status);
            outgoing.putStatus(status);
            incoming.putStatus(status);
            resync.putStatus(status);
        });
        return status;
    }

    // ------------------------------------------------------------------ sending

    /** Sends to all members of all sites, this member included. As {@link #send(byte[], Reach)}. */
    public void send(byte[] message) {
        send(message, Reach.EVERYWHERE);
    }

    /** Sends text as UTF-8 to all members of all sites. */
    public void send(String text) {
        send(text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Sends to the members of some sites. Returns when the message is accepted: it is delivered at other sites then,
     * provided that a member of this site survives until they have it. With {@link SiteGroupBuilder#spill}, it is in a file of this member
     * then, and delivered also if all processes of this site end; if a listener of the group has sent it, it is soon after.
     *
     * @throws SendException if the message was not accepted within the time-out
     */
    public void send(byte[] message, Reach reach) {
        Group joined = local();
        if (reach.equals(Reach.HERE)) {
            joined.send(new SiteFrame.Here(message).encode());
            return;
        }
        long number = gate.begin(message.length);
        boolean isSent = false;
        try {
            joined.send(new SiteFrame.Everywhere(number, reach.sites(), reach.isForOne(), message).encode());
            isSent = true;
        } finally {
            gate.end(isSent);
        }
        Member own = spill == null ? null : self();
        if (own != null) {
            gate.awaitKept(OriginMember.of(own), number);
        }
    }

    /**
     * Waits until a site has acknowledged all that this member has sent so far and that is for it: its members have it, as that
     * site's {@link SiteGroupBuilder#acknowledgeWhen} says.
     *
     * @return false if messages were dropped before that, or nothing is kept for the site
     * @throws SendException if the time-out passes, or the caller is a listener
     */
    public boolean awaitAcknowledged(String site) {
        Member own = self();
        return own != null && gate.awaitAcknowledged(site, OriginMember.of(own));
    }

    /**
     * Gives up a site that will not come back: nothing is kept for it any more, at any member of this site. If it comes
     * back, it gets what is sent from then on.
     */
    public void forget(String site) {
        local().send(new SiteFrame.Forgotten(site).encode());
    }

    /** Leaves this site's group. */
    @Override
    public void close() {
        Group joined = group;
        if (joined != null) {
            joined.close();
        }
        onClosed();
    }

    private void onGroupClosed(String reason) {
        onClosed();
        settings.onClosed().accept(reason);
    }

    private void onClosed() {
        sites.remove(this);
        locked(() -> {
            isClosed = true;
            outgoing.clear();
            incoming.clear();
            gate.close();
        });
        logs.close();
    }

    /** Leaves the group, since its log can't be used. The others go on, and keep the messages. */
    void onFailed(RuntimeException e) {
        local().fail("spill", "this member can't keep messages for other sites", e);
    }

    // ------------------------------------------------------------------ inputs of this site

    private void onView(View next) {
        Listeners listeners = new Listeners(settings);
        locked(() -> {
            localView = next;
            resync.onView();
            localMessages.onView(threads.nanoTime());
            arrivals.onView(next, listeners);
            incoming.onView(next);
        });
        listeners.onView(next);
        listeners.call(group, gate);
        sites.bridge().check();
        attend();
    }

    private void onMessage(Message message) {
        SiteFrame frame;
        try {
            frame = SiteFrame.decode(message.buffer());
        } catch (MalformedException e) {
            malformed.incrementAndGet();
            return;
        }
        Listeners listeners = new Listeners(settings);
        lock.lock();
        try {
            onFrame(frame, message, listeners);
        } catch (UncheckedIOException e) {
            onFailed(e);
        } finally {
            lock.unlock();
        }
        listeners.call(group, gate);
    }

    private void onFrame(SiteFrame frame, Message message, Listeners listeners) {
        Member sender = message.sender();
        switch (frame) {
            case SiteFrame.Here here -> localMessages.onSent(sender, here, listeners);
            case SiteFrame.Everywhere sent -> localMessages.onSent(sender, sent, listeners);
            case SiteFrame.Relayed relayed -> {
                if (!resync.isArriving()) {
                    arrivals.accept(relayed.site(), relayed.items(), message.view(), listeners);
                }
                if (sender.equals(self())) {
                    incoming.onDelivered(message.view().id());
                }
            }
            case SiteFrame.Arrived of -> {
                if (!resync.isArriving()) {
                    arrivals.acceptOfOtherPart(of.site(), of.items(), message.view(), listeners);
                }
            }
            case SiteFrame.Acknowledged acknowledged -> {
                retention.acknowledge(acknowledged.site(), acknowledged.has());
                gate.onRoom();
            }
            case SiteFrame.Added added -> {
                if (!retention.knows(added.site())) {
                    retention.add(added.site(), added.start());
                    listeners.add("attend", this::attend);
                }
            }
            case SiteFrame.Forgotten forgotten -> {
                retention.forget(forgotten.site());
                gate.onRoom();
            }
            case SiteFrame.StateBegin begin -> resync.onBegin(sender, begin);
            case SiteFrame.StatePart part -> resync.onPart(part);
            case SiteFrame.StateEnd end -> resync.onEnd(end, listeners);
            case SiteFrame.StateCut cut -> resync.onCut(sender, cut, listeners);
            case SiteFrame.Recovered recovered -> onRecovered(sender, recovered, listeners);
            case SiteFrame.BroughtBack back -> {
                boolean isOfThisView = back.view().equals(ViewMark.of(message.view().id()));
                onRecovered(sender, isOfThisView ? back.content() : SiteFrame.Recovered.NOTHING, listeners);
            }
        }
    }

    private void onRecovered(Member sender, SiteFrame.Recovered recovered, Listeners listeners) {
        localMessages.onRecovered(recovered, listeners);
        if (sender.equals(self())) {
            gate.onRecovered();
        }
    }

    /** Returns whether it is this member's turn to take a message that is for one member. */
    boolean isTurn(View view, long number) {
        return view.members().get((int) (number % view.size())).equals(self());
    }

    @Nullable Member self() {
        View view = localView;
        return view == null
                ? null
                : view.members().stream()
                        .filter(member -> member.node().equals(sites.node().id()))
                        .findFirst()
                        .orElse(null);
    }

    // ------------------------------------------------------------------ inputs of other sites

    /** Looks at what is to be done for other sites. */
    void attend() {
        locked(() -> {
            View view = localView;
            boolean isMaster = isMaster();
            if (isMaster) {
                localMessages.giveUpLate(requireNonNull(view), threads.nanoTime());
            }
            outgoing.attend(isMaster);
            incoming.attend();
            resync.attend(isMaster);
            if (spill != null && !isClosed) {
                spill.noteSites(retention.sites());
            }
        });
    }

    /** Runs code under the lock. */
    void locked(Runnable code) {
        lock.lock();
        try {
            code.run();
        } finally {
            lock.unlock();
        }
    }

    void onBridgeView(View view, Set<Member> together) {
        locked(() -> {
            outgoing.onBridgeView(view, together);
            incoming.onBridgeView(view, together);
        });
        attend();
    }

    /** Ends all streams: the bridge is closed, or has passed over what masters have sent meanwhile. */
    void endStreams() {
        locked(() -> {
            outgoing.clear();
            incoming.clear();
        });
    }

    /** @param behind messages that the stream begins behind; none if its sender waits for the answer */
    void onOpen(Member sender, long stream, SequenceVector behind) {
        String site = sites.bridge().siteOf(sender);
        locked(() -> {
            if (site == null || site.equals(sites.site()) || isClosed) {
                // An announcement may still be under way; the stream is opened again then.
                sites.bridge().sendAsync(sender, new BridgeFrame.Refuse(name, stream, "the sender's site is not known here"));
            } else if (resync.isArriving()) {
                sites.bridge().sendAsync(
                        sender, new BridgeFrame.Refuse(name, stream, "the site takes over the state of another one"));
            } else {
                incoming.onOpen(site, sender, stream, behind);
            }
        });
    }

    // ------------------------------------------------------------------ state

    ReentrantLock lock() {
        return lock;
    }

    Retention retention() {
        return retention;
    }

    Outgoing outgoing() {
        return outgoing;
    }

    Incoming incoming() {
        return incoming;
    }

    Resync resync() {
        return resync;
    }

    SiteGroupBuilder settings() {
        return settings;
    }

    Arrivals arrivals() {
        return arrivals;
    }

    LocalMessages localMessages() {
        return localMessages;
    }

    /** Takes all that waits for earlier messages, before this member gives up its state. */
    void takeEarly() {
        Listeners listeners = new Listeners(settings);
        locked(() -> localMessages.takeEarly(listeners));
        listeners.call(group, gate);
    }

    /** Delivers messages of other sites that came to the other part of this site, before this member gave up the state of its own. */
    void catchUp(Map<String, SequenceVector> before, Map<String, Recent> own, Map<String, Recent> recent) {
        Listeners listeners = new Listeners(settings);
        locked(() -> arrivals.catchUp(before, own, recent, requireNonNull(localView), listeners));
        listeners.call(group, gate);
    }

    /**
     * Replaces what was delivered, and what other sites have, by what a new state contains; under the lock.
     *
     * @param isMerge whether this member gives up the state of its part of the site
     */
    void replace(boolean isMerge, Map<String, SequenceVector> delivered, Map<String, SequenceVector> acknowledged) {
        RetainedLog log = isMerge ? recovery.giveUp(retention) : retention.log();
        log.trimTo(log.end());
        retention.reset(acknowledged, log);
        settings.expected().forEach(site -> retention.add(site, new SequenceVector()));
        // With a state of the application, messages that the new one lacks are delivered again.
        arrivals.replace(delivered, settings.state() == null);
        outgoing.clear();
        incoming.onInstalled();
    }

    /** Begins to bring back what is set aside, if this member is in the view of its site; otherwise that begins then. */
    void bringBack() {
        locked(() -> {
            if (group != null && recovery.isDue()) {
                recoveryPump.wake();
            }
        });
    }

    /** Notes that messages could not be passed on, since they are longer than this group allows. */
    void onTooLarge(int count, SendException refused) {
        locked(() -> tooLarge += count);
        LOG.warn("site group {}: {} messages are lost to other members: {}", name, count, refused.getMessage());
    }

    /** Sends what other members lack, which the gate expects already, on a thread of its own. */
    void sendRecovered(SiteFrame.Recovered frame) {
        threads.start("tutti-sites-" + name + "-recovery", () -> Recovery.send(frame, frame.entries().size(), this));
    }

    boolean isClosed() {
        return isClosed;
    }

    SendGate gate() {
        return gate;
    }

    @Override
    public String toString() {
        return "site group " + name + " at " + sites.site() + ", " + localView;
    }
}
