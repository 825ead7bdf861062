package dev.tutti.local.internal;

import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One end of a connection. Its fields belong to the loop of its driver; the other end is told by tasks of its own driver's loop,
 * which keep the order of what is written, closed or broken here.
 */
final class LocalEnd {

    enum State {
        OPENING,
        OPEN,
        ENDED
    }

    final LocalDriver driver;
    final int number;
    final boolean isDialled;
    final String remote;
    State state = State.OPENING;

    /** Time at which its dial fails. */
    long deadlineNanos;

    /** The other end; null until it has answered. */
    @Nullable LocalEnd peer;

    /** Copies of the frames of this turn. */
    private List<Packet> written = new ArrayList<>();

    /** Bytes that were written here and not taken at the other end. */
    private final AtomicLong untakenBytes = new AtomicLong();

    LocalEnd(LocalDriver driver, int number, boolean isDialled, String remote) {
        this.driver = driver;
        this.number = number;
        this.isDialled = isDialled;
        this.remote = remote;
    }

    boolean isOpen() {
        return state == State.OPEN;
    }

    long untakenBytes() {
        return untakenBytes.get();
    }

    /** Adds a copy of a frame, which belongs to the other end from then on. Returns whether it is the first of this turn. */
    boolean write(Packet frame, Memory memory) {
        untakenBytes.addAndGet(frame.length());
        Packet copy = Packet.create(memory, frame.length()).append(frame);
        written.add(copy);
        return written.size() == 1;
    }

    /** Hands the frames of this turn to the other end. */
    void flush() {
        LocalEnd other = peer;
        if (written.isEmpty() || other == null) {
            return;
        }
        List<Packet> frames = written;
        written = new ArrayList<>(frames.size());
        other.driver.post(nowNanos -> other.driver.onFrames(nowNanos, other, frames));
    }

    /** Notes that the other end has taken bytes. On the other end's loop. */
    void onTaken(int bytes) {
        untakenBytes.addAndGet(-bytes);
    }
}
