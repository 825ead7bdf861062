package dev.tutti.blocks.component;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.Codecs;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.internal.method.Operation;
import java.io.IOException;
import java.lang.reflect.Method;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The methods of a component's interface, and the codec of their calls. All members have the same ones. */
final class Methods implements Codec<Invocation> {

    private final String name;
    private final Map<Method, Operation> byMethod = new LinkedHashMap<>();

    /** Those that change the state, by signature: their places in this list are sent. */
    private final List<Operation> changes;

    Methods(String name, Class<?> type, Codecs codecs) {
        this.name = name;
        for (Operation each : Operation.allOf(name, type, codecs, "component " + name)) {
            if (each.isAsync()) {
                throw new IllegalArgumentException(
                        each.signature() + " returns a future; methods of components return the value itself");
            }
            byMethod.put(each.method(), each);
        }
        changes = byMethod.values().stream()
                .filter(each -> !isRead(each.method()) && !isLocal(each.method()))
                .sorted(Comparator.comparing(Operation::signature))
                .toList();
    }

    static boolean isRead(Method method) {
        return method.isAnnotationPresent(Read.class);
    }

    static boolean isLocal(Method method) {
        return method.isAnnotationPresent(Local.class);
    }

    Operation of(Method method) {
        Operation operation = byMethod.get(method);
        if (operation == null) {
            throw new IllegalArgumentException(method + " is no method of component " + name);
        }
        return operation;
    }

    @Override
    public void put(Invocation invocation, ByteOutput out) {
        out.putInt(changes.indexOf(invocation.operation()));
        invocation.operation().arguments().put(invocation.arguments(), out);
    }

    @Override
    public Invocation take(ByteInput in) {
        int index = in.takeInt();
        if (index < 0 || index >= changes.size()) {
            throw new MalformedException("method " + index + " of " + changes.size());
        }
        Operation operation = changes.get(index);
        return new Invocation(operation, operation.arguments().take(in));
    }

    /** Returns the methods that change the state, as text: members with other ones do not understand each other. */
    String fingerprint() {
        return changes.stream().map(Operation::signature).collect(Collectors.joining(" "));
    }

    /** @throws IOException if the state is of members that have other methods */
    void check(String other) throws IOException {
        if (!other.equals(fingerprint())) {
            throw new IOException("component " + name + " has other methods at the other members, [" + other + "], than here, ["
                    + fingerprint() + "]; members must have the same ones");
        }
    }
}
