package dev.tutti.balancer.internal.proxy;

import dev.tutti.balancer.settings.BalancerSettings;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.Settings;
import java.time.Duration;

/** Bounds of the proxy, as its hot path reads them. */
record Limits(
        int targetBytes,
        int headerBytes,
        long bodyBytes,
        int streams,
        int nodeConnections,
        int nodeQueue,
        Times times) {

    /** Times in nanoseconds. */
    record Times(long connect, long queue, long answer, long request, long idle, long nodeIdle, long webSocketIdle) {}

    /** @param lanes loops that share the connections to a node */
    static Limits of(Settings settings, int lanes) {
        return new Limits(
                (int) settings.get(BalancerSettings.TARGET_MAX).bytes(),
                (int) settings.get(BalancerSettings.HEADER_MAX).bytes(),
                settings.get(BalancerSettings.BODY_MAX).bytes(),
                settings.get(BalancerSettings.STREAMS_MAX),
                Math.max(1, settings.get(BalancerSettings.NODE_CONNECTIONS_MAX) / lanes),
                settings.get(BalancerSettings.NODE_QUEUE_MAX) / lanes,
                new Times(
                        nanos(settings, BalancerSettings.CONNECT_TIMEOUT),
                        nanos(settings, BalancerSettings.QUEUE_TIMEOUT),
                        nanos(settings, BalancerSettings.ANSWER_TIMEOUT),
                        nanos(settings, BalancerSettings.REQUEST_TIMEOUT),
                        nanos(settings, BalancerSettings.IDLE_TIMEOUT),
                        nanos(settings, BalancerSettings.NODE_IDLE_TIMEOUT),
                        nanos(settings, BalancerSettings.WEBSOCKET_IDLE_TIMEOUT)));
    }

    private static long nanos(Settings settings, Setting<Duration> setting) {
        return settings.get(setting).toNanos();
    }
}
