package dev.tutti.blocks.component;

import dev.tutti.GroupState;
import dev.tutti.Snapshot;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.component.PassiveCommand.Ask;
import dev.tutti.blocks.component.PassiveCommand.Done;
import dev.tutti.blocks.component.PassiveCommand.RequestId;
import dev.tutti.blocks.machine.StateMachine;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The state of a passive component at this member: an image of the last version, and the requests that no primary has executed.
 *
 * <p>All members have the same. The primary, which is the coordinator of the view, executes the oldest request on a copy of the state, and
 * sends the result with the next image. An execution counts only if it was on the present version, and its request still waits. So an
 * earlier primary and the present one can both execute a request, and one of the two counts.
 */
final class PassiveMachine implements StateMachine<PassiveCommand, Boolean> {

    /** Most requests that wait for the primary, of all members. */
    static final int WAITING_MAX = 10_000;

    private static final byte[] NOTHING = {};

    /** Gets what becomes of requests of this member. */
    interface Listener {

        /** Tells that a request was delivered, and waits for the primary. */
        void onAsked(long number);

        /** Tells the outcome of a request, which is certain to stay. */
        void onDone(Done done);

        /**
         * Tells that another state goes on.
         *
         * @param isWaiting whether a request of this member waits in it
         */
        void onReplaced(LongPredicate isWaiting);

        /** Tells that there may be something to execute. */
        void onWork();
    }

    /** A request to execute, and the state to execute it on. */
    record Work(RequestId request, Invocation invocation, long version, byte[] image) {}

    private final String name;
    private final NodeId node;
    private final Methods methods;
    private final Supplier<? extends GroupState> factory;
    private final Listener listener;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final Map<RequestId, Invocation> waiting = new LinkedHashMap<>();
    private long version;
    private byte[] image;
    private boolean isPrimary;

    // Where the machine is called.
    private final List<Done> untold = new ArrayList<>();
    private GroupState readable;
    private long readableVersion;
    private @Nullable Member self;

    PassiveMachine(String name, NodeId node, Methods methods, Supplier<? extends GroupState> factory, Listener listener) {
        this.name = name;
        this.node = node;
        this.methods = methods;
        this.factory = factory;
        this.listener = listener;
        this.readable = factory.get();
        this.image = Images.bytesOf(readable);
    }

    @Override
    public Boolean apply(Member member, PassiveCommand command) {
        switch (command) {
            case Ask(long number, Invocation invocation) -> ask(new RequestId(member, number), invocation);
            case Done done -> finish(done);
        }
        return true;
    }

    private void ask(RequestId request, Invocation invocation) {
        lock.lock();
        try {
            if (waiting.size() >= WAITING_MAX) {
                throw new IllegalStateException(WAITING_MAX + " requests wait for the primary of component " + name);
            }
            waiting.put(request, invocation);
        } finally {
            lock.unlock();
        }
        if (request.member().equals(self)) {
            listener.onAsked(request.number());
        }
        listener.onWork();
    }

    private void finish(Done done) {
        lock.lock();
        try {
            if (done.version() != version || waiting.remove(done.request()) == null) {
                // Another primary was first.
                return;
            }
            version++;
            if (!done.isThrown()) {
                image = done.image();
            }
        } finally {
            lock.unlock();
        }
        if (done.request().member().equals(self)) {
            untold.add(done);
        }
    }

    @Override
    public void onView(View view) {
        lock.lock();
        try {
            isPrimary = view.coordinator().node().equals(node);
        } finally {
            lock.unlock();
        }
        for (Member member : view.members()) {
            if (member.node().equals(node)) {
                self = member;
            }
        }
        listener.onWork();
    }

    @Override
    public void onStable() {
        untold.forEach(listener::onDone);
        untold.clear();
    }

    /** Returns the implementation with the present state, for reads where the machine is called. */
    GroupState readable() {
        if (readableVersion != version) {
            readable = factory.get();
            Images.install(readable, image);
            readableVersion = version;
        }
        return readable;
    }

    /** Returns what this member is to execute as the primary; null for nothing. */
    @Nullable Work next() {
        lock.lock();
        try {
            if (!isPrimary || waiting.isEmpty()) {
                return null;
            }
            Map.Entry<RequestId, Invocation> first = waiting.entrySet().iterator().next();
            return new Work(first.getKey(), first.getValue(), version, image);
        } finally {
            lock.unlock();
        }
    }

    long version() {
        lock.lock();
        try {
            return version;
        } finally {
            lock.unlock();
        }
    }

    int waitingRequests() {
        lock.lock();
        try {
            return waiting.size();
        } finally {
            lock.unlock();
        }
    }

    // ------------------------------------------------------------------ the state

    @Override
    public void begin(long era) {
        replace(0, Images.bytesOf(factory.get()), Map.of());
    }

    private void replace(long nextVersion, byte[] nextImage, Map<RequestId, Invocation> nextWaiting) {
        lock.lock();
        try {
            version = nextVersion;
            image = nextImage;
            waiting.clear();
            waiting.putAll(nextWaiting);
        } finally {
            lock.unlock();
        }
        // No version: the same number may be that of another state.
        readableVersion = -1;
        untold.clear();
        Member own = self;
        listener.onReplaced(number -> own != null && nextWaiting.containsKey(new RequestId(own, number)));
    }

    @Override
    public Snapshot snapshot() {
        ByteOutput header = new ByteOutput().putText(methods.fingerprint()).putLong(version).putInt(waiting.size());
        waiting.forEach((request, invocation) -> {
            request.put(header);
            methods.put(invocation, header);
        });
        byte[] begin = header.copy();
        byte[] copy = image;
        return out -> {
            Images.writeHeader(out, begin);
            out.write(copy);
        };
    }

    @Override
    public void install(InputStream in) throws IOException {
        ByteInput header = Images.readHeader(in);
        Map<RequestId, Invocation> nextWaiting = new LinkedHashMap<>();
        long nextVersion;
        try {
            methods.check(header.takeText());
            nextVersion = header.takeLong();
            int count = header.takeCount(RequestId.BYTES_MIN);
            for (int i = 0; i < count; i++) {
                nextWaiting.put(RequestId.take(header), methods.take(header));
            }
            header.end();
        } catch (MalformedException e) {
            throw Images.unreadable(name, e);
        }
        byte[] nextImage = in.readAllBytes();
        Images.install(factory.get(), nextImage);
        replace(nextVersion, nextImage, nextWaiting);
    }

    @Override
    public boolean isReproducible() {
        return true;
    }

    @Override
    public boolean isAtomic() {
        return true;
    }

    static Done thrown(Work work, Throwable thrown) {
        byte[] text = new ByteOutput().putText(thrown.toString()).copy();
        return new Done(work.request(), work.version(), true, text, NOTHING);
    }
}
