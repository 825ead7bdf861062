package dev.tutti;

import dev.tutti.protocols.packing.Marks;

/**
 * Options of a message: the {@link Scope} that it is ordered in, and whether its sender gets it. Immutable.
 *
 * <p>A scope is the options of the messages in it: {@code send(message, Scope.of("IBM"))}. Not among the options are those of the wait, which
 * have methods of their own: {@link Group#trySend(byte[])} and {@link Group#sendAsync} do not wait. No option says that a message is to leave at
 * once: each does, as messages are put together only while earlier ones are on their way out.
 */
public sealed class SendOptions permits Scope {

    /** Options of a message in order with all that have no scope, which its sender gets, too. */
    public static final SendOptions DEFAULT = new SendOptions(Marks.NONE);

    /** Options of a message in order with all that have no scope, which its sender does not get; see {@link #notToSelf}. */
    public static final SendOptions NOT_TO_SELF = DEFAULT.notToSelf();

    private final Marks marks;

    SendOptions(Marks marks) {
        this.marks = marks;
    }

    /**
     * Returns these options for a message that the listeners of its sender do not get.
     *
     * <p>The other members get it as any other, in the same place of each order. The sender has its place in the order, too, but does not learn it:
     * of two members of a total group that send at the same time, it does not know whose message came first at the others. Messages that change a
     * state that all members have alike are not for this. A receipt names the sender among the members that have the message. Messages to one
     * member are not changed by it.
     */
    public SendOptions notToSelf() {
        return new SendOptions(marks.forOthers());
    }

    final Marks marks() {
        return marks;
    }

    @Override
    public String toString() {
        Integer number = marks.scope();
        String order = marks.isOutOfBand() ? "out of band" : number == null ? "in order" : "scope " + Integer.toUnsignedString(number);
        return marks.isForOthers() ? order + ", not to self" : order;
    }
}
