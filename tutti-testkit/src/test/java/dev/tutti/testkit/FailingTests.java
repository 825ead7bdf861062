package dev.tutti.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs tests inside of a test, to see how they fail. */
public final class FailingTests {

    private FailingTests() {}

    /** Returns the failures of the invocations of a method, in order. */
    public static List<Throwable> failuresOf(Class<?> tests, String method) {
        return failuresOf(tests, method, Map.of());
    }

    /** The same, with configuration parameters, as system properties would give them. */
    public static List<Throwable> failuresOf(Class<?> tests, String method, Map<String, String> parameters) {
        List<Throwable> failures = new ArrayList<>();
        run(tests, method, parameters, new TestExecutionListener() {
            @Override
            public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                result.getThrowable().ifPresent(failures::add);
            }
        });
        return failures;
    }

    /** Returns the names of the invocations of a method that were run. */
    public static List<String> namesOf(Class<?> tests, String method, Map<String, String> parameters) {
        List<String> names = new ArrayList<>();
        run(tests, method, parameters, new TestExecutionListener() {
            @Override
            public void executionStarted(TestIdentifier test) {
                if (test.isTest()) {
                    names.add(test.getDisplayName());
                }
            }
        });
        return names;
    }

    private static void run(
            Class<?> tests, String method, Map<String, String> parameters, TestExecutionListener listener) {
        var request = LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectMethod(tests, method, Cluster.class.getName()))
                .configurationParameters(parameters)
                // Those inside run as they say, whatever the test around them was started with.
                .enableImplicitConfigurationParameters(false)
                .build();
        LauncherFactory.create().execute(request, listener);
    }
}
