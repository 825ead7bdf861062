package dev.tutti.stomp.internal.session;

import dev.tutti.stomp.internal.broker.Publication;
import dev.tutti.stomp.internal.codec.FrameException;
import dev.tutti.stomp.internal.codec.StompFault;
import java.util.Collection;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * Replays to resumed subscriptions the messages that they have missed, as far as the client reads and acknowledges.
 * Belongs to the connection's thread.
 */
final class Replays {

    private static final int REPLAY_COUNT = 64;

    private final StompConnection connection;
    private final StompCounters counters;
    private final Options.ClientLimits limits;
    private final BiConsumer<Subscription, Publication> deliver;
    private boolean isUnfinished;
    private boolean isReplaying;

    /** @param deliver writes a MESSAGE */
    Replays(
            StompConnection connection,
            StompCounters counters,
            Options.ClientLimits limits,
            BiConsumer<Subscription, Publication> deliver) {
        this.connection = connection;
        this.counters = counters;
        this.limits = limits;
        this.deliver = deliver;
    }

    /** Continues, since there is room for more messages to be read or acknowledged. */
    void onRoom(Collection<Subscription> subscriptions) {
        if (isUnfinished && !isReplaying) {
            isUnfinished = false;
            for (Subscription subscription : List.copyOf(subscriptions)) {
                replay(subscription);
            }
        }
    }

    /** Continues to replay the messages that a resumed subscription has missed. */
    void replay(Subscription subscription) {
        // Writing may make room, and onRoom is then called in the middle of a step.
        isReplaying = true;
        for (Subscription.Replay replay : subscription.replays()) {
            boolean goesOn = !replay.isDone;
            while (goesOn && !connection.isClosing()) {
                goesOn = step(subscription, replay);
            }
            isUnfinished |= !replay.isDone;
        }
        connection.flushBatch();
        isReplaying = false;
    }

    /** Replays the next messages that there is room for; returns false if done or out of room. */
    private boolean step(Subscription subscription, Subscription.Replay replay) {
        List<Publication> next = replay.group.history().from(replay.position, REPLAY_COUNT);
        if (next.isEmpty()) {
            replay.isDone = true;
            return false;
        }
        if (next.getFirst().position() > replay.position) {
            connection.fail(
                    new FrameException(
                            StompFault.RESUME, "what is to be sent again is no longer kept (stomp.history); read faster, or"
                                    + " subscribe without 'resume'"),
                    null);
            return false;
        }
        for (Publication publication : next) {
            if (subscription.destination().matches(publication.destination()) && !replay.point.hasSeen(publication)) {
                if (!mayReplay(subscription) || !connection.hasRoomToReplay(publication.bytes())) {
                    return false;
                }
                counters.increment(Counter.RESUMED);
                publication.retain(1);
                deliver.accept(subscription, publication);
                publication.release();
            }
            replay.position = publication.position() + 1;
        }
        return true;
    }

    /** Returns whether unacknowledged messages, replayed ones included, take less than half of their limit. */
    private boolean mayReplay(Subscription subscription) {
        return subscription.unacked().size() < Math.max(1, limits.unackedMax() / 2);
    }
}
