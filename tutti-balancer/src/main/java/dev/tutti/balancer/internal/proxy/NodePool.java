package dev.tutti.balancer.internal.proxy;

import io.netty.channel.Channel;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** Connections of one loop to one node, and the exchanges that wait for one. On the loop. */
final class NodePool {

    private final String url;
    private final int connectionsMax;
    private final int waitingMax;
    private final ArrayDeque<Back> idle = new ArrayDeque<>();
    private final ArrayDeque<Exchange> waiting = new ArrayDeque<>();
    private int open;

    NodePool(String url, int connectionsMax, int waitingMax) {
        this.url = url;
        this.connectionsMax = connectionsMax;
        this.waitingMax = waitingMax;
    }

    String url() {
        return url;
    }

    /** Returns the idle connection that was used last; null if there is none. */
    @Nullable Back takeIdle() {
        for (Back back = idle.pollLast(); back != null; back = idle.pollLast()) {
            if (back.isUsable()) {
                return back;
            }
        }
        return null;
    }

    /** Returns whether a connection may be opened; it counts from now on, until {@link #onClosed}. */
    boolean mayOpen() {
        if (open >= connectionsMax) {
            return false;
        }
        open++;
        return true;
    }

    /** Lets an exchange wait for a connection. Returns false if too many wait already. */
    boolean await(Exchange exchange) {
        if (waiting.size() >= waitingMax) {
            return false;
        }
        return waiting.add(exchange);
    }

    void forget(Exchange exchange) {
        waiting.remove(exchange);
    }

    /** Takes a connection back, which an exchange that waits gets at once. */
    void release(Back back, long nowNanos) {
        Exchange next = waiting.poll();
        if (next != null) {
            next.onConnection(back);
            return;
        }
        back.idleSinceNanos = nowNanos;
        idle.addLast(back);
    }

    /** Notes that a connection is closed, or could not be opened. Returns an exchange that may open another one. */
    @Nullable Exchange onClosed(@Nullable Back back) {
        open--;
        if (back != null) {
            idle.remove(back);
        }
        return waiting.poll();
    }

    /** Closes connections that have been idle since {@code sinceNanos} or longer. */
    void closeIdle(long sinceNanos) {
        while (!idle.isEmpty() && idle.peekFirst().idleSinceNanos - sinceNanos <= 0) {
            Channel channel = idle.pollFirst().channel();
            channel.close();
        }
    }

    boolean isEmpty() {
        return open == 0 && waiting.isEmpty();
    }

    int open() {
        return open;
    }
}
