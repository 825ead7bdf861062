package dev.tutti.netty.internal.tcp;

import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Settings;

/** Settings in the form that the loop uses. */
record Options(long connectTimeoutNanos, int connectionsMax, int socketBufferBytes, long writeBufferMaxBytes) {

    static Options of(Settings settings) {
        return new Options(
                settings.get(TransportSettings.CONNECT_TIMEOUT).toNanos(),
                settings.get(TransportSettings.CONNECTIONS_MAX),
                (int) settings.get(TransportSettings.SOCKET_BUFFER).bytes(),
                settings.get(TransportSettings.WRITE_BUFFER_MAX).bytes());
    }
}
