package dev.tutti.protocols.packing;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Messages that the application has submitted and packing has not taken yet, one queue per receiver. */
public interface Submissions {

    /**
     * Message that is larger than a packet.
     *
     * @param number its number among its sender's large messages
     */
    record Large(int number, long bytes) {}

    /** Reason passed to {@link #explain} while members agree on the next view. */
    String VIEW_CHANGING = "the view is changing";

    /** Prefix of the reason passed to {@link #explain} when a member has not consumed messages; its name follows. */
    String WINDOW_CLOSED = "the window is closed by ";

    /** Returns the receivers with waiting messages, in the order in which they began to wait; null for all members. */
    List<@Nullable Member> receivers();

    /**
     * Takes the next packet: whole messages, or a piece of one that is larger than a packet.
     *
     * @param receiver null for all members
     * @param bytesMax longest payload that is taken
     * @return null if nothing waits, or the next packet is too long
     */
    @Nullable Packet take(@Nullable Member receiver, long bytesMax);

    /** Makes a message to the receiver that was taken in part start again. */
    void restart(@Nullable Member receiver);

    /** Discards the messages that wait for the receiver. */
    void discard(Member receiver, String reason);

    /** Returns whether messages wait for the receiver; null for all members. */
    boolean isWaiting(@Nullable Member receiver);

    /** Returns whether no messages wait for any receiver. */
    boolean isEmpty();

    /**
     * Sets the longest message that a receiver takes from now on. A longer one that waits fails; if it was half taken,
     * its receivers abandon the half.
     *
     * @param receiver null for all members
     * @param of member whose limit it is
     */
    void limit(@Nullable Member receiver, long messageBytesMax, Member of);

    /** Forgets the longest message that a member takes. */
    void forget(Member receiver);

    /** Sets the size above which a message is not begun before it is {@linkplain #giveTurn given} its turn. */
    void share(long bytes);

    /** Returns the next message to the receiver if it needs a turn and has none; null otherwise. */
    @Nullable Large wantsTurn(@Nullable Member receiver);

    /** Permits taking the next message to the receiver, if it is this one. */
    void giveTurn(@Nullable Member receiver, int number);

    /** Returns the bytes taken of the receiver's next message if it is this one and has its turn; else negative. */
    long takenInTurn(@Nullable Member receiver, int number);

    /** Notes that the next message to the receiver waits for its turn, and earlier turns progress. */
    void onQueueMoved(@Nullable Member receiver, int number);

    /**
     * Sets the reason why a submission would wait now.
     *
     * @param waitsFor reason for people; empty if it would not wait
     * @param closedBy single member that closes the windows of all receivers with waiting messages; null if there is
     *     none, there are several, or there is another reason
     */
    void explain(String waitsFor, @Nullable Member closedBy);
}
