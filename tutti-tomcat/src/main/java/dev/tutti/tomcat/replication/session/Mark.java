package dev.tutti.tomcat.replication.session;

/**
 * State of knowledge on which a request works: the number of this member's absences, and the revision of the session,
 * before the request read it.
 *
 * <p>Taken before anything is read, so that every later change shows. Thread-safe; shared by all changes of one
 * request.
 */
public final class Mark {

    private volatile long absences;
    private volatile long revision;

    public Mark(long absences, long revision) {
        this.absences = absences;
        this.revision = revision;
    }

    public long absences() {
        return absences;
    }

    public long revision() {
        return revision;
    }

    /** Notes that the request itself has taken the session from revision {@code before} to {@code after}. */
    void follow(long before, long after) {
        if (revision == before) {
            revision = after;
        }
    }

    /** Notes that nothing was written to the session during an absence of this member. */
    public void renew(long present) {
        absences = present;
    }
}
