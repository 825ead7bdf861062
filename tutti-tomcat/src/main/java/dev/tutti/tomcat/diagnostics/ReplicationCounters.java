package dev.tutti.tomcat.diagnostics;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counters of replication since its start. */
public final class ReplicationCounters {

    /** Kind of event, or amount, that is counted. */
    public enum Counter {
        IMAGES_SENT("whole sessions sent to the group"),
        DELTAS_SENT("changes sent to the group"),
        ACCESSES_SENT("uses without a change sent to the group"),
        REMOVALS_SENT("ends of sessions sent to the group"),
        BYTES_SENT("bytes sent to the group"),
        MESSAGES_HANDLED("messages of others handled"),
        BYTES_HANDLED("bytes of others handled"),
        ACKS_SENT("acknowledgements sent"),
        WAITS("requests that waited for acknowledgements"),
        WAIT_TIMEOUTS("requests that went on without all acknowledgements"),
        STALLS("changes kept back because too much is waiting to be sent"),
        SEND_FAILURES("messages that the group did not take"),
        QUERIES_SENT("questions for sessions that are not here"),
        QUERIES_FOUND("questions that brought a session"),
        QUERIES_IN_VAIN("questions for sessions that nobody has"),
        QUERIES_UNANSWERED("questions that somebody did not answer in time"),
        STATE_CHUNKS_SENT("parts of the state sent to others"),
        STATE_SESSIONS_MERGED("sessions that came with the state of others"),
        NAMESAKES_JOINED("sessions made one with an older one of the same id"),
        STATE_LOST("members that went before all their sessions had come from them"),
        SESSIONS_RESTORED("sessions that were kept in a file while the application was stopped"),
        CHANGES_REASSERTED("changes made again, because the one who overruled them is gone"),
        ABSENCES("times that this process stood still, or came back to a view that it was missing from"),
        CONTACT_WAITS("requests that waited for contact with the others after an absence"),
        REQUESTS_REFUSED("requests that failed because their session was changed elsewhere during an absence"),
        CHANGES_WITHDRAWN("changes given up because their session was changed elsewhere during an absence"),
        FORMER_IDS_FOUND("sessions found by the id before a login, because the node that changed it is gone"),
        COPIES_MOVED("copies of sessions sent because members came, went or took sessions over"),
        COPIES_TOLD("copies of sessions that their new homes were told of"),
        COPIES_RELEASED("copies of sessions given up, because enough other members have one"),
        SESSIONS_LOST("sessions that this member watched and all of whose copies were at members that are gone"),
        EARLY_KEPT("messages kept back until this member was in the view in which they were sent"),
        EARLY_HANDLED("messages handled before their view, because too much was kept back"),
        EARLY_DROPPED("messages of a coming view whose senders have parted from this member before it"),
        UNREACHABLE("requests whose session other members did not bring in time"),
        PARTIAL_DROPPED("sessions of which a change came and not the rest"),
        MALFORMED("messages that could not be read, and were ignored"),
        NOT_ENCODED("values that could not be encoded, and stay at this node"),
        NOT_DECODED("values of others that could not be decoded");

        private final String description;

        Counter(String description) {
            this.description = description;
        }

        /** Returns the counter's description, for people. */
        public String description() {
            return description;
        }
    }

    private final LongAdder[] adders = new LongAdder[Counter.values().length];

    public ReplicationCounters() {
        for (int index = 0; index < adders.length; index++) {
            adders[index] = new LongAdder();
        }
    }

    public void add(Counter counter, long amount) {
        adders[counter.ordinal()].add(amount);
    }

    public void increment(Counter counter) {
        adders[counter.ordinal()].increment();
    }

    public long get(Counter counter) {
        return adders[counter.ordinal()].sum();
    }

    /** Returns all counters by name, in a fixed order. */
    public Map<String, Object> snapshot() {
        Map<String, Object> snapshot = new LinkedHashMap<>();
        for (Counter counter : Counter.values()) {
            String name = counter.name().toLowerCase(Locale.ROOT).replace('_', '-');
            snapshot.put(name, get(counter));
        }
        return snapshot;
    }
}
