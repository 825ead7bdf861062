package dev.tutti.blocks.component;

import dev.tutti.GroupState;
import dev.tutti.Snapshot;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.machine.StateMachine;
import dev.tutti.core.Member;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Optional;
import java.util.function.Supplier;

/** The implementation of an active component at this member, which executes every change. */
final class ActiveMachine implements StateMachine<Invocation, Optional<Object>> {

    private final String name;
    private final Methods methods;
    private final Supplier<? extends GroupState> factory;
    private GroupState implementation;

    ActiveMachine(String name, Methods methods, Supplier<? extends GroupState> factory) {
        this.name = name;
        this.methods = methods;
        this.factory = factory;
        this.implementation = factory.get();
    }

    /** Returns the implementation, for reads. */
    GroupState implementation() {
        return implementation;
    }

    @Override
    public Optional<Object> apply(Member member, Invocation invocation) {
        return CheckedException.unchecked(() -> Optional.ofNullable(invocation.invoke(implementation)));
    }

    @Override
    public void begin(long era) {
        implementation = factory.get();
    }

    @Override
    public Snapshot snapshot() {
        byte[] header = new ByteOutput().putText(methods.fingerprint()).copy();
        Snapshot snapshot = implementation.snapshot();
        return new Snapshot() {
            @Override
            public void write(OutputStream out) throws IOException {
                Images.writeHeader(out, header);
                snapshot.write(out);
            }

            @Override
            public void close() {
                snapshot.close();
            }
        };
    }

    @Override
    public void install(InputStream in) throws IOException {
        ByteInput header = Images.readHeader(in);
        try {
            methods.check(header.takeText());
            header.end();
        } catch (MalformedException e) {
            throw Images.unreadable(name, e);
        }
        implementation.install(in);
    }

    @Override
    public boolean isReproducible() {
        return implementation.isReproducible();
    }

    @Override
    public boolean isAtomic() {
        return implementation.isAtomic();
    }
}
