package dev.tutti.internal.delivery;

import dev.tutti.Message;
import dev.tutti.core.Member;
import dev.tutti.internal.Fence;
import dev.tutti.internal.Host;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Calls a group's listeners behind a {@link Fence}, until they are silenced: then only {@code onClosed} is called.
 *
 * <p>Methods are for the delivery thread, except for those that take a call of their own and where noted.
 */
final class Callbacks {

    private final Listeners listeners;
    private final Host host;
    private final DeliveryExecutor.Owner owner;
    private final Fence fence;
    private final Calls calls = new Calls();
    private final Calls.Call delivery = calls.delivery();
    private final AtomicLong messages = new AtomicLong();
    private final LongAdder messagesAside = new LongAdder();
    private final LongAdder messagesDiscarded = new LongAdder();
    private final AtomicLong failures = new AtomicLong();

    /** Listeners are not called any more, except for the end of the group. */
    private volatile boolean isSilent;

    /** A message was delivered since the last end of a batch. */
    private boolean isBatchOpen;

    Callbacks(Listeners listeners, Host host, DeliveryExecutor.Owner owner) {
        this.listeners = listeners;
        this.host = host;
        this.owner = owner;
        this.fence = new Fence(host, this::onFailed);
    }

    /** Makes the current thread the delivery thread. */
    void enter() {
        delivery.enter();
    }

    /** Notes that callbacks begin for the messages of a packet, or for a snapshot. */
    void begin(String callback, @Nullable Member sender, long nowNanos) {
        delivery.begin(callback, sender, nowNanos);
    }

    void end() {
        delivery.end();
    }

    /** Counts a message in order; returns whether the listener is to be called with it, or it is discarded. */
    boolean startMessage() {
        if (isSilent) {
            messagesDiscarded.increment();
            return false;
        }
        messages.lazySet(messages.get() + 1);
        isBatchOpen = true;
        return true;
    }

    /** Calls the listener with messages that {@link #startMessage} has counted. */
    void onMessages(Consumer<List<Message>> listener, List<Message> together) {
        if (isSilent) {
            messagesDiscarded.add(together.size());
            messages.lazySet(messages.get() - together.size());
        } else {
            fence.call("onMessages", listener, together);
        }
    }

    void endBatch() {
        if (isBatchOpen) {
            isBatchOpen = false;
            call("onBatchEnd", Runnable::run, listeners.onBatchEnd());
        }
    }

    <T> void call(String callback, Consumer<T> listener, T argument) {
        if (!isSilent) {
            callInAnyCase(delivery, callback, listener, argument);
        }
    }

    /** Calls {@code onClosed}, and silences the listeners. */
    void onClosed(String reason) {
        isSilent = true;
        callInAnyCase(delivery, "onClosed", listeners.onClosed(), reason);
    }

    /** Calls {@code onClosed} although the delivery thread has not returned. From any thread. */
    void onClosedAside(String reason) {
        Calls.Call call = calls.open();
        callInAnyCase(call, "onClosed", listeners.onClosed(), reason);
        calls.close(call);
    }

    private <T> void callInAnyCase(Calls.Call call, String callback, Consumer<T> listener, T argument) {
        call.begin(callback, null, host.nanoTime());
        fence.call(callback, listener, argument);
        call.end();
    }

    /** Calls the listener with a message in a scope or out of band. From any thread, with a call of its own. */
    void onMessageAside(Delivered message, Calls.Call call) {
        if (isSilent) {
            messagesDiscarded.increment();
            return;
        }
        messagesAside.increment();
        String callback = listeners.messageCallback();
        call.begin(callback, message.sender(), host.nanoTime());
        fence.callForMessage(callback, listeners.onMessage(), message);
        if (!isSilent) {
            fence.call("onBatchEnd", listeners.onBatchEnd());
        }
        call.end();
    }

    /** Counts and reports a callback's failure. From any thread. */
    private void onFailed(String callback, Object argument, Throwable thrown) {
        countFailure();
        if (!owner.onFailed(callback, argument instanceof Message failed ? failed : null, thrown)) {
            isSilent = true;
        }
    }

    // ------------------------------------------------------------------ from any thread

    /** Stops calling listeners, except for {@code onClosed}; a running callback is not interrupted. Idempotent. */
    void silence() {
        isSilent = true;
    }

    boolean isSilent() {
        return isSilent;
    }

    void countFailure() {
        failures.incrementAndGet();
    }

    Fence fence() {
        return fence;
    }

    Consumer<Message> messageListener() {
        return listeners.onMessage();
    }

    /** Returns the listener for messages that have arrived together; null if they are taken one by one. */
    @Nullable Consumer<List<Message>> messagesListener() {
        return listeners.onMessages();
    }

    /** Returns the name of the callback for messages. */
    String messageCallback() {
        return listeners.messageCallback();
    }

    /** Returns the running callbacks. */
    Calls calls() {
        return calls;
    }

    /** Returns the number of messages delivered in order, without those in scopes and out of band. */
    long messagesInOrder() {
        return messages.get();
    }

    long messages() {
        return messages.get() + messagesAside.sum();
    }

    long messagesDiscarded() {
        return messagesDiscarded.sum();
    }

    long failures() {
        return failures.get();
    }
}
