package dev.tutti.campaign;

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
        CUT(5);

        private final int kind;

        Message(int kind) {
            this.kind = kind;
        }

        boolean is(byte[] frame) {
            return frame.length > KIND_OFFSET && frame[0] == GROUP && frame[KIND_OFFSET] == kind;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }

        private static final int GROUP = 32;

        /** After the type and the number of the membership. */
        private static final int KIND_OFFSET = 5;
    }

    private static final class Waiting {
        private final Action.Await await;
        private int left;

        Waiting(Action.Await await) {
            this.await = await;
            this.left = await.count();
        }
    }

    private final List<Waiting> waiting = new ArrayList<>();
    private boolean isDue;

    void add(Action.Await await) {
        if (waiting.size() < WAITING_MAX) {
            waiting.add(new Waiting(await));
        }
    }

    void onFrame(byte[] frame) {
        for (Waiting each : waiting) {
            if (each.left > 0 && each.await.message().is(frame)) {
                each.left--;
                isDue |= each.left == 0;
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
            if (each.left == 0) {
                iterator.remove();
                due.add(each.await.then());
            }
        }
        isDue = false;
        return due;
    }

    void clear() {
        waiting.clear();
        isDue = false;
    }

    private static final int WAITING_MAX = 8;
}
