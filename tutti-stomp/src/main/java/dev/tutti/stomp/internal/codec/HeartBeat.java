package dev.tutti.stomp.internal.codec;

import org.jspecify.annotations.Nullable;

/**
 * Heart-beats that one side offers and asks for.
 *
 * @param givesMillis shortest interval at which it can send; 0 if it can't
 * @param wantsMillis interval at which it wants to receive; 0 if it does not
 */
public record HeartBeat(long givesMillis, long wantsMillis) {

    private static final long MILLIS_MAX = 24L * 60 * 60 * 1_000;

    public static HeartBeat parse(@Nullable String header) throws FrameException {
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
            // Reported below, as any other malformed text.
        }
        throw FrameException.malformed("heart-beat is two numbers of milliseconds, such as 10000,10000; not '" + header + "'");
    }

    /** Returns the agreed interval; 0 if one side can't send or the other does not want heart-beats. */
    public static long agree(long gives, long wants) {
        return gives == 0 || wants == 0 ? 0 : Math.max(gives, wants);
    }
}
