package dev.tutti.sites;

import dev.tutti.core.View;
import dev.tutti.sites.internal.log.OriginMember;
import dev.tutti.sites.internal.relay.ArrivedMessages;
import dev.tutti.sites.internal.relay.Recent;
import dev.tutti.sites.internal.relay.RelayItem;
import dev.tutti.sites.internal.relay.SequenceVector;
import dev.tutti.sites.internal.relay.Skipped;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Messages of all other sites at one member: delivered once, in the order of their senders. Under the site group's lock. */
final class Arrivals {

    private final SiteGroup group;
    private final TreeMap<String, ArrivedMessages> arrived = new TreeMap<>();

    /** Messages that this member has delivered and its state lacks, since the state of another part of its site goes on. */
    private final TreeMap<String, SequenceVector> told = new TreeMap<>();

    /** Time of the first view of this member; null before. */
    private @Nullable Long memberSince;

    private long gaps;

    /** Duplicates that were dropped before the present state came. */
    private long earlierDuplicates;

    Arrivals(SiteGroup group) {
        this.group = group;
    }

    /** Takes what a master of this site has passed on. */
    void accept(String site, List<RelayItem> items, View view, Listeners listeners) {
        of(site).accept(items, new Receiver(site, view, listeners));
    }

    /** Takes what another part of this site has delivered. */
    void acceptOfOtherPart(String site, List<RelayItem> items, View view, Listeners listeners) {
        of(site).acceptOfOtherPart(items, new Receiver(site, view, listeners));
    }

    /** Returns the last messages of each site, which another part of this one may lack. */
    Map<String, Recent> recent() {
        TreeMap<String, Recent> recent = new TreeMap<>();
        arrived.forEach((site, messages) -> recent.put(site, messages.recent()));
        return recent;
    }

    /** Remembers what another member has taken lately, whose state this one goes on with. */
    void remember(Map<String, Recent> recent) {
        recent.forEach((site, theirs) -> of(site).remember(theirs));
    }

    /** Takes a new view of this site. */
    void onView(View view, Listeners listeners) {
        if (memberSince == null) {
            memberSince = nanoTime();
        }
        arrived.forEach((site, messages) -> messages.onView(new Receiver(site, view, listeners)));
    }

    ArrivedMessages of(String site) {
        return arrived.computeIfAbsent(site, key -> new ArrivedMessages(new SequenceVector(), nanoTime()));
    }

    /** Returns the messages of each site that were delivered; a copy. */
    Map<String, SequenceVector> delivered() {
        TreeMap<String, SequenceVector> delivered = new TreeMap<>();
        arrived.forEach((site, messages) -> delivered.put(site, messages.delivered().copy()));
        return delivered;
    }

    /**
     * Replaces what was delivered by what a new state contains.
     *
     * @param isTold whether messages that this member has delivered, and the state lacks, are not delivered again
     */
    void replace(Map<String, SequenceVector> delivered, boolean isTold) {
        if (isTold) {
            arrived.forEach((site, messages) -> told(site).raise(messages.delivered()));
        }
        earlierDuplicates = duplicates();
        arrived.clear();
        delivered.forEach((site, has) -> arrived.put(site, new ArrivedMessages(has, nanoTime())));
    }

    /**
     * Tells the application of messages that only the part of this site has delivered whose state goes on: those that came with the state,
     * and the gaps before and behind them. Of a site that this member's part has not heard of, it is told what has come since it is a member.
     *
     * @param before messages of each site that this member had delivered
     * @param own what its part has taken lately from each site
     * @param recent what the other part has
     */
    void catchUp(Map<String, SequenceVector> before, Map<String, Recent> own, Map<String, Recent> recent, View view, Listeners listeners) {
        recent.forEach((site, theirs) -> {
            SequenceVector has = before.getOrDefault(site, new SequenceVector());
            Recent ours = own.get(site);
            Long since = has.isEmpty() ? memberSince : null;
            new ArrivedMessages(has.copy(), ours == null ? new Skipped() : ours.skipped().copy(), nanoTime())
                    .catchUp(theirs, of(site).delivered(), since, new Receiver(site, view, listeners));
        });
    }

    private long nanoTime() {
        return group.sites().node().threads().nanoTime();
    }

    private SequenceVector told(String site) {
        return told.computeIfAbsent(site, key -> new SequenceVector());
    }

    private long duplicates() {
        return earlierDuplicates + arrived.values().stream().mapToLong(ArrivedMessages::duplicates).sum();
    }

    void putStatus(Map<String, Long> status) {
        status.put("duplicates", duplicates());
        status.put("out-of-order", arrived.values().stream().mapToLong(ArrivedMessages::waiting).sum());
        status.put("gaps", gaps);
    }

    /** Collects what is to be told to the application. */
    private final class Receiver implements ArrivedMessages.Receiver {

        private final String site;
        private final View view;
        private final Listeners listeners;

        Receiver(String site, View view, Listeners listeners) {
            this.site = site;
            this.view = view;
            this.listeners = listeners;
        }

        @Override
        public long nanoTime() {
            return Arrivals.this.nanoTime();
        }

        @Override
        public void onMessage(RelayItem.Sent message) {
            boolean isTold = told(site).covers(message.member(), message.sequence());
            if (!isTold && (!message.isForOne() || group.isTurn(view, message.sequence()))) {
                listeners.onMessage(site, message.member(), message.content());
            }
        }

        @Override
        public void onLost(OriginMember member, long first, long last) {
            long count = last - Math.max(first - 1, told(site).of(member));
            if (count > 0) {
                gaps += count;
                group.resync().onGap(site);
                SitesReport.tellGap(group, site, member.name(), count);
                listeners.onGap(site, member, count);
            }
        }
    }
}
