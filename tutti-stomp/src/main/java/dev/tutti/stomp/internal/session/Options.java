package dev.tutti.stomp.internal.session;

import dev.tutti.core.settings.Settings;
import dev.tutti.stomp.StompSettings;
import dev.tutti.stomp.internal.codec.FrameLimits;

/** Settings in the form that connections and sessions use. */
record Options(
        FrameLimits frames, Times times, ClientLimits client, int clientsMax, int strangersMax, long memoryBytes) {

    /** Time-outs of a connection, and its interval of heart-beats. */
    record Times(long connectTimeoutNanos, long frameTimeoutNanos, long closeTimeoutNanos, long heartBeatMillis) {}

    /** Limits on one client. */
    record ClientLimits(
            int subscriptionsMax,
            int transactionsMax,
            long transactionBytesMax,
            int unackedMax,
            int receiptsMax,
            long bufferBytes) {}

    static Options of(Settings settings) {
        return new Options(
                FrameLimits.of(settings),
                new Times(
                        settings.get(StompSettings.CONNECT_TIMEOUT).toNanos(),
                        settings.get(StompSettings.FRAME_TIMEOUT).toNanos(),
                        settings.get(StompSettings.CLOSE_TIMEOUT).toNanos(),
                        settings.get(StompSettings.HEART_BEAT).toMillis()),
                new ClientLimits(
                        settings.get(StompSettings.SUBSCRIPTIONS_MAX),
                        settings.get(StompSettings.TRANSACTIONS_MAX),
                        settings.get(StompSettings.TRANSACTION_MAX).bytes(),
                        settings.get(StompSettings.UNACKED_MAX),
                        settings.get(StompSettings.RECEIPTS_MAX),
                        settings.get(StompSettings.CLIENT_BUFFER).bytes()),
                settings.get(StompSettings.CLIENTS_MAX),
                settings.get(StompSettings.STRANGERS_MAX),
                settings.get(StompSettings.MEMORY).bytes());
    }
}
