package dev.tutti.blocks.coordination;

/** What becomes of somebody who stands for election. Called on the thread that takes the group's messages; must not wait. */
public interface Candidate {

    /**
     * It leads from here on.
     *
     * @param token higher than that of every leader before; see {@link Hold#token}
     */
    void onElected(long token);

    /** It leads no longer, as far as it knows: somebody else may. It stands again by itself. */
    void onDeposed(String reason);
}
