package dev.tutti.protocols.node;

import dev.tutti.core.Member;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.stack.Guarantee;
import dev.tutti.core.stack.Layer;
import dev.tutti.protocols.membership.Membership;
import dev.tutti.protocols.order.Causal;
import dev.tutti.protocols.order.Rotation;
import dev.tutti.protocols.order.Sequencer;
import dev.tutti.protocols.packing.LargeMessages;
import dev.tutti.protocols.packing.Packing;
import dev.tutti.protocols.packing.Submissions;
import dev.tutti.protocols.reliability.BestEffort;
import dev.tutti.protocols.reliability.Charge;
import dev.tutti.protocols.reliability.Reliability;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Creates a group's layers from its settings. */
final class GroupStack {

    private static final long ACK_DELAY_MAX_NANOS = 2_000_000;

    private GroupStack() {}

    /**
     * @param version highest version of the group's packets that this member speaks
     * @param settings with {@link GroupSettings}
     * @param addedBytes header bytes of the user's layers above reliability
     * @param multicastBytes receive buffer of a receiver of multicasts; 0 if there are none
     * @return from the bottom to the top
     */
    static List<Layer> layers(
            Member self, int version, Settings settings, Submissions submissions, int addedBytes, int multicastBytes) {
        long windowBytes = settings.get(GroupSettings.WINDOW).bytes();
        long leaveTimeoutNanos = settings.get(GroupSettings.LEAVE_TIMEOUT).toNanos();
        Membership.Timing timing = new Membership.Timing(
                settings.get(GroupSettings.HOLD_BACK).toNanos(),
                settings.get(GroupSettings.MERGE_DELAY).toNanos(),
                settings.get(GroupSettings.BALLOT_TIMEOUT).toNanos());
        Membership membership = switch (settings.get(GroupSettings.PARTITION)) {
            case EACH_SIDE -> new Membership(self, version, timing);
            case PRIMARY -> Membership.primary(self, version, timing, settings.get(GroupSettings.FOUNDERS), leaveTimeoutNanos);
        };
        Reliability.Limits limits = new Reliability.Limits(
                windowBytes,
                ackDelayNanos(settings, multicastBytes),
                settings.get(GroupSettings.STABLE_DELAY).toNanos(),
                leaveTimeoutNanos,
                fetchTimeoutNanos(settings));
        GroupSettings.StackKind kind = settings.get(GroupSettings.STACK);
        Layer delivery = kind == GroupSettings.StackKind.UNRELIABLE
                ? new BestEffort(self, windowBytes)
                : new Reliability(self, limits, multicastBytes, round(settings));
        LargeMessages large =
                new LargeMessages(self, GroupSettings.messageBytesMax(settings), kind != GroupSettings.StackKind.UNRELIABLE);
        Packing.Headers headers = new Packing.Headers(GroupSettings.orderBytes(settings) + addedBytes, addedBytes);
        Packing packing = new Packing(submissions, leaveTimeoutNanos, windowBytes, headers, large);
        return switch (kind) {
            case FIFO, UNRELIABLE -> List.of(membership, delivery, packing);
            case CAUSAL -> List.of(membership, delivery, new Causal(self), packing);
            case TOTAL -> List.of(membership, delivery, total(self, settings), packing);
        };
    }

    /** Returns the guarantees that each of these layers adds, from the bottom to the top. */
    static List<List<Guarantee>> guarantees(Settings settings) {
        List<Guarantee> membership = List.of(Guarantee.VIEWS);
        List<Guarantee> reliability = List.of(Guarantee.IN_VIEW, Guarantee.RELIABLE, Guarantee.FIFO);
        List<Guarantee> packing = List.of(Guarantee.APPLICATION);
        return switch (settings.get(GroupSettings.STACK)) {
            case UNRELIABLE -> List.of(membership, List.of(Guarantee.IN_VIEW, Guarantee.APPLICATION), packing);
            case FIFO ->
                List.of(
                        membership,
                        List.of(Guarantee.IN_VIEW, Guarantee.RELIABLE, Guarantee.FIFO, Guarantee.APPLICATION),
                        packing);
            case CAUSAL -> List.of(membership, reliability, List.of(Guarantee.CAUSAL, Guarantee.APPLICATION), packing);
            case TOTAL ->
                List.of(membership, reliability, List.of(Guarantee.CAUSAL, Guarantee.TOTAL, Guarantee.APPLICATION), packing);
        };
    }

    /**
     * Returns the time that a member waits for packets from a holder. The coordinator waits a whole {@code ballot-timeout}
     * for that member's answer: a wait as long as that would expel the member together with the holder that owes.
     */
    private static long fetchTimeoutNanos(Settings settings) {
        return settings.get(GroupSettings.BALLOT_TIMEOUT).toNanos() * 3 / 4;
    }

    /**
     * Returns the delay of acknowledgements. It is limited with multicasts, whose window may shrink below the bytes
     * that are acknowledged at once, and in a ring, where acknowledgements show a sender which member to bypass.
     */
    static long ackDelayNanos(Settings settings, int multicastBytes) {
        long nanos = settings.get(GroupSettings.ACK_DELAY).toNanos();
        return multicastBytes == 0 && round(settings) == null ? nanos : Math.min(nanos, ACK_DELAY_MAX_NANOS);
    }

    private static Reliability.@Nullable Round round(Settings settings) {
        GroupSettings.Dissemination way = settings.get(GroupSettings.DISSEMINATION);
        return way == GroupSettings.Dissemination.FAN_OUT
                ? null
                : new Reliability.Round(
                        settings.get(GroupSettings.RING_PATIENCE).toNanos(), way == GroupSettings.Dissemination.AUTO);
    }

    private static Layer total(Member self, Settings settings) {
        boolean isSafe = settings.get(GroupSettings.TOTAL_DELIVERY) == GroupSettings.TotalDelivery.SAFE;
        long packetsMax = settings.get(GroupSettings.WINDOW).bytes() / Charge.OVERHEAD_BYTES;
        return switch (settings.get(GroupSettings.TOTAL_BY)) {
            case SEQUENCER -> new Sequencer(self, packetsMax, isSafe);
            case ROTATION -> new Rotation(self, isSafe);
        };
    }
}
