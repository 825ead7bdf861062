package dev.tutti.discovery.kubernetes;

import dev.tutti.internal.Json;
import java.io.IOException;
import java.net.http.WebSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Pods of one listing, kept up to date by the changes that the API server tells. It ends when the server closes it, when the server has
 * forgotten the version that is watched (410 Gone), and when a change can't be read; then the pods are listed again.
 *
 * <p>Threads: any.
 */
final class PodWatch implements WebSocket.Listener, AutoCloseable {

    /** A pod is smaller: the server keeps 1.5 MiB of each object at most. */
    private static final int EVENT_CHARS_MAX = 4 << 20;

    private final Map<String, Pod> pods = new TreeMap<>();
    private final StringBuilder event = new StringBuilder();
    private @Nullable WebSocket socket;
    private boolean isEnded;
    private boolean isGone;
    private String version;
    private long malformed;

    private PodWatch(PodApi.Listing listing) {
        listing.pods().forEach(pod -> pods.put(pod.name(), pod));
        version = listing.version();
    }

    /** Lists the pods and begins to watch them. */
    static PodWatch open(PodApi api) throws IOException {
        PodWatch watch = new PodWatch(api.list());
        watch.resume(api);
        return watch;
    }

    /** Watches from the last version that is known. */
    void resume(PodApi api) throws IOException {
        String from;
        synchronized (this) {
            event.setLength(0);
            isEnded = false;
            from = version;
        }
        WebSocket opened = api.watch(from, this);
        synchronized (this) {
            socket = opened;
        }
    }

    synchronized List<Pod> pods() {
        return new ArrayList<>(pods.values());
    }

    /** Returns whether the server has closed the watch, and no changes arrive any more. */
    synchronized boolean isEnded() {
        return isEnded;
    }

    /** Returns whether the pods have to be listed again, since changes may be missing. */
    synchronized boolean isGone() {
        return isGone;
    }

    /** Returns the number of events that could not be read. */
    synchronized long malformed() {
        return malformed;
    }

    @Override
    public synchronized @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean isLast) {
        event.append(data);
        if (event.length() > EVENT_CHARS_MAX) {
            malformed++;
            giveUp(from);
            return null;
        }
        if (isLast) {
            String text = event.toString();
            event.setLength(0);
            onEvent(from, text);
        }
        from.request(1);
        return null;
    }

    private void onEvent(WebSocket from, String text) {
        Map<?, ?> change;
        try {
            change = Pod.map(Json.parse(text));
        } catch (IllegalArgumentException e) {
            malformed++;
            giveUp(from);
            return;
        }
        Object object = change.get("object");
        Pod pod = Pod.of(object);
        String type = String.valueOf(change.get("type"));
        switch (type) {
            case "ADDED", "MODIFIED", "DELETED" -> {
                if (pod == null) {
                    malformed++;
                } else if (type.equals("DELETED") || pods.size() >= PodApi.PODS_MAX) {
                    pods.remove(pod.name());
                } else {
                    pods.put(pod.name(), pod);
                }
            }
            case "BOOKMARK" -> {}
            // With the code 410: the version is too old.
            case "ERROR" -> giveUp(from);
            default -> {
                malformed++;
                giveUp(from);
            }
        }
        if (Pod.map(Pod.map(object).get("metadata")).get("resourceVersion") instanceof String seen) {
            version = seen;
        }
    }

    private void giveUp(WebSocket from) {
        isGone = true;
        isEnded = true;
        from.abort();
    }

    @Override
    public synchronized @Nullable CompletionStage<?> onClose(WebSocket from, int code, String reason) {
        isEnded = true;
        return null;
    }

    @Override
    public synchronized void onError(WebSocket from, Throwable error) {
        isEnded = true;
    }

    @Override
    public synchronized void close() {
        isEnded = true;
        WebSocket open = socket;
        if (open != null) {
            open.abort();
        }
    }
}
