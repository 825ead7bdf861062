package dev.tutti.discovery.kubernetes;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * State of a pod.
 *
 * @param name unique in its namespace
 * @param ip empty if nodes of the pod can't be reached: it has no address yet, has ended, or is being deleted
 */
record Pod(String name, String ip) {

    /** Returns null if {@code json} is no pod. */
    static @Nullable Pod of(@Nullable Object json) {
        Map<?, ?> metadata = map(map(json).get("metadata"));
        Map<?, ?> status = map(map(json).get("status"));
        if (!(metadata.get("name") instanceof String name)) {
            return null;
        }
        Object phase = status.get("phase");
        boolean isOver = "Succeeded".equals(phase) || "Failed".equals(phase) || metadata.get("deletionTimestamp") != null;
        return new Pod(name, !isOver && status.get("podIP") instanceof String ip ? ip : "");
    }

    /** Returns {@code value} if it is a map, otherwise an empty one. */
    static Map<?, ?> map(@Nullable Object value) {
        return value instanceof Map<?, ?> map ? map : Map.of();
    }

    /** Returns {@code host:port}. */
    String address(int port) {
        return (ip.contains(":") ? "[" + ip + "]" : ip) + ":" + port;
    }
}
