package dev.tutti.blocks.calls;

import dev.tutti.Group;
import dev.tutti.GroupBuilder;
import dev.tutti.Message;
import dev.tutti.Subscription;
import dev.tutti.Threads;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.internal.Buffers;
import dev.tutti.blocks.internal.Callbacks;
import dev.tutti.blocks.internal.Deadlines;
import dev.tutti.blocks.internal.argument.Arguments;
import dev.tutti.blocks.internal.calls.Audience;
import dev.tutti.blocks.internal.calls.Batch;
import dev.tutti.blocks.internal.calls.CallCounters;
import dev.tutti.blocks.internal.calls.CallResources;
import dev.tutti.blocks.internal.calls.Epoch;
import dev.tutti.blocks.internal.calls.Frame;
import dev.tutti.blocks.internal.calls.Line;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.internal.Logs;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Calls to members of a group, and the handlers that answer them here. It has a group to itself: {@link Calls#on}.
 *
 * <p><b>A call is over by its deadline</b>, whatever happens to members or the network, and no later than a millisecond after it
 * on an idle machine. It is over earlier when there is an outcome for each member that is waited for: an answer, a failure, a
 * refusal, or the view in which the member is missing.
 *
 * <p><b>At most once.</b> A request is handled once or not at all; nothing is ever repeated. A {@link Outcome.Value
 * value} or a {@link Outcome.Failure failure} means once, {@link Outcome.Unreachable} not at all; with {@link
 * Outcome.Suspected} and {@link Outcome.TimedOut} it is unknown.
 *
 * <p><b>Order.</b> Requests of one thread to one member arrive in the order in which they were made; {@link
 * CallsBuilder#handleInline inline} handlers run in that order, others side by side. A call {@link #toAll} is one multicast of the
 * group, in its order: in a total group all members receive such calls in one order. Calls to some are unicasts.
 *
 * <p><b>Partition.</b> Each side continues. Members of the other side are suspected when the view without them comes,
 * and unreachable afterwards; this side does not learn which requests they have executed, or will execute of those that
 * had arrived. <b>Merge.</b> Members are reachable for calls that are made from then on. An answer never comes to a
 * call that was made before a member was apart from the caller, not even if the deadline is still to come: that call is
 * over with {@link Outcome.Suspected}.
 *
 * <p>All methods may be called from any thread, handlers included; inline and asynchronous handlers must not call those
 * that wait for a value. Stages on a call's future run on a thread of the group's, before callers that are answered at
 * the same time, and must not wait; {@code thenApplyAsync} may.
 */
public final class Calls implements AutoCloseable {

    private static final Logger LOG = Logs.of(Calls.class);

    /** Request to be called no more, which is answered when the caller's requests were. */
    static final Procedure<Boolean, Boolean> DRAIN = Procedure.of("tutti.drain", Codec.BOOLEAN, Codec.BOOLEAN);

    private final Threads threads;
    private final String name;
    private final CallCounters counters = new CallCounters();
    private final Buffers buffers = new Buffers();
    private final Deadlines deadlines;
    private final Line line;
    private final CallClient caller;
    private final CallServer server;
    private final Batch batch;
    private final Member self;
    private final CompletableFuture<Group> joining;
    private final Subscription draining;

    private Calls(CallsBuilder builder, Member self, Epoch first, CompletableFuture<Group> joining) {
        this.threads = builder.group().node().threads();
        this.name = builder.name();
        this.self = self;
        this.joining = joining;
        this.line = new Line(joining);
        String thread = "tutti-calls-" + name;
        Callbacks callbacks = new Callbacks(builder.group());
        this.batch = new Batch(threads, thread);
        this.deadlines = new Deadlines(threads, thread, this::sweep);
        CallResources resources = new CallResources(threads, thread, callbacks, line, buffers, counters, deadlines);
        this.caller = new CallClient(resources, builder.openCallsMax(), self, first);
        this.server = new CallServer(resources, builder.registrations(), builder.handlersMax(), this::loop);
        this.draining = builder.group().node().operations().onDrain(name, this::drain);
    }

    /**
     * Returns a builder for calls on a group that is still to be joined. The group is these calls' own: its listeners
     * are set here. Its order may be any reliable one; otherwise requests and answers get lost, and calls time out.
     */
    public static CallsBuilder on(GroupBuilder group) {
        return new CallsBuilder(group);
    }

    static Calls join(CallsBuilder builder) {
        Listener listener = new Listener(builder);
        builder.handleAsync(DRAIN, (_, context) -> listener.calls().caller.onDrain(context.caller()));
        builder.group()
                .onView(listener::onView)
                .onMessage(listener::onMessage)
                .onBatchEnd(listener::onBatchEnd)
                .onClosed(listener::onClosed);
        builder.group().joinAsync().whenComplete(listener::onJoined);
        try {
            builder.group().node().threads().join(listener.joining);
        } catch (CompletionException e) {
            throw new IllegalStateException(e.getCause() == null ? e.getMessage() : e.getCause().getMessage(), e);
        }
        return listener.calls();
    }

    // ------------------------------------------------------------------ members to call

    /** Returns a call to one member, which may be this one. */
    public CallToOne to(Member member) {
        return new CallToOne(caller, Arguments.required(member, "to: the member"), CallOptions.DEFAULT);
    }

    /** Returns a call to all members of the view in which the request is delivered, this one included. */
    public CallToMany toAll() {
        return new CallToMany(caller, new Audience.All(), CallOptions.DEFAULT);
    }

    /** Returns a call to all members of the view at the time of the call but this one. */
    public CallToMany toOthers() {
        return toAllBut(self);
    }

    /** Returns a call to all members of the view at the time of the call but these. */
    public CallToMany toAllBut(Member... excluded) {
        return new CallToMany(caller, Audience.allBut(Arrays.asList(Arguments.allRequired(excluded, "toAllBut: the members"))), CallOptions.DEFAULT);
    }

    /** Returns a call to these members, in this order. A member outside of the view is {@link Outcome.Unreachable}. */
    public CallToMany to(Collection<Member> members) {
        Arguments.required(members, "to: the members").forEach(member -> Arguments.required(member, "to: one of the members"));
        return new CallToMany(caller, Audience.only(members), CallOptions.DEFAULT);
    }

    // ------------------------------------------------------------------ state

    /** Returns this member. */
    public Member self() {
        return self;
    }

    /** Returns the view in which members are called now. */
    public View view() {
        return caller.epoch().view();
    }

    /** Returns counters, and the numbers of open calls and running handlers, by name; for people. */
    public Map<String, Long> status() {
        Map<String, Long> status = new LinkedHashMap<>();
        status.put("open-calls", (long) caller.openCalls());
        status.put("handlers", (long) server.handlers());
        status.put("handlers-past-deadline", server.handlersPastDeadline());
        status.put("longest-handler-millis", server.longestHandlerMillis());
        status.putAll(counters.status());
        return status;
    }

    /** Returns the members of the view that may be called: those that do not {@linkplain #drain drain}. */
    public List<Member> callable() {
        Epoch epoch = caller.epoch();
        return epoch.view().members().stream().filter(epoch::isCallable).toList();
    }

    /**
     * Lets this member leave without a failed call: asks the others to call it no more, and waits until their calls are answered.
     * {@link #close} follows.
     *
     * <p>A member that has been asked ends calls to this one as {@link Outcome.Unreachable}, which means not executed, so that its caller may
     * choose another member; {@link #toAll} and {@link #toOthers} leave it out there, though this member may still execute calls to all. Calls
     * that were made before are answered as always. This member may make calls itself until it is closed.
     *
     * <p>Waits for the handlers of such calls, so they should end well within {@code within}. Members of a release without this method, and
     * those that join while this method returns, go on calling.
     *
     * @return whether all others have confirmed in time; otherwise some calls may end as {@link Outcome.Suspected} when it leaves
     */
    public boolean drain(Duration within) {
        long endNanos = threads.nanoTime() + within.toNanos();
        Set<Member> confirmed = new HashSet<>(Set.of(self));
        List<Member> others = others(confirmed);
        while (!others.isEmpty()) {
            long leftNanos = endNanos - threads.nanoTime();
            if (leftNanos < TimeUnit.MILLISECONDS.toNanos(1)) {
                return false;
            }
            Outcomes<Boolean> outcomes = to(others).within(Duration.ofNanos(leftNanos)).call(DRAIN, true);
            for (Member member : others) {
                switch (outcomes.of(member)) {
                    case Outcome.Value<Boolean> _, Outcome.Suspected<Boolean> _, Outcome.Unreachable<Boolean> _ -> confirmed.add(member);
                    case Outcome.Refused<Boolean> _, Outcome.Failure<Boolean> _, Outcome.TimedOut<Boolean> _, Outcome.Unanswered<Boolean> _ -> {
                        return false;
                    }
                }
            }
            others = others(confirmed);
        }
        return true;
    }

    private List<Member> others(Set<Member> confirmed) {
        return view().members().stream().filter(member -> !confirmed.contains(member)).toList();
    }

    /** Ends open calls as {@link CallException.Reason#CLOSED}, cancels handlers, and leaves the group. Idempotent. */
    @Override
    public void close() {
        end("calls on group " + name + " were closed");
        joining.join().close();
    }

    private void end(String reason) {
        draining.close();
        caller.onClosed(reason);
        server.onClosed();
    }

    private long sweep(long nowNanos) {
        return Math.min(caller.sweep(nowNanos), server.sweep(nowNanos));
    }

    // ------------------------------------------------------------------ inputs

    private void onView(View view) {
        Epoch next = caller.epoch().next(view, self);
        caller.onEpoch(next);
        server.onEpoch(next);
    }

    /** @param completer completes calls that are answered */
    private void onMessage(Member sender, boolean isUnicast, ByteBuffer bytes, Executor completer) {
        try {
            Frame.read(new ByteInput(bytes), new Incoming(sender, isUnicast, completer));
        } catch (MalformedException e) {
            counters.malformed.increment();
            LOG.warn("calls on group {}: a message of {} is ignored: {}", name, sender, e.getMessage());
        }
    }

    /** Reader of one member's message. */
    private final class Incoming implements Frame.Visitor {

        private final Member sender;
        private final boolean isUnicast;
        private final Executor completer;

        Incoming(Member sender, boolean isUnicast, Executor completer) {
            this.sender = sender;
            this.isUnicast = isUnicast;
            this.completer = completer;
        }

        @Override
        public void onRequest(long call, long procedure, long remainingNanos, int answerBytesMax, ByteInput request) {
            if (!isUnicast && sender.equals(self)) {
                // Before it is handled, so that the members that are called are known.
                caller.onDelivered(call);
            }
            server.onRequest(sender, caller.epoch(), call, procedure, remainingNanos, answerBytesMax, request);
        }

        @Override
        public void onAnswer(long call, ByteInput answer) {
            caller.onAnswer(sender, call, answer, completer);
        }

        @Override
        public void onFailure(long call, int code, String type, String message) {
            caller.onFailure(sender, call, new OpenCall.Failed(code, type, message), completer);
        }

        @Override
        public void onCancel(long call) {
            server.onCancel(sender, call);
        }
    }

    /** Delivers a message from this member to itself. */
    private boolean loop(Member receiver, ByteOutput out) {
        if (!receiver.equals(self)) {
            return false;
        }
        onMessage(self, true, ByteBuffer.wrap(out.array(), 0, out.length()), Batch.NONE);
        return true;
    }

    /** Receives the group's deliveries, also before the calls exist that take them. */
    private static final class Listener {

        private final CallsBuilder builder;
        private final CompletableFuture<Group> joining = new CompletableFuture<>();
        private final Consumer<View> onView;
        private final Consumer<String> onClosed;
        private volatile @Nullable Calls calls;

        Listener(CallsBuilder builder) {
            this.builder = builder;
            this.onView = builder.viewListener();
            this.onClosed = builder.closedListener();
        }

        Calls calls() {
            Calls made = calls;
            if (made == null) {
                throw new IllegalStateException("nothing was delivered before the first view");
            }
            return made;
        }

        void onJoined(@Nullable Group group, @Nullable Throwable failure) {
            if (group != null) {
                joining.complete(group);
            } else if (failure != null) {
                joining.completeExceptionally(failure);
            }
        }

        void onView(View view) {
            Calls made = calls;
            if (made == null) {
                Member self = memberOf(view);
                calls = new Calls(builder, self, Epoch.first(view, self), joining);
            } else {
                made.onView(view);
            }
            onView.accept(view);
        }

        /** Returns the member that this node is: it is in a group at most once. */
        private Member memberOf(View view) {
            for (Member member : view.members()) {
                if (member.node().equals(builder.group().node().id())) {
                    return member;
                }
            }
            throw new IllegalStateException("view " + view + " without this node");
        }

        void onMessage(Message message) {
            Calls made = calls();
            made.onMessage(message.sender(), message.isUnicast(), message.buffer(), made.batch);
        }

        void onBatchEnd() {
            calls().batch.end();
        }

        void onClosed(String reason) {
            Calls made = calls;
            if (made != null) {
                made.end(reason);
            }
            onClosed.accept(reason);
        }
    }

    @Override
    public String toString() {
        return "calls on group " + name + ", " + view();
    }
}
