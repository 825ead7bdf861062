package dev.tutti.blocks.internal.method;

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
import java.util.List;
import java.util.StringJoiner;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A method of an interface, and how its arguments and its result become bytes. Those that are objects may be null.
 *
 * @param signature the name of the interface and of the method, and the simple names of its types
 * @param arguments codec of its arguments
 * @param result codec of its result; that of the future's value if it returns a future
 * @param isAsync whether it returns a future
 */
public record Operation(
        Method method, String signature, Codec<@Nullable Object[]> arguments, Codec<@Nullable Object> result, boolean isAsync) {

    /**
     * Returns the abstract methods of an interface, in no order.
     *
     * @param name by which members know the interface
     * @param what what has the interface, for people
     * @throws IllegalArgumentException if it is no interface, is not accessible, or a type has no codec
     */
    public static <S> List<Operation> allOf(String name, Class<S> type, Codecs codecs, String what) {
        if (!Arguments.required(type, "the interface of " + what).isInterface()) {
            throw new IllegalArgumentException(type.getName() + " is no interface");
        }
        List<Operation> operations = new ArrayList<>();
        for (Method method : type.getMethods()) {
            if (Modifier.isAbstract(method.getModifiers())) {
                operations.add(of(name, method, codecs));
            }
        }
        return operations;
    }

    private static Operation of(String name, Method method, Codecs codecs) {
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
        try {
            method.setAccessible(true);
        } catch (InaccessibleObjectException e) {
            throw new IllegalArgumentException(
                    "export or open the package of " + method.getDeclaringClass().getName() + " to dev.tutti.blocks, and make it public", e);
        }
        String signature = name + "." + method.getName() + types + simpleName(result);
        return new Operation(method, signature, arguments(arguments), codec(result, codecs), isAsync);
    }

    private static String simpleName(Type type) {
        return switch (type) {
            case Class<?> simple -> simple.getSimpleName();
            case ParameterizedType generic -> {
                StringJoiner arguments = new StringJoiner(",", "<", ">");
                for (Type argument : generic.getActualTypeArguments()) {
                    arguments.add(simpleName(argument));
                }
                yield simpleName(generic.getRawType()) + arguments;
            }
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

    /** Calls the method, and throws what it throws. */
    public @Nullable Object invoke(Object implementation, @Nullable Object[] values) throws Exception {
        try {
            return method.invoke(implementation, values);
        } catch (InvocationTargetException e) {
            switch (e.getCause()) {
                case Exception exception -> throw exception;
                case Error error -> throw error;
                case null, default -> throw e;
            }
        }
    }

    /**
     * Returns an implementation of an interface whose abstract methods a handler executes.
     *
     * @param text what the implementation says of itself
     */
    public static <S> S proxy(Class<S> type, String text, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
            if (method.getDeclaringClass() == Object.class) {
                return switch (method.getName()) {
                    case "equals" -> proxy == arguments[0];
                    case "hashCode" -> System.identityHashCode(proxy);
                    default -> text;
                };
            }
            return method.isDefault()
                    ? InvocationHandler.invokeDefault(proxy, method, arguments)
                    : handler.invoke(proxy, method, arguments == null ? new Object[0] : arguments);
        }));
    }
}
