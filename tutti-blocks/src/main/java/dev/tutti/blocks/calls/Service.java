package dev.tutti.blocks.calls;

import dev.tutti.blocks.codec.Codecs;
import dev.tutti.blocks.internal.argument.Arguments;
import dev.tutti.blocks.internal.method.Operation;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An interface whose methods are procedures: implemented by {@link CallsBuilder#serve}, called through {@link
 * CallToOne#proxy} and {@link CallToMany#call(Service, Function)}.
 *
 * <p>A method is identified by the service's name, its own, and the simple names of its types; so a member that has
 * another version of it refuses the call instead of misreading it. A method that returns a {@link CompletableFuture} is
 * asynchronous at both ends. Arguments and results that are objects may be null. Default and static methods are no
 * procedures, and run where they are called.
 *
 * @param <S> the interface: public, in a package that is exported or opened to this module; or on the class path
 */
public final class Service<S> {

    /** A method, and the procedure that it is. */
    private record Called(Operation operation, Procedure<@Nullable Object[], @Nullable Object> procedure) {

        @Nullable Object invoke(Object implementation, @Nullable Object[] arguments) throws Exception {
            return operation.invoke(implementation, arguments);
        }

        boolean isAsync() {
            return operation.isAsync();
        }
    }

    private final String name;
    private final Class<S> type;
    private final Map<Method, Called> operations = new LinkedHashMap<>();

    private Service(String name, Class<S> type, Codecs codecs) {
        this.name = Arguments.required(name, "the name of a service");
        this.type = type;
        Arguments.required(codecs, "the codecs of service " + name);
        for (Operation each : Operation.allOf(name, type, codecs, "service " + name)) {
            operations.put(each.method(), new Called(each, Procedure.of(each.signature(), each.arguments(), each.result())));
        }
    }

    /** @param name by which all members know it */
    public static <S> Service<S> of(String name, Class<S> type, Codecs codecs) {
        return new Service<>(name, type, codecs);
    }

    // ------------------------------------------------------------------ implementing

    void serve(CallsBuilder builder, S implementation) {
        for (Called each : operations.values()) {
            if (each.isAsync()) {
                builder.handleAsync(each.procedure(), later(each, implementation));
            } else if (each.operation().method().isAnnotationPresent(Inline.class)) {
                builder.handleInline(each.procedure(), (arguments, context) -> each.invoke(implementation, arguments));
            } else {
                builder.handle(each.procedure(), (arguments, context) -> each.invoke(implementation, arguments));
            }
        }
    }

    private static AsyncHandler<@Nullable Object[], @Nullable Object> later(Called called, Object implementation) {
        return new AsyncHandler<>() {
            @Override
            public CompletionStage<@Nullable Object> handle(@Nullable Object[] arguments, CallContext context)
                    throws Exception {
                return stage(called.invoke(implementation, arguments));
            }
        };
    }

    @SuppressWarnings("unchecked") // the method's signature says so
    private static CompletionStage<@Nullable Object> stage(@Nullable Object returned) {
        return (CompletionStage<@Nullable Object>) Objects.requireNonNull(
                returned, "an asynchronous method has returned null instead of a future");
    }

    // ------------------------------------------------------------------ calling

    private S proxy(InvocationHandler handler) {
        return Operation.proxy(type, "proxy of " + name, handler);
    }

    private Called called(Method method) {
        Called called = operations.get(method);
        if (called == null) {
            throw new IllegalArgumentException(method + " is no method of service " + name);
        }
        return called;
    }

    /** Returns an implementation whose methods call one member. */
    S proxy(CallToOne to) {
        return proxy((proxy, method, arguments) -> {
            Called called = called(method);
            if (called.isAsync()) {
                return to.<@Nullable Object[], @Nullable Object>start(called.procedure(), arguments);
            }
            return to.<@Nullable Object[], @Nullable Object>call(called.procedure(), arguments);
        });
    }

    /** A method of a service and its arguments, as recorded from a function. */
    record Invocation(Procedure<@Nullable Object[], @Nullable Object> procedure, @Nullable Object[] arguments) {}

    /** Returns the method that {@code use} calls on an object that only records the call, and its arguments. */
    Invocation record(Function<? super S, ?> use) {
        List<Invocation> noted = new ArrayList<>();
        var unused = use.apply(proxy((proxy, method, arguments) -> {
            Called called = called(method);
            if (called.isAsync()) {
                throw new IllegalArgumentException("several members are called by methods that return the value itself, and "
                        + method.getName() + " returns a future; start() gives one for all of them");
            }
            noted.add(new Invocation(called.procedure(), arguments));
            return nothing(method.getReturnType());
        }));
        if (noted.size() != 1) {
            throw new IllegalArgumentException("one method of service " + name + " is to be called, not " + noted.size());
        }
        return noted.getFirst();
    }

    private static @Nullable Object nothing(Class<?> type) {
        if (type == int.class) {
            return 0;
        } else if (type == long.class) {
            return 0L;
        } else if (type == double.class) {
            return 0.0;
        }
        return type == boolean.class ? false : null;
    }

    @Override
    public String toString() {
        return name + Arrays.toString(operations.values().stream().map(Called::procedure).toArray());
    }
}
