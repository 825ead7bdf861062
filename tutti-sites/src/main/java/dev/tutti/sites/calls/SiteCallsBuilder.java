package dev.tutti.sites.calls;

import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.internal.argument.Arguments;
import dev.tutti.sites.SiteGroupBuilder;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Configures {@link SiteCalls}, and joins their group. All members have the same codecs. */
public final class SiteCallsBuilder<Q, A> {

    private final SiteGroupBuilder group;
    private final Codec<Q> requests;
    private final Codec<A> answers;
    private @Nullable SiteHandler<Q, A> handler;
    private Duration timeout = Duration.ofSeconds(10);
    private int openMax = 10_000;
    private int runningMax = 256;

    SiteCallsBuilder(SiteGroupBuilder group, Codec<Q> requests, Codec<A> answers) {
        this.group = Arguments.required(group, "on: the group");
        this.requests = Arguments.required(requests, "on: the codec of requests");
        this.answers = Arguments.required(answers, "on: the codec of answers");
    }

    /** Sets the handler of calls of this member; without one, it refuses them. */
    public SiteCallsBuilder<Q, A> handle(SiteHandler<Q, A> calls) {
        handler = Arguments.required(calls, "handle: the handler");
        return this;
    }

    /** Sets the time that a call may take; 1 ms to 1 day, 10 s by default. */
    public SiteCallsBuilder<Q, A> timeout(Duration time) {
        timeout = Arguments.timeout(time, "timeout: the time");
        return this;
    }

    /** Sets the number of calls that may be open here, 10,000 by default; more are not sent. */
    public SiteCallsBuilder<Q, A> openMax(int calls) {
        openMax = atLeastOne(calls, "open calls");
        return this;
    }

    /** Sets the number of handlers that run here at a time, 256 by default; calls beyond it are refused. */
    public SiteCallsBuilder<Q, A> runningMax(int handlers) {
        runningMax = atLeastOne(handlers, "running handlers");
        return this;
    }

    private static int atLeastOne(int number, String what) {
        if (number < 1) {
            throw new IllegalArgumentException("at most " + number + " " + what + ", at least 1");
        }
        return number;
    }

    /**
     * Joins. Returns when this member is in the view of its site.
     *
     * @throws IllegalStateException if the site group is joined already
     */
    public SiteCalls<Q, A> join() {
        return SiteCalls.join(this);
    }

    SiteGroupBuilder group() {
        return group;
    }

    Codec<Q> requests() {
        return requests;
    }

    Codec<A> answers() {
        return answers;
    }

    @Nullable SiteHandler<Q, A> handler() {
        return handler;
    }

    Duration timeout() {
        return timeout;
    }

    int openMax() {
        return openMax;
    }

    int runningMax() {
        return runningMax;
    }
}
