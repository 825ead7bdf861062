package dev.tutti.blocks.calls;

import org.jspecify.annotations.Nullable;

/** A procedure that is handled here, and its handler. */
record Registration<Q extends @Nullable Object, A extends @Nullable Object>(
        Procedure<Q, A> procedure, Way<Q, A> way) {

    sealed interface Way<Q extends @Nullable Object, A extends @Nullable Object> {

        /** Handled on a thread of its own. */
        record OnThread<Q extends @Nullable Object, A extends @Nullable Object>(Handler<Q, A> handler)
                implements Way<Q, A> {}

        /** Handled on the thread that takes the request. */
        record Inline<Q extends @Nullable Object, A extends @Nullable Object>(Handler<Q, A> handler)
                implements Way<Q, A> {}

        /** Begun on the thread that takes the request, ended on any. */
        record Async<Q extends @Nullable Object, A extends @Nullable Object>(AsyncHandler<Q, A> handler)
                implements Way<Q, A> {}
    }
}
