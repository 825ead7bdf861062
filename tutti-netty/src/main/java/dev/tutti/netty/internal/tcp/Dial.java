package dev.tutti.netty.internal.tcp;

import dev.tutti.core.driver.DialFailure;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** A connection that the machine has requested and that is not established yet. Used on the loop only. */
final class Dial {

    final int id;
    final String address;
    final ArrayDeque<InetAddress> candidates = new ArrayDeque<>();
    int port;
    DialFailure failure = DialFailure.UNRESOLVED;
    String detail = "";
    boolean isOver;
    @Nullable NettyConnection connection;
    @Nullable Future<?> deadline;

    Dial(int id, String address) {
        this.id = id;
        this.address = address;
    }

    /** Ends the dial: later results of its attempts are ignored. */
    void end() {
        isOver = true;
        if (deadline != null) {
            deadline.cancel(false);
        }
    }
}
