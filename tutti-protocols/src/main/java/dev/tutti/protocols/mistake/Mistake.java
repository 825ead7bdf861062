package dev.tutti.protocols.mistake;

import java.util.List;
import java.util.Locale;

/**
 * Deliberate mistake in the protocols. A node has none. The campaign gives its nodes one at a time and has to detect it
 * ({@code ./tutti sim --mutant all}), which shows that its checks can fail.
 *
 * <p>Decisions (D1 …) are those of spec/VIEWCHANGE.md, section 7.
 */
public enum Mistake {
    NONE("no mistake"),

    // The view change.
    SKIP_FETCH("D1: a view is installed without fetching what is missing up to the cut", "S9"),
    DROP_DEPARTED("D2: packets of senders that are not in the new view do not count for the cut", "S9"),
    LOWEST_CUT("the cut is what all have, not what anybody has", "S9"),
    ANY_HOLDER("what is missing is fetched from a member that may not have it"),
    IGNORE_INSTALLED("D3: a view that some have installed is not completed at the others", "S12"),
    COMPLETE_ANY("D3: a view is completed that only members of other parts have installed"),
    STALE_ANSWER("D3: a ballot goes on with the answers that members gave before they caught up"),
    NO_FREEZE("D4: packets are delivered after the answer to a ballot", "S9"),
    LATE_REPAIR("D5: a repair for a superseded ballot is delivered", "S9"),
    NO_PROMISE("D6: a cut counts under any ballot"),
    ANY_VIEW("D8: a packet counts in whatever view it comes"),
    DROP_FUTURE("D8: packets of a coming view are dropped"),
    REVERSE_HELD("packets held for a view are handled last first"),
    NO_RETAIN("D9: packets of the view before are freed when a view is installed"),
    EARLY_FOLLOWED("D9: all are taken to have followed as soon as this member has"),
    CLEAR_LOST("D10: sessions that were lost are forgotten at a promise, and when its view begins"),
    DEAF_CANDIDATES("members are candidates that do not hear each other"),
    AGES_BY_HEARSAY("decision 0079: how old a member is, others know as far as they have heard of it"),
    OWN_AGE("decision 0079: how old it is itself, a member has from no view, and two may follow each other"),

    // The order of primary views.
    IGNORE_ACCEPTED("section 8: what was accepted in an earlier ballot is not proposed again"),
    NO_ACCEPT("section 8: a primary view is installed before a majority has accepted it"),
    FORGETFUL("section 8: promises and acceptances do not outlast the process"),
    MAJORITY_OF_ANY("section 8: any members count for a majority, not those of the last primary view"),

    // Packets, acknowledgements, windows.
    IGNORE_GAPS("a packet counts although one before it is missing"),
    UNORDERED_REPAIR("a repair counts although one before it is missing", "S11"),
    FORGET_CRASHED("copies of a sender's packets are freed when its session closes"),
    NO_COPIES("copies are freed on arrival, stable or not"),
    ONE_ACKNOWLEDGEMENT("what one member has acknowledged is taken for stable"),
    DEAF_TO_NEWCOMERS("acknowledgements of members that came with the last view are ignored"),
    WAIT_FOR_DEPARTED("the window of a member that has left still counts"),
    DROP_WHEN_BUSY("a packet is dropped when the application is slow"),
    OLD_UNICASTS("a unicast counts although its stream has started anew"),
    KEEP_ROUTE("packets go round the ring of the first view of more than two"),
    FEED_NOBODY("packets of a ring end before a member that is not given them otherwise"),

    // Order.
    SKIP_BATCH("after a view change the sequencer leaves out the first batch"),
    STALE_SEQUENCER("a sequencer goes on in views in which it is none, and is believed"),
    SKIP_SLOW("a member that is two rounds behind is not waited for"),
    SAFE_BEFORE_STABLE("safe delivery does not wait for the others"),
    CLOSE_BY_ARRIVAL("what has no place when a view ends is delivered with one's own first"),
    KEEP_PLACES("how far members were in a view counts in the next one"),
    LATE_WORDS("the sequencer's words do not count that come after the answer to a ballot", "S14"),
    IGNORE_RANK("who has a round to send in is not waited for, whatever its rank", "S14"),
    NO_PASS("who has nothing to send does not pass its round", "L2"),
    SAFE_BY_MAJORITY("what a majority has is taken for safe", "S14", "S16"),
    NO_TRANSITION("nobody is told that what comes is not known to be everywhere", "S14", "S16"),
    KEEP_CLOCK("what of a causal clock was told in a view is not told in the next one", "S13"),
    IGNORE_CAUSE("an entry of causal clocks is ignored"),
    TELL_CLOCK_ONCE("changes of a causal clock are told every other time"),

    // Links.
    SAME_SESSION("D11: a session has the number of the one before", "D11"),
    KEEP_PREDECESSOR("a restarted node's sessions from its life before go on"),
    RESUME_TWICE("a resumed session repeats a frame that had arrived"),
    RESUME_LATE("a resumed session leaves out the first frame that had not arrived");

    private final String description;
    private final List<String> properties;

    Mistake(String description, String... properties) {
        this.description = description;
        this.properties = List.of(properties);
    }

    /** Returns a description of the mistake in one line. */
    public String description() {
        return description;
    }

    /** Returns the properties of docs/guarantees.md or decisions that it has to break; empty if it may break any. */
    public List<String> properties() {
        return properties;
    }

    /** Returns the name on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
