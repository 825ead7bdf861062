package dev.tutti.internal.group;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.driver.Driver;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.stack.Application;
import dev.tutti.core.stack.LayerProvider;
import dev.tutti.internal.Logs;
import dev.tutti.internal.delivery.DeliveryExecutor;
import dev.tutti.internal.submission.SubmissionQueue;
import dev.tutti.protocols.node.NodeMachine;
import dev.tutti.protocols.packing.Submissions;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** Tasks of a group on its node's loop, where the machine is told of submitted and consumed packets. From any thread. */
final class GroupTasks {

    private static final Logger LOG = Logs.of(dev.tutti.Group.class);

    private final String group;
    private final Driver driver;
    private final NodeMachine machine;
    private final SubmissionQueue submissions;
    private final DeliveryExecutor executor;
    private final BooleanSupplier isLeft;
    private final AtomicBoolean isSubmitPending = new AtomicBoolean();
    private final AtomicBoolean isConsumePending = new AtomicBoolean();
    private final Driver.Task submitTask = this::takeSubmitted;
    private final Driver.Task consumeTask = this::takeConsumed;
    private volatile @Nullable Member self;

    /** @param isLeft tells whether the group is left, so that nothing is sent any more */
    GroupTasks(
            String group,
            Driver driver,
            NodeMachine machine,
            SubmissionQueue submissions,
            DeliveryExecutor executor,
            BooleanSupplier isLeft) {
        this.group = group;
        this.driver = driver;
        this.machine = machine;
        this.submissions = submissions;
        this.executor = executor;
        this.isLeft = isLeft;
    }

    /** Returns this member; null before the machine has it. */
    @Nullable Member self() {
        return self;
    }

    /**
     * Joins the group.
     *
     * @param refused learns on the loop that the machine has refused, and nothing has changed
     * @throws RejectedExecutionException if the loop has ended
     */
    void join(
            Settings settings,
            List<LayerProvider> layers,
            Application application,
            Submissions source,
            Consumer<RuntimeException> refused) {
        driver.execute(now -> {
            try {
                self = machine.join(now, group, settings, layers, application, source);
            } catch (RuntimeException e) {
                // No reason for the node to stop.
                refused.accept(e);
            }
        });
    }

    /**
     * Begins to leave the group.
     *
     * @param neverJoined runs on the loop if the group was not joined
     * @throws RejectedExecutionException if the loop has ended
     */
    void leave(Runnable neverJoined) {
        driver.execute(now -> {
            Member member = self;
            if (member != null) {
                machine.leave(now, member);
            } else {
                neverJoined.run();
            }
        });
    }

    /** Requests a task, unless one is due, that tells the machine of submitted messages. */
    void onSubmitted() {
        if (!isSubmitPending.get() && isSubmitPending.compareAndSet(false, true)) {
            execute(submitTask);
        }
    }

    /** Requests a task, unless one is due, that gives consumed packets back to the machine. */
    void onConsumed() {
        if (!isConsumePending.get() && isConsumePending.compareAndSet(false, true)) {
            execute(consumeTask);
        }
    }

    /** Requests a task that does both, and then notes that the stack looks. */
    void look() {
        execute(now -> {
            takeConsumed(now);
            takeSubmitted(now);
            submissions.onLook();
        });
    }

    private void takeSubmitted(long now) {
        isSubmitPending.set(false);
        Member member = self;
        if (member != null && !isLeft.getAsBoolean()) {
            machine.onSubmitted(now, member);
        }
    }

    private void takeConsumed(long now) {
        isConsumePending.set(false);
        Packet packet = executor.takeConsumed();
        while (packet != null) {
            machine.onConsumed(now, joined(), packet);
            packet = executor.takeConsumed();
        }
    }

    private Member joined() {
        Member member = self;
        if (member == null) {
            throw new IllegalStateException("group " + group + " is not joined and has consumed a packet");
        }
        return member;
    }

    private void execute(Driver.Task task) {
        try {
            driver.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("group {}: the loop has ended", group);
        }
    }
}
