package dev.tutti.grid.member;

import dev.tutti.grid.Entry;
import dev.tutti.grid.Gap;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.MeasurementListener;
import dev.tutti.grid.internal.delivery.LocalConsumer;
import dev.tutti.grid.internal.delivery.Recipient;
import dev.tutti.grid.member.Clients.Registration;

/**
 * A consumer of a client. Its listener is called at once, and not by a thread of its own as that of a {@link LocalConsumer}: it puts measurements
 * into the queue of a connection, and one more queue before that would only cost time.
 */
final class ClientConsumer extends ClientEntry implements Recipient {

    private final Entry entry;
    private final MeasurementListener listener;
    private final LocalConsumer.Caller caller;
    private final LocalConsumers consumers;
    private volatile boolean isEnded;

    /** @param consumers of the member, among which it is until it ends */
    ClientConsumer(
            Clients clients,
            Registration registration,
            Entry entry,
            MeasurementListener listener,
            LocalConsumer.Caller caller,
            LocalConsumers consumers) {
        super(clients, registration);
        this.entry = entry;
        this.listener = listener;
        this.caller = caller;
        this.consumers = consumers;
    }

    @Override
    public Entry entry() {
        return entry;
    }

    @Override
    public void offer(Measurement measurement) {
        if (!isEnded) {
            consumers.counters().onDelivered();
            caller.call("onMeasurement", listener::onMeasurement, measurement);
        }
    }

    @Override
    public void offer(Gap gap) {
        if (!isEnded) {
            caller.call("onGap", listener::onGap, gap);
        }
    }

    /** Returns 0: the mediator has the queue. */
    @Override
    public long waitingBytes() {
        return 0;
    }

    @Override
    public void end() {
        isEnded = true;
        consumers.remove(this);
    }

    @Override
    public long awaitIdle(long nanos) {
        return nanos;
    }

    @Override
    void pause() {
        end();
    }
}
