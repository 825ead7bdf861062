package dev.tutti.protocols.packing;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the application has submitted and packing has not taken yet, one queue per receiver. */
public interface Submissions {

    /**
     * A message that is larger than a packet.
     *
     * @param number which of its sender's large messages
     */
    record Large(int number, long bytes) {}

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

    /**
     * The longest message that a receiver takes from now on. A longer one that waits fails; of one that was half taken,
     * receivers abandon the half.
     *
     * @param receiver null for all members
     * @param of the member whose limit it is
     */
    void limit(@Nullable Member receiver, long messageBytesMax, Member of);

    /** The longest message that a member takes is not known any more. */
    void forget(Member receiver);

    /** A message that is larger than this is not begun before it is {@linkplain #giveTurn given} its turn. */
    void share(long bytes);

    /** The next message to the receiver if it needs a turn and has none; null otherwise. */
    @Nullable Large wantsTurn(@Nullable Member receiver);

    /** The next message to the receiver may be taken, if it is this one. */
    void giveTurn(@Nullable Member receiver, int number);

    /** Bytes that were taken of the next message to the receiver if it is this one and has its turn; negative otherwise. */
    long takenInTurn(@Nullable Member receiver, int number);

    /** The next message to the receiver waits for its turn, and those before it get on. */
    void onQueueMoved(@Nullable Member receiver, int number);

    /**
     * Says what a submission would wait for now.
     *
     * @param waitsFor for people; empty if nothing is in its way
     * @param closedBy the member that keeps the windows of all closed for which something waits; null if there is none, there are
     *     several, or something else is in the way
     */
    void explain(String waitsFor, @Nullable Member closedBy);
}
