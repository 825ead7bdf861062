package dev.tutti.internal.delivery;

import dev.tutti.protocols.packing.SpareArrays;
import org.jspecify.annotations.Nullable;

/** The spare arrays of a node, for the threads that send and the delivery executors that deliver in any of its groups. */
public final class SharedSpares extends SpareArrays {

    /** Creates spares of the size that suits this process. */
    public SharedSpares() {
        super(bytesOf(Runtime.getRuntime().maxMemory()));
    }

    @Override
    public synchronized byte @Nullable [] take(long length) {
        return super.take(length);
    }

    @Override
    public synchronized void give(byte[] array) {
        super.give(array);
    }

    @Override
    public synchronized long bytes() {
        return super.bytes();
    }
}
