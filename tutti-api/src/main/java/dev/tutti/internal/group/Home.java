package dev.tutti.internal.group;

import dev.tutti.Group;
import dev.tutti.UnstableException;
import dev.tutti.core.Delivery;
import dev.tutti.core.Member;
import dev.tutti.internal.diagnostics.EventJournal;
import dev.tutti.protocols.packing.PacketSizes;
import dev.tutti.protocols.packing.SpareArrays;
import java.util.concurrent.CompletableFuture;

/** The node of a {@link LocalMember}, as far as it has to know of it. */
public interface Home {

    /** Returns the application's handle on the member. */
    Group group();

    String name();

    boolean isClosed();

    EventJournal journal();

    /** Returns the spare arrays for large messages. */
    SpareArrays spares();

    /** Returns the payload up to which messages share a packet. */
    PacketSizes packetSizes();

    /** Notes that the group has ended that the application did not leave. */
    void onLost(String reason);

    /** Forgets the group, which may be joined again at once. */
    void forget();

    /** Returns a new exception, which only the package of the API can create. */
    UnstableException unstable(
            UnstableException.Reason reason,
            String message,
            Member sender,
            Delivery known,
            CompletableFuture<Delivery> settled);
}
