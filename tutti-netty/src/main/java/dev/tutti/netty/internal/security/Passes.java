package dev.tutti.netty.internal.security;

import io.netty.buffer.ByteBuf;
import java.util.LinkedHashSet;

/**
 * Looks for a {@link Pass} at the beginning of connections. Each counts once, so that an overheard one is useless. On
 * the loop.
 */
public final class Passes {

    /** Number of passes that are remembered: a replay has to wait for as many connections of nodes. */
    static final int REMEMBERED_MAX = 1_024;

    private final LinkedHashSet<String> shown = new LinkedHashSet<>();

    /** Returns whether the connection shows a valid pass that was not shown here before. */
    public boolean isShown(Pass pass, ByteBuf hello) {
        String text = ClientHello.protocol(hello);
        if (!pass.isValid(text) || !shown.add(text)) {
            return false;
        }
        if (shown.size() > REMEMBERED_MAX) {
            shown.removeFirst();
        }
        return true;
    }
}
