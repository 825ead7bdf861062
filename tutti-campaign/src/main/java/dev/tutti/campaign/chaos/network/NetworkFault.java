package dev.tutti.campaign.chaos.network;

import java.util.Locale;

/** Kinds of faults of the processes and of the network between them. */
public enum NetworkFault {
    KILL(3, "kill -9, and a new start after up to 6 s"),
    RESTART(2, "kill -9, and a new start at once, before it is noticed"),
    STOP(2, "SIGSTOP, and SIGCONT after 0.1 to 60 s"),
    LEAVE(1, "leaves the group in order, and joins again"),
    CUT(3, "two sides lose each other, silently"),
    ISOLATE(2, "the coordinator, alone, loses all others, silently"),
    ONE_WAY(2, "one does not get through to some others"),
    BRIDGE(1, "only one hears both sides"),
    FLAP(1, "two sides lose and find each other again and again"),
    LOSS(1, "1 to 30 % of what is sent between some is lost"),
    RESET(2, "connections are reset"),
    HALF_OPEN(1, "one end of a connection ends, and the other is not told"),
    SLOW(1, "one gets and sends slowly"),
    CORRUPT(1, "bits of what is sent are wrong"),
    STORM(2, "several of them at once, and again before the first is over");

    private final int weight;
    private final String description;

    NetworkFault(int weight, String description) {
        this.weight = weight;
        this.description = description;
    }

    /** Returns the weight with which it is drawn among the others. */
    public int weight() {
        return weight;
    }

    public String description() {
        return description;
    }

    /** Returns the name in options and reports. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * @throws IllegalArgumentException if there is none of this name
     */
    public static NetworkFault parse(String text) {
        return valueOf(text.strip().toUpperCase(Locale.ROOT).replace('-', '_'));
    }
}
