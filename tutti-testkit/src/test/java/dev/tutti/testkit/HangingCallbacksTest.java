package dev.tutti.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Event;
import dev.tutti.Group;
import dev.tutti.GroupBuilder;
import dev.tutti.GroupState;
import dev.tutti.Message;
import dev.tutti.Node;
import dev.tutti.Problem;
import dev.tutti.Scope;
import dev.tutti.Snapshot;
import dev.tutti.StateException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The column "never returns" of the groups' callbacks in docs/guarantees.md; n1 is where they hang unless a test says otherwise. */
@Timeout(60)
class HangingCallbacksTest {

    private static final Duration STEP = Duration.ofMillis(250);
    private static final Duration TOLD_WITHIN = Duration.ofSeconds(10);
    private static final Duration STATE_TIMEOUT = Duration.ofSeconds(20);

    private final Cluster cluster = Cluster.of(3, 1);
    private final CompletableFuture<Boolean> released = new CompletableFuture<>();

    /** The callback that is to hang from now on. */
    private String hanging = "";

    private String hangingNode = "n1";

    private boolean isStuck;
    private boolean hasState;
    private boolean isPrimary;
    private String stack = "fifo";

    /** Of n1, for each chunk of the state. */
    private Duration installPause = Duration.ZERO;

    @AfterEach
    void closeCluster() {
        released.complete(true);
        cluster.close();
    }

    private void hang(Node node, String callback) {
        if (hanging.equals(callback) && node.name().equals(hangingNode)) {
            isStuck = true;
            node.threads().join(released);
        }
    }

    private final class Component implements GroupState {
        final Node node;
        final List<String> got = new ArrayList<>();
        final List<String> gotInOther = new ArrayList<>();
        final List<String> closed = new ArrayList<>();
        final List<String> installs = new ArrayList<>();
        final CompletableFuture<Group> joined;
        final Group other;
        @Nullable IOException readFailure;
        boolean isInListener;

        Component(Node node) {
            this.node = node;
            other = node.group("other").onMessage(message -> gotInOther.add(message.text())).join();
            GroupBuilder builder = node.group("g")
                    .set("stack", stack)
                    .set("leave-timeout", "2 s")
                    .onView(view -> hang(node, "onView"))
                    .onTransition(() -> hang(node, "onTransition"))
                    .onSuspended(reason -> hang(node, "onSuspended"))
                    .onBatchEnd(() -> hang(node, "onBatchEnd"))
                    .onMessage(this::onMessage)
                    .onClosed(reason -> {
                        closed.add(reason);
                        hang(node, "onClosed");
                    });
            if (stack.equals("total")) {
                builder.set("total.delivery", "safe");
            }
            if (isPrimary) {
                builder.primary("n1", "n2", "n3");
            }
            if (hasState) {
                builder.state(this).set("state.timeout", STATE_TIMEOUT.toSeconds() + " s");
            }
            joined = builder.joinAsync();
            var unused = joined.thenRun(() -> hang(node, "a stage on joinAsync"));
        }

        private void onMessage(Message message) {
            isInListener = true;
            hang(node, "onMessage");
            isInListener = false;
            got.add(message.text());
        }

        Group group() {
            return joined.join();
        }

        private void pause() {
            if (node.name().equals("n1") && installPause.isPositive()) {
                cluster.process(1).threads().sleep(installPause.toNanos());
            }
        }

        @Override
        public Snapshot snapshot() {
            hang(node, "snapshot");
            byte[] state = String.join(" ", got).getBytes(StandardCharsets.UTF_8);
            return new Snapshot() {
                @Override
                public void write(OutputStream out) throws IOException {
                    hang(node, "write");
                    out.write(state);
                }

                @Override
                public long bytes() {
                    hang(node, "bytes");
                    return state.length;
                }

                @Override
                public void close() {
                    hang(node, "close");
                }
            };
        }

        @Override
        public void install(InputStream in) throws IOException {
            hang(node, "install");
            installs.add("n1 in listener: " + isInListener);
            try {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                for (byte[] chunk = in.readNBytes(20_000); chunk.length > 0; chunk = in.readNBytes(20_000)) {
                    bytes.writeBytes(chunk);
                    pause();
                }
                String text = bytes.toString(StandardCharsets.UTF_8);
                hang(node, "install after the end");
                got.clear();
                got.addAll(List.of(text.isEmpty() ? new String[0] : text.split(" ")));
            } catch (IOException e) {
                readFailure = e;
                throw e;
            }
        }
    }

    private Components<Component> start(int... numbers) {
        Components<Component> components = cluster.deploy(Component::new);
        cluster.start(numbers).awaitOneView();
        cluster.advanceUntil("all have joined", TOLD_WITHIN, () ->
                components.running().stream().allMatch(component -> component.joined.isDone()));
        return components;
    }

    private List<Problem> problems(Problem.Kind kind) {
        return cluster.node(1).health().problems().stream().filter(problem -> problem.kind() == kind).toList();
    }

    private Problem awaitProblem(Problem.Kind kind) {
        cluster.advanceUntil(kind.toString(), TOLD_WITHIN, () -> !problems(kind).isEmpty());
        return problems(kind).getFirst();
    }

    private void awaitCalled() {
        cluster.advanceUntil("the callback is called", Duration.ofSeconds(20), () -> isStuck);
    }

    private void assertOtherGroupDelivers(Components<Component> components) {
        cluster.runOn(2, () -> components.on(2).other.send("on"));
        cluster.advanceUntil("the other group delivers", TOLD_WITHIN, () -> components.on(1).gotInOther.contains("on"));
    }

    private void release() {
        hanging = "";
        released.complete(true);
        cluster.awaitRest();
    }

    @ParameterizedTest
    @ValueSource(strings = {"onMessage", "onBatchEnd", "onView", "onTransition"})
    void groupOfAListenerWaitsAndNothingElse(String callback) {
        stack = callback.equals("onTransition") ? "total" : "fifo";
        Components<Component> components = start(1, 2, 3);
        hanging = callback;
        if (callback.equals("onTransition")) {
            // Its message is never known to be at all members then.
            cluster.partition(1);
            cluster.runOn(1, () -> components.on(1).group().send("alone"));
        } else if (callback.equals("onView")) {
            cluster.stop(3);
        } else {
            cluster.runOn(2, () -> components.on(2).group().send("first"));
        }
        awaitCalled();
        assertThat(awaitProblem(Problem.Kind.LISTENER_STUCK).text()).contains("group g: " + callback + " does not return");
        assertThat(cluster.node(1).health().isReady()).isFalse();
        assertThat(cluster.node(2).health().isReady()).isTrue();
        cluster.heal();
        if (!callback.equals("onTransition")) {
            assertOtherGroupDelivers(components);
        }
        cluster.runOn(2, () -> components.on(2).group().send("second"));
        cluster.advance(STEP);
        assertThat(components.on(1).got).doesNotContain("second");
        release();
        cluster.runOn(2, () -> components.on(2).group().send("third"));
        cluster.awaitRest();
        assertThat(components.on(1).got).endsWith("third");
        assertThat(components.on(1).closed).isEmpty();
    }

    @Test
    void suspensionListenerKeepsItsGroupWaitingAndNothingElse() {
        isPrimary = true;
        cluster.configure(builder -> builder.set("records.directory", "memory"));
        Components<Component> components = start(1, 2, 3);
        hanging = "onSuspended";
        cluster.partition(1);
        awaitCalled();
        assertThat(awaitProblem(Problem.Kind.LISTENER_STUCK).text()).contains("group g: onSuspended does not return");
        cluster.runOn(2, () -> components.on(2).group().send("meanwhile"));
        cluster.advance(STEP);
        assertThat(components.on(3).got).as("the primary partition goes on").containsExactly("meanwhile");
        cluster.heal().awaitOneView();
        assertOtherGroupDelivers(components);
        cluster.runOn(2, () -> components.on(2).group().send("second"));
        cluster.advance(STEP);
        assertThat(components.on(1).got).isEmpty();
        release();
        assertThat(components.on(1).got).containsExactly("second");
        assertThat(components.on(1).closed).isEmpty();
    }

    @Test
    void stageOnASendThatHadToWaitHoldsNothingUp() {
        Components<Component> components = start(1, 2);
        hanging = "a stage on sendAsync";
        cluster.pause(2);
        List<CompletableFuture<Void>> sent = new ArrayList<>();
        cluster.runOn(1, () -> {
            for (int count = 0; count < 1_000; count++) {
                sent.add(components.on(1).group().sendAsync(new byte[10_000]));
            }
        });
        assertThat(sent.getLast()).as("accepted at once").isNotDone();
        CompletableFuture<Void> first = sent.stream().filter(each -> !each.isDone()).findFirst().orElseThrow();
        CompletableFuture<Void> stage = first.thenRun(() -> hang(components.on(1).node, hanging));
        cluster.resume(2);
        awaitCalled();
        cluster.advanceUntil("the sends behind it are accepted", TOLD_WITHIN, () -> sent.stream().allMatch(CompletableFuture::isDone));
        cluster.advanceUntil("all is delivered", TOLD_WITHIN, () -> components.on(1).got.size() == 1_000);
        cluster.runOn(2, () -> components.on(2).group().send("on"));
        cluster.advance(TOLD_WITHIN);
        assertThat(components.on(1).got).endsWith("on");
        assertThat(stage).as("it may wait, and still does").isNotDone();
        assertThat(cluster.node(1).health().isReady()).isTrue();
        assertThat(problems(Problem.Kind.LISTENER_STUCK)).isEmpty();
        release();
        assertThat(stage).isCompleted();
    }

    /** Each on a thread of its own that holds up nothing. */
    @ParameterizedTest
    @ValueSource(strings = {"a stage on joinAsync", "close"})
    void groupDoesNotWaitForThreadsAside(String callback) {
        hasState = true;
        hanging = callback;
        Components<Component> components = cluster.deploy(Component::new);
        cluster.start(1).advance(Duration.ofSeconds(5)).start(2).awaitOneView();
        awaitCalled();
        cluster.advanceUntil("n2 has joined", TOLD_WITHIN, () -> components.on(2).joined.isDone());
        cluster.runOn(2, () -> components.on(2).group().send("on"));
        cluster.advanceUntil("the group delivers", TOLD_WITHIN, () -> components.on(1).got.contains("on"));
        cluster.advance(TOLD_WITHIN);
        assertThat(cluster.node(1).health().isReady()).isTrue();
        assertThat(problems(Problem.Kind.LISTENER_STUCK)).isEmpty();
        assertThat(components.on(2).got).containsExactly("on");
        release();
    }

    @Test
    void closeOfTheGroupWaitsForItsListenerWithinItsTime() {
        Components<Component> components = start(1, 2);
        hanging = "onClosed";
        Duration before = cluster.elapsed();
        cluster.runOn(1, () -> components.on(1).group().close());
        assertThat(cluster.elapsed().minus(before)).isBetween(Duration.ofSeconds(2), Duration.ofMillis(3_100));
        assertThat(components.on(2).group().view().size()).isEqualTo(1);
        release();
    }

    @ParameterizedTest
    @ValueSource(strings = {"snapshot", "write", "bytes"})
    void stateComesFromAnotherMemberIfOneDoesNotWriteIt(String callback) {
        hasState = true;
        Components<Component> components = start(1, 2);
        cluster.runOn(1, () -> components.on(1).group().send("a"));
        cluster.awaitRest();
        hanging = callback;
        // The one that newcomers ask first.
        hangingNode = "n2";
        cluster.start(3);
        awaitCalled();
        cluster.runOn(1, () -> components.on(1).other.send("on"));
        cluster.advanceUntil("the other group delivers", TOLD_WITHIN, () -> components.on(2).gotInOther.contains("on"));
        assertThat(components.on(3).joined).isNotDone();
        cluster.advanceUntil("n3 has joined", STATE_TIMEOUT.multipliedBy(2), () -> components.on(3).joined.isDone());
        assertThat(components.on(3).got).containsExactly("a");
        release();
    }

    @ParameterizedTest
    @ValueSource(strings = {"install", "install after the end"})
    void newcomerWhoseInstallDoesNotReturnLeavesWithTheReason(String place) {
        hasState = true;
        Components<Component> components = start(2, 3);
        cluster.runOn(2, () -> components.on(2).group().send("a"));
        hanging = place;
        cluster.start(1);
        awaitCalled();
        Duration before = cluster.elapsed();
        Problem problem = awaitProblem(Problem.Kind.STATE_STUCK);
        assertThat(problem.text()).contains("it waits for install of the application, which has neither returned nor read on for");
        assertThat(problem.text()).as("the provider has no part in it").doesNotContain("n2").doesNotContain("n3");
        assertThat(problem.advice()).contains("let it return");
        CompletableFuture<Group> joined = components.on(1).joined;
        cluster.advanceUntil("the join has failed", STATE_TIMEOUT, joined::isDone);
        assertThat(cluster.elapsed().minus(before)).isBetween(STATE_TIMEOUT.minusSeconds(1), STATE_TIMEOUT.plusSeconds(3));
        String reason = "install of the application has neither returned nor read on for 2";
        assertThat(joined).isCompletedExceptionally();
        assertThat(joined.exceptionNow()).isInstanceOf(StateException.class).hasMessageContaining(reason);
        assertThat(components.on(1).closed).as("while it still hangs").singleElement().asString().contains(reason);
        assertThat(awaitProblem(Problem.Kind.GROUP_LOST).text()).contains(reason);
        assertThat(components.on(2).group().view().size()).isEqualTo(2);
        assertThat(cluster.node(1).events(0).list()).anyMatch(event -> event.kind() == Event.Kind.STATE && event.toString().contains(reason));
        assertOtherGroupDelivers(components);
        hanging = "";
        released.complete(true);
        cluster.awaitRest();
        assertThat(components.on(1).closed).hasSize(1);
        if (place.equals("install")) {
            assertThat(components.on(1).readFailure).as("what it reads afterwards").hasMessageContaining(reason);
        }
    }

    @Test
    void slowInstallThatReadsOnIsNotStuck() {
        hasState = true;
        Components<Component> components = start(2, 3);
        cluster.runOn(2, () -> {
            for (int count = 0; count < 30; count++) {
                components.on(2).group().send("x".repeat(10_000));
            }
        });
        installPause = Duration.ofSeconds(8);
        Duration before = cluster.elapsed();
        cluster.start(1);
        cluster.advanceUntil("n1 has joined", Duration.ofMinutes(10), () -> components.on(1).joined.isDone());
        assertThat(components.on(1).got).hasSize(30);
        assertThat(cluster.elapsed().minus(before)).isGreaterThan(STATE_TIMEOUT.multipliedBy(4));
    }

    @Test
    void installWaitsForListenersOfMessagesOutOfBand() {
        Components<Component> components = startToMerge();
        cluster.heal().advance(Duration.ofSeconds(12));
        assertThat(components.on(1).group().view().size()).as("the sides have met").isEqualTo(3);
        assertThat(awaitProblem(Problem.Kind.STATE_STUCK).text())
                .contains("it waits for listeners of the application for messages out of band");
        assertThat(components.on(1).installs).as("the listener has not returned").isEmpty();
        release();
        assertThat(components.on(1).installs).containsExactly("n1 in listener: false");
        assertThat(components.on(1).got).contains("right").doesNotContain("left");
    }

    @Test
    void memberWhoseListenerOutOfBandDoesNotReturnLeavesInsteadOfInstalling() {
        Components<Component> components = startToMerge();
        cluster.heal().advance(STATE_TIMEOUT.plusSeconds(8));
        assertThat(components.on(1).closed).singleElement().asString().contains(
                "a listener of a message out of band has not returned for 20 s (state.timeout)");
        assertThat(components.on(2).group().view().size()).isEqualTo(2);
        assertThat(components.on(1).installs).isEmpty();
        release();
        assertThat(components.on(1).installs).isEmpty();
    }

    /** Two sides with a state each; a listener of a message out of band runs at n1, whose side is the smaller one. */
    private Components<Component> startToMerge() {
        hasState = true;
        Components<Component> components = start(1, 2, 3);
        cluster.partition(1).advance(Duration.ofSeconds(10));
        components.on(1).installs.clear();
        cluster.runOn(1, () -> components.on(1).group().send("left"));
        cluster.runOn(2, () -> components.on(2).group().send("right"));
        hanging = "onMessage";
        cluster.runOn(1, () -> components.on(1).group().send("urgent".getBytes(StandardCharsets.UTF_8), Scope.OUT_OF_BAND));
        awaitCalled();
        return components;
    }
}
