package dev.tutti.stomp.internal.session;

import dev.tutti.stomp.internal.broker.ServedGroup;
import dev.tutti.stomp.internal.codec.Content;
import dev.tutti.stomp.internal.codec.Envelope;
import dev.tutti.stomp.internal.codec.Frame;
import dev.tutti.stomp.internal.codec.FrameException;
import dev.tutti.stomp.internal.codec.StompFault;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Open transactions of a client: their number and bytes are bounded. Belongs to the connection's thread. */
final class Transactions {

    /** A frame that a transaction holds until its COMMIT. */
    sealed interface Action {

        record Send(ServedGroup group, Content content) implements Action {}

        record Settle(Frame frame, boolean isAck) implements Action {}
    }

    private static final class Transaction {
        final List<Action> actions = new ArrayList<>();
        long bytes;
    }

    private final Options.ClientLimits limits;
    private final Map<String, Transaction> open = new LinkedHashMap<>();
    private long bytes;

    Transactions(Options.ClientLimits limits) {
        this.limits = limits;
    }

    long bytes() {
        return bytes;
    }

    void begin(String id) throws FrameException {
        if (open.containsKey(id)) {
            throw new FrameException(StompFault.UNEXPECTED, "transaction '" + id + "' has begun already");
        }
        if (open.size() >= limits.transactionsMax()) {
            throw new FrameException(
                    StompFault.TRANSACTIONS, "a client has at most " + limits.transactionsMax() + " transactions (stomp.transactions-max)");
        }
        open.put(id, new Transaction());
    }

    /** @param size bytes that count for the action */
    void add(String id, Action action, int size) throws FrameException {
        Transaction transaction = find(id);
        if (bytes + size > limits.transactionBytesMax() || transaction.actions.size() >= Envelope.TEXT_MAX) {
            throw new FrameException(
                    StompFault.TRANSACTIONS,
                    "transactions hold more than " + limits.transactionBytesMax() + " bytes (stomp.transaction-max)");
        }
        transaction.actions.add(action);
        transaction.bytes += size;
        bytes += size;
    }

    /** Ends a transaction; returns its actions in their order. */
    List<Action> end(String id) throws FrameException {
        Transaction transaction = find(id);
        open.remove(id);
        bytes -= transaction.bytes;
        return transaction.actions;
    }

    private Transaction find(String id) throws FrameException {
        Transaction transaction = open.get(id);
        if (transaction == null) {
            throw new FrameException(StompFault.UNEXPECTED, "there is no transaction '" + id + "'");
        }
        return transaction;
    }

    /** Ends all transactions without their actions. */
    void clear() {
        open.clear();
        bytes = 0;
    }
}
