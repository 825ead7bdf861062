package dev.tutti.internal.admission;

import dev.tutti.NodeInspection;
import dev.tutti.Subscription;
import dev.tutti.core.Printable;
import dev.tutti.core.admission.AdmissionDesk;
import dev.tutti.core.admission.AdmissionRule;
import dev.tutti.core.admission.Newcomer;
import dev.tutti.core.admission.Verdict;
import dev.tutti.core.driver.Driver;
import dev.tutti.core.settings.Settings;
import dev.tutti.internal.Fence;
import dev.tutti.internal.Host;
import dev.tutti.internal.Logs;
import dev.tutti.protocols.node.NodeAdmission;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Asks a node's rules about nodes that want to come in, on threads that may block, and gives the answers to the machine. Questions
 * beyond {@code admission.pending-max} are refused at once, and those that take longer than {@code admission.timeout} then. A rule
 * that never returns keeps one of {@value #THREADS_MAX} threads.
 */
public final class RuleRunner implements AdmissionDesk, AutoCloseable {

    private static final Logger LOG = Logs.of(RuleRunner.class);

    /** Threads that ask rules at a time. */
    static final int THREADS_MAX = 8;

    /** Characters of an objection; it may quote names of the other node. */
    private static final int OBJECTION_MAX = 400;

    private static final int KEY_BYTES = 32;
    private static final long REFRESH_NANOS = 2_000_000_000L;
    private static final long FAILURE_PAUSE_NANOS = 60_000_000_000L;

    private final RuleSet rules;
    private final Host host;
    private final Driver driver;
    private final NodeAdmission machine;
    private final long timeoutNanos;
    private final int pendingMax;
    private final Fence fence;

    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<Question> waiting = new ArrayDeque<>();

    /** Questions without an answer: those that wait, and those that are asked. */
    private final LinkedHashSet<Question> pending = new LinkedHashSet<>();

    private int threads;
    private long failureLoggedNanos;
    private boolean isFailureLogged;

    private final AtomicBoolean isRefreshing = new AtomicBoolean();
    private final List<Subscription> repeated = new ArrayList<>();
    private final LongAdder admitted = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder expelled = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private final LongAdder late = new LongAdder();
    private final LongAdder overflows = new LongAdder();
    private final LongAdder reloads = new LongAdder();
    private final LongAdder failedReloads = new LongAdder();

    /** A question about one connection. Guarded by the lock. */
    private static final class Question {
        final int connection;
        final Newcomer newcomer;
        final long deadlineNanos;

        /** Thread that asks the rules now. */
        @Nullable Thread thread;

        Question(int connection, Newcomer newcomer, long deadlineNanos) {
            this.connection = connection;
            this.newcomer = newcomer;
            this.deadlineNanos = deadlineNanos;
        }
    }

    /**
     * @param own rules of the program
     * @param machine the deciding part of a node that is not started
     * @throws dev.tutti.core.settings.SettingException if settings are wrong, or a file of them can't be used
     */
    public RuleRunner(Settings settings, List<AdmissionRule> own, Host host, Driver driver, NodeAdmission machine) {
        this.rules = RuleSet.of(settings, own);
        this.host = host;
        this.driver = driver;
        this.machine = machine;
        this.timeoutNanos = settings.get(AdmissionSettings.TIMEOUT).toNanos();
        this.pendingMax = settings.get(AdmissionSettings.PENDING_MAX);
        this.fence = new Fence(host, (callback, argument, thrown) -> {});
        if (!rules.isEmpty()) {
            machine.use(this, host.randomBytes(KEY_BYTES), rules.token());
        }
    }

    /** Begins to look after deadlines and files, if there are rules. */
    public void start() {
        if (!rules.isEmpty()) {
            repeated.add(host.every(timeoutNanos / 8, this::expire));
            repeated.add(host.every(REFRESH_NANOS, () -> {
                if (isRefreshing.compareAndSet(false, true)) {
                    host.start("tutti-admission-files", this::refresh);
                }
            }));
        }
    }

    // ------------------------------------------------------------------ questions

    @Override
    public void decide(int connection, Newcomer newcomer) {
        boolean isTaken;
        lock.lock();
        try {
            isTaken = pending.size() < pendingMax;
            if (isTaken) {
                Question question = new Question(connection, newcomer, host.nanoTime() + timeoutNanos);
                pending.add(question);
                waiting.add(question);
                if (threads < THREADS_MAX) {
                    threads++;
                    host.start("tutti-admission", this::run);
                }
            }
        } finally {
            lock.unlock();
        }
        if (!isTaken) {
            overflows.increment();
            answer(connection, Answer.overloaded("admission.pending-max (" + pendingMax + ") nodes wait for a decision"));
        }
    }

    private void run() {
        for (Question question = next(); question != null; question = next()) {
            Newcomer newcomer = question.newcomer;
            Verdict[] verdict = new Verdict[1];
            Throwable thrown = fence.attempt(() -> verdict[0] = rules.check(newcomer));
            Verdict decided = verdict[0];
            if (!isDone(question)) {
                // The interrupt of that question must not reach the next one.
                Thread.interrupted();
                continue;
            }
            if (thrown != null || decided == null) {
                failures.increment();
                onFailure(newcomer, thrown);
                refuse(question, "its admission could not be decided: " + (thrown instanceof UndecidedException
                        ? thrown.getMessage() : "a rule has thrown " + thrown));
            } else if (decided.isAdmitted()) {
                admitted.increment();
                answer(question.connection, Answer.admitted());
            } else {
                refuse(question, decided.reason());
            }
        }
    }

    /** Returns the next question that waits; null if there is none, and this thread ends. */
    private @Nullable Question next() {
        lock.lock();
        try {
            Question question = waiting.poll();
            if (question == null) {
                threads--;
            } else {
                question.thread = Thread.currentThread();
            }
            return question;
        } finally {
            lock.unlock();
        }
    }

    /** Ends a question; returns false if it was answered at its deadline. */
    private boolean isDone(Question question) {
        lock.lock();
        try {
            question.thread = null;
            return pending.remove(question);
        } finally {
            lock.unlock();
        }
    }

    private void expire() {
        List<Question> expired = new ArrayList<>();
        long now = host.nanoTime();
        lock.lock();
        try {
            for (Question question : pending) {
                if (now - question.deadlineNanos >= 0) {
                    expired.add(question);
                }
            }
            for (Question question : expired) {
                pending.remove(question);
                waiting.remove(question);
                Thread thread = question.thread;
                if (thread != null) {
                    host.interrupt(thread);
                }
            }
        } finally {
            lock.unlock();
        }
        for (Question question : expired) {
            late.increment();
            refuse(question, "its admission was not decided within admission.timeout (" + timeoutNanos / 1_000_000 + " ms)");
        }
    }

    private void refuse(Question question, String reason) {
        refused.increment();
        answer(question.connection, Answer.refused(text(question.newcomer, reason)));
    }

    private static String text(Newcomer newcomer, String reason) {
        String text = newcomer + " may not come in: " + reason;
        return Printable.escape(text.length() > OBJECTION_MAX ? text.substring(0, OBJECTION_MAX) + "…" : text);
    }

    private void answer(int connection, Answer answer) {
        onLoop(now -> machine.onDecided(now, connection, answer));
    }

    private void onLoop(Driver.Task task) {
        try {
            driver.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("the loop has ended: {}", e.getMessage());
        }
    }

    /** Logs a failed rule with its stack, once a minute. */
    private void onFailure(Newcomer newcomer, @Nullable Throwable thrown) {
        long now = host.nanoTime();
        lock.lock();
        try {
            if (isFailureLogged && now - failureLoggedNanos < FAILURE_PAUSE_NANOS) {
                return;
            }
            isFailureLogged = true;
            failureLoggedNanos = now;
        } finally {
            lock.unlock();
        }
        LOG.warn("an admission rule has failed, and the node {} was refused", Printable.escape(newcomer.toString()), thrown);
    }

    // ------------------------------------------------------------------ files

    private void refresh() {
        try {
            if (rules.refresh()) {
                reloads.increment();
                LOG.info("files of the admission rule were read again");
                byte[] token = rules.token();
                onLoop(now -> {
                    machine.onToken(now, token);
                    List<Question> present = new ArrayList<>();
                    machine.askAgain(now, (connection, newcomer) -> present.add(new Question(connection, newcomer, 0)));
                    host.start("tutti-admission-again", () -> checkAgain(present));
                });
            }
        } catch (IOException e) {
            failedReloads.increment();
            LOG.error("files of the admission rule have changed and can't be used; going on with those before: {}", e.getMessage());
        } finally {
            isRefreshing.set(false);
        }
    }

    private void checkAgain(List<Question> present) {
        for (Question question : present) {
            try {
                Verdict verdict = rules.checkAgain(question.newcomer);
                if (!verdict.isAdmitted()) {
                    expelled.increment();
                    answer(question.connection, Answer.refused(text(question.newcomer, verdict.reason())));
                }
            } catch (UndecidedException e) {
                failures.increment();
                onFailure(question.newcomer, e);
            }
        }
    }

    // ------------------------------------------------------------------ report and end

    /** Returns the state, for the inspection of the node. */
    public NodeInspection.Part part() {
        Map<String, Long> numbers = new TreeMap<>();
        numbers.put("admitted", admitted.sum());
        numbers.put("refused", refused.sum());
        numbers.put("expelled", expelled.sum());
        numbers.put("failures", failures.sum());
        numbers.put("late", late.sum());
        numbers.put("overflows", overflows.sum());
        numbers.put("reloads", reloads.sum());
        numbers.put("reloads-failed", failedReloads.sum());
        lock.lock();
        try {
            numbers.put("pending", (long) pending.size());
            numbers.put("threads", (long) threads);
        } finally {
            lock.unlock();
        }
        return new NodeInspection.Part("admission", Map.of(), numbers, Map.of());
    }

    /** Ends the looks after deadlines and files. Questions that wait get no answer. */
    @Override
    public void close() {
        repeated.forEach(Subscription::close);
        lock.lock();
        try {
            waiting.clear();
            pending.clear();
        } finally {
            lock.unlock();
        }
    }
}
