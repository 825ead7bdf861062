package dev.tutti.spring;

import dev.tutti.blocks.coordination.Candidacy;
import dev.tutti.blocks.coordination.Candidate;
import dev.tutti.blocks.coordination.Coordination;
import dev.tutti.spring.Annotated.LeaderTarget;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.Lifecycle;

/**
 * Elections that the application takes part in: those of beans and methods with {@link Leader}.
 *
 * <p>For methods that something else calls, such as scheduled ones, {@link #isLeader} tells whether they have to do their work.
 */
public final class Leadership {

    private static final Logger LOG = LoggerFactory.getLogger(Leadership.class);

    private final Supplier<Coordination> coordination;
    private final BeanFactory beans;
    private final Map<String, List<LeaderTarget>> targets;
    private final Map<String, Office> offices = new TreeMap<>();

    Leadership(Supplier<Coordination> coordination, BeanFactory beans, Map<String, List<LeaderTarget>> targets) {
        this.coordination = coordination;
        this.beans = beans;
        this.targets = targets;
    }

    /** Stands for all elections. All beans exist. */
    synchronized void start() {
        targets.forEach((election, own) -> {
            Office office = new Office(election, own);
            offices.put(election, office);
            office.stand();
        });
    }

    /** Ends the work and then gives up the lead, so that no two members do it at a time. */
    synchronized void stop() {
        offices.values().forEach(Office::leave);
        offices.clear();
    }

    /**
     * Returns whether this member leads, as far as it knows.
     *
     * @throws IllegalArgumentException if no bean or method stands for this election
     */
    public synchronized boolean isLeader(String election) {
        if (!targets.containsKey(election)) {
            throw new IllegalArgumentException("no bean or method has @Leader(\"" + election + "\"); there are " + targets.keySet());
        }
        Office office = offices.get(election);
        return office != null && office.isHeld();
    }

    /** One election, and what runs when it is won. */
    private final class Office implements Candidate {

        private final String election;
        private final List<LeaderTarget> own;

        /** Starts and stops one after the other, as listeners of elections must not wait. */
        private final ExecutorService changes;

        private volatile @Nullable Candidacy candidacy;

        /** Of the executor. */
        private final List<Thread> running = new ArrayList<>();

        /** Of the executor. */
        private boolean isRunning;

        Office(String election, List<LeaderTarget> own) {
            this.election = election;
            this.own = own;
            this.changes = Executors.newSingleThreadExecutor(
                    Thread.ofVirtual().name("tutti-leader-" + election).factory());
        }

        void stand() {
            candidacy = coordination.get().election(election).stand(this);
        }

        boolean isHeld() {
            Candidacy present = candidacy;
            return present != null && present.isLeader();
        }

        @Override
        public void onElected(long token) {
            change(() -> begin(token));
        }

        @Override
        public void onDeposed(String reason) {
            change(() -> end(reason));
        }

        private void change(Runnable change) {
            if (!changes.isShutdown()) {
                changes.execute(change);
            }
        }

        private void begin(long token) {
            LOG.info("this node leads {} from now on, with token {}", election, token);
            isRunning = true;
            for (LeaderTarget target : own) {
                Object bean = beans.getBean(target.bean());
                Method method = target.method();
                if (method == null) {
                    attempt(target, ((Lifecycle) bean)::start);
                } else {
                    Object[] arguments = method.getParameterCount() == 0 ? new Object[0] : new Object[] {token};
                    running.add(Thread.ofVirtual()
                            .name("tutti-leader-" + election + "-" + method.getName())
                            .start(() -> attempt(target, () -> ListenerMethod.invoke(method, bean, arguments))));
                }
            }
        }

        private void end(String reason) {
            if (!isRunning) {
                return;
            }
            isRunning = false;
            LOG.info("this node leads {} no longer: {}", election, reason);
            running.forEach(Thread::interrupt);
            awaitRunning();
            for (LeaderTarget target : own) {
                if (target.method() == null) {
                    attempt(target, ((Lifecycle) beans.getBean(target.bean()))::stop);
                }
            }
            running.clear();
        }

        private void awaitRunning() {
            try {
                for (Thread thread : running) {
                    if (!thread.join(PATIENCE)) {
                        LOG.warn("{} still runs {} s after it was interrupted, and another node may lead {}: end it on interrupts",
                                thread.getName(), PATIENCE.toSeconds(), election);
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        /** Runs what the application does; a failure of it must not keep the others from running. */
        private void attempt(LeaderTarget target, Runnable action) {
            try {
                action.run();
            } catch (RuntimeException e) {
                LOG.warn("@Leader(\"{}\") of bean {} has failed", election, target.bean(), e);
            }
        }

        void leave() {
            changes.execute(() -> end("it stops"));
            changes.shutdown();
            try {
                if (!changes.awaitTermination(2 * PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                    LOG.warn("a bean that runs at the leader of {} has not stopped; another node leads all the same", election);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            Candidacy present = candidacy;
            if (present != null) {
                present.close();
            }
        }
    }

    /** Time that work at the leader has to end in. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);
}
