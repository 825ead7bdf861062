package dev.tutti.testkit;

import dev.tutti.core.settings.Settings;
import dev.tutti.protocols.node.GroupSettings;
import dev.tutti.sim.check.Promise;
import java.util.function.Predicate;

/** A test's declarations about the components of its cluster. */
final class Expectations {

    private Predicate<? super Throwable> callbackFailures = failure -> false;
    private Predicate<String> distinct = group -> false;

    void setCallbackFailures(Predicate<? super Throwable> failures) {
        callbackFailures = failures;
    }

    void setDistinct(Predicate<String> groups) {
        distinct = groups;
    }

    /** Returns whether a callback may fail like this. */
    boolean isExpected(Throwable failure) {
        return callbackFailures.test(failure);
    }

    GroupHistory record(String group, Settings settings) {
        boolean isWithState = settings.get(GroupSettings.STATE) != GroupSettings.StateOf.NOBODY;
        return new GroupHistory(promise(settings), distinct.test(group), isWithState);
    }

    private static Promise promise(Settings settings) {
        return switch (settings.get(GroupSettings.STACK)) {
            case FIFO -> Promise.RELIABLE;
            case CAUSAL -> Promise.CAUSAL;
            case TOTAL -> settings.get(GroupSettings.TOTAL_DELIVERY) == GroupSettings.TotalDelivery.SAFE
                    ? Promise.SAFE
                    : Promise.TOTAL;
            case UNRELIABLE -> Promise.UNRELIABLE;
        };
    }
}
