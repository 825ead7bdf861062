package dev.tutti.internal;

import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The one place where code of the application is called and whatever it throws is caught: exceptions, checked ones that a
 * compiler did not see, and errors.
 *
 * <p>The owner decides how to react to a failure. A group continues after an exception and is left after an error; a
 * node counts and reports both ({@code docs/guarantees.md}, section "Callbacks that fail"). A fence never lets a
 * failure pass to the loop, to a delivery thread or to another group.
 *
 * <p>Thread-safe if its owner is.
 */
public final class Fence {

    /** Decides how to react to a callback's failure. */
    @FunctionalInterface
    public interface Owner {

        /**
         * Notes that a callback has thrown. Must not throw.
         *
         * @param callback name of the callback, such as {@code onMessage}
         * @param argument argument that it was called with; the callback itself if it takes none
         */
        void onFailed(String callback, Object argument, Throwable thrown);
    }

    private final Predicate<Throwable> passing;
    private final Owner owner;

    /** @param host host whose own signals pass, see {@link Host#isOwn} */
    public Fence(Host host, Owner owner) {
        this(host::isOwn, owner);
    }

    private Fence(Predicate<Throwable> passing, Owner owner) {
        this.passing = passing;
        this.owner = owner;
    }

    /** Returns a fence for code that no host runs: no signals pass. */
    public static Fence of(Owner owner) {
        return new Fence(thrown -> false, owner);
    }

    /**
     * Calls {@code code} with {@code argument}.
     *
     * @return whether it returned; otherwise the owner has been told
     */
    @SuppressWarnings("CatchingUnchecked") // the purpose of this class
    public <T extends Object> boolean call(String callback, Consumer<? super T> code, T argument) {
        try {
            code.accept(argument);
            return true;
        } catch (Throwable thrown) {
            onThrown(callback, argument, thrown);
            return false;
        }
    }

    /**
     * Calls {@code listener} with {@code argument}, as {@link #call(String, Consumer, Object)} does. For the one callback that runs for
     * every message: the JIT profiles types for each call site, and at one that other callbacks share it does not inline the listener.
     *
     * @return whether it returned; otherwise the owner has been told
     */
    @SuppressWarnings("CatchingUnchecked") // the purpose of this class
    public <T extends Object> boolean callForMessage(String callback, Consumer<? super T> listener, T argument) {
        try {
            listener.accept(argument);
            return true;
        } catch (Throwable thrown) {
            onThrown(callback, argument, thrown);
            return false;
        }
    }

    private void onThrown(String callback, Object argument, Throwable thrown) {
        if (thrown instanceof Error signal && passing.test(thrown)) {
            throw signal;
        }
        owner.onFailed(callback, argument, thrown);
    }

    /**
     * Runs {@code code}.
     *
     * @return whether it returned; otherwise the owner has been told
     */
    public boolean call(String callback, Runnable code) {
        return call(callback, Runnable::run, code);
    }

    /**
     * Returns the result of {@code code}; null if that was null, or the call has failed and the owner has been told.
     */
    public <T> @Nullable T ask(String callback, Callable<? extends @Nullable T> code) {
        Answer<T> answer = new Answer<>(code);
        call(callback, answer);
        return answer.value;
    }

    /**
     * Runs {@code code} and returns the exception or error that it has thrown; null if it returned. The owner is not
     * told.
     */
    public @Nullable Throwable attempt(Code code) {
        Attempt attempt = new Attempt();
        new Fence(passing, attempt).ask("", () -> {
            code.run();
            return null;
        });
        return attempt.thrown;
    }

    /** Tells the owner of a failure that was caught by {@link #attempt}. */
    public void report(String callback, Throwable thrown) {
        owner.onFailed(callback, thrown, thrown);
    }

    /** Returns a task that runs {@code code} behind this fence. */
    public Runnable around(String callback, Runnable code) {
        return () -> call(callback, code);
    }

    /** Code that may throw anything. */
    @FunctionalInterface
    public interface Code {
        void run() throws Exception;
    }

    private static final class Attempt implements Owner {
        private @Nullable Throwable thrown;

        @Override
        public void onFailed(String callback, Object argument, Throwable failure) {
            thrown = failure;
        }
    }

    /** A call with a result. */
    private static final class Answer<T> implements Runnable {
        private final Callable<? extends @Nullable T> code;
        private @Nullable T value;

        Answer(Callable<? extends @Nullable T> code) {
            this.code = code;
        }

        @Override
        public void run() {
            try {
                value = code.call();
            } catch (Exception e) {
                throw Fence.<RuntimeException>unchecked(e);
            }
        }
    }

    /** Lets a checked exception reach the fence as it is. */
    @SuppressWarnings("unchecked") // erased: nothing is cast
    private static <E extends Exception> E unchecked(Exception thrown) throws E {
        throw (E) thrown;
    }
}
