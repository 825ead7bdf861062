package dev.tutti.blocks.calls;

import dev.tutti.GroupBuilder;
import dev.tutti.blocks.internal.argument.Arguments;
import dev.tutti.core.View;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Registers handlers, sets limits, and joins the group. */
public final class CallsBuilder {

    private final GroupBuilder group;
    private final List<Registration<?, ?>> registrations = new ArrayList<>();
    private int openCallsMax = OPEN_CALLS_MAX;
    private int handlersMax = HANDLERS_MAX;
    private Consumer<View> onView = view -> {};
    private Consumer<String> onClosed = reason -> {};

    CallsBuilder(GroupBuilder group) {
        this.group = Arguments.required(group, "on: the group");
    }

    GroupBuilder group() {
        return group;
    }

    String name() {
        return group.name();
    }

    int openCallsMax() {
        return openCallsMax;
    }

    int handlersMax() {
        return handlersMax;
    }

    Registrations registrations() {
        return new Registrations(registrations);
    }

    Consumer<View> viewListener() {
        return onView;
    }

    Consumer<String> closedListener() {
        return onClosed;
    }

    /**
     * Handles a procedure on a virtual thread for each request, which may block and make calls. It is interrupted when
     * nobody waits for the answer any more.
     */
    public <Q extends @Nullable Object, A extends @Nullable Object> CallsBuilder handle(
            Procedure<Q, A> procedure, Handler<Q, A> handler) {
        add(procedure, new Registration.Way.OnThread<>(Arguments.required(handler, "the handler")));
        return this;
    }

    /**
     * Handles a procedure on the thread that takes the request, which is by far the cheapest: for handlers that wait
     * for nothing, and take microseconds. One request at a time, in the group's order; not counted in {@link
     * #handlersMax}.
     */
    public <Q extends @Nullable Object, A extends @Nullable Object> CallsBuilder handleInline(
            Procedure<Q, A> procedure, Handler<Q, A> handler) {
        add(procedure, new Registration.Way.Inline<>(Arguments.required(handler, "the handler")));
        return this;
    }

    /** Handles a procedure by a stage that completes later, without a thread that waits. */
    public <Q extends @Nullable Object, A extends @Nullable Object> CallsBuilder handleAsync(
            Procedure<Q, A> procedure, AsyncHandler<Q, A> handler) {
        add(procedure, new Registration.Way.Async<>(Arguments.required(handler, "the handler")));
        return this;
    }

    private <Q extends @Nullable Object, A extends @Nullable Object> void add(
            Procedure<Q, A> procedure, Registration.Way<Q, A> way) {
        registrations.add(new Registration<>(Arguments.required(procedure, "the procedure"), way));
    }

    /** Handles the methods of a service by those of {@code implementation}: on threads, unless they are annotated. */
    public <S> CallsBuilder serve(Service<S> service, S implementation) {
        Arguments.required(service, "serve: the service").serve(this, Arguments.required(implementation, "serve: the implementation"));
        return this;
    }

    /** Sets the maximum of this member's open calls; further ones fail at once. {@value #OPEN_CALLS_MAX} by default. */
    public CallsBuilder openCallsMax(int calls) {
        if (calls < 1 || calls > OPEN_CALLS_LIMIT) {
            throw new IllegalArgumentException("at most " + calls + " open calls, 1 to " + OPEN_CALLS_LIMIT);
        }
        openCallsMax = calls;
        return this;
    }

    /**
     * Sets the maximum of handlers that run here at a time, asynchronous ones included; further requests are refused as
     * {@link Refusal#OVERLOADED}. {@value #HANDLERS_MAX} by default.
     */
    public CallsBuilder handlersMax(int handlers) {
        if (handlers < 1) {
            throw new IllegalArgumentException("at most " + handlers + " handlers, at least 1");
        }
        handlersMax = handlers;
        return this;
    }

    /** Called for every view, in order with requests. Must not wait for a call. */
    public CallsBuilder onView(Consumer<View> listener) {
        onView = Arguments.required(listener, "onView: the listener");
        return this;
    }

    /** Called once when the group is left or lost, with the reason. */
    public CallsBuilder onClosed(Consumer<String> listener) {
        onClosed = Arguments.required(listener, "onClosed: the listener");
        return this;
    }

    /**
     * Joins the group.
     *
     * @throws IllegalStateException if the node is closed or has joined the group already
     * @throws IllegalArgumentException if two procedures have one name
     */
    public Calls join() {
        // Checks the procedures before anything is joined.
        registrations();
        return Calls.join(this);
    }

    private static final int OPEN_CALLS_MAX = 4_096;
    private static final int OPEN_CALLS_LIMIT = 1 << 20;
    private static final int HANDLERS_MAX = 1_024;
}
