package dev.tutti.campaign.lies;

/** What a member lies about. With any but {@link #ANYTHING} it tells that kind of lie only, and at most occasions. */
public enum Theme {
    /** Any field of any message. */
    ANYTHING,
    /** Whom it does not hear, has judged and has found to be gone. */
    VERDICTS,
    /** It answers no ballot. */
    SILENCE,
    /** It claims the greatest age, and runs no ballot. */
    AGE,
    /** It decides on ballots of others. */
    DECISIONS,
    /** Views that it proposes have members that do not exist. */
    INVENTED_MEMBERS,
    /** Promises with numbers near 2^63. */
    NUMBERS,
    /** Answers to ballots say that it has more of each sender than was sent. */
    CLAIMS,
    /** In a ring it passes on what it makes up, under the names of others. */
    PASSING_ON,
    /** It repairs what others lack and did not ask it for, with what it makes up. */
    REPAIRS,
    /** Addresses at which nobody is, and memberships in groups that do not exist. */
    ADDRESSES;

    /** Returns the theme of a seed: half of them have {@link #ANYTHING}. */
    public static Theme of(long seed) {
        Theme[] all = values();
        return (seed & 1) == 0 ? ANYTHING : all[1 + (int) Math.floorMod(seed / 2, (long) all.length - 1)];
    }
}
