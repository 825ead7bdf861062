package dev.tutti.campaign.search;

import dev.tutti.campaign.schedule.Schedule;
import dev.tutti.core.settings.Settings;
import dev.tutti.protocols.node.GroupSettings;
import dev.tutti.protocols.node.NodeSettings;
import java.time.Duration;

/** The memory and the times that a run may take, computed from the settings of its schedule. */
final class TrialLimits {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final long BYTES_BASE = 4L << 20;

    /** Number of time-outs after which no session closes any more: three of silence, stretched eightfold. */
    private static final int CALM_TIMEOUTS = 25;

    private TrialLimits() {}

    /**
     * Returns the memory that a node may hold: its own messages, copies of others' messages, messages that wait for its
     * application, and frames. In an unreliable group only links bound the messages of a sender under way.
     */
    static long bytesMax(Settings node, Settings group, int size) {
        long perMember = 4 * group.get(GroupSettings.WINDOW).bytes();
        if (group.get(GroupSettings.STACK) == GroupSettings.StackKind.UNRELIABLE) {
            perMember += node.get(NodeSettings.RESEND_BUFFER).bytes();
        }
        return size * perMember + BYTES_BASE;
    }

    /**
     * Returns the time in which a cluster has to come to rest: 71 s with default settings. One to five seconds are
     * usual; the rest is for nodes that were late and have stretched their time-outs for a while, up to eightfold.
     */
    static Duration restMax(Settings node, Settings group, Schedule.World world) {
        return SECOND.multipliedBy(15)
                .plus(node.get(NodeSettings.DETECTION_TIMEOUT).multipliedBy(12))
                .plus(group.get(GroupSettings.HOLD_BACK).multipliedBy(2))
                .plus(group.get(GroupSettings.BALLOT_TIMEOUT).multipliedBy(2))
                .plus(node.get(NodeSettings.PAUSE_MAX).multipliedBy(2))
                .plus(world.connectTimeout().plus(world.endDelayMax()).plus(world.noticeDelayMax()).multipliedBy(2));
    }

    /** Returns the time after which, without a new view, no suspicion and no waiting coordinator can cause one. */
    static Duration calm(Settings node, Settings group) {
        Duration verdicts = node.get(NodeSettings.DETECTION_TIMEOUT).multipliedBy(CALM_TIMEOUTS);
        return verdicts.plus(group.get(GroupSettings.HOLD_BACK));
    }
}
