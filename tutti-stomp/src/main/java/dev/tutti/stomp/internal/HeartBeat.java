package dev.tutti.stomp.internal;

import org.jspecify.annotations.Nullable;

/**
 * What one side offers and wants.
 *
 * @param givesMillis how often it can say something; 0 if it can't
 * @param wantsMillis how often it wants to hear something; 0 if it does not
 */
record HeartBeat(long givesMillis, long wantsMillis) {

    private static final long MILLIS_MAX = 24L * 60 * 60 * 1_000;

    static HeartBeat parse(@Nullable String header) throws FrameException {
        if (header == null) {
            return new HeartBeat(0, 0);
        }
        int comma = header.indexOf(',');
        try {
            if (comma > 0) {
                long gives = Long.parseLong(header.substring(0, comma).strip());
                long wants = Long.parseLong(header.substring(comma + 1).strip());
                if (gives >= 0 && wants >= 0) {
                    return new HeartBeat(Math.min(gives, MILLIS_MAX), Math.min(wants, MILLIS_MAX));
                }
            }
        } catch (NumberFormatException _) {
            // Said below, as for any other text.
        }
        throw FrameException.malformed("heart-beat is two numbers of milliseconds, such as 10000,10000; not '" + header + "'");
    }

    /** How often; 0 if one side can't or the other does not want it. */
    static long agree(long gives, long wants) {
        return gives == 0 || wants == 0 ? 0 : Math.max(gives, wants);
    }
}
