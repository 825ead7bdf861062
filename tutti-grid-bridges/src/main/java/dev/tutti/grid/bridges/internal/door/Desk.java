package dev.tutti.grid.bridges.internal.door;

import dev.tutti.internal.door.Hosts;
import dev.tutti.netty.internal.reload.ServerTls;
import dev.tutti.netty.internal.reload.Tokens;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Decides who may use a server, bounds what its requests hold, and has them answered. Shared by its connections. Thread-safe. */
final class Desk {

    /** Most bytes of a body. */
    static final int BODY_BYTES_MAX = 4 << 20;

    /** Most bytes of bodies that have come in part, or are being answered. */
    private static final int BYTES_MAX = 64 << 20;

    /** Most requests that are answered at a time. */
    private static final int ANSWERS_MAX = 16;

    /** Name of tokens for bridges. */
    private static final String NAME = "bridges";

    private final String server;
    private final @Nullable Tokens tokens;
    private final boolean asksForCertificates;
    private final Hosts hosts;
    private final Function<Call, Reply> service;
    private final Semaphore answers = new Semaphore(ANSWERS_MAX);
    private final Semaphore bytes = new Semaphore(BYTES_MAX);
    private final LongAdder requests = new LongAdder();
    private final LongAdder refused = new LongAdder();

    Desk(String server, @Nullable Tokens tokens, boolean asksForCertificates, Hosts hosts, Function<Call, Reply> service) {
        this.server = server;
        this.tokens = tokens;
        this.asksForCertificates = asksForCertificates;
        this.hosts = hosts;
        this.service = service;
    }

    /** Returns whether everybody is let in. */
    boolean isOpen() {
        return tokens == null && !asksForCertificates;
    }

    /** Returns the answer to those who may not ask; null if they may. */
    @Nullable Reply refusal(Channel channel, HttpHeaders headers) {
        requests.increment();
        String host = headers.get(HttpHeaderNames.HOST);
        if (!Hosts.isOwn(headers.get(HttpHeaderNames.ORIGIN), host)) {
            return Reply.text(403, "a page of another server asks; only programs may");
        }
        if (isOpen()) {
            // A foreign page whose name was made to lead here sends that name.
            return hosts.isAllowed(host)
                    ? null
                    : Reply.text(403, "the " + server + " does not know that this is a name of its host; use its address, or tell it the name");
        }
        if (asksForCertificates && ServerTls.hasCertificate(channel)) {
            return null;
        }
        String token = Tokens.sent(headers);
        String name = tokens == null || token.isEmpty() ? null : tokens.nameOf(token);
        if (name == null) {
            return Reply.text(401, "the " + server + (token.isEmpty() ? " asks for a token" : " does not know this token"));
        }
        return name.equals(Tokens.ALL) || name.equals(NAME) ? null : Reply.text(403, "the token is for " + name + ", not for " + NAME);
    }

    boolean tryReserve(int count) {
        return bytes.tryAcquire(count);
    }

    void release(int count) {
        bytes.release(count);
    }

    /** Answers on a thread of its own. Returns false if too many are being answered. */
    boolean answerLater(Call call, Consumer<Reply> sink) {
        if (!answers.tryAcquire()) {
            return false;
        }
        Thread.ofVirtual().name("tutti-bridge-request").start(() -> {
            Reply reply;
            try {
                reply = service.apply(call);
            } catch (RuntimeException e) {
                reply = Reply.text(500, "the request has failed: " + e);
            } finally {
                answers.release();
            }
            sink.accept(reply);
        });
        return true;
    }

    void onRefused() {
        refused.increment();
    }

    long requests() {
        return requests.sum();
    }

    long refused() {
        return refused.sum();
    }
}
