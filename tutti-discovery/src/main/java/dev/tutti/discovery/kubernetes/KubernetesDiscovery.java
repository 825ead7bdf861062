package dev.tutti.discovery.kubernetes;

import dev.tutti.core.discovery.DiscoverySource;
import dev.tutti.core.discovery.NodeEntry;
import dev.tutti.core.discovery.SourceDrops;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Pods that a label selector selects, with one port for all. They are listed once and watched then, so that a look costs no request. The
 * watch is opened again when it has ended, from the version that it has reached, and the pods are listed again if that fails.
 */
public final class KubernetesDiscovery implements DiscoverySource {

    /** Time after which a watch that the server should have closed counts as dead. */
    private static final Duration WATCH_LATE = PodApi.WATCH_MAX.plusSeconds(15);

    private final PodApi api;
    private final int port;
    private volatile @Nullable PodWatch watch;
    private volatile long formerMalformed;
    private long openedNanos;

    KubernetesDiscovery(PodApi api, int port) {
        this.api = api;
        this.port = port;
    }

    @Override
    public void start(NodeEntry self) {}

    @Override
    public List<String> addresses() throws IOException {
        return current().pods().stream()
                .filter(pod -> !pod.ip().isEmpty())
                .map(pod -> pod.address(port))
                .toList();
    }

    /** Returns the watch, whose pods are as the server has them. */
    private PodWatch current() throws IOException {
        PodWatch open = watch;
        boolean isLate = System.nanoTime() - openedNanos > WATCH_LATE.toNanos();
        if (open != null && !open.isEnded() && !isLate) {
            return open;
        }
        if (open != null && !open.isGone() && !isLate) {
            try {
                open.resume(api);
                openedNanos = System.nanoTime();
                return open;
            } catch (IOException e) {
                // The list below tells what is wrong, if it still is.
            }
        }
        forget();
        PodWatch opened = PodWatch.open(api);
        watch = opened;
        openedNanos = System.nanoTime();
        return opened;
    }

    private void forget() {
        PodWatch open = watch;
        if (open != null) {
            formerMalformed += open.malformed();
            watch = null;
            open.close();
        }
    }

    @Override
    public SourceDrops drops() {
        PodWatch open = watch;
        return new SourceDrops(formerMalformed + (open == null ? 0 : open.malformed()), 0);
    }

    @Override
    public void close() {
        forget();
        api.close();
    }
}
