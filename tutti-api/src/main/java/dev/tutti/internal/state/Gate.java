package dev.tutti.internal.state;

import dev.tutti.core.Packet;
import dev.tutti.internal.delivery.DeliveryGate.Taken;
import dev.tutti.internal.delivery.Item;
import dev.tutti.internal.state.Cut.Verdict;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Gate before a group's listeners. It closes at a cut if this member does not have the state of that cut, or does not
 * know yet; later items wait in the {@link Backlog}.
 *
 * <p>Called where listeners are called; one thread at a time.
 */
final class Gate {

    private final StateTransfer transfer;
    private final Snapshots snapshots;
    private final Backlog backlog;

    /** Cut at which the gate is closed; null if it is open. */
    private @Nullable Cut at;

    /** Cut up to which items are skipped, because its state is installed and includes them. */
    private @Nullable Cut skippingTo;

    /** The item that is not skipped, because it is not about the view that it comes in. */
    private Item.@Nullable Joined kept;

    private boolean isOver;

    /** Listeners have been told a view, so the application has a state. */
    private volatile boolean hasPassed;
    private boolean isAbandoned;

    Gate(StateTransfer transfer, Snapshots snapshots, Backlog backlog) {
        this.transfer = transfer;
        this.snapshots = snapshots;
        this.backlog = backlog;
    }

    Taken take(Item item) {
        if (isAbandoned) {
            return Taken.YES;
        }
        Cut closed = at;
        if (closed == null) {
            if (item instanceof Cut cut && !enter(cut)) {
                isAbandoned = isOver;
                return Taken.YES;
            }
            hasPassed |= item instanceof Cut;
            return Taken.NO;
        }
        if (skippingTo != null) {
            skip(item);
            if (skippingTo == null) {
                transfer.onReached();
            }
            return Taken.YES;
        }
        if (item instanceof Item.Arrival(Packet packet)) {
            return backlog.add(packet) ? Taken.YES : Taken.FULL;
        }
        backlog.addMarker(item);
        return Taken.YES;
    }

    private void skip(Item item) {
        if (item == skippingTo) {
            skippingTo = null;
        } else if (item instanceof Item.Joined joined) {
            kept = joined;
        }
    }

    /**
     * Comes to a cut, and closes there unless this member continues with its state. Returns whether the gate is open.
     */
    private boolean enter(Cut cut) {
        at = cut;
        if (!mayPass(cut)) {
            return false;
        }
        at = null;
        return true;
    }

    /**
     * Opens the gate if a change allows it, and gives waiting items to listeners, up to the next closed cut.
     *
     * @param beforeCut waits until listeners are done with all items: at a cut, a snapshot is taken or another state is
     *     installed
     */
    void look(Consumer<Item> listeners, Runnable beforeCut) {
        Cut closed = at;
        if (isAbandoned || closed == null || skippingTo != null || !mayPass(closed)) {
            return;
        }
        Cut passed = at;
        at = null;
        if (passed != null) {
            hasPassed = true;
            listeners.accept(passed);
        }
        Item first = kept;
        kept = null;
        if (first != null) {
            listeners.accept(first);
        }
        Item item = backlog.poll();
        while (item != null) {
            if (item instanceof Cut cut) {
                beforeCut.run();
                if (!enter(cut)) {
                    return;
                }
            }
            listeners.accept(item);
            item = isAbandoned ? null : backlog.poll();
        }
        backlog.clear();
    }

    private boolean mayPass(Cut cut) {
        Verdict verdict = cut.verdict();
        Verdict decisive = cut.decisive().verdict();
        // Read after the verdict, because the owner is told of the target before the verdict.
        Cut target = transfer.target();
        return switch (decisive) {
            case null -> false;
            case Verdict.Keep keep -> {
                if (verdict == keep) {
                    snapshots.take(cut.id(), keep.newcomers());
                } else {
                    snapshots.pass(cut.id());
                }
                yield true;
            }
            case Verdict.Pass() -> {
                snapshots.pass(cut.id());
                yield true;
            }
            case Verdict.Install() -> {
                if (target != null) {
                    transfer.install(target);
                    yield false;
                }
                // Not before install has returned. Nothing is skipped before: the state may turn out not to be needed.
                yield !transfer.isInstalling() && skip(cut);
            }
            case Verdict.Superseded(Cut next) -> throw new IllegalStateException(next + " does not decide");
        };
    }

    /**
     * Skips items that the installed state includes, if its cut is later than this one.
     *
     * @return false if that cut has not come here yet
     */
    private boolean skip(Cut from) {
        Cut installed = transfer.installed();
        if (installed != null && installed.isAfter(from)) {
            at = installed;
            skippingTo = installed;
            Item item = backlog.poll();
            while (item != null) {
                skip(item);
                item = skippingTo == null ? null : backlog.poll();
            }
        }
        if (skippingTo != null) {
            return false;
        }
        snapshots.pass(installed != null && at == installed ? installed.id() : from.id());
        return true;
    }

    /** Returns whether the application has had a state. From any thread. */
    boolean hasPassed() {
        return hasPassed;
    }

    boolean isClosed() {
        return at != null && !isAbandoned;
    }

    /** Stops all delivery to listeners. */
    void fail() {
        isAbandoned = true;
        at = null;
        backlog.clear();
    }

    /** Notes that the group is left: waiting items are lost. */
    void abandon() {
        isOver = true;
        if (at != null) {
            fail();
        }
    }
}
