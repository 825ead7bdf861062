package dev.tutti.internal.state;

import dev.tutti.GroupState;
import dev.tutti.core.View;
import java.util.ArrayList;
import java.util.List;

/** Messages that an application hands over while it installs a state. Used by the thread that installs. */
final class HandedOver implements GroupState.Replacement {

    static final long BYTES_MAX = 64L << 20;

    private final View view;
    private final boolean isMerge;
    private final List<byte[]> messages = new ArrayList<>();
    private long bytes;
    private boolean isClosed;

    HandedOver(View view, boolean isMerge) {
        this.view = view;
        this.isMerge = isMerge;
    }

    @Override
    public View view() {
        return view;
    }

    @Override
    public boolean isMerge() {
        return isMerge;
    }

    @Override
    public synchronized void handOver(byte[] message) {
        if (isClosed) {
            throw new IllegalStateException("install has returned; messages are handed over before");
        }
        if (bytes + message.length > BYTES_MAX) {
            throw new IllegalStateException("messages of " + bytes + " bytes were handed over, and another " + message.length
                    + " would be more than " + BYTES_MAX + ": send them to the group after the view");
        }
        bytes += message.length;
        messages.add(message.clone());
    }

    /** Returns the messages; further ones are refused. */
    synchronized List<byte[]> close() {
        isClosed = true;
        return messages;
    }
}
