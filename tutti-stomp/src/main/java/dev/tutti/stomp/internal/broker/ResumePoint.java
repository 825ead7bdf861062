package dev.tutti.stomp.internal.broker;

import dev.tutti.stomp.internal.codec.FrameException;
import dev.tutti.stomp.internal.codec.StompFault;
import java.util.HashMap;
import java.util.Map;

/** The last message-id of each origin that a client has received. It misses the messages after these. */
public final class ResumePoint {

    private record Last(long number, int index) {}

    private final Map<String, Last> lasts = new HashMap<>();

    /** @param text message-ids, separated by commas: of each origin the last that was received */
    public static ResumePoint parse(String text) throws FrameException {
        ResumePoint point = new ResumePoint();
        for (String id : text.split(",", -1)) {
            if (!id.isBlank()) {
                point.add(id.strip());
            }
        }
        return point;
    }

    private void add(String id) throws FrameException {
        int dash = id.lastIndexOf('-');
        int dot = id.indexOf('.', dash + 1);
        try {
            if (dash > 0) {
                long number = Long.parseLong(id, dash + 1, dot < 0 ? id.length() : dot, 10);
                int index = dot < 0 ? 0 : Integer.parseInt(id, dot + 1, id.length(), 10);
                lasts.put(id.substring(0, dash), new Last(number, index));
                return;
            }
        } catch (NumberFormatException _) {
            // Reported below, as any other malformed text.
        }
        throw FrameException.malformed("the header 'resume' holds message-ids, separated by commas; not '" + id + "'");
    }

    public boolean hasSeen(Publication publication) {
        Last last = lasts.get(publication.origin());
        return last != null
                && (publication.number() < last.number
                        || publication.number() == last.number && publication.index() <= last.index);
    }

    /** Checks that no message after these has been dropped from the history. */
    public void check(History history) throws FrameException {
        for (var entry : lasts.entrySet()) {
            if (history.hasForgotten(entry.getKey(), entry.getValue().number)) {
                throw new FrameException(
                        StompFault.RESUME,
                        "what followed " + entry.getKey() + "-" + entry.getValue().number
                                + " is no longer kept here (stomp.history); subscribe without 'resume'");
            }
        }
    }
}
