package dev.tutti.tomcat.replication;

/**
 * The state of knowledge that a request works on: how often this member had been away, and what had been written to the
 * session, before the request read it.
 *
 * <p>Taken before anything is read, so that whatever comes later shows. Thread-safe; shared by all changes of one request.
 */
public final class Mark {

    private volatile long absences;
    private volatile long revision;

    Mark(long absences, long revision) {
        this.absences = absences;
        this.revision = revision;
    }

    long absences() {
        return absences;
    }

    long revision() {
        return revision;
    }

    /** The request has written to the session itself, under its eyes so to speak: from {@code before} to {@code after}. */
    void follow(long before, long after) {
        if (revision == before) {
            revision = after;
        }
    }

    /** The member was away, and it is established that nothing was written to the session meanwhile. */
    void renew(long present) {
        absences = present;
    }
}
