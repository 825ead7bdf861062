package dev.tutti.blocks.calls;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.Codecs;
import dev.tutti.blocks.internal.argument.Arguments;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Proxy;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.StringJoiner;
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

    /** A method that is a procedure. */
    private record Operation(Method method, Procedure<@Nullable Object[], @Nullable Object> procedure, boolean isAsync) {}

    private final String name;
    private final Class<S> type;
    private final Map<Method, Operation> operations = new LinkedHashMap<>();

    private Service(String name, Class<S> type, Codecs codecs) {
        Arguments.required(name, "the name of a service");
        Arguments.required(codecs, "the codecs of service " + name);
        if (!Arguments.required(type, "the interface of service " + name).isInterface()) {
            throw new IllegalArgumentException(type.getName() + " is no interface");
        }
        this.name = name;
        this.type = type;
        for (Method method : type.getMethods()) {
            if (Modifier.isAbstract(method.getModifiers())) {
                operations.put(method, operation(method, codecs));
            }
        }
    }

    /** @param name by which all members know it */
    public static <S> Service<S> of(String name, Class<S> type, Codecs codecs) {
        return new Service<>(name, type, codecs);
    }

    private Operation operation(Method method, Codecs codecs) {
        Type result = method.getGenericReturnType();
        boolean isAsync = result instanceof ParameterizedType future && future.getRawType() == CompletableFuture.class;
        if (isAsync) {
            result = ((ParameterizedType) result).getActualTypeArguments()[0];
        }
        StringJoiner types = new StringJoiner(",", "(", ")");
        List<Codec<@Nullable Object>> arguments = new ArrayList<>();
        for (Type argument : method.getGenericParameterTypes()) {
            types.add(simpleName(argument));
            arguments.add(codec(argument, codecs));
        }
        String full = name + "." + method.getName() + types + simpleName(result);
        try {
            method.setAccessible(true);
        } catch (InaccessibleObjectException e) {
            throw new IllegalArgumentException(
                    "export or open the package of " + type.getName() + " to dev.tutti.blocks, and make it public", e);
        }
        return new Operation(method, Procedure.of(full, arguments(arguments), codec(result, codecs)), isAsync);
    }

    private static String simpleName(Type type) {
        return switch (type) {
            case Class<?> simple -> simple.getSimpleName();
            case ParameterizedType generic ->
                simpleName(generic.getRawType()) + "<" + simpleName(generic.getActualTypeArguments()[0]) + ">";
            default -> type.getTypeName();
        };
    }

    /** Returns the codec of a type, for values that may be null if they are objects. */
    @SuppressWarnings("unchecked") // a codec is given what its method's signature says
    private static Codec<@Nullable Object> codec(Type type, Codecs codecs) {
        Codec<Object> codec = (Codec<Object>) codecs.of(type);
        boolean isValue = type instanceof Class<?> simple && simple.isPrimitive() || type == Void.class;
        return isValue ? (Codec<@Nullable Object>) (Codec<?>) codec : Codec.nullable(codec);
    }

    private static Codec<@Nullable Object[]> arguments(List<Codec<@Nullable Object>> codecs) {
        return new Codec<>() {
            @Override
            public void put(@Nullable Object[] values, ByteOutput out) {
                for (int index = 0; index < values.length; index++) {
                    codecs.get(index).put(values[index], out);
                }
            }

            @Override
            public @Nullable Object[] take(ByteInput in) {
                @Nullable Object[] values = new @Nullable Object[codecs.size()];
                for (int index = 0; index < values.length; index++) {
                    values[index] = codecs.get(index).take(in);
                }
                return values;
            }
        };
    }

    // ------------------------------------------------------------------ implementing

    void serve(CallsBuilder builder, S implementation) {
        for (Operation each : operations.values()) {
            if (each.isAsync()) {
                builder.handleAsync(each.procedure(), later(each, implementation));
            } else if (each.method().isAnnotationPresent(Inline.class)) {
                builder.handleInline(each.procedure(), (arguments, context) -> invoke(each, implementation, arguments));
            } else {
                builder.handle(each.procedure(), (arguments, context) -> invoke(each, implementation, arguments));
            }
        }
    }

    private static AsyncHandler<@Nullable Object[], @Nullable Object> later(Operation operation, Object implementation) {
        return new AsyncHandler<>() {
            @Override
            public CompletionStage<@Nullable Object> handle(@Nullable Object[] arguments, CallContext context)
                    throws Exception {
                return stage(invoke(operation, implementation, arguments));
            }
        };
    }

    private static @Nullable Object invoke(Operation operation, Object implementation, @Nullable Object[] arguments)
            throws Exception {
        try {
            return operation.method().invoke(implementation, arguments);
        } catch (InvocationTargetException e) {
            switch (e.getCause()) {
                case Exception exception -> throw exception;
                case Error error -> throw error;
                case null, default -> throw e;
            }
        }
    }

    @SuppressWarnings("unchecked") // the method's signature says so
    private static CompletionStage<@Nullable Object> stage(@Nullable Object returned) {
        return (CompletionStage<@Nullable Object>) Objects.requireNonNull(
                returned, "an asynchronous method has returned null instead of a future");
    }

    // ------------------------------------------------------------------ calling

    private S proxy(InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
            if (method.getDeclaringClass() == Object.class) {
                return switch (method.getName()) {
                    case "equals" -> proxy == arguments[0];
                    case "hashCode" -> System.identityHashCode(proxy);
                    default -> "proxy of " + name;
                };
            }
            return method.isDefault()
                    ? InvocationHandler.invokeDefault(proxy, method, arguments)
                    : handler.invoke(proxy, method, arguments == null ? new Object[0] : arguments);
        }));
    }

    private Operation operation(Method method) {
        Operation operation = operations.get(method);
        if (operation == null) {
            throw new IllegalArgumentException(method + " is no method of service " + name);
        }
        return operation;
    }

    /** Returns an implementation whose methods call one member. */
    S proxy(CallToOne to) {
        return proxy((proxy, method, arguments) -> {
            Operation operation = operation(method);
            if (operation.isAsync()) {
                return to.<@Nullable Object[], @Nullable Object>start(operation.procedure(), arguments);
            }
            return to.<@Nullable Object[], @Nullable Object>call(operation.procedure(), arguments);
        });
    }

    /** A method of a service and its arguments, as recorded from a function. */
    record Invocation(Procedure<@Nullable Object[], @Nullable Object> procedure, @Nullable Object[] arguments) {}

    /** Returns the method that {@code use} calls on an object that only records the call, and its arguments. */
    Invocation record(Function<? super S, ?> use) {
        List<Invocation> noted = new ArrayList<>();
        var unused = use.apply(proxy((proxy, method, arguments) -> {
            Operation operation = operation(method);
            if (operation.isAsync()) {
                throw new IllegalArgumentException("several members are called by methods that return the value itself, and "
                        + method.getName() + " returns a future; start() gives one for all of them");
            }
            noted.add(new Invocation(operation.procedure(), arguments));
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
        return name + Arrays.toString(operations.values().stream().map(Operation::procedure).toArray());
    }
}
