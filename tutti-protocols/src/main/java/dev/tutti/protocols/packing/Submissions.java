package dev.tutti.protocols.packing;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the application has submitted and packing has not taken yet, one queue per receiver. */
public interface Submissions {

    /** What {@link #explain} is told while members agree on the next view. */
    String VIEW_CHANGING = "the view is changing";

    /** How {@link #explain} begins where a member has not consumed what was sent before; its name follows. */
    String WINDOW_CLOSED = "the window is closed by ";

    /** Receivers for whom something waits, in the order in which they began to; null for all members. */
    List<@Nullable Member> receivers();

    /**
     * Takes the next packet: whole messages, or a piece of one that is larger than a packet.
     *
     * @param receiver null for all members
     * @param bytesMax a packet whose payload is longer is not taken; null is the answer then
     * @return null if nothing waits, or the next packet is too long
     */
    @Nullable Packet take(@Nullable Member receiver, long bytesMax);

    /** A message to the receiver of which only a part was taken is to be given from its start again. */
    void restart(@Nullable Member receiver);

    /** What waits for the receiver will never be taken. */
    void discard(Member receiver, String reason);

    /** Whether something waits for the receiver; null for all members. */
    boolean isWaiting(@Nullable Member receiver);

    /** Whether nothing waits, for anybody. */
    boolean isEmpty();

    /** For people: what a submission would wait for now; empty if nothing is in its way. */
    void explain(String waitsFor);
}
