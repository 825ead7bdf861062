package dev.tutti;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.View;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Results of every callback that throws, for every kind of exception: the table in docs/guarantees.md, "Callbacks that
 * fail". Member {@code good} is healthy; the callback of {@code bad} throws.
 */
@Timeout(60)
class CallbackFailureTest {

    private final List<Node> nodes = new ArrayList<>();
    private final LinkedBlockingQueue<String> troubles = new LinkedBlockingQueue<>();
    private final Recorder good = new Recorder();
    private final Recorder bad = new Recorder();
    private final AtomicBoolean isArmed = new AtomicBoolean();

    @AfterEach
    void closeAll() {
        nodes.forEach(Node::close);
    }

    private Node node(String name) {
        NodeBuilder builder = Node.tcp(0).name(name).onTrouble(troubles::add);
        if (!nodes.isEmpty()) {
            builder.seeds(nodes.getFirst().address());
        }
        Node node = builder.start();
        nodes.add(node);
        return node;
    }

    private Group joinGood() {
        return good.on(node("good").group("g")).join();
    }

    private void throwOnce(Thrown thrown) {
        if (isArmed.compareAndSet(true, false)) {
            thrown.now();
        }
    }

    /** Exceptions: nothing else is lost, and everybody who should know has been told. */
    private void assertGoesOn(Group sender, Group failing, String callback, Thrown thrown) throws InterruptedException {
        awaitTold(failing.node(), callback, thrown);
        sender.send("afterwards");
        bad.await("the message after the failure", all -> all.texts().contains("afterwards"));
        assertThat(failing.failure()).isNull();
        assertThat(failing.node().health().isReady()).isTrue();
        assertThat(failing.node().health().reasons()).anySatisfy(reason -> assertThat(reason)
                .contains("callback " + callback)
                .contains(thrown.type().getSimpleName()));
        assertThat(sender.view().size()).isEqualTo(2);
    }

    /** Waits for the report, which may follow the consequences, on another thread. */
    private void awaitTold(Node node, String callback, Thrown thrown) throws InterruptedException {
        CountDownLatch told = new CountDownLatch(1);
        try (Subscription listening = node.onEvent(event -> {
            if (event.kind() == Event.Kind.CALLBACK_FAILED) {
                told.countDown();
            }
        })) {
            boolean isTold = node.events(0).list().stream().anyMatch(event -> event.kind() == Event.Kind.CALLBACK_FAILED);
            assertThat(isTold || told.await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(listening).isNotNull();
        }
        assertThat(node.events(0).list()).anySatisfy(event -> {
            assertThat(event.kind()).isEqualTo(Event.Kind.CALLBACK_FAILED);
            assertThat(event.text()).contains("callback " + callback).contains(thrown.type().getName());
        });
        String trouble = troubles.poll(20, TimeUnit.SECONDS);
        while (trouble != null && !trouble.contains("callback")) {
            trouble = troubles.poll(20, TimeUnit.SECONDS);
        }
        assertThat(trouble).contains("group g").contains("callback " + callback).contains(thrown.type().getName());
    }

    /** Errors: the member leaves at once, and everybody who should know learns the cause. */
    private void assertLeaves(Group failing, String callback, Thrown thrown) throws InterruptedException {
        good.awaitViewOf(1);
        bad.await("the end of the group", all -> !all.closed().isEmpty());
        assertThat(bad.closed()).contains("callback " + callback).contains(thrown.type().getName());
        assertThat(failing.failure()).isNotNull().hasCauseInstanceOf(thrown.type());
        assertThatThrownBy(() -> failing.send("too late"))
                .isInstanceOf(SendException.class)
                .hasMessageContaining("callback " + callback)
                .hasRootCauseInstanceOf(thrown.type());
        awaitTold(failing.node(), callback, thrown);
        assertThat(failing.node().health().isAlive()).as("the node goes on").isTrue();
        // Another group of the node is not touched.
        try (Group other = failing.node().group("other").join()) {
            other.send("works");
        }
    }

    private void assertOutcome(Group sender, Group failing, String callback, Thrown thrown) throws InterruptedException {
        if (thrown.isError()) {
            assertLeaves(failing, callback, thrown);
        } else {
            assertGoesOn(sender, failing, callback, thrown);
        }
    }

    // ------------------------------------------------------------------ messages

    @ParameterizedTest
    @EnumSource
    void messageListenerThatThrowsLosesNothingInSilence(Thrown thrown) throws InterruptedException {
        assertMessages(thrown, false);
    }

    @ParameterizedTest
    @EnumSource
    void inlineMessageListenerThatThrowsLosesNothingInSilence(Thrown thrown) throws InterruptedException {
        assertMessages(thrown, true);
    }

    private void assertMessages(Thrown thrown, boolean isInline) throws InterruptedException {
        Group sender = joinGood();
        GroupBuilder builder = bad.on(node("bad").group("g")).onMessage(message -> {
            if (message.text().equals("300")) {
                thrown.now();
            }
            bad.onMessage(message);
        });
        Group failing = (isInline ? builder.inline() : builder).join();
        good.awaitViewOf(2);
        for (int number = 0; number < 1_000; number++) {
            sender.send(String.valueOf(number));
        }
        good.awaitMessages(1_000);
        assertOutcome(sender, failing, "onMessage", thrown);
        List<String> expected = new ArrayList<>();
        for (int number = 0; number < (thrown.isError() ? 300 : 1_000); number++) {
            if (number != 300) {
                expected.add(String.valueOf(number));
            }
        }
        assertThat(bad.texts()).startsWith(expected.toArray(String[]::new));
        if (thrown.isError()) {
            assertThat(bad.texts()).as("nothing after the error").hasSize(expected.size());
        }
    }

    @ParameterizedTest
    @EnumSource
    void listenerOfAMessageInAScopeThatThrowsLosesNothingInSilence(Thrown thrown) throws InterruptedException {
        assertAside(thrown, Scope.of(1));
    }

    @ParameterizedTest
    @EnumSource
    void listenerOfAMessageOutOfBandThatThrowsLosesNothingInSilence(Thrown thrown) throws InterruptedException {
        assertAside(thrown, Scope.OUT_OF_BAND);
    }

    private void assertAside(Thrown thrown, Scope scope) throws InterruptedException {
        Group sender = joinGood();
        Group failing = bad.on(node("bad").group("g"))
                .onMessage(message -> {
                    throwOnce(thrown);
                    bad.onMessage(message);
                })
                .join();
        good.awaitViewOf(2);
        isArmed.set(true);
        sender.send("boom".getBytes(UTF_8), scope);
        assertOutcome(sender, failing, "onMessage", thrown);
    }

    @ParameterizedTest
    @EnumSource
    void listenerOfALargeMessageThatThrowsLosesNothingInSilence(Thrown thrown) throws InterruptedException {
        Group sender = joinGood();
        Group failing = bad.on(node("bad").group("g"))
                .onMessage(message -> {
                    throwOnce(thrown);
                    bad.onMessage(message);
                })
                .join();
        good.awaitViewOf(2);
        isArmed.set(true);
        sender.send(new byte[3_000_000]);
        assertOutcome(sender, failing, "onMessage", thrown);
    }

    @ParameterizedTest
    @EnumSource
    void exceptionLeavesTheGroupWhereTheSettingSaysSo(Thrown thrown) throws InterruptedException {
        Group sender = joinGood();
        Group failing = bad.on(node("bad").group("g"))
                .set("on-exception", "leave")
                .onMessage(message -> thrown.now())
                .join();
        good.awaitViewOf(2);
        sender.send("boom");
        assertLeaves(failing, "onMessage", thrown);
    }

    @ParameterizedTest
    @EnumSource
    void endOfABatchThatThrowsLosesNothingInSilence(Thrown thrown) throws InterruptedException {
        Group sender = joinGood();
        Group failing = bad.on(node("bad").group("g")).onBatchEnd(() -> throwOnce(thrown)).join();
        good.awaitViewOf(2);
        isArmed.set(true);
        sender.send("boom");
        bad.await("the message", all -> all.texts().contains("boom"));
        assertOutcome(sender, failing, "onBatchEnd", thrown);
    }

    // ------------------------------------------------------------------ views and the end

    @ParameterizedTest
    @EnumSource
    void viewListenerThatThrowsLosesNothingInSilence(Thrown thrown) throws InterruptedException {
        Group sender = joinGood();
        Group failing = bad.on(node("bad").group("g"))
                .onView(view -> {
                    bad.onView(view);
                    throwOnce(thrown);
                })
                .join();
        good.awaitViewOf(2);
        bad.awaitViewOf(2);
        isArmed.set(true);
        Group third = node("third").group("g").join();
        bad.awaitViewOf(3);
        third.close();
        if (thrown.isError()) {
            assertLeaves(failing, "onView", thrown);
        } else {
            good.awaitViewOf(2);
            assertGoesOn(sender, failing, "onView", thrown);
        }
    }

    @ParameterizedTest
    @EnumSource
    void firstViewThatThrowsEndsTheJoin(Thrown thrown) {
        for (boolean isInline : new boolean[] {false, true}) {
            GroupBuilder builder = node("bad" + isInline).group("g").onView(view -> thrown.now());
            GroupBuilder chosen = isInline ? builder.inline() : builder;
            if (thrown.isError()) {
                assertThatThrownBy(chosen::join)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("callback onView")
                        .hasRootCauseInstanceOf(thrown.type());
                // The group is left by then: it can be joined again at once.
                nodes.getLast().group("g").join().close();
            } else {
                chosen.join().close();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void endThatThrowsHoldsUpNobody(Thrown thrown) throws InterruptedException {
        Node node = node("bad");
        Group failing = node.group("g").onClosed(reason -> thrown.now()).join();
        failing.close();
        awaitTold(node, "onClosed", thrown);
        node.group("g").join().close();
    }

    // ------------------------------------------------------------------ state

    private Group joinWithState(String name, Recorder recorder, FailingState state) {
        return recorder.on(node(name).group("g")).set("state.timeout", "10 min").state(state).join();
    }

    @ParameterizedTest
    @EnumSource
    void snapshotThatThrowsLeavesItToAnotherMember(Thrown thrown) throws InterruptedException {
        assertProvider("snapshot", thrown);
    }

    @ParameterizedTest
    @EnumSource
    void snapshotThatThrowsWhileItIsWrittenLeavesItToAnotherMember(Thrown thrown) throws InterruptedException {
        assertProvider("snapshot.write", thrown);
    }

    @ParameterizedTest
    @EnumSource
    void snapshotThatThrowsWhenItIsClosedIsReported(Thrown thrown) throws InterruptedException {
        assertProvider("snapshot.close", thrown);
    }

    /** {@code bad} is the oldest and asked first; {@code good} has the state too. */
    private void assertProvider(String place, Thrown thrown) throws InterruptedException {
        FailingState state = new FailingState(place, thrown);
        state.isArmed = false;
        Group failing = joinWithState("bad", bad, state);
        Group helper = joinWithState("good", good, new FailingState("", thrown));
        state.isArmed = true;
        // If it waited for a time-out of the state, the test would time out.
        Group newcomer = joinWithState("newcomer", new Recorder(), new FailingState("", thrown));
        // The join has returned, so the state is there; when the failing member leaves, members agree anew.
        assertThat(newcomer.failure()).isNull();
        if (thrown.isError()) {
            bad.await("the end of the group", all -> !all.closed().isEmpty());
            assertThat(bad.closed()).contains("callback " + place).contains(thrown.type().getName());
            assertThat(failing.failure()).hasRootCauseInstanceOf(thrown.type());
        } else {
            assertThat(failing.failure()).isNull();
        }
        awaitTold(failing.node(), place, thrown);
        assertThat(helper.failure()).isNull();
    }

    @ParameterizedTest
    @EnumSource
    void stateThatCannotBeInstalledEndsTheJoin(Thrown thrown) {
        joinWithState("good", good, new FailingState("", thrown));
        assertThatThrownBy(() -> joinWithState("bad", bad, new FailingState("install", thrown)))
                .isInstanceOf(StateException.class)
                .hasRootCauseInstanceOf(thrown.type());
        assertThat(good.closed()).isEmpty();
    }

    // ------------------------------------------------------------------ the node's

    @ParameterizedTest
    @EnumSource
    void listenerOfEventsThatThrowsGetsTheNextEvent(Thrown thrown) throws InterruptedException {
        Node node = node("bad");
        List<Event.Kind> seen = new CopyOnWriteArrayList<>();
        node.onEvent(event -> {
            seen.add(event.kind());
            thrown.now();
        });
        try (Group group = bad.on(node.group("g")).join()) {
            group.send("works");
            bad.awaitMessages(1);
        }
        assertThat(seen).contains(Event.Kind.VIEW, Event.Kind.JOINED, Event.Kind.LEFT);
        assertThat(node.inspection().part("events").value("listener-failures")).isGreaterThanOrEqualTo(3);
    }

    @ParameterizedTest
    @EnumSource
    void listenerOfTroubleThatThrowsDoesNotStopTheNode(Thrown thrown) throws Exception {
        CountDownLatch told = new CountDownLatch(1);
        Node other = Node.tcp(0).name("other").cluster("another").start();
        nodes.add(other);
        Node node = Node.tcp(0)
                .name("bad")
                .seeds(other.address())
                .onTrouble(text -> {
                    told.countDown();
                    thrown.now();
                })
                .start();
        nodes.add(node);
        assertThat(told.await(20, TimeUnit.SECONDS)).isTrue();
        try (Group group = bad.on(node.group("g")).join()) {
            group.send("works");
            bad.awaitMessages(1);
        }
        assertThat(node.health().isAlive()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void dependentOfAFutureThatThrowsHoldsUpNobody(Thrown thrown) throws Exception {
        CompletableFuture<Group> joined = bad.on(node("bad").group("g")).joinAsync();
        CompletableFuture<Void> dependent = joined.thenAccept(group -> thrown.now());
        Group group = joined.get(20, TimeUnit.SECONDS);
        assertThatThrownBy(() -> dependent.get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(thrown.type());
        group.send("works");
        bad.awaitMessages(1);
    }

    // ------------------------------------------------------------------ careless use

    @Test
    void nothingIsDeliveredAfterCloseWasCalledInAListener() throws InterruptedException {
        Group sender = joinGood();
        List<String> after = new CopyOnWriteArrayList<>();
        AtomicBoolean isClosed = new AtomicBoolean();
        node("bad").group("g")
                .onMessage((group, message) -> {
                    if (isClosed.get()) {
                        after.add(message.text());
                    } else if (message.text().equals("5")) {
                        group.close();
                        isClosed.set(true);
                    }
                })
                .onView(view -> {
                    if (isClosed.get()) {
                        after.add(view.toString());
                    }
                })
                .onClosed(bad::onClosed)
                .join();
        good.awaitViewOf(2);
        for (int number = 0; number < 100; number++) {
            sender.send(String.valueOf(number));
        }
        bad.await("the end", all -> !all.closed().isEmpty());
        assertThat(after).isEmpty();
    }

    @Test
    void nothingIsDeliveredAfterCloseHasReturned() throws InterruptedException {
        Group sender = joinGood();
        AtomicBoolean isClosed = new AtomicBoolean();
        List<String> after = new CopyOnWriteArrayList<>();
        Group other = node("bad").group("g")
                .onMessage(message -> {
                    if (isClosed.get()) {
                        after.add(message.text());
                    }
                    bad.onMessage(message);
                })
                .onClosed(reason -> {
                    if (isClosed.get()) {
                        after.add(reason);
                    }
                    bad.onClosed(reason);
                })
                .join();
        good.awaitViewOf(2);
        for (int number = 0; number < 5_000; number++) {
            sender.send(String.valueOf(number));
        }
        other.close();
        isClosed.set(true);
        assertThat(bad.closed()).as("the last listener has returned").isNotEmpty();
        good.awaitViewOf(1);
        assertThat(after).isEmpty();
    }

    @Test
    void inlineListenerThatWouldWaitForItsLoopIsToldAtOnce() throws InterruptedException {
        Node node = node("bad");
        List<String> answers = new CopyOnWriteArrayList<>();
        Group group = node.group("g")
                .inline()
                .onMessage((own, message) -> {
                    answers.add(refusal(own::close));
                    answers.add(refusal(node::inspection));
                    answers.add(refusal(() -> node.group("other").join()));
                    answers.add(refusal(node::close));
                    bad.onMessage(message);
                })
                .join();
        group.send("ask");
        bad.awaitMessages(1);
        assertThat(answers).hasSize(4).allSatisfy(answer -> assertThat(answer).contains("waits for the loop of node bad"));
    }

    private static String refusal(Runnable call) {
        try {
            call.run();
            return "it was not refused";
        } catch (IllegalStateException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @Test
    void joinThatIsCancelledLeaves() throws InterruptedException {
        joinGood();
        CountDownLatch isCancelled = new CountDownLatch(1);
        CompletableFuture<Group> joining = bad.on(node("bad").group("g"))
                .onView(view -> await(isCancelled))
                .joinAsync();
        assertThat(joining.cancel(false)).as("the join waits for the first view's listener").isTrue();
        isCancelled.countDown();
        bad.await("the end", all -> !all.closed().isEmpty());
        good.awaitViewOf(1);
    }

    @Test
    void joinWithTooFewMembersFailsAndLeaves() throws InterruptedException {
        joinGood();
        node("bad").group("g").join(2, Duration.ofSeconds(20)).close();
        assertThatThrownBy(() -> nodes.getLast().group("g").join(3, Duration.ofMillis(50)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("2 members")
                .hasMessageContaining("at least 3");
        good.awaitViewOf(1);
        assertThat(nodes.getLast().groups()).isEmpty();
    }

    @Test
    void listenersOfViewsAreToldWhoHasJoinedAndLeft() throws InterruptedException {
        List<String> changes = new CopyOnWriteArrayList<>();
        good.on(node("good").group("g"))
                .onView((group, view) -> {
                    changes.add("+" + view.joined().stream().map(member -> member.name()).toList() + " -"
                            + view.left().stream().map(member -> member.name()).toList());
                    good.onView(view);
                })
                .join();
        try (Group other = node("other").group("g").join()) {
            good.awaitViewOf(2);
            assertThat(other.view().former()).isNotNull();
        }
        good.awaitViewOf(1);
        assertThat(changes).containsExactly("+[good] -[]", "+[other] -[]", "+[] -[other]");
    }

    @Test
    void missingListenersAreRefused() {
        GroupBuilder builder = node("bad").group("g");
        assertThatThrownBy(() -> builder.onMessage((Consumer<Message>) null)).hasMessage("listener");
        assertThatThrownBy(() -> builder.onView((Consumer<View>) null)).hasMessage("listener");
        assertThatThrownBy(() -> builder.onClosed(null)).hasMessage("listener");
        assertThatThrownBy(() -> builder.onSuspended(null)).hasMessage("listener");
        assertThatThrownBy(() -> builder.onTransition(null)).hasMessage("listener");
        assertThatThrownBy(() -> builder.onBatchEnd(null)).hasMessage("listener");
        assertThatThrownBy(() -> builder.state(null)).hasMessage("state");
        assertThatThrownBy(() -> nodes.getFirst().onEvent(null)).hasMessage("listener");
        assertThatThrownBy(() -> nodes.getFirst().answer("question", null)).hasMessage("answer");
        assertThatThrownBy(() -> Node.tcp(0).onTrouble(null)).hasMessage("listener");
    }

    @Test
    void messageAndStreamThatAreKeptThrowInsteadOfShowingAnotherMessage() throws InterruptedException {
        List<Message> kept = new CopyOnWriteArrayList<>();
        List<InputStream> streams = new CopyOnWriteArrayList<>();
        Group group = node("bad").group("g")
                .onMessage(message -> {
                    for (Message earlier : kept) {
                        assertThatThrownBy(earlier::text).isInstanceOf(IllegalStateException.class);
                    }
                    kept.add(message);
                    streams.add(message.stream());
                    assertThat(readAll(message.stream())).isEqualTo(message.bytes());
                    bad.onMessage(message);
                })
                .join();
        for (int number = 0; number < 20; number++) {
            group.send("message " + number);
        }
        bad.awaitMessages(20);
        group.close();
        assertThat(kept).hasSize(20).allSatisfy(message ->
                assertThatThrownBy(message::bytes).isInstanceOf(IllegalStateException.class).hasMessageContaining("valid only"));
        assertThat(streams).allSatisfy(stream ->
                assertThatThrownBy(stream::read).isInstanceOf(IllegalStateException.class).hasMessageContaining("valid only"));
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] readAll(InputStream in) {
        try {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
