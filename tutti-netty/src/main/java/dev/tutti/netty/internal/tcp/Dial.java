package dev.tutti.netty.internal.tcp;

import dev.tutti.core.driver.DialFailure;
import dev.tutti.netty.internal.relay.Relays;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A connection that the machine has requested and that is not established yet: tried directly, through servers, or both at a time.
 * Used on the loop only.
 */
final class Dial {

    final int id;
    final String address;
    final ArrayDeque<InetAddress> candidates = new ArrayDeque<>();
    final List<NettyConnection> attempts = new ArrayList<>(2);
    int port;
    boolean isOver;

    /** No direct connection can come any more, for this reason. */
    boolean isDirectOver;

    DialFailure failure = DialFailure.UNRESOLVED;
    String detail = "";

    /** No relayed connection can come any more. */
    boolean isRelayOver;

    /** All servers have said that the node is not there. */
    boolean isUnknown;

    String relayDetail = "";
    Relays.@Nullable Dial relay;
    @Nullable Future<?> headStart;
    @Nullable Future<?> deadline;

    Dial(int id, String address) {
        this.id = id;
        this.address = address;
    }

    /** Ends the dial: later results of its attempts are ignored, and those other than the one given are aborted. */
    void end(@Nullable NettyConnection chosen) {
        isOver = true;
        if (deadline != null) {
            deadline.cancel(false);
        }
        if (headStart != null) {
            headStart.cancel(false);
        }
        if (relay != null) {
            relay.cancel();
        }
        for (NettyConnection attempt : attempts) {
            if (attempt != chosen) {
                attempt.abort();
            }
        }
    }

    /** Returns whether a direct connection is there, though its handshake may not be over. */
    boolean isDirectConnected() {
        return attempts.stream().anyMatch(attempt -> attempt.relay().isEmpty() && attempt.channel.isActive());
    }

    /** Returns the reason of the failure. A refusal counts if no server knows the node: it may come from what stands in the way. */
    DialFailure failure() {
        boolean isCertain = failure == DialFailure.UNTRUSTED || failure == DialFailure.REFUSED && isUnknown;
        return relayDetail.isEmpty() || isCertain ? failure : DialFailure.UNREACHABLE;
    }

    String detail() {
        return detail.isEmpty() || relayDetail.isEmpty() ? detail + relayDetail : detail + "; " + relayDetail;
    }
}
