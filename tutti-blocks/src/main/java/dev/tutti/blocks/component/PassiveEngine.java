package dev.tutti.blocks.component;

import dev.tutti.Group;
import dev.tutti.GroupState;
import dev.tutti.Threads;
import dev.tutti.blocks.internal.method.Operation;
import dev.tutti.blocks.machine.CommandException;
import dev.tutti.blocks.machine.Replica;
import dev.tutti.blocks.machine.ReplicaBuilder;
import dev.tutti.core.View;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Calls of a passive component, and their execution while this member is the primary. */
final class PassiveEngine implements Component.Engine {

    private final PassiveMachine machine;
    private final PassiveCalls calls;
    private final PrimaryExecutor executor;
    private final Replica<PassiveCommand, Boolean> replica;
    private final Duration timeout;

    private PassiveEngine(
            PassiveMachine machine,
            PassiveCalls calls,
            PrimaryExecutor executor,
            Replica<PassiveCommand, Boolean> replica,
            Duration timeout) {
        this.machine = machine;
        this.calls = calls;
        this.executor = executor;
        this.replica = replica;
        this.timeout = timeout;
    }

    static <S> Component<S> join(ComponentBuilder<S> options) {
        String name = options.group().name();
        Threads threads = options.group().node().threads();
        Methods methods = new Methods(name, options.type(), options.codecs());
        Supplier<GroupState> factory = options.factory();
        PassiveCalls calls = new PassiveCalls(name, threads);
        PassiveMachine machine = new PassiveMachine(name, options.group().node().id(), methods, factory, calls);
        PrimaryExecutor executor = new PrimaryExecutor(name, threads, machine, factory);
        calls.onWork(executor::wake);
        ReplicaBuilder<PassiveCommand, Boolean> builder = Replica.on(options.group(), machine, new PassiveCommand.Commands(methods))
                .timeout(options.timeout())
                .onClosed(reason -> {
                    executor.close();
                    calls.close(reason);
                });
        String[] founders = options.founders();
        if (founders != null) {
            builder.onlyInPrimary(founders);
        }
        Replica<PassiveCommand, Boolean> replica = builder.join();
        executor.open(replica);
        PassiveEngine engine = new PassiveEngine(machine, calls, executor, replica, options.timeout());
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
        } catch (CommandException e) {
            Throwable cause = e.getCause();
            throw e.reason() != CommandException.Reason.FAILED || cause == null
                    ? e
                    : cause instanceof CheckedException carried ? carried.getCause() : cause;
        } catch (CheckedException e) {
            throw e.getCause();
        }
        return calls.call(replica, new Invocation(operation, arguments), timeout);
    }

    private Optional<Object> read(Operation operation, @Nullable Object[] arguments) {
        return CheckedException.unchecked(() -> Optional.ofNullable(operation.invoke(machine.readable(), arguments)));
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
        Map<String, Long> status = new TreeMap<>(replica.status());
        status.put("open-calls", (long) calls.open());
        status.put("waiting-requests", (long) machine.waitingRequests());
        status.put("version", machine.version());
        return status;
    }

    @Override
    public void close() {
        executor.close();
        replica.close();
        calls.close("component " + replica.group().name() + " was closed");
    }
}
