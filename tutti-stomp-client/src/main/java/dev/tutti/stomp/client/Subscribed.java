package dev.tutti.stomp.client;

import java.util.LinkedHashMap;
import java.util.Map;

/** State of a subscription: the last message of each origin, from which it is resumed. Belongs to the thread that reads, but for its end. */
final class Subscribed {

    /** Most origins that are named in a header, which a server takes up to 4 KiB. */
    private static final int ORIGINS_MAX = 64;

    private final String id;
    private final String destination;
    private final StompListener listener;
    private final Map<String, String> headers;
    private final LinkedHashMap<String, String> lasts = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
            return size() > ORIGINS_MAX;
        }
    };
    private volatile boolean isClosed;
    private boolean wasConfirmed;

    Subscribed(String id, String destination, Map<String, String> headers, StompListener listener) {
        this.id = id;
        this.destination = destination;
        this.headers = headers;
        this.listener = listener;
    }

    String id() {
        return id;
    }

    String destination() {
        return destination;
    }

    StompListener listener() {
        return listener;
    }

    /** Returns the frame that subscribes, from the last messages on if there are some. */
    byte[] frame(boolean isResumed) {
        Map<String, String> all = new LinkedHashMap<>(headers);
        all.put("id", id);
        all.put("destination", destination);
        all.put("receipt", id);
        if (isResumed && !lasts.isEmpty()) {
            all.put("resume", String.join(",", lasts.values()));
        }
        return Frames.encode("SUBSCRIBE", all, new byte[0]);
    }

    /** Returns whether a server has confirmed it before, so that messages may be missing that nobody sends again. */
    boolean wasConfirmed() {
        return wasConfirmed;
    }

    boolean canResume() {
        return !lasts.isEmpty();
    }

    void onConfirmed() {
        wasConfirmed = true;
    }

    void onMessage(String messageId) {
        int dash = messageId.lastIndexOf('-');
        if (dash > 0) {
            lasts.put(messageId.substring(0, dash), messageId);
        }
    }

    /** Forgets where it is, since no server can continue there, and subscribes as for the first time. */
    void restart() {
        lasts.clear();
        wasConfirmed = false;
    }

    boolean isClosed() {
        return isClosed;
    }

    void close() {
        isClosed = true;
    }
}
