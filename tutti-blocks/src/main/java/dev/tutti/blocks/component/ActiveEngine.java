package dev.tutti.blocks.component;

import dev.tutti.Group;
import dev.tutti.blocks.internal.method.Operation;
import dev.tutti.blocks.machine.CommandException;
import dev.tutti.blocks.machine.Replica;
import dev.tutti.blocks.machine.ReplicaBuilder;
import dev.tutti.core.View;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Calls of an active component. */
final class ActiveEngine implements Component.Engine {

    private final ActiveMachine machine;
    private final Replica<Invocation, Optional<Object>> replica;
    private final Duration timeout;

    private ActiveEngine(ActiveMachine machine, Replica<Invocation, Optional<Object>> replica, Duration timeout) {
        this.machine = machine;
        this.replica = replica;
        this.timeout = timeout;
    }

    static <S> Component<S> join(ComponentBuilder<S> options) {
        String name = options.group().name();
        Methods methods = new Methods(name, options.type(), options.codecs());
        ActiveMachine machine = new ActiveMachine(name, methods, options.factory());
        ReplicaBuilder<Invocation, Optional<Object>> builder = Replica.on(options.group(), machine, methods).timeout(options.timeout());
        String[] founders = options.founders();
        if (founders != null) {
            builder.onlyInPrimary(founders);
        }
        ActiveEngine engine = new ActiveEngine(machine, builder.join(), options.timeout());
        return new Component<>(
                Operation.proxy(
                        options.type(),
                        "proxy of component " + name,
                        (proxy, method, arguments) -> engine.call(methods.of(method), arguments)),
                engine);
    }

    private @Nullable Object call(Operation operation, @Nullable Object[] arguments) throws Throwable {
        try {
            if (Methods.isLocal(operation.method())) {
                return replica.local(() -> read(operation, arguments)).orElse(null);
            }
            if (Methods.isRead(operation.method())) {
                return replica.ask(() -> read(operation, arguments), timeout).orElse(null);
            }
            return replica.call(new Invocation(operation, arguments)).orElse(null);
        } catch (CommandException e) {
            throw e.reason() == CommandException.Reason.FAILED ? thrown(operation, e) : e;
        } catch (CheckedException e) {
            throw e.getCause();
        }
    }

    private Optional<Object> read(Operation operation, @Nullable Object[] arguments) {
        return CheckedException.unchecked(() -> Optional.ofNullable(operation.invoke(machine.implementation(), arguments)));
    }

    /** Returns the exception of the method itself, if it is one that the method can throw. */
    private static Throwable thrown(Operation operation, CommandException failure) {
        Throwable cause = failure.getCause() instanceof CheckedException carried ? carried.getCause() : failure.getCause();
        boolean isDeclared = Arrays.stream(operation.method().getExceptionTypes()).anyMatch(type -> type.isInstance(cause));
        return cause instanceof RuntimeException || isDeclared && cause != null ? cause : failure;
    }

    @Override
    public Group group() {
        return replica.group();
    }

    @Override
    public View view() {
        return replica.view();
    }

    @Override
    public Map<String, Long> status() {
        return replica.status();
    }

    @Override
    public void close() {
        replica.close();
    }
}
