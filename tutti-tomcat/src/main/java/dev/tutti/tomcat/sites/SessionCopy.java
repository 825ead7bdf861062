package dev.tutti.tomcat.sites;

import dev.tutti.blocks.codec.Codec;

/**
 * A session as the site that has used it last has written it.
 *
 * @param site that has written it
 * @param number of the copy, the same for no two of a session
 * @param writtenMillis wall clock of the writer
 * @param maxInactiveSeconds seconds without use after which it expires; never if 0 or less
 * @param isTakenOver whether it is as another site has left it
 * @param image the session, encoded
 */
@SuppressWarnings("ArrayRecordComponent") // copies are told apart by their numbers
record SessionCopy(String site, long number, long writtenMillis, int maxInactiveSeconds, boolean isTakenOver, byte[] image) {

    static final Codec<SessionCopy> CODEC = Codec.of(
            in -> new SessionCopy(in.takeText(), in.takeLong(), in.takeLong(), in.takeInt(), in.takeBoolean(), in.takeBytes()),
            (copy, out) -> out.putText(copy.site)
                    .putLong(copy.number)
                    .putLong(copy.writtenMillis)
                    .putInt(copy.maxInactiveSeconds)
                    .putBoolean(copy.isTakenOver)
                    .putBytes(copy.image));

    /** Returns the same session as a copy of the site that has taken it over. */
    SessionCopy takenOver(String by, long byNumber, long nowMillis) {
        return new SessionCopy(by, byNumber, nowMillis, maxInactiveSeconds, true, image);
    }

    /** Returns which of two copies stands that were written without knowledge of each other: a change, or else the later one. */
    static SessionCopy merge(SessionCopy earlier, SessionCopy later) {
        return later.isTakenOver && !earlier.isTakenOver ? earlier : later;
    }

    /** Returns the milliseconds by which it has expired, if nobody has used it since; negative before. */
    long overdueMillis(long nowMillis) {
        return maxInactiveSeconds <= 0 ? Long.MIN_VALUE : nowMillis - writtenMillis - maxInactiveSeconds * 1_000L;
    }
}
