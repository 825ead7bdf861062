package dev.tutti.blocks.component;

import dev.tutti.blocks.internal.method.Operation;
import org.jspecify.annotations.Nullable;

/** A call of a method that changes the state. */
record Invocation(Operation operation, @Nullable Object[] arguments) {

    @Nullable Object invoke(Object implementation) throws Exception {
        return operation.invoke(implementation, arguments);
    }
}
