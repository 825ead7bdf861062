package dev.tutti.sites.calls;

/** Handles calls of other sites. */
@FunctionalInterface
public interface SiteHandler<Q, A> {

    /**
     * Answers a call, on a thread of its own.
     *
     * @param site of the caller
     * @param caller name of its node
     * @throws Exception if there is no answer; the caller gets its type and message
     */
    A handle(Q request, String site, String caller) throws Exception;
}
