package dev.tutti.testkit;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The user's components in a cluster, one in each process that is up.
 *
 * <p>Called by the test's thread. The component that {@link #on} returns may be called directly; {@link #run} and
 * {@link #ask} do it on a thread of its process instead, where a call that waits holds up nothing but itself.
 */
public final class Components<C> {

    private final Cluster cluster;

    Components(Cluster cluster) {
        this.cluster = cluster;
    }

    /**
     * Returns the component of a process, of its present run.
     *
     * @param number number of the process, from 1
     * @throws IllegalStateException if it is down or still starting
     */
    @SuppressWarnings("unchecked") // one cluster has one kind of component, which its factory makes
    public C on(int number) {
        Object component = cluster.process(number).component();
        if (component == null) {
            throw new IllegalStateException("n" + number + " is down, or still starting");
        }
        return (C) component;
    }

    /** Returns the components of all running processes, by number. */
    public List<C> running() {
        return cluster.runningNumbers().stream().map(this::on).toList();
    }

    /** Runs {@code action} on a thread of the process, and lets time pass until it has returned. */
    public void run(int number, Consumer<? super C> action) {
        C component = on(number);
        cluster.runOn(number, () -> action.accept(component));
    }

    /** Asks the component on a thread of its process, and lets time pass until it has answered. */
    public <R> R ask(int number, Function<? super C, R> question) {
        C component = on(number);
        AtomicReference<R> answer = new AtomicReference<>();
        cluster.runOn(number, () -> answer.set(question.apply(component)));
        return answer.get();
    }

    /**
     * Runs {@code action} repeatedly in each running process until {@link Cluster#quiet}, on a thread of its own, with
     * random pauses. While an action waits, the process begins no other.
     *
     * @param meanPause mean time from the start of one action to that of the next
     */
    public void keep(Duration meanPause, Consumer<? super C> action) {
        for (int number = 1; number <= cluster.size(); number++) {
            int own = number;
            cluster.keep(own, meanPause, () -> action.accept(on(own)));
        }
    }
}
