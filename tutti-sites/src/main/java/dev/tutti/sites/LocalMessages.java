package dev.tutti.sites;

import static java.util.Objects.requireNonNull;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.sites.internal.log.Entry;
import dev.tutti.sites.internal.log.OriginMember;
import dev.tutti.sites.internal.relay.EarlySends;
import dev.tutti.sites.internal.relay.Retention;
import dev.tutti.sites.internal.relay.SequenceVector;
import dev.tutti.sites.internal.relay.SiteFrame;
import java.util.List;
import java.util.Map;

/**
 * Messages of this site's own members, at one of them: each is kept for other sites, and told to the application. Under
 * the site group's lock.
 */
final class LocalMessages {

    /** Time after which messages are given up that a member was to hand over who has left. */
    private static final long LATE_NANOS = 30_000_000_000L;

    private final SiteGroup group;
    private final SiteGroupBuilder settings;
    private final Retention retention;
    private final SendGate gate;
    private final Outgoing outgoing;
    private final EarlySends early = new EarlySends();

    /** Time of the local view, or of the last look at messages that wait for those of members who have left. */
    private long viewNanos;

    LocalMessages(SiteGroup group, SiteGroupBuilder settings, Retention retention, SendGate gate, Outgoing outgoing) {
        this.group = group;
        this.settings = settings;
        this.retention = retention;
        this.gate = gate;
        this.outgoing = outgoing;
    }

    /** Takes a new view of this site. */
    void onView(long nowNanos) {
        viewNanos = nowNanos;
    }

    /** Takes a message of a member of this site, unless messages of its sender's part of the site have to come before it. */
    void onSent(Member sender, SiteFrame frame, Listeners listeners) {
        OriginMember origin = OriginMember.of(sender);
        if (!early.keepBack(origin, frame, retention.seen())) {
            take(origin, frame, listeners);
        } else if (early.count() > EarlySends.WAITING_MAX) {
            early.releaseAll((late, waiting) -> onLate(late, waiting, listeners));
        } else if (sender.equals(group.self()) && frame instanceof SiteFrame.Everywhere sent && !gate.isRecovering()) {
            // The numbers of this member are unknown here, since very many others have sent meanwhile.
            gate.onRecovering();
            group.sendRecovered(SiteFrame.Recovered.of(SequenceVector.of(origin, sent.sequence() - 1)));
        }
    }

    private void take(OriginMember sender, SiteFrame frame, Listeners listeners) {
        switch (frame) {
            case SiteFrame.Here here -> listeners.onMessage(retention.site(), sender, here.content());
            case SiteFrame.Everywhere sent -> {
                keep(new Entry(sender, sent.sequence(), sent.reach(), sent.isForOne(), sent.content()));
                boolean isHere = sent.reach().isEmpty() || sent.reach().contains(retention.site());
                if (isHere && (!sent.isForOne() || group.isTurn(requireNonNull(group.localView()), sent.sequence()))) {
                    listeners.onMessage(retention.site(), sender, sent.content());
                }
            }
            default -> throw new IllegalStateException("no message of the application: " + frame);
        }
    }

    /** Takes a message whose predecessors are no longer waited for; other sites are told of the gap. */
    private void onLate(OriginMember sender, SiteFrame frame, Listeners listeners) {
        if (frame instanceof SiteFrame.Everywhere sent && sent.sequence() > retention.seen().of(sender) + 1) {
            onDropped(SequenceVector.of(sender, sent.sequence() - 1), listeners);
        }
        take(sender, frame, listeners);
    }

    /**
     * Gives up messages that members who have left this site were to hand over before others of theirs, if nobody has
     * done so for a while.
     */
    void giveUpLate(View view, long nowNanos) {
        SequenceVector lost = early.missingOf(sender -> view.members().stream().map(OriginMember::of).noneMatch(sender::equals));
        if (!lost.isEmpty() && nowNanos - viewNanos > LATE_NANOS) {
            viewNanos = nowNanos;
            gate.onRecovering();
            group.sendRecovered(new SiteFrame.Recovered(List.of(), lost, lost, List.of()));
        }
    }

    void onRecovered(SiteFrame.Recovered recovered, Listeners listeners) {
        List<String> unknown = recovered.sites().stream().filter(site -> !retention.knows(site)).toList();
        unknown.forEach(site -> retention.add(site, new SequenceVector()));
        if (!unknown.isEmpty()) {
            listeners.add("attend", group::attend);
        }
        onDropped(recovered.dropped(), listeners);
        recovered.entries().forEach(this::keep);
        retention.onSeen(recovered.seen());
        early.release(retention.seen(), (sender, frame) -> take(sender, frame, listeners));
    }

    private void onDropped(SequenceVector dropped, Listeners listeners) {
        if (retention.onDropped(dropped)) {
            // Streams tell what was dropped when they begin.
            outgoing.clear();
            listeners.add("attend", group::attend);
        }
    }

    private void keep(Entry entry) {
        retention.keep(entry);
        if (settings.whenFull() == WhenFull.DROP_OLDEST) {
            retention.dropDownTo(settings.retainedBytesMax());
        }
        outgoing.onKept();
        gate.onRoom();
    }

    /** Takes all that waits for earlier messages, before this member gives up its state. */
    void takeEarly(Listeners listeners) {
        early.releaseAll((sender, frame) -> take(sender, frame, listeners));
    }

    /** Puts the messages that wait, for the state. */
    void put(ByteOutput out) {
        early.put(out);
    }

    /** Replaces the messages that wait by those of a new state. */
    void replace(ByteInput in) {
        early.take(in);
    }

    void putStatus(Map<String, Long> status) {
        status.put("retained", retention.count());
        status.put("retained-bytes", retention.bytes());
        status.put("dropped", retention.droppedCount());
        status.put("early", (long) early.count());
    }
}
