package dev.tutti.testkit;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.LifecycleMethodExecutionExceptionHandler;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;
import org.junit.platform.commons.support.AnnotationSupport;

/** Runs the methods with {@link ClusterTest}: one invocation for each seed, until one has failed. */
final class ClusterExtension implements TestTemplateInvocationContextProvider {

    private static final String SEED = "tutti.test.seed";
    private static final String SEEDS = "tutti.test.seeds";
    private static final String SEEDS_MAX = "tutti.test.seeds.max";

    /** Course of the first seed's run, to compare with its second run. */
    private record Course(long fingerprint, List<String> story) {}

    /** State shared by the runs of one method. */
    private static final class Progress {
        private final AtomicBoolean hasFailed = new AtomicBoolean();
        private final AtomicReference<@Nullable Course> first = new AtomicReference<>();
    }

    @Override
    public boolean supportsTestTemplate(ExtensionContext context) {
        return annotation(context) != null;
    }

    private static @Nullable ClusterTest annotation(ExtensionContext context) {
        return AnnotationSupport.findAnnotation(context.getElement(), ClusterTest.class).orElse(null);
    }

    @Override
    public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(ExtensionContext context) {
        ClusterTest annotation = annotation(context);
        if (annotation == null) {
            throw new IllegalStateException("no @ClusterTest at " + context.getDisplayName());
        }
        Progress progress = new Progress();
        Long only = context.getConfigurationParameter(SEED).map(text -> number(SEED, text)).orElse(null);
        if (only != null) {
            return Stream.of(new Invocation(new Run(only, annotation.nodes(), false, progress)));
        }
        long wanted = context.getConfigurationParameter(SEEDS)
                .map(text -> number(SEEDS, text))
                .orElse((long) annotation.seeds());
        long count = context.getConfigurationParameter(SEEDS_MAX)
                .map(text -> Math.min(wanted, number(SEEDS_MAX, text)))
                .orElse(wanted);
        if (count < 1) {
            throw new IllegalArgumentException(count + " seeds at " + context.getDisplayName() + ", at least 1");
        }
        return Stream.concat(LongStream.of(1).boxed(), LongStream.rangeClosed(1, count).boxed())
                .skip(count == 1 ? 1 : 0)
                .takeWhile(seed -> !progress.hasFailed.get())
                .map(seed -> new Invocation(new Run(seed, annotation.nodes(), count > 1 && seed == 1, progress)));
    }

    private static long number(String property, String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(property + " is '" + text + "', and has to be a number", e);
        }
    }

    private record Invocation(Run run) implements TestTemplateInvocationContext {

        @Override
        public String getDisplayName(int index) {
            return "seed " + run.seed;
        }

        @Override
        public List<Extension> getAdditionalExtensions() {
            return List.of(run);
        }
    }

    /**
     * One run, with its cluster, which is created for the first method that asks for it. All its methods run on one
     * {@link TestThread}.
     */
    private static final class Run
            implements ParameterResolver,
                    InvocationInterceptor,
                    TestExecutionExceptionHandler,
                    LifecycleMethodExecutionExceptionHandler,
                    AfterTestExecutionCallback,
                    AfterEachCallback {

        private final long seed;
        private final int nodes;
        private final boolean isCompared;
        private final Progress progress;
        private final TestThread thread = new TestThread();
        private @Nullable Cluster cluster;

        Run(long seed, int nodes, boolean isCompared, Progress progress) {
            this.seed = seed;
            this.nodes = nodes;
            this.isCompared = isCompared;
            this.progress = progress;
        }

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == Cluster.class;
        }

        @Override
        public Cluster resolveParameter(ParameterContext parameter, ExtensionContext context) {
            Cluster present = cluster;
            if (present == null) {
                present = thread.call(() -> Cluster.of(nodes, seed));
                cluster = present;
            }
            return present;
        }

        @Override
        public <T> T interceptTestClassConstructor(
                InvocationInterceptor.Invocation<T> invocation,
                ReflectiveInvocationContext<Constructor<T>> constructor,
                ExtensionContext context)
                throws Throwable {
            return thread.call(invocation::proceed);
        }

        @Override
        public void interceptBeforeEachMethod(
                InvocationInterceptor.Invocation<@Nullable Void> invocation,
                ReflectiveInvocationContext<Method> method,
                ExtensionContext context)
                throws Throwable {
            thread.call(invocation::proceed);
        }

        @Override
        public void interceptTestTemplateMethod(
                InvocationInterceptor.Invocation<@Nullable Void> invocation,
                ReflectiveInvocationContext<Method> method,
                ExtensionContext context)
                throws Throwable {
            thread.call(invocation::proceed);
        }

        @Override
        public void interceptAfterEachMethod(
                InvocationInterceptor.Invocation<@Nullable Void> invocation,
                ReflectiveInvocationContext<Method> method,
                ExtensionContext context)
                throws Throwable {
            thread.call(invocation::proceed);
        }

        @Override
        public void handleTestExecutionException(ExtensionContext context, Throwable cause) throws Throwable {
            throw failure(context, cause);
        }

        @Override
        public void handleBeforeEachMethodExecutionException(ExtensionContext context, Throwable cause) throws Throwable {
            throw failure(context, cause);
        }

        @Override
        public void handleAfterEachMethodExecutionException(ExtensionContext context, Throwable cause) throws Throwable {
            throw failure(context, cause);
        }

        /** Checks for failures on other threads than the test's, and for broken guarantees. */
        @Override
        public void afterTestExecution(ExtensionContext context) throws Exception {
            Cluster present = cluster;
            if (present == null || context.getExecutionException().isPresent()) {
                return;
            }
            try {
                present.finish();
                compare(present);
            } catch (RuntimeException | AssertionError e) {
                throw failure(context, e);
            }
        }

        private void compare(Cluster present) {
            if (!isCompared) {
                return;
            }
            Course own = new Course(present.fingerprint(), present.story());
            Course first = progress.first.getAndSet(own);
            if (first != null && first.fingerprint() != own.fingerprint()) {
                throw new AssertionError("two runs with seed " + seed + " went different ways, so that no failure could be"
                        + " repeated: the component takes time, randomness, threads or the order of a hash from outside of"
                        + " the cluster. " + difference(first.story(), own.story()));
            }
        }

        private static String difference(List<String> story, List<String> other) {
            int line = 0;
            while (line < story.size() && line < other.size() && story.get(line).equals(other.get(line))) {
                line++;
            }
            return "First difference:\n    " + (line < story.size() ? story.get(line) : "the end")
                    + "\n    " + (line < other.size() ? other.get(line) : "the end");
        }

        private AssertionError failure(ExtensionContext context, Throwable cause) {
            progress.hasFailed.set(true);
            Cluster present = cluster;
            Class<?> tests = context.getRequiredTestClass();
            String test = "-Dtest=" + tests.getName().substring(tests.getName().lastIndexOf('.') + 1) + "#"
                    + context.getRequiredTestMethod().getName();
            String text = cause instanceof AssertionError ? String.valueOf(cause.getMessage()) : cause.toString();
            String quoted = test.contains("$") ? "'" + test + "'" : test;
            return new AssertionError(
                    text + "\n" + (present == null ? "" : present.describe())
                            + "  to run this seed alone: mvn test " + quoted + " -D" + SEED + "=" + seed,
                    cause);
        }

        @Override
        public void afterEach(ExtensionContext context) {
            Cluster present = cluster;
            // JUnit may keep this for as long as the seeds last.
            cluster = null;
            if (present != null) {
                thread.call(() -> {
                    present.close();
                    return null;
                });
            }
            thread.close();
        }
    }
}
