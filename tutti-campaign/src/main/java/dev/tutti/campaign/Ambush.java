package dev.tutti.campaign;

import dev.tutti.sim.Simulation;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;

/** What waits for a message of a view change, to strike as soon as a node has taken it: hardly ever would chance. */
final class Ambush {

    /** Messages of a view change, by their place in docs/wire.md. */
    enum Message {
        PREPARE(2),
        ACK(3),
        NACK(4),
        CUT(5),

        /** Of the layer above. */
        FETCH(0, 4),
        REPAIR(0, 5),

        // Of groups with a primary partition.
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

        /** Those that any group has. */
        static List<Message> ofAnyGroup() {
            return List.of(PREPARE, ACK, NACK, CUT, FETCH, REPAIR);
        }

        boolean is(byte[] frame) {
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

        /** After the type and the number of the membership. */
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

    Ambush(Simulation simulation) {
        this.simulation = simulation;
    }

    void add(Action.Await await) {
        if (waiting.size() < WAITING_MAX) {
            waiting.add(new Waiting(await));
        }
    }

    /** Whether anything waits for this one, whoever exchanges it. */
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

    boolean isDue() {
        return isDue;
    }

    /** What is to happen now, in the order in which it was added. */
    List<Action> takeDue() {
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

    void clear() {
        waiting.clear();
        isDue = false;
    }

    private static final int WAITING_MAX = 64;
}
