package dev.tutti.study.load;

import dev.tutti.study.setup.VisitState;
import java.util.BitSet;

/**
 * Account of one client's session: the updates that answers have confirmed, beside those that the session holds.
 *
 * <p>An update without answer may have been carried out or not, and is never missed. For one thread.
 */
public final class SessionAccount {

    private String id = "";
    private int next;
    private final BitSet confirmed = new BitSet();
    private long lostUpdates;
    private long lostSessions;

    /** Returns the id that the next request names; empty for a new session. */
    public String id() {
        return id;
    }

    /** Returns the number of the next update. A session that is full of updates ends before it. */
    public int next() {
        if (next == VisitState.UPDATES_MAX) {
            forget();
        }
        return next++;
    }

    /** Ends the session from the client's side. */
    private void forget() {
        id = "";
        next = 0;
        confirmed.clear();
    }

    /**
     * Compares an answer with the updates that were confirmed before the request. Each lost update counts once.
     *
     * @param holds numbers of the updates that the session holds
     */
    public void onAnswer(String answeredId, BitSet holds) {
        boolean isOther = !withoutRoute(answeredId).equals(withoutRoute(id));
        BitSet missing = (BitSet) confirmed.clone();
        if (!isOther) {
            missing.andNot(holds);
        } else if (!missing.isEmpty()) {
            lostSessions++;
        }
        lostUpdates += missing.cardinality();
        confirmed.andNot(missing);
        id = answeredId;
    }

    /** Counts an update as confirmed. */
    public void onConfirmed(int number) {
        confirmed.set(number);
    }

    /** Returns the number of confirmed updates that a later answer lacked. */
    public long lostUpdates() {
        return lostUpdates;
    }

    /** Returns the number of sessions with confirmed updates that an answer did not come from. */
    public long lostSessions() {
        return lostSessions;
    }

    private static String withoutRoute(String id) {
        int dot = id.indexOf('.');
        return dot < 0 ? id : id.substring(0, dot);
    }
}
