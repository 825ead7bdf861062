package dev.tutti.campaign.mutants;

import java.util.ArrayList;
import java.util.List;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Main class that runs tests up to the first that fails. Its last line is {@code failed test=ID}, with JUnit's unique
 * id of that test, or {@code passed tests=N}.
 */
final class FirstFailure implements TestExecutionListener {

    private long passed;

    private FirstFailure() {}

    /** @param arguments qualified names of test classes, or unique ids of tests, which contain brackets */
    public static void main(String[] arguments) {
        List<DiscoverySelector> selectors = new ArrayList<>();
        for (String argument : arguments) {
            selectors.add(argument.contains("[")
                    ? DiscoverySelectors.selectUniqueId(argument)
                    : DiscoverySelectors.selectClass(argument));
        }
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request().selectors(selectors).build();
        FirstFailure listener = new FirstFailure();
        Launcher launcher = LauncherFactory.create();
        launcher.execute(request, listener);
        end("passed tests=" + listener.passed, 0);
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (result.getStatus() == TestExecutionResult.Status.FAILED) {
            end("failed test=" + test.getUniqueId(), 1);
        }
        passed += test.isTest() ? 1 : 0;
    }

    /** Ends the process without waiting for threads that a test may have left. */
    private static void end(String line, int code) {
        System.out.println("\n" + line);
        System.out.flush();
        Runtime.getRuntime().halt(code);
    }
}
