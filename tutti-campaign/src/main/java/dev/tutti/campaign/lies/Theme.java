package dev.tutti.campaign.lies;

/** Kind of lies of a member. With any but {@link #ANYTHING} it tells only that kind, at most opportunities. */
public enum Theme {
    /** Any field of any message. */
    ANYTHING,
    /** Lists of nodes that it does not hear, has judged and has found to be gone. */
    VERDICTS,
    /** It answers no ballot. */
    SILENCE,
    /** It claims the greatest age, and runs no ballot. */
    AGE,
    /** It decides on ballots of others. */
    DECISIONS,
    /** It proposes views with members that do not exist. */
    INVENTED_MEMBERS,
    /** Promises with numbers near 2^63. */
    NUMBERS,
    /** It claims in answers to ballots that it has more of each sender than was sent. */
    CLAIMS,
    /** It relays invented packets in a ring, under the names of others. */
    PASSING_ON,
    /** It sends invented repairs for packets that others did not ask it for, and leaves out some of those that they did. */
    REPAIRS,
    /** Addresses at which there is no node, and memberships in groups that do not exist. */
    ADDRESSES;

    /** Returns the theme of a seed: half of them have {@link #ANYTHING}. */
    public static Theme of(long seed) {
        Theme[] all = values();
        return (seed & 1) == 0 ? ANYTHING : all[1 + (int) Math.floorMod(seed / 2, (long) all.length - 1)];
    }
}
