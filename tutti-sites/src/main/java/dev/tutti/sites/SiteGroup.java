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
import dev.tutti.sites.internal.log.Entry;
import dev.tutti.sites.internal.log.MemoryLog;
import dev.tutti.sites.internal.log.OriginMember;
import dev.tutti.sites.internal.log.RetainedLog;
import dev.tutti.sites.internal.log.Spill;
import dev.tutti.sites.internal.relay.ArrivedMessages;
import dev.tutti.sites.internal.relay.BridgeFrame;
import dev.tutti.sites.internal.relay.RelayItem;
import dev.tutti.sites.internal.relay.Retention;
import dev.tutti.sites.internal.relay.SequenceVector;
import dev.tutti.sites.internal.relay.SiteFrame;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
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

    /** Files that outlast this process; null if messages are kept in memory. */
    private final @Nullable Spill spill;

    // Guarded by the lock.
    private final Retention retention;
    private final TreeMap<String, ArrivedMessages> arrived = new TreeMap<>();

    /** Messages that this member has delivered and its state lacks, since the state of another part of its site goes on. */
    private final TreeMap<String, SequenceVector> told = new TreeMap<>();

    private final Outgoing outgoing;
    private final Incoming incoming;
    private long gaps;
    private long tooLarge;

    /** Duplicates that were dropped before the present state came. */
    private long earlierDuplicates;

    /** Brings back what is set aside; null before the group is joined, and if messages are kept in memory. */
    private volatile @Nullable Pump recoveryPump;

    private volatile @Nullable View localView;
    private volatile @Nullable Group group;
    private volatile boolean isClosed;

    private SiteGroup(SiteGroupBuilder settings) {
        this.settings = settings;
        this.sites = settings.sites();
        this.name = settings.group().name();
        this.threads = sites.node().threads();
        this.spill = settings.directory() == null ? null : new Spill(settings.directory());
        this.retention = new Retention(sites.site(), spill == null ? new MemoryLog() : spill.current());
        settings.expected().forEach(site -> retention.add(site, new SequenceVector()));
        if (spill != null) {
            spill.sites().forEach(site -> retention.add(site, new SequenceVector()));
        }
        this.gate = new SendGate(settings, retention, lock, threads);
        this.outgoing = new Outgoing(settings, retention, lock, this::onFailed);
        this.incoming = new Incoming(settings, this::arrived, lock, this::onFailed);
    }

    static SiteGroup join(SiteGroupBuilder settings) {
        SiteGroup joined = new SiteGroup(settings);
        try {
            joined.sites.add(joined);
            Group group = settings.group()
                    .state(new SiteGroupState(joined, settings.state()))
                    .onView(joined::onView)
                    .onMessage(joined::onMessage)
                    .onClosed(reason -> joined.onClosed())
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
        if (spill != null) {
            if (spill.damagedBytes() > 0) {
                LOG.warn("site group {}: {} bytes of messages that an earlier run has kept in {} are damaged, and lost", name,
                        spill.damagedBytes(), settings.directory());
            }
            Recovery recovery = new Recovery(this, joined, spill);
            recoveryPump = new Pump(threads, "tutti-sites-" + name + "-recovery", recovery::run, this::onFailed);
            recoveryPump.wake();
        }
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

    /** Returns counts: messages and bytes that are kept, streams, duplicates that were dropped. */
    public Map<String, Long> status() {
        TreeMap<String, Long> status = new TreeMap<>();
        locked(() -> {
            status.put("retained", retention.count());
            status.put("retained-bytes", retention.bytes());
            status.put("dropped", retention.droppedCount());
            status.put("duplicates", duplicates());
            status.put("out-of-order", arrived.values().stream().mapToLong(ArrivedMessages::waiting).sum());
            status.put("gaps", gaps);
            status.put("malformed", malformed.get());
            status.put("too-large", tooLarge);
            outgoing.putStatus(status);
            incoming.putStatus(status);
        });
        return status;
    }

    private long duplicates() {
        return earlierDuplicates + arrived.values().stream().mapToLong(ArrivedMessages::duplicates).sum();
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
     * provided that a member of this site survives until they have it, or that the log is on disk.
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

    private void onClosed() {
        sites.remove(this);
        locked(() -> {
            isClosed = true;
            outgoing.clear();
            incoming.clear();
            gate.close();
        });
        if (spill != null) {
            spill.close();
        }
    }

    /** Leaves the group, since its log can't be used. The others go on, and keep the messages. */
    void onFailed(RuntimeException e) {
        local().fail("spill", "this member can't keep messages for other sites", e);
    }

    // ------------------------------------------------------------------ inputs of this site

    private void onView(View next) {
        List<Delivery> deliveries = new ArrayList<>();
        locked(() -> {
            localView = next;
            arrived.forEach((site, messages) -> messages.onView(new Receiver(site, next, deliveries)));
            incoming.onView(next);
        });
        deliveries.add(new Delivery("onView", () -> settings.onView().accept(next)));
        call(deliveries);
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
        List<Delivery> deliveries = new ArrayList<>();
        lock.lock();
        try {
            onFrame(frame, message, deliveries);
        } catch (UncheckedIOException e) {
            onFailed(e);
        } finally {
            lock.unlock();
        }
        call(deliveries);
    }

    /** Call of a listener that is due. */
    private record Delivery(String callback, Runnable code) {}

    /** Calls listeners, on the group's thread and without the lock. One that throws does not keep others from being called. */
    private void call(List<Delivery> deliveries) {
        gate.setListening(Thread.currentThread());
        try {
            for (Delivery delivery : deliveries) {
                Group joined = group;
                if (joined == null) {
                    delivery.code.run();
                } else {
                    joined.fence().call(delivery.callback, delivery.code);
                }
            }
        } finally {
            gate.setListening(null);
        }
    }

    private void onFrame(SiteFrame frame, Message message, List<Delivery> deliveries) {
        Member sender = message.sender();
        switch (frame) {
            case SiteFrame.Here here -> deliver(sites.site(), OriginMember.of(sender), here.content(), deliveries);
            case SiteFrame.Everywhere sent -> onSent(OriginMember.of(sender), sent, deliveries);
            case SiteFrame.Relayed relayed -> {
                arrived(relayed.site()).accept(relayed.items(), new Receiver(relayed.site(), message.view(), deliveries));
                if (sender.equals(self())) {
                    incoming.onDelivered(message.view().id());
                }
            }
            case SiteFrame.Acknowledged acknowledged -> {
                retention.acknowledge(acknowledged.site(), acknowledged.has());
                gate.onRoom();
            }
            case SiteFrame.Added added -> {
                if (!retention.knows(added.site())) {
                    retention.add(added.site(), added.start());
                    deliveries.add(new Delivery("attend", this::attend));
                }
            }
            case SiteFrame.Forgotten forgotten -> {
                retention.forget(forgotten.site());
                gate.onRoom();
            }
            case SiteFrame.Recovered recovered -> {
                onRecovered(recovered, deliveries);
                if (sender.equals(self())) {
                    gate.onRecovered();
                }
            }
        }
    }

    private void onSent(OriginMember sender, SiteFrame.Everywhere sent, List<Delivery> deliveries) {
        keep(new Entry(sender, sent.sequence(), sent.reach(), sent.isForOne(), sent.content()));
        boolean isHere = sent.reach().isEmpty() || sent.reach().contains(sites.site());
        if (isHere && (!sent.isForOne() || isTurn(requireNonNull(localView), sent.sequence()))) {
            deliver(sites.site(), sender, sent.content(), deliveries);
        }
    }

    private void onRecovered(SiteFrame.Recovered recovered, List<Delivery> deliveries) {
        List<String> unknown = recovered.sites().stream().filter(site -> !retention.knows(site)).toList();
        unknown.forEach(site -> retention.add(site, new SequenceVector()));
        boolean isToTell = retention.onDropped(recovered.dropped());
        recovered.entries().forEach(this::keep);
        if (isToTell) {
            // Streams tell what was dropped when they begin.
            outgoing.clear();
        }
        if (isToTell || !unknown.isEmpty()) {
            deliveries.add(new Delivery("attend", this::attend));
        }
    }

    private void keep(Entry entry) {
        retention.keep(entry);
        if (settings.whenFull() == WhenFull.DROP_OLDEST) {
            retention.dropDownTo(settings.retainedBytesMax());
        }
        outgoing.onKept();
    }

    /** Returns whether it is this member's turn to take a message that is for one member. */
    private boolean isTurn(View view, long number) {
        return view.members().get((int) (number % view.size())).equals(self());
    }

    private @Nullable Member self() {
        View view = localView;
        return view == null
                ? null
                : view.members().stream()
                        .filter(member -> member.node().equals(sites.node().id()))
                        .findFirst()
                        .orElse(null);
    }

    private void deliver(String site, OriginMember sender, byte[] content, List<Delivery> deliveries) {
        SiteMessage message = new SiteMessage(site, sender.name(), sender.incarnation(), content);
        deliveries.add(new Delivery("onMessage", () -> settings.onMessage().accept(message)));
    }

    /** Collects what is to be told to the application. */
    private final class Receiver implements ArrivedMessages.Receiver {

        private final String site;
        private final View view;
        private final List<Delivery> deliveries;

        Receiver(String site, View view, List<Delivery> deliveries) {
            this.site = site;
            this.view = view;
            this.deliveries = deliveries;
        }

        @Override
        public void onMessage(RelayItem.Sent message) {
            boolean isTold = told(site).covers(message.member(), message.sequence());
            if (!isTold && (!message.isForOne() || isTurn(view, message.sequence()))) {
                deliver(site, message.member(), message.content(), deliveries);
            }
        }

        @Override
        public void onLost(OriginMember member, long first, long last) {
            long count = last - Math.max(first - 1, told(site).of(member));
            if (count > 0) {
                gaps += count;
                SitesReport.tellGap(SiteGroup.this, site, member.name(), count);
                Gap gap = new Gap(site, member.name(), member.incarnation(), count);
                deliveries.add(new Delivery("onGap", () -> settings.onGap().accept(gap)));
            }
        }
    }

    private SequenceVector told(String site) {
        return told.computeIfAbsent(site, key -> new SequenceVector());
    }

    private ArrivedMessages arrived(String site) {
        return arrived.computeIfAbsent(site, key -> new ArrivedMessages(new SequenceVector()));
    }

    // ------------------------------------------------------------------ inputs of other sites

    /** Looks at what is to be done for other sites. */
    void attend() {
        locked(() -> {
            View view = localView;
            boolean isMaster = !isClosed
                    && view != null
                    && sites.masters(view).getFirst().node().equals(sites.node().id());
            outgoing.attend(isMaster);
            incoming.attend();
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

    void onOpen(Member sender, BridgeFrame.Open open) {
        String site = sites.bridge().siteOf(sender);
        locked(() -> {
            if (site == null || site.equals(sites.site()) || isClosed) {
                // An announcement may still be under way; the stream is opened again then.
                sites.bridge().sendAsync(sender, new BridgeFrame.Refuse(name, open.stream(), "the sender's site is not known here"));
            } else {
                incoming.onOpen(site, sender, open);
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

    SiteGroupBuilder settings() {
        return settings;
    }

    /** Returns the messages of each other site that this member has delivered; a copy. Under the lock. */
    Map<String, SequenceVector> delivered() {
        TreeMap<String, SequenceVector> delivered = new TreeMap<>();
        arrived.forEach((site, messages) -> delivered.put(site, messages.delivered().copy()));
        return delivered;
    }

    /**
     * Replaces what was delivered, and what other sites have, by what a new state contains; under the lock.
     *
     * @param isMerge whether this member gives up the state of its part of the site
     * @return what that part has kept and other members may lack; what is on disk is set aside instead
     */
    SiteFrame.Recovered replace(boolean isMerge, Map<String, SequenceVector> delivered, Map<String, SequenceVector> acknowledged) {
        SiteFrame.Recovered own = SiteFrame.Recovered.NOTHING;
        RetainedLog log = retention.log();
        if (spill == null) {
            own = isMerge ? new SiteFrame.Recovered(retention.sites(), retention.dropped().copy(), retention.entries()) : own;
        } else if (isMerge && !spill.current().isEmpty()) {
            // Until they were brought back, nothing is sent that would overtake them.
            gate.setHeld(true);
            log = spill.setAside();
        }
        log.trimTo(log.end());
        retention.reset(acknowledged, log);
        settings.expected().forEach(site -> retention.add(site, new SequenceVector()));
        if (settings.state() == null) {
            // With a state of the application, messages that the new one lacks are delivered again.
            arrived.forEach((site, messages) -> told(site).raise(messages.delivered()));
        }
        earlierDuplicates = duplicates();
        arrived.clear();
        delivered.forEach((site, has) -> arrived.put(site, new ArrivedMessages(has)));
        outgoing.clear();
        incoming.onInstalled();
        return own;
    }

    /** Begins to bring back what was set aside, after a new state was installed. */
    void bringBack() {
        Pump pump = recoveryPump;
        if (pump != null) {
            pump.wake();
        }
    }

    /** Lets sends go on, unless something was set aside meanwhile. */
    void onBroughtBack() {
        locked(() -> {
            if (spill != null && spill.aside() == null) {
                gate.setHeld(false);
            }
        });
    }

    /** Notes that messages could not be passed on, since they are longer than this group allows. */
    void onTooLarge(int count, SendException refused) {
        locked(() -> tooLarge += count);
        LOG.warn("site group {}: {} messages are lost to other members: {}", name, count, refused.getMessage());
    }

    /** Returns whether the members of this site keep a message, or have kept it. */
    boolean hasSeen(Entry entry) {
        lock.lock();
        try {
            return retention.seen().covers(entry.member(), entry.sequence());
        } finally {
            lock.unlock();
        }
    }

    /** Sends messages that other members lack, which the gate expects already, on a thread of its own. */
    void sendRecovered(List<SiteFrame.Recovered> frames) {
        Group joined = local();
        threads.start("tutti-sites-" + name + "-recovery", () -> frames.forEach(frame -> Recovery.send(frame, joined, this)));
    }

    SendGate gate() {
        return gate;
    }

    @Override
    public String toString() {
        return "site group " + name + " at " + sites.site() + ", " + localView;
    }
}
