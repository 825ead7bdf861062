package dev.tutti.campaign.cluster;

import dev.tutti.sim.Simulation;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;

/** Actions that strike when a node has received a message of a view change; random timing almost never hits it. */
public final class MessageTrigger {

    /** Messages of a view change, by their place in docs/wire.md. */
    public enum Message {
        PREPARE(2),
        ACK(3),
        NACK(4),
        CUT(5),

        /** Belongs to the layer above, as does the next one. */
        FETCH(0, 4),
        REPAIR(0, 5),

        // Sent only in groups with a primary partition.
        PROPOSE(9),
        ACCEPTED(10),
        INSTALL(11);

        private final int kind;
        private final int kindAbove;

        Message(int kind) {
            this(kind, -1);
        }

        Message(int kind, int kindAbove) {
            this.kind = kind;
            this.kindAbove = kindAbove;
        }

        /** Returns the messages that occur in any group. */
        public static List<Message> ofAnyGroup() {
            return List.of(PREPARE, ACK, NACK, CUT, FETCH, REPAIR);
        }

        public boolean is(byte[] frame) {
            return frame.length > KIND_OFFSET + 1
                    && frame[0] == GROUP
                    && frame[KIND_OFFSET] == kind
                    && (kindAbove < 0 || frame[KIND_OFFSET + 1] == kindAbove);
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }

        private static final int GROUP = 32;

        /** Offset of the kind, after the type and the number of the membership. */
        private static final int KIND_OFFSET = 5;
    }

    private final class Waiting {
        private final Action.Await await;
        private int left;
        private Action then;
        private boolean isReady;

        Waiting(Action.Await await) {
            this.await = await;
            this.left = await.count();
            this.then = await.then();
        }

        void onArrival(int sender, int receiver) {
            left--;
            if (left > 0) {
                return;
            }
            if (then instanceof Action.OfEnds ends) {
                then = ends.of(sender, receiver);
            }
            if (await.later().isZero()) {
                isReady = true;
                isDue = true;
            } else {
                simulation.after(await.later(), () -> {
                    isReady = true;
                    isDue = true;
                });
            }
        }
    }

    private final Simulation simulation;
    private final List<Waiting> waiting = new ArrayList<>();
    private boolean isDue;

    MessageTrigger(Simulation simulation) {
        this.simulation = simulation;
    }

    void add(Action.Await await) {
        if (waiting.size() < WAITING_MAX) {
            waiting.add(new Waiting(await));
        }
    }

    /** Reports whether an action waits for this message, regardless of its sender and receiver. */
    boolean awaits(byte[] frame) {
        for (Waiting each : waiting) {
            if (each.left > 0 && each.await.message().is(frame)) {
                return true;
            }
        }
        return false;
    }

    void onFrame(int sender, int receiver, byte[] frame) {
        for (Waiting each : waiting) {
            boolean isThere = each.await.receiver() == 0 || each.await.receiver() == receiver;
            if (each.left > 0 && isThere && each.await.message().is(frame)) {
                each.onArrival(sender, receiver);
            }
        }
    }

    public boolean isDue() {
        return isDue;
    }

    /** Removes and returns the actions that are due, in the order in which they were added. */
    public List<Action> takeDue() {
        List<Action> due = new ArrayList<>();
        for (Iterator<Waiting> iterator = waiting.iterator(); iterator.hasNext(); ) {
            Waiting each = iterator.next();
            if (each.isReady) {
                iterator.remove();
                due.add(each.then);
            }
        }
        isDue = false;
        return due;
    }

    public void clear() {
        waiting.clear();
        isDue = false;
    }

    private static final int WAITING_MAX = 64;
}
