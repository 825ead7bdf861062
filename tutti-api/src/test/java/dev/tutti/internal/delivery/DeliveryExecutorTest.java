package dev.tutti.internal.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Message;
import dev.tutti.Thrown;
import dev.tutti.core.Delivery;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import dev.tutti.internal.BareHost;
import dev.tutti.protocols.packing.Assemblies;
import dev.tutti.protocols.packing.SpareArrays;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Delivery with callbacks that are rarely called, and with failures of its own. */
class DeliveryExecutorTest {

    private static final View VIEW = View.alone(new Member(new NodeId(1, "a", "host:1"), 1));

    private final List<String> told = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();
    private @Nullable Error clockFailure;

    private final BareHost host = new BareHost() {
        @Override
        public long nanoTime() {
            Error failure = clockFailure;
            if (failure != null) {
                clockFailure = null;
                throw failure;
            }
            return 0;
        }
    };

    private final class Owner implements DeliveryExecutor.Owner {
        @Override
        public Member self() {
            return VIEW.coordinator();
        }

        @Override
        public void onConsumed() {}

        @Override
        public void onInstalled(View view) {
            told.add("installed");
        }

        @Override
        public void onSuspended(String reason) {
            told.add("suspended");
        }

        @Override
        public void onKnown(long ticket, Delivery delivery) {}

        @Override
        public void onSlow(Member sender, long nanos) {}

        @Override
        public void onJoined() {
            told.add("joined");
        }

        @Override
        public String onLeft(String reason) {
            return reason;
        }

        @Override
        public boolean onFailed(String callback, @Nullable Message message, Throwable thrown) {
            told.add(callback + " failed");
            failures.add(thrown);
            return thrown instanceof Exception;
        }

        @Override
        public void onUnreadable(@Nullable Member sender) {}

        @Override
        public void onBroken(Throwable thrown) {
            told.add("broken");
            failures.add(thrown);
        }

        @Override
        public void onEnded() {
            told.add("ended");
        }
    }

    private DeliveryExecutor executor(Runnable onTransition, Consumer<String> onSuspended) {
        Listeners listeners = new Listeners(
                true, message -> {}, null, () -> {}, view -> told.add("onView"), onTransition, onSuspended, reason -> told.add("onClosed"));
        SpareArrays spares = new SpareArrays(0);
        return new DeliveryExecutor(
                "g", listeners, false, 1_000, host, spares, new Assemblies(spares, 1 << 20, true), new Owner());
    }

    @ParameterizedTest
    @EnumSource
    void transitionThatThrowsIsReportedAndAnErrorIsTheLast(Thrown thrown) {
        DeliveryExecutor executor = executor(thrown::now, reason -> {});
        executor.onView(VIEW);
        executor.onTransition();
        assertAfter(executor, "onTransition", thrown);
    }

    @ParameterizedTest
    @EnumSource
    void suspensionThatThrowsIsReportedAndAnErrorIsTheLast(Thrown thrown) {
        DeliveryExecutor executor = executor(() -> {}, reason -> thrown.now());
        executor.onView(VIEW);
        executor.onSuspended("outside");
        told.remove("suspended");
        assertAfter(executor, "onSuspended", thrown);
    }

    @Test
    void suspensionForTheReasonOfTheLastIsToldAgainAfterAView() {
        DeliveryExecutor executor = executor(() -> {}, reason -> told.add("onSuspended " + reason));
        executor.onView(VIEW);
        executor.onSuspended("outside");
        executor.onSuspended("outside");
        executor.onView(VIEW);
        executor.onSuspended("outside");
        assertThat(told).filteredOn(each -> each.startsWith("onSuspended")).containsExactly("onSuspended outside", "onSuspended outside");
    }

    private void assertAfter(DeliveryExecutor executor, String callback, Thrown thrown) {
        assertThat(failures).singleElement().isInstanceOf(thrown.type());
        assertThat(told).containsExactly("installed", "onView", callback + " failed");
        told.clear();
        executor.onView(VIEW);
        executor.onLeft("the end");
        if (thrown.isError()) {
            assertThat(told).containsExactly("installed", "onClosed", "ended");
        } else {
            assertThat(told).containsExactly("installed", "onView", "onClosed", "ended");
        }
    }

    @Test
    void deliveryThatFailsItselfTellsItsGroupAndCallsNobodyAnyMore() {
        DeliveryExecutor executor = executor(() -> {}, reason -> {});
        executor.onView(VIEW);
        clockFailure = new OutOfMemoryError("by the test");
        executor.onView(VIEW);
        executor.onJoined();
        executor.onLeft("the end");
        assertThat(told).containsExactly("installed", "onView", "installed", "broken", "onClosed", "ended");
        assertThat(failures).singleElement().isInstanceOf(OutOfMemoryError.class);
    }

    @Test
    void theCallbackThatRunsIsKnown() {
        List<String> running = new ArrayList<>();
        DeliveryExecutor[] executor = new DeliveryExecutor[1];
        executor[0] = executor(
                () -> {
                    Calls.Running now = executor[0].running();
                    running.add(now == null ? "nothing" : now.callback());
                    running.add(String.valueOf(executor[0].isCalledBy(Thread.currentThread())));
                },
                reason -> {});
        executor[0].onView(VIEW);
        executor[0].onTransition();
        assertThat(running).containsExactly("onTransition", "true");
        assertThat(executor[0].running()).isNull();
        assertThat(executor[0].isCalledBy(Thread.currentThread())).isFalse();
    }
}
