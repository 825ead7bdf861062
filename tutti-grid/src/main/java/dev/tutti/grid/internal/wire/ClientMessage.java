package dev.tutti.grid.internal.wire;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.grid.Answer;
import dev.tutti.grid.Entry;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Gap;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Query;
import dev.tutti.grid.internal.codec.GridCodec;
import java.util.function.Consumer;

/**
 * A message between a client and its mediator. A binary message of the WebSocket is one of them, or several, one after the
 * other.
 */
public sealed interface ClientMessage {

    /** Most bytes of a WebSocket message of a client: the largest measurement with its tags fits. */
    int CLIENT_BYTES_MAX = 5 << 20;

    /** Most bytes of a WebSocket message of a mediator: the largest answer fits. */
    int MEDIATOR_BYTES_MAX = 64 << 20;

    // ------------------------------------------------------------------ of clients

    /**
     * First message of a client. Its entries have identities of this secret.
     *
     * @param secret see {@link Identity}
     */
    record Identify(String secret) implements ClientMessage {}

    /**
     * Registers a producer or a consumer; its site and node are the mediator's affair.
     *
     * @param history measurements of a producer that the mediator keeps
     */
    record Register(Entry entry, int history) implements ClientMessage {}

    /** Withdraws an entry. */
    record Withdraw(String id) implements ClientMessage {}

    /** Publishes a measurement of a registered producer. */
    record Publish(Measurement measurement) implements ClientMessage {}

    /** Tells of measurements of a registered producer that the client has dropped. It counts as one that is published. */
    record Lost(String id, long count) implements ClientMessage {}

    /** Announces another load of a producer's host. */
    record Load(String id, double load) implements ClientMessage {}

    /** Asks for entries. */
    record Find(long question, Query query) implements ClientMessage {}

    /**
     * Asks for measurements.
     *
     * @param fromMicros inclusive, since 1970; for the history
     * @param toMicros exclusive
     * @param isLatest whether the last ones are wanted instead
     */
    record Ask(long question, Filter filter, long fromMicros, long toMicros, boolean isLatest, long deadlineMillis)
            implements ClientMessage {}

    // ------------------------------------------------------------------ of mediators

    /** First message of a mediator. */
    record Welcome(String site, String node, long leaseMillis) implements ClientMessage {}

    /** An entry is registered. */
    record Registered(String id, long number) implements ClientMessage {}

    /** An entry is not registered. */
    record Refused(String id, long number, String reason) implements ClientMessage {}

    /** A measurement for a consumer. */
    record Deliver(String consumer, Measurement measurement) implements ClientMessage {}

    /** Measurements that a consumer does not get. */
    record Missing(String consumer, Gap gap) implements ClientMessage {}

    /**
     * Confirms measurements: the mediator has passed them on, and they need not be sent again when it is gone.
     *
     * @param count number of measurements, and of {@link Lost}, since the beginning of the connection
     */
    record Confirm(long count) implements ClientMessage {}

    /** Answers {@link Find}. */
    record Entries(long question, Answer<Entry> answer) implements ClientMessage {}

    /** Answers {@link Ask}. */
    record Measurements(long question, Answer<Measurement> answer) implements ClientMessage {}

    /** Encoding of messages. */
    Codec<ClientMessage> CODEC = new Codec<>() {

        private static final Codec<Answer<Entry>> ENTRIES = GridCodec.answer(GridCodec.ENTRY);
        private static final Codec<Answer<Measurement>> MEASUREMENTS = GridCodec.answer(GridCodec.MEASUREMENT);

        // On the wire: a number is never used for another kind.
        private static final int REGISTER = 1;
        private static final int WITHDRAW = 2;
        private static final int PUBLISH = 3;
        private static final int LOAD = 4;
        private static final int FIND = 5;
        private static final int ASK = 6;
        private static final int IDENTIFY = 7;
        private static final int LOST = 8;
        private static final int WELCOME = 16;
        private static final int REGISTERED = 17;
        private static final int REFUSED = 18;
        private static final int DELIVER = 19;
        private static final int MISSING = 20;
        private static final int FOUND = 21;
        private static final int ANSWERED = 22;
        private static final int CONFIRM = 23;

        @Override
        public void put(ClientMessage message, ByteOutput out) {
            switch (message) {
                case Identify(String secret) -> out.putByte(IDENTIFY).putText(secret);
                case Register(Entry entry, int history) -> GridCodec.ENTRY.put(entry, out.putByte(REGISTER).putInt(history));
                case Withdraw(String id) -> out.putByte(WITHDRAW).putText(id);
                case Publish(Measurement measurement) -> GridCodec.MEASUREMENT.put(measurement, out.putByte(PUBLISH));
                case Lost(String id, long count) -> out.putByte(LOST).putText(id).putLong(count);
                case Load(String id, double load) -> out.putByte(LOAD).putText(id).putDouble(load);
                case Find(long question, Query query) -> GridCodec.QUERY.put(query, out.putByte(FIND).putLong(question));
                case Ask ask -> {
                    GridCodec.FILTER.put(ask.filter, out.putByte(ASK).putLong(ask.question));
                    out.putLong(ask.fromMicros).putLong(ask.toMicros).putBoolean(ask.isLatest).putLong(ask.deadlineMillis);
                }
                case Welcome(String site, String node, long leaseMillis) ->
                    out.putByte(WELCOME).putText(site).putText(node).putLong(leaseMillis);
                case Registered(String id, long number) -> out.putByte(REGISTERED).putText(id).putLong(number);
                case Refused(String id, long number, String reason) ->
                    out.putByte(REFUSED).putText(id).putLong(number).putText(reason);
                case Deliver(String consumer, Measurement measurement) ->
                    GridCodec.MEASUREMENT.put(measurement, out.putByte(DELIVER).putText(consumer));
                case Missing(String consumer, Gap gap) -> GridCodec.GAP.put(gap, out.putByte(MISSING).putText(consumer));
                case Confirm(long count) -> out.putByte(CONFIRM).putLong(count);
                case Entries(long question, Answer<Entry> answer) -> ENTRIES.put(answer, out.putByte(FOUND).putLong(question));
                case Measurements(long question, Answer<Measurement> answer) ->
                    MEASUREMENTS.put(answer, out.putByte(ANSWERED).putLong(question));
            }
        }

        @Override
        public ClientMessage take(ByteInput in) {
            int kind = in.takeByte();
            return switch (kind) {
                case IDENTIFY -> new Identify(in.takeText());
                case REGISTER -> {
                    int history = in.takeInt();
                    yield new Register(GridCodec.ENTRY.take(in), history);
                }
                case WITHDRAW -> new Withdraw(in.takeText());
                case PUBLISH -> new Publish(GridCodec.MEASUREMENT.take(in));
                case LOST -> new Lost(in.takeText(), in.takeLong());
                case LOAD -> new Load(in.takeText(), in.takeDouble());
                case FIND -> new Find(in.takeLong(), GridCodec.QUERY.take(in));
                case ASK -> new Ask(
                        in.takeLong(), GridCodec.FILTER.take(in), in.takeLong(), in.takeLong(), in.takeBoolean(), in.takeLong());
                case WELCOME -> new Welcome(in.takeText(), in.takeText(), in.takeLong());
                case REGISTERED -> new Registered(in.takeText(), in.takeLong());
                case REFUSED -> new Refused(in.takeText(), in.takeLong(), in.takeText());
                case DELIVER -> new Deliver(in.takeText(), GridCodec.MEASUREMENT.take(in));
                case MISSING -> new Missing(in.takeText(), GridCodec.GAP.take(in));
                case CONFIRM -> new Confirm(in.takeLong());
                case FOUND -> new Entries(in.takeLong(), ENTRIES.take(in));
                case ANSWERED -> new Measurements(in.takeLong(), MEASUREMENTS.take(in));
                default -> throw new MalformedException("message of kind " + kind);
            };
        }
    };

    /** Returns the bytes of a message. */
    static byte[] encode(ClientMessage message) {
        ByteOutput out = new ByteOutput();
        CODEC.put(message, out);
        // A large body at the end fills the array.
        return out.array().length == out.length() ? out.array() : out.copy();
    }

    /**
     * Reads all messages of a WebSocket message.
     *
     * @throws MalformedException if it is malformed; messages before the place have been read
     */
    static void read(byte[] bytes, Consumer<ClientMessage> each) {
        ByteInput in = new ByteInput(bytes);
        while (in.remaining() > 0) {
            each.accept(CODEC.take(in));
        }
    }
}
