package dev.tutti.balancer.internal.proxy;

import dev.tutti.announce.message.WebContext;
import dev.tutti.balancer.internal.member.NodeTally;
import dev.tutti.balancer.internal.proxy.Counters.Name;
import dev.tutti.balancer.internal.table.Choice;
import dev.tutti.balancer.internal.table.Choice.Cause;
import dev.tutti.balancer.internal.table.Choice.Chosen;
import dev.tutti.balancer.internal.table.Choice.Unserved;
import dev.tutti.balancer.internal.table.RequestKey;
import dev.tutti.balancer.internal.table.RoutingTable;
import dev.tutti.balancer.internal.table.WebNode;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A request and its answer. On the loop of its client's connection.
 *
 * <p>A request goes to another node after a failure if it could not be sent at all, or if nothing of its answer has come, its method
 * is idempotent (RFC 9110, section 9.2.2), and its body is there still. Otherwise its client learns of the failure.
 */
final class Exchange {

    private static final int ATTEMPTS_MAX = 4;

    private static final Set<HttpMethod> IDEMPOTENT =
            Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS, HttpMethod.PUT, HttpMethod.DELETE);

    private enum Stage { CHOOSING, CONNECTING, QUEUED, SENT, ANSWERED, UPGRADED, OVER }

    private final Proxy proxy;
    private final Lane lane;
    private final Front front;
    private final HttpRequest request;
    private final RequestBody body = new RequestBody();
    private final long startNanos = System.nanoTime();

    private Stage stage = Stage.CHOOSING;
    private long deadlineNanos;

    private @Nullable HttpRequest outgoing;
    private @Nullable RequestKey key;
    private boolean isUpgrade;
    private int attempts;
    private final Set<String> tried = new HashSet<>(2);

    // The node of the present attempt.
    private @Nullable WebNode node;
    private @Nullable NodeTally tally;
    private String path = "";
    private @Nullable NodePool pool;
    private @Nullable Back back;
    private boolean isReused;

    // The answer.
    private int status;
    private long answerBytes;
    private boolean isBackReusable;

    Exchange(Proxy proxy, Lane lane, Front front, HttpRequest request) {
        this.proxy = proxy;
        this.lane = lane;
        this.front = front;
        this.request = request;
    }

    HttpRequest request() {
        return request;
    }

    boolean isRequestEnded() {
        return body.isEnded();
    }

    boolean isUpgraded() {
        return stage == Stage.UPGRADED;
    }

    boolean isOver() {
        return stage == Stage.OVER;
    }

    // ------------------------------------------------------------------ request

    void begin() {
        lane.enter(this);
        proxy.counters().add(Name.REQUESTS);
        try {
            key = proxy.heads().check(request);
        } catch (RefusedException e) {
            proxy.counters().add(Name.REFUSED);
            refuse(e.status(), String.valueOf(e.getMessage()));
            return;
        }
        isUpgrade = !front.isHttp2() && Heads.isUpgrade(request);
        outgoing = proxy.heads().outgoing(request, front.client().facts(), isUpgrade);
        if (IDEMPOTENT.contains(request.method())) {
            body.keepCopy();
        }
        attempt();
    }

    /** Takes a part of the body. */
    void onContent(HttpContent content) {
        if (stage == Stage.OVER) {
            content.release();
            return;
        }
        body.add(content);
        boolean isTooLong = body.bytes() > proxy.limits().bodyBytes();
        if (content.decoderResult().isFailure() || isTooLong) {
            content.release();
            proxy.counters().add(Name.REFUSED);
            body.cut();
            refuse(
                    isTooLong ? 413 : 400,
                    isTooLong ? "the body has more than " + proxy.limits().bodyBytes() + " bytes" : "the body is malformed");
            return;
        }
        Back to = back;
        if (to == null) {
            body.hold(content);
            if (!body.isEnded()) {
                front.mayRead(false);
            }
            return;
        }
        to.write(content);
        extend(proxy.limits().times().answer());
        if (!to.isWritable()) {
            // The flush may have made room already, and then nothing else would say so.
            to.flush();
            front.mayRead(to.isWritable());
        }
    }

    /** Sends the parts that came in one batch. */
    void flush() {
        Back to = back;
        if (to != null) {
            to.flush();
        }
    }

    // ------------------------------------------------------------------ attempts

    private void attempt() {
        attempts++;
        RequestKey by = key;
        if (by == null) {
            return;
        }
        while (true) {
            RoutingTable table = proxy.directory().table();
            Choice choice = table.choose(by, proxy.directory().tallies(), tried);
            if (!(choice instanceof Chosen chosen)) {
                onUnserved(((Unserved) choice).cause());
                return;
            }
            claim(chosen);
            // A node that was stopped meanwhile may have been told that nothing is in flight.
            if (proxy.directory().table() == table) {
                note(chosen);
                break;
            }
            unclaim();
        }
        connect();
    }

    private void claim(Chosen chosen) {
        WebContext context = chosen.context();
        node = chosen.node();
        path = context.path();
        NodeTally of = proxy.directory().tallies().of(chosen.node().route());
        tally = of;
        of.onSent(path, chosen.reason() == Choice.Reason.STICKY);
    }

    private void unclaim() {
        NodeTally of = tally;
        tally = null;
        if (of != null && of.onEnded(path)) {
            proxy.onContextIdle();
        }
    }

    private void note(Chosen chosen) {
        switch (chosen.reason()) {
            case STICKY -> proxy.counters().add(Name.STICKY);
            case FAILED_OVER -> proxy.counters().add(Name.FAILED_OVER);
            case FREE -> {}
        }
    }

    private void onUnserved(Cause cause) {
        switch (cause) {
            case NO_CONTEXT -> {
                proxy.counters().add(Name.NO_CONTEXT);
                refuse(404, cause.text());
            }
            case ALL_DRAINING -> {
                proxy.counters().add(Name.NO_NODE);
                refuse(503, cause.text());
            }
            case ALL_FAILED -> {
                proxy.counters().add(Name.NO_NODE);
                refuse(502, cause.text());
            }
        }
    }

    private void connect() {
        WebNode to = node;
        if (to == null) {
            return;
        }
        NodePool of = lane.pool(to.content().url());
        pool = of;
        Back idle = of.takeIdle();
        if (idle != null) {
            isReused = true;
            onConnection(idle);
        } else if (of.mayOpen()) {
            isReused = false;
            stage = Stage.CONNECTING;
            // The dial has a timeout of its own.
            deadlineNanos = Long.MAX_VALUE;
            proxy.dial(lane, of, to.content(), this);
        } else if (of.await(this)) {
            isReused = true;
            stage = Stage.QUEUED;
            extend(proxy.limits().times().queue());
        } else {
            proxy.counters().add(Name.QUEUE_FULL);
            refuse(503, "too many requests wait for node " + to.route());
        }
    }

    /** Opens a connection in place of one that was closed, after having waited for it. */
    void onRoom() {
        connect();
    }

    /** Sends the request, now that there is a connection. */
    void onConnection(Back connection) {
        HttpRequest head = outgoing;
        if (head == null) {
            return;
        }
        stage = Stage.SENT;
        back = connection;
        extend(proxy.limits().times().answer());
        connection.begin(this);
        connection.write(head);
        for (HttpContent content = body.poll(); content != null; content = body.poll()) {
            connection.write(content);
        }
        if (!front.isReading()) {
            connection.flush();
        }
        if (connection.isWritable()) {
            front.mayRead(true);
        }
    }

    /** Notes that the node could not be reached; nothing was sent. */
    void onDialFailed() {
        onNodeFailed();
        if (attempts < ATTEMPTS_MAX) {
            again(false);
        } else {
            refuse(502, Cause.ALL_FAILED.text());
        }
    }

    private void onNodeFailed() {
        NodeTally of = tally;
        proxy.counters().add(Name.NODE_FAILURES);
        if (of != null) {
            of.onFailed(System.nanoTime());
        }
        if (node != null) {
            tried.add(node.route());
        }
    }

    /** @param wasSent whether the request was sent, so that its body has to be taken from the copy */
    private void again(boolean wasSent) {
        proxy.counters().add(Name.RETRIED);
        unclaim();
        back = null;
        pool = null;
        if (wasSent) {
            body.repeat();
        }
        stage = Stage.CHOOSING;
        attempt();
        flush();
    }

    /** Notes that the connection to the node is closed, or its bytes are no HTTP. */
    void onBackLost() {
        if (stage == Stage.OVER) {
            return;
        }
        back = null;
        if (stage == Stage.UPGRADED) {
            end();
            front.close();
            return;
        }
        if (stage == Stage.ANSWERED) {
            proxy.counters().add(Name.NODE_FAILURES);
            abort();
            return;
        }
        boolean mayRepeat = body.isRepeatable() && attempts < ATTEMPTS_MAX;
        // Nodes close connections that are idle, sometimes at the moment at which one is used again. Twice is no coincidence.
        if (!isReused || !mayRepeat || attempts > 1) {
            onNodeFailed();
        }
        if (mayRepeat) {
            again(true);
        } else {
            refuse(502, "the connection to node " + (node == null ? "?" : node.route())
                    + " has ended before its answer; the node may have done what was asked");
        }
    }

    // ------------------------------------------------------------------ answer

    /** Takes the head of an answer. */
    void onAnswer(HttpResponse answer, boolean isReusable) {
        NodeTally of = tally;
        WebNode at = node;
        if (of == null || at == null) {
            return;
        }
        of.onAnswered();
        extend(proxy.limits().times().answer());
        if (answer.status().equals(HttpResponseStatus.CONTINUE)) {
            front.onContinue();
            return;
        }
        status = answer.status().code();
        if (status < 200 && status != 101) {
            return;
        }
        if (status == 101 && !isUpgrade) {
            Back from = back;
            onBackLost();
            if (from != null) {
                from.end(false);
            }
            return;
        }
        body.dropCopy();
        isBackReusable = isReusable;
        stage = Stage.ANSWERED;
        if (proxy.heads().isSessionBegun(answer, at.route())) {
            boolean isNew = key == null || !key.routes().contains(at.route());
            if (isNew) {
                of.onSessionBegun();
                proxy.counters().add(Name.SESSIONS);
            }
        }
        if (status == 101) {
            return;
        }
        Heads.Ending ending = Heads.prepare(answer, request, front.isHttp2());
        front.onAnswer(answer, ending == Heads.Ending.BY_CLOSE || proxy.isClosing());
    }

    /** Takes a part of the body of an answer. */
    void onAnswerContent(HttpContent content, HttpResponse head) {
        if (stage != Stage.ANSWERED) {
            // The end of an interim answer.
            content.release();
            return;
        }
        if (status == 101) {
            content.release();
            if (content instanceof LastHttpContent) {
                upgrade(head);
            }
            return;
        }
        answerBytes += content.content().readableBytes();
        extend(proxy.limits().times().answer());
        boolean isLast = content instanceof LastHttpContent;
        front.write(content);
        if (isLast) {
            end();
        } else if (!front.isWritable()) {
            Back from = back;
            front.flush();
            if (from != null) {
                from.mayRead(front.isWritable());
            }
        }
    }

    void flushAnswer() {
        front.flush();
    }

    private void upgrade(HttpResponse head) {
        Back to = back;
        NodeTally of = tally;
        if (to == null || of == null) {
            return;
        }
        stage = Stage.UPGRADED;
        of.onUpgraded(1);
        unclaim();
        tally = of;
        extend(proxy.limits().times().webSocketIdle());
        to.becomePipe();
        front.becomePipe(head);
        log();
    }

    /** Passes bytes of an upgraded connection on. */
    void onClientBytes(ByteBuf bytes) {
        Back to = back;
        if (to == null) {
            bytes.release();
            return;
        }
        extend(proxy.limits().times().webSocketIdle());
        to.write(bytes);
        to.flush();
        front.mayRead(to.isWritable());
    }

    /** Passes bytes of an upgraded connection on. */
    void onNodeBytes(ByteBuf bytes) {
        answerBytes += bytes.readableBytes();
        extend(proxy.limits().times().webSocketIdle());
        front.write(bytes);
        front.flush();
        Back from = back;
        if (from != null) {
            from.mayRead(front.isWritable());
        }
    }

    /** Notes that the client takes bytes again. */
    void onClientWritable() {
        Back from = back;
        if (from != null) {
            from.mayRead(true);
        }
    }

    /** Notes that the node takes bytes again. */
    void onNodeWritable() {
        front.mayRead(true);
    }

    // ------------------------------------------------------------------ end

    private void extend(long nanos) {
        deadlineNanos = System.nanoTime() + nanos;
    }

    void onTime(long nowNanos) {
        boolean isBodyLate = !body.isEnded()
                && (stage == Stage.SENT || stage == Stage.CONNECTING || stage == Stage.QUEUED)
                && nowNanos - startNanos >= proxy.limits().times().request();
        boolean isLate = deadlineNanos != Long.MAX_VALUE && nowNanos - deadlineNanos >= 0;
        if (!isBodyLate && !isLate) {
            return;
        }
        String route = node == null ? "?" : node.route();
        switch (stage) {
            case QUEUED, CONNECTING, SENT -> {
                proxy.counters().add(Name.TIMEOUTS);
                if (isBodyLate) {
                    refuse(408, "the body of the request has not come in time");
                } else if (stage == Stage.QUEUED) {
                    refuse(503, "no connection to node " + route + " became free in time");
                } else {
                    refuse(504, "node " + route + " has not answered in time");
                }
            }
            case ANSWERED -> {
                proxy.counters().add(Name.TIMEOUTS);
                abort();
            }
            case UPGRADED -> {
                end();
                front.close();
            }
            case CHOOSING, OVER -> {}
        }
    }

    /** Notes that the client has gone. */
    void onClientGone() {
        if (stage == Stage.OVER) {
            return;
        }
        if (stage != Stage.UPGRADED) {
            proxy.counters().add(Name.ABORTED);
            status = status == 0 ? 499 : status;
        }
        isBackReusable = false;
        end();
    }

    /** Ends an answer that has begun and can't be completed; the client sees that from the end of the connection. */
    private void abort() {
        isBackReusable = false;
        end();
        front.close();
    }

    private void refuse(int code, String reason) {
        if (stage == Stage.OVER) {
            return;
        }
        if (stage == Stage.ANSWERED || stage == Stage.UPGRADED) {
            abort();
            return;
        }
        status = code;
        isBackReusable = false;
        answerBytes = front.refuse(code, reason);
        end();
    }

    private void end() {
        boolean wasUpgraded = stage == Stage.UPGRADED;
        boolean wasQueued = stage == Stage.QUEUED;
        stage = Stage.OVER;
        lane.leave(this);
        NodeTally of = tally;
        if (wasUpgraded && of != null) {
            of.onUpgraded(-1);
            tally = null;
        } else {
            unclaim();
        }
        body.release();
        NodePool from = pool;
        if (wasQueued && from != null) {
            from.forget(this);
        }
        Back used = back;
        back = null;
        if (used != null) {
            used.end(isBackReusable && body.isEnded() && !wasUpgraded);
        }
        if (!wasUpgraded) {
            log();
        }
        front.onEnd(this);
    }

    private void log() {
        switch (status / 100) {
            case 1 -> proxy.counters().add(Name.ANSWERS_1XX);
            case 2 -> proxy.counters().add(Name.ANSWERS_2XX);
            case 3 -> proxy.counters().add(Name.ANSWERS_3XX);
            case 4 -> proxy.counters().add(Name.ANSWERS_4XX);
            case 5 -> proxy.counters().add(Name.ANSWERS_5XX);
            default -> {}
        }
        proxy.log(front.client().facts().address(), request, status, answerBytes, node == null ? "-" : node.route(),
                System.nanoTime() - startNanos);
    }
}
