package dev.tutti.blocks.coordination;

import dev.tutti.blocks.internal.argument.Arguments;
import dev.tutti.blocks.machine.Replica;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * A number that the members of a group share; linearizable.
 *
 * <p><b>Partition.</b> It is read and changed in the primary partition alone; outside commands wait, and fail at their
 * deadline. <b>Merge.</b> Nothing is lost: the other side has changed nothing. <b>Crash.</b> A returned value can be
 * relied on as long as one member with the state passes from each primary view to the next; else a new {@link Value#era
 * era} begins at 0.
 *
 * <p>Methods that wait do so for the time-out of the group's commands, and throw a {@link
 * dev.tutti.blocks.machine.CommandException} which says whether the change was made. They must not be called by listeners.
 */
public final class Counter {

    private final Replica<Command, Answer> replica;
    private final String name;
    private final Duration timeout;

    Counter(Replica<Command, Answer> replica, String name, Duration timeout) {
        this.replica = replica;
        this.name = name;
        this.timeout = timeout;
    }

    private static Value value(Answer answer) {
        return new Value(answer.value(), answer.era());
    }

    /** Returns the current value. */
    public Value get() {
        return add(0);
    }

    /** Adds, and returns the sum; it wraps around at the ends of {@code long}. */
    public Value add(long delta) {
        return value(replica.call(new Command.Add(name, delta), timeout));
    }

    /** Adds without waiting. */
    public CompletableFuture<Value> addAsync(long delta) {
        return replica.submit(new Command.Add(name, delta), timeout).thenApply(Counter::value);
    }

    /**
     * Sets it to {@code next} if it is the expected one, in the same era.
     *
     * @return its previous value: {@code expected}, if it was changed
     */
    public Value compareAndExchange(Value expected, long next) {
        Arguments.required(expected, "compareAndExchange: the expected value");
        return value(replica.call(new Command.Exchange(name, expected.era(), expected.number(), next), timeout));
    }
}
