package dev.tutti.protocols.node;

import dev.tutti.core.driver.DurableStore;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Answers of a node's durable store to its groups, which are input like any other.
 *
 * @param beginTurn takes the time of an input
 */
record StoreAnswers(Groups groups, LongConsumer beginTurn) implements DurableStore.Client {

    @Override
    public void onLoaded(long nowNanos, int question, byte @Nullable [] record) {
        beginTurn.accept(nowNanos);
        groups.onLoaded(question, record);
    }

    @Override
    public void onStored(long nowNanos, int question) {
        beginTurn.accept(nowNanos);
        groups.onStored(question);
    }

    @Override
    public void onFailed(long nowNanos, int question, String detail) {
        beginTurn.accept(nowNanos);
        groups.onFailed(question, detail);
    }
}
