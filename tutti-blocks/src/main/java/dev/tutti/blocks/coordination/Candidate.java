package dev.tutti.blocks.coordination;

/** Listener of a candidacy. Called on the thread that takes the group's messages; must not wait. */
public interface Candidate {

    /**
     * Called when this member leads from now on.
     *
     * @param token higher than that of every leader before; see {@link Hold#token}
     */
    void onElected(long token);

    /** Called when this member leads no longer, as far as it knows: another one may. It remains a candidate. */
    void onDeposed(String reason);
}
