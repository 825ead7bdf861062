package dev.tutti.sites.calls;

import static java.util.Objects.requireNonNull;

import dev.tutti.SendException;
import dev.tutti.Threads;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.internal.Callbacks;
import dev.tutti.blocks.internal.argument.Arguments;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.sites.Reach;
import dev.tutti.sites.Site;
import dev.tutti.sites.SiteGroup;
import dev.tutti.sites.SiteGroupBuilder;
import dev.tutti.sites.SiteMessage;
import dev.tutti.sites.Sites;
import dev.tutti.sites.calls.CallFrame.Answer;
import dev.tutti.sites.calls.CallFrame.Request;
import dev.tutti.sites.calls.CallFrame.Result;
import dev.tutti.sites.calls.SiteCallException.Reason;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Calls of members at other sites, or at the own one: of any member of a site, whose turn it is, or of one that is named.
 *
 * <p>A call is a message of a {@link SiteGroup}: a member handles it at most once, also when masters of sites crash meanwhile. It fails at
 * once if the site is not up. A request that arrives after its deadline, by the wall clocks of the two nodes, is not handled.
 *
 * <p>All methods may be called from any thread. Those that wait must not be called by listeners of the group.
 */
public final class SiteCalls<Q, A> implements AutoCloseable {

    private static final int DETAIL_MAX = 1_000;

    /** Answers that may wait to be sent, refusals among them, for each handler that may run. */
    private static final int ANSWERS = 4;

    private final SiteCallsBuilder<Q, A> settings;
    private final String name;
    private final Sites sites;
    private final Threads threads;
    private final Callbacks callbacks;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final TreeMap<Long, CompletableFuture<A>> open = new TreeMap<>();
    private long number;
    private int running;
    private long handled;
    private long refused;
    private long malformed;
    private long late;
    private int answering;
    private long unsent;

    private volatile @Nullable SiteGroup group;
    private volatile boolean isClosed;

    private SiteCalls(SiteCallsBuilder<Q, A> settings) {
        this.settings = settings;
        this.name = settings.group().name();
        this.sites = settings.group().sites();
        this.threads = sites.node().threads();
        this.callbacks = new Callbacks(sites.node().group(name));
    }

    static <Q, A> SiteCalls<Q, A> join(SiteCallsBuilder<Q, A> settings) {
        SiteCalls<Q, A> calls = new SiteCalls<>(settings);
        calls.group = settings.group().onMessage(calls::onMessage).onClosed(calls::onClosed).join();
        return calls;
    }

    /** Begins to configure calls on a group of their own, whose listener for messages they set. */
    public static <Q, A> SiteCallsBuilder<Q, A> on(SiteGroupBuilder group, Codec<Q> requests, Codec<A> answers) {
        return new SiteCallsBuilder<>(group, requests, answers);
    }

    // ------------------------------------------------------------------ calling

    /**
     * Calls one member of a site, and waits for the answer. The members of the site take turns.
     *
     * @throws SiteCallException if there is none
     */
    public A call(String site, Q request) {
        return await(callAsync(site, request));
    }

    /**
     * Calls a member of a site, and waits for the answer.
     *
     * @param member name of its node
     * @throws SiteCallException if there is none
     */
    public A call(String site, String member, Q request) {
        return await(callAsync(site, member, request));
    }

    /** Calls one member of a site; fails with a {@link SiteCallException}. */
    public CompletableFuture<A> callAsync(String site, Q request) {
        return begin(site, "", request);
    }

    /** Calls a member of a site; fails with a {@link SiteCallException}. */
    public CompletableFuture<A> callAsync(String site, String member, Q request) {
        return begin(site, Arguments.required(member, "call: the name of the member"), request);
    }

    private CompletableFuture<A> begin(String site, String member, Q request) {
        String target = member.isEmpty() ? "site " + site : member + " at site " + site;
        boolean isUp = site.equals(sites.site())
                || sites.view().site(site).map(Site::state).orElse(Site.State.AWAY) == Site.State.UP;
        if (!isUp) {
            return failed(Reason.UNREACHABLE, target + " can't be called: the site is not up, " + sites.view());
        }
        ByteOutput content = new ByteOutput();
        settings.requests().put(request, content);
        CompletableFuture<A> answer = new CompletableFuture<>();
        long own;
        lock.lock();
        try {
            if (isClosed || open.size() >= settings.openMax()) {
                return failed(isClosed ? Reason.CLOSED : Reason.NOT_SENT, isClosed
                        ? "calls " + name + " are closed"
                        : open.size() + " calls of " + name + " are open here, the maximum (openMax)");
            }
            own = ++number;
            open.put(own, answer);
        } finally {
            lock.unlock();
        }
        long deadlineMillis = threads.epochMillis() + settings.timeout().toMillis();
        byte[] bytes = new Request(own, member, deadlineMillis, content.copy()).encode();
        Reach reach = member.isEmpty() ? Reach.oneAt(site) : Reach.of(site);
        threads.start("tutti-calls-" + name, () -> send(own, bytes, reach));
        threads.startAfter(settings.timeout().toNanos(), "tutti-calls-" + name + "-deadline",
                () -> fail(own, Reason.TIMED_OUT, target + " has not answered within " + settings.timeout()));
        return answer;
    }

    private static <A> CompletableFuture<A> failed(Reason reason, String message) {
        return CompletableFuture.failedFuture(new SiteCallException(reason, message));
    }

    private void send(long own, byte[] bytes, Reach reach) {
        try {
            joined().send(bytes, reach);
        } catch (SendException e) {
            fail(own, Reason.NOT_SENT, "call of " + reach.sites() + ": " + e.getMessage());
        }
    }

    private SiteGroup joined() {
        return requireNonNull(group, "the calls are not joined");
    }

    private void fail(long own, Reason reason, String message) {
        CompletableFuture<A> answer = take(own);
        if (answer != null) {
            answer.completeExceptionally(new SiteCallException(reason, message));
        }
    }

    private @Nullable CompletableFuture<A> take(long own) {
        lock.lock();
        try {
            return open.remove(own);
        } finally {
            lock.unlock();
        }
    }

    private A await(CompletableFuture<A> answer) {
        try {
            // The call itself has a deadline; the margin is for a busy machine.
            return threads.get(answer, 2 * settings.timeout().toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof SiteCallException known ? known.here() : new IllegalStateException(e.getCause());
        } catch (TimeoutException e) {
            throw new SiteCallException(Reason.TIMED_OUT, "no answer within " + settings.timeout());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SiteCallException(Reason.INTERRUPTED, "the thread was interrupted while it waited for an answer");
        }
    }

    /** Returns counts: open calls and running handlers; calls that were handled and refused; answers that nobody waited for, and that were not sent. */
    public Map<String, Long> status() {
        lock.lock();
        try {
            return new TreeMap<>(Map.of("open", (long) open.size(), "running", (long) running, "handled", handled, "refused", refused,
                    "malformed", malformed, "late", late, "unsent", unsent));
        } finally {
            lock.unlock();
        }
    }

    /** Returns the group of the calls. */
    public SiteGroup group() {
        return joined();
    }

    /** Leaves. Open calls fail. */
    @Override
    public void close() {
        joined().close();
        onClosed("it was closed");
    }

    private void onClosed(String reason) {
        List<Long> left;
        lock.lock();
        try {
            isClosed = true;
            left = List.copyOf(open.keySet());
        } finally {
            lock.unlock();
        }
        left.forEach(own -> fail(own, Reason.CLOSED, "calls " + name + " have ended: " + reason));
    }

    // ------------------------------------------------------------------ handling

    private void onMessage(SiteMessage message) {
        switch (decode(message.bytes())) {
            case Request request -> onRequest(message, request);
            case Answer answer -> {
                if (answer.caller() == sites.node().id().incarnation()) {
                    onAnswer(message, answer);
                }
            }
            case null -> count(() -> malformed++);
        }
    }

    private static @Nullable CallFrame decode(byte[] bytes) {
        try {
            return CallFrame.decode(bytes);
        } catch (MalformedException e) {
            return null;
        }
    }

    private void count(Runnable change) {
        lock.lock();
        try {
            change.run();
        } finally {
            lock.unlock();
        }
    }

    private void onRequest(SiteMessage message, Request request) {
        String own = sites.node().name();
        if (!request.member().isEmpty() && !request.member().equals(own)) {
            if (isToTellThatMissing(request.member())) {
                answer(message, request, Result.NO_MEMBER, "there is no member " + request.member(), new byte[0]);
            }
            return;
        }
        long lateMillis = threads.epochMillis() - request.deadlineMillis();
        SiteHandler<Q, A> handler = settings.handler();
        String refusal = handler == null
                ? own + " has no handler"
                : lateMillis > 0
                        ? "the call came to " + own + " " + lateMillis + " ms after its deadline, if the clocks of both nodes agree"
                        : begin() ? null : own + " runs " + settings.runningMax() + " handlers, its maximum (runningMax)";
        if (refusal != null || handler == null) {
            count(() -> refused++);
            answer(message, request, Result.REFUSED, String.valueOf(refusal), new byte[0]);
            return;
        }
        threads.start("tutti-calls-" + name + "-handler", () -> {
            try {
                handle(handler, message, request);
            } finally {
                count(() -> running--);
            }
        });
    }

    /** Returns whether a member is not in the view, and this is the one that says so. */
    private boolean isToTellThatMissing(String member) {
        View view = joined().local().view();
        boolean isMissing = view.members().stream().map(Member::name).noneMatch(member::equals);
        return isMissing && view.coordinator().node().equals(sites.node().id());
    }

    private boolean begin() {
        lock.lock();
        try {
            if (running == settings.runningMax()) {
                return false;
            }
            running++;
            handled++;
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void handle(SiteHandler<Q, A> handler, SiteMessage message, Request request) {
        Callbacks.Asked<Q> decoded = callbacks.ask(() -> settings.requests().take(new ByteInput(request.content())));
        Throwable unreadable = decoded.thrown();
        if (unreadable != null) {
            answer(message, request, Result.REFUSED, "the request can't be read: " + unreadable, new byte[0]);
            return;
        }
        Callbacks.Asked<byte[]> done = callbacks.ask(() -> {
            ByteOutput out = new ByteOutput();
            settings.answers().put(handler.handle(decoded.value(), message.site(), message.sender()), out);
            return out.copy();
        });
        Throwable failed = done.thrown();
        if (failed == null) {
            answer(message, request, Result.VALUE, "", done.value());
        } else {
            String detail = failed.getClass().getName() + (failed.getMessage() == null ? "" : ": " + failed.getMessage());
            answer(message, request, Result.FAILED, detail.substring(0, Math.min(DETAIL_MAX, detail.length())), new byte[0]);
        }
    }

    private void answer(SiteMessage message, Request request, Result result, String detail, byte[] content) {
        byte[] bytes = new Answer(message.incarnation(), request.number(), result, detail, content).encode();
        if (!beginAnswer()) {
            return;
        }
        threads.start("tutti-calls-" + name + "-answer", () -> {
            try {
                joined().send(bytes, Reach.of(message.site()));
            } catch (SendException e) {
                count(() -> unsent++);
            } finally {
                count(() -> answering--);
            }
        });
    }

    /** Returns whether an answer may be sent. If too many wait already, it is not: the caller's deadline tells it. */
    private boolean beginAnswer() {
        lock.lock();
        try {
            boolean isRoom = answering < ANSWERS * settings.runningMax();
            answering += isRoom ? 1 : 0;
            unsent += isRoom ? 0 : 1;
            return isRoom;
        } finally {
            lock.unlock();
        }
    }

    private void onAnswer(SiteMessage message, Answer answer) {
        CompletableFuture<A> waiting = take(answer.number());
        if (waiting == null) {
            count(() -> late++);
            return;
        }
        String from = message.sender() + " at site " + message.site();
        switch (answer.result()) {
            case VALUE -> {
                Callbacks.Asked<A> value = callbacks.ask(() -> settings.answers().take(new ByteInput(answer.content())));
                Throwable unreadable = value.thrown();
                if (unreadable == null) {
                    waiting.complete(value.value());
                } else {
                    waiting.completeExceptionally(
                            new SiteCallException(Reason.FAILED, "the answer of " + from + " can't be read: " + unreadable));
                }
            }
            case FAILED -> waiting.completeExceptionally(
                    new SiteCallException(Reason.FAILED, "the handler of " + from + " has failed: " + answer.detail()));
            case REFUSED -> waiting.completeExceptionally(
                    new SiteCallException(Reason.REFUSED, from + " has refused the call: " + answer.detail()));
            case NO_MEMBER -> waiting.completeExceptionally(
                    new SiteCallException(Reason.UNREACHABLE, answer.detail() + " at site " + message.site()));
        }
    }

    @Override
    public String toString() {
        return "calls " + name + " at " + sites.site();
    }
}
