package dev.tutti.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Group;
import dev.tutti.GroupBuilder;
import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.Scope;
import dev.tutti.SendException;
import dev.tutti.Stability;
import dev.tutti.UnstableException;
import dev.tutti.UnstableException.Outcome;
import dev.tutti.UnstableException.Reason;
import dev.tutti.core.Delivery;
import dev.tutti.core.Member;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Receipts that a sender gets for its messages. */
@Timeout(60)
class ReceiptTest {

    /** A component that remembers what it got. */
    private static final class Recorder {
        final List<String> got = new ArrayList<>();
        final Group group;

        Recorder(Node node, UnaryOperator<GroupBuilder> settings) {
            group = settings.apply(node.group("records")
                            .set("window", "128 KiB")
                            .onMessage(message -> got.add(message.text())))
                    .join();
        }

        Member member() {
            return group.self();
        }
    }

    private static final Duration LONG = Duration.ofSeconds(20);

    private Cluster cluster = Cluster.of(3, 1);
    private Components<Recorder> members = cluster.deploy(node -> new Recorder(node, settings -> settings));

    @AfterEach
    void closeCluster() {
        cluster.close();
    }

    private void start(int size, UnaryOperator<GroupBuilder> settings) {
        start(size, settings, UnaryOperator.identity());
    }

    private void start(int size, UnaryOperator<GroupBuilder> settings, UnaryOperator<NodeBuilder> nodes) {
        cluster.close();
        cluster = Cluster.of(size, 1).configure(nodes);
        members = cluster.startAll(node -> new Recorder(node, settings));
        cluster.awaitOneView();
    }

    private void start(int size) {
        start(size, settings -> settings);
    }

    /** Runs {@code action} on a thread of n1, which may wait. */
    private CompletableFuture<Void> begin(Consumer<Recorder> action) {
        CompletableFuture<Void> end = new CompletableFuture<>();
        Recorder sender = members.on(1);
        cluster.node(1).threads().start("sender", () -> {
            action.accept(sender);
            end.complete(null);
        });
        return end;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private CompletableFuture<Delivery> send(int from, String text, Stability stability) {
        return members.on(from).group.sendStable(bytes(text), stability);
    }

    private List<Member> members(Integer... numbers) {
        return Arrays.stream(numbers).map(number -> members.on(number).member()).toList();
    }

    private Delivery given(CompletableFuture<Delivery> receipt) {
        cluster.advanceUntil("a receipt", LONG, receipt::isDone);
        return receipt.join();
    }

    private UnstableException failed(CompletableFuture<Delivery> receipt) {
        cluster.advanceUntil("a failed receipt", LONG, receipt::isDone);
        assertThat(receipt).isCompletedExceptionally();
        return (UnstableException) receipt.exceptionNow();
    }

    private Delivery settled(UnstableException failure) {
        cluster.advanceUntil("what became of it", Duration.ofMinutes(2), failure.settled()::isDone);
        return failure.settled().join();
    }

    // ------------------------------------------------------------------ in a view

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5})
    void isGivenWhenAllMembersHaveTheMessage(int size) {
        start(size);
        CompletableFuture<Delivery> receipt = send(1, "a", Stability.ALL);
        Delivery delivery = given(receipt);
        assertThat(delivery.deliveredBy()).isEqualTo(members.on(1).group.view().members()).hasSize(size);
        assertThat(delivery.sentIn()).isEqualTo(members.on(1).group.view());
        assertThat(members.running()).allMatch(member -> member.got.equals(List.of("a")));
    }

    @Test
    void takesARoundTripAndNotTheDelayOfAcknowledgements() {
        start(3, settings -> settings.set("ack-delay", "1 s"));
        cluster.latency(Duration.ofMillis(1), Duration.ZERO);
        Duration before = cluster.elapsed();
        given(send(1, "a", Stability.ALL));
        assertThat(cluster.elapsed().minus(before)).isLessThan(Duration.ofMillis(5));
    }

    @Test
    void ofAUnicastTakesARoundTripToo() {
        start(3, settings -> settings.set("ack-delay", "1 s"));
        Duration before = cluster.elapsed();
        Delivery delivery = given(members.on(1).group.sendStableTo(members.on(2).member(), bytes("you")));
        assertThat(delivery.deliveredBy()).containsExactlyInAnyOrderElementsOf(members(2));
        assertThat(cluster.elapsed().minus(before)).isLessThan(Duration.ofMillis(100));
        assertThat(members.on(2).got).containsExactly("you");
        assertThat(given(members.on(1).group.sendStableTo(members.on(1).member(), bytes("me"))).deliveredBy())
                .containsExactlyInAnyOrderElementsOf(members(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"fifo", "total"})
    void isGivenForMessagesOfAnyKindInAnyOrder(String stack) {
        start(3, settings -> settings.set("stack", stack));
        Group group = members.on(2).group;
        List<CompletableFuture<Delivery>> receipts = new ArrayList<>();
        members.run(2, sender -> {
            for (int count = 0; count < 50; count++) {
                receipts.add(group.sendStable(bytes("small"), Stability.ALL));
                receipts.add(group.sendStable(bytes("scoped"), Scope.of("x"), Stability.ALL));
                receipts.add(group.sendStable(bytes("urgent"), Scope.OUT_OF_BAND, Stability.MAJORITY));
            }
            receipts.add(group.sendStable(new byte[200_000], Stability.ALL));
            receipts.add(group.sendStable(new byte[1_000_000], Stability.MAJORITY));
        });
        cluster.awaitRest();
        assertThat(receipts).hasSize(152).allMatch(receipt -> receipt.isDone() && !receipt.isCompletedExceptionally());
        assertThat(members.running()).allMatch(member -> member.got.size() == 152);
    }

    @Test
    void isRefusedForMessagesToAllOfACausalGroup() {
        start(2, settings -> settings.set("stack", "causal"));
        Group group = members.on(1).group;
        assertThatThrownBy(() -> group.sendStable(bytes("a"), Stability.ALL))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is causal");
        assertThat(given(group.sendStableTo(members.on(2).member(), bytes("b"))).deliveredBy())
                .containsExactlyInAnyOrderElementsOf(members(2));
    }

    @Test
    void ofAMajorityDoesNotWaitForTheRest() {
        start(5);
        cluster.cut(1, 4).cut(1, 5);
        CompletableFuture<Delivery> all = send(1, "a", Stability.ALL);
        CompletableFuture<Delivery> most = send(1, "b", Stability.MAJORITY);
        cluster.advance(Duration.ofMillis(500));
        assertThat(given(most).deliveredBy()).containsExactlyInAnyOrderElementsOf(members(1, 2, 3));
        assertThat(most.join().unknown()).containsExactlyInAnyOrderElementsOf(members(4, 5));
        assertThat(all).isNotDone();
    }

    // ------------------------------------------------------------------ over views

    @Test
    void failsWithTheViewAfterACrashAndNamesThoseWhoHaveTheMessage() {
        start(3);
        Member crashed = members.on(3).member();
        cluster.powerOff(3);
        CompletableFuture<Delivery> all = send(1, "a", Stability.ALL);
        CompletableFuture<Delivery> most = send(1, "b", Stability.MAJORITY);
        UnstableException failure = failed(all);
        assertThat(failure.reason()).isEqualTo(Reason.VIEW_CHANGE);
        assertThat(failure.outcome()).isEqualTo(Outcome.UNKNOWN);
        assertThat(failure.delivery().deliveredBy()).containsExactlyInAnyOrderElementsOf(members(1, 2));
        assertThat(failure.delivery().unknown()).containsExactly(crashed);
        assertThat(failure.delivery().knownIn().members()).containsExactlyInAnyOrderElementsOf(members(1, 2));
        assertThat(most.join().deliveredBy()).containsExactlyInAnyOrderElementsOf(members(1, 2));
        assertThat(settled(failure).unknown()).as("it never comes back").containsExactly(crashed);
    }

    @Test
    void isGivenOverAViewThatOnlyAddsAMember() {
        start(3);
        cluster.crash(3);
        cluster.awaitOneViewOf(LONG, 1, 2);
        cluster.cut(2, 1);
        CompletableFuture<Delivery> receipt = send(1, "a", Stability.ALL);
        cluster.advance(Duration.ofMillis(100));
        assertThat(receipt).isNotDone();
        cluster.heal();
        cluster.restart(3);
        assertThat(given(receipt).deliveredBy()).containsExactlyInAnyOrderElementsOf(members(1, 2));
    }

    @Test
    void membersThatWereCutOffLearnThatTheirMessagesReachedNobody() {
        start(3);
        cluster.partition(1);
        List<CompletableFuture<Delivery>> receipts = new ArrayList<>();
        for (int count = 0; count < 380; count++) {
            receipts.add(send(1, "lost " + count, count % 2 == 0 ? Stability.ALL : Stability.MAJORITY));
        }
        List<UnstableException> failures = receipts.stream().map(this::failed).toList();
        assertThat(failures)
                .allMatch(failure -> failure.outcome() == Outcome.UNKNOWN)
                .allMatch(failure -> failure.delivery().knownIn().size() == 1);
        cluster.awaitOneViewOf(LONG, 2, 3);
        cluster.heal();
        for (UnstableException failure : failures) {
            Delivery delivery = settled(failure);
            assertThat(delivery.missedBy()).containsExactlyInAnyOrderElementsOf(members(2, 3));
            assertThat(failure.outcome(delivery)).isEqualTo(Outcome.NOBODY_ELSE);
        }
        cluster.awaitRest();
        assertThat(members.on(2).got).isEmpty();
        assertThat(members.on(1).got).hasSize(380);
    }

    @Test
    void memberThatWasStoppedLearnsWhichOfItsMessagesTheOthersHave() {
        start(3);
        List<CompletableFuture<Delivery>> receipts = new ArrayList<>();
        for (int count = 0; count < 20; count++) {
            receipts.add(send(1, "before " + count, Stability.ALL));
        }
        cluster.advance(Duration.ofMillis(10));
        cluster.cut(1, 2).cut(1, 3);
        for (int count = 0; count < 20; count++) {
            receipts.add(send(1, "after " + count, Stability.ALL));
        }
        cluster.advance(Duration.ofMillis(10)).pause(1);
        cluster.awaitOneViewOf(LONG, 2, 3);
        cluster.heal().resume(1);
        cluster.awaitRest();
        assertThat(receipts.subList(0, 20)).allMatch(receipt -> receipt.state() == CompletableFuture.State.SUCCESS);
        for (CompletableFuture<Delivery> receipt : receipts.subList(20, 40)) {
            UnstableException failure = failed(receipt);
            Delivery delivery = settled(failure);
            assertThat(delivery.unknown()).isEmpty();
            assertThat(failure.outcome(delivery)).isEqualTo(Outcome.NOBODY_ELSE);
        }
        assertThat(members.on(2).got).hasSize(20).noneMatch(text -> text.startsWith("after"));
    }

    @Test
    void whatTheOthersDeliveredWhileTheirAcknowledgementsWereLostIsKnownAfterTheMerge() {
        start(3);
        cluster.cut(2, 1).cut(3, 1);
        CompletableFuture<Delivery> receipt = send(1, "heard", Stability.ALL);
        UnstableException failure = failed(receipt);
        assertThat(failure.outcome()).isEqualTo(Outcome.UNKNOWN);
        cluster.heal();
        Delivery delivery = settled(failure);
        assertThat(members.on(2).got).containsExactly("heard");
        assertThat(delivery.isByAll()).isTrue();
        assertThat(failure.outcome(delivery)).isEqualTo(Outcome.SOME);
    }

    @ParameterizedTest
    @EnumSource(Stability.class)
    void ofALargeMessageThatAViewChangeWithdrawsIsAboutTheViewInWhichItGoesOutWhole(Stability stability) {
        start(3);
        cluster.powerOff(3);
        List<CompletableFuture<Delivery>> receipts = new ArrayList<>();
        CompletableFuture<Void> sending = begin(sender -> {
            receipts.add(sender.group.sendStable(new byte[2_000_000], stability));
        });
        cluster.advance(Duration.ofMillis(100));
        assertThat(sending).as("n3 closes the window").isNotDone();
        cluster.advanceUntil("it is sent", LONG, sending::isDone);
        Delivery delivery = given(receipts.getFirst());
        assertThat(delivery.sentIn().members()).containsExactlyInAnyOrderElementsOf(members(1, 2));
        assertThat(delivery.deliveredBy()).containsExactlyInAnyOrderElementsOf(members(1, 2));
    }

    // ------------------------------------------------------------------ ends

    @Test
    void failsWhenTheGroupIsLeft() {
        start(2);
        cluster.cut(2, 1);
        CompletableFuture<Delivery> receipt = send(1, "a", Stability.ALL);
        members.run(1, sender -> sender.group.close());
        UnstableException failure = failed(receipt);
        assertThat(failure.reason()).isEqualTo(Reason.LEFT);
        assertThat(failure.outcome()).isEqualTo(Outcome.UNKNOWN);
        assertThat(failure.delivery().deliveredBy()).containsExactlyInAnyOrderElementsOf(members(1));
        assertThat(settled(failure).unknown()).containsExactlyInAnyOrderElementsOf(members(2));
    }

    @Test
    void isGivenForWhatIsSentRightBeforeLeaving() {
        start(3);
        List<CompletableFuture<Delivery>> receipts = new ArrayList<>();
        members.run(1, sender -> {
            for (int count = 0; count < 500; count++) {
                receipts.add(sender.group.sendStable(new byte[1_000], Stability.ALL));
            }
            sender.group.close();
        });
        cluster.advanceUntil("all receipts", LONG, () -> receipts.stream().allMatch(CompletableFuture::isDone));
        assertThat(receipts).noneMatch(CompletableFuture::isCompletedExceptionally);
        assertThat(members.on(2).got).hasSize(500);
    }

    @Test
    void failsAtItsDeadlineAndSaysWhatIsKnown() {
        start(3, settings -> settings.set("receipt-timeout", "300 ms"));
        cluster.cut(3, 1);
        Duration before = cluster.elapsed();
        UnstableException failure = failed(send(1, "a", Stability.ALL));
        assertThat(cluster.elapsed().minus(before)).isBetween(Duration.ofMillis(300), Duration.ofMillis(320));
        assertThat(failure.reason()).isEqualTo(Reason.TIMEOUT);
        assertThat(failure).hasMessageContaining("receipt-timeout (300 ms)");
        assertThat(failure.delivery().deliveredBy()).contains(members.on(1).member());
        cluster.heal();
    }

    @Test
    void toAMemberThatIsGoneIsNotSent() {
        start(3);
        Member gone = members.on(3).member();
        List<CompletableFuture<Delivery>> receipts = new ArrayList<>();
        cluster.slow(3, Duration.ofSeconds(10));
        begin(sender -> {
            for (int count = 0; count < 10; count++) {
                receipts.add(sender.group.sendStableTo(gone, new byte[20_000]));
            }
        });
        cluster.advance(Duration.ofMillis(100)).powerOff(3);
        cluster.awaitOneViewOf(LONG, 1, 2);
        cluster.advanceUntil("all receipts", LONG, () -> receipts.stream().allMatch(CompletableFuture::isDone));
        List<UnstableException> failures = receipts.stream()
                .filter(CompletableFuture::isCompletedExceptionally)
                .map(this::failed)
                .toList();
        assertThat(failures).anyMatch(failure -> failure.reason() == Reason.NOT_SENT);
        assertThat(failures)
                .filteredOn(failure -> failure.reason() == Reason.NOT_SENT)
                .allMatch(failure -> failure.outcome() == Outcome.NOBODY_ELSE)
                .allMatch(failure -> failure.delivery().missedBy().equals(List.of(gone)));
        assertThatThrownBy(() -> members.on(1).group.sendStableTo(gone, bytes("late")))
                .isInstanceOfSatisfying(
                        SendException.class, e -> assertThat(e.reason()).isEqualTo(SendException.Reason.NO_MEMBER));
    }

    @Test
    void areBoundedAndSendsWaitAtTheBound() {
        start(2);
        cluster.cut(2, 1);
        List<CompletableFuture<Delivery>> receipts = new ArrayList<>();
        CompletableFuture<Void> sending = begin(sender -> {
            for (int count = 0; count < 10_001; count++) {
                receipts.add(sender.group.sendStable(bytes("x"), Stability.ALL));
            }
        });
        cluster.advance(Duration.ofMillis(200));
        assertThat(receipts).hasSize(10_000);
        assertThat(sending).isNotDone();
        cluster.heal();
        cluster.advanceUntil("the last one is sent", LONG, sending::isDone);
        cluster.advanceUntil("all receipts", LONG, () -> receipts.stream().allMatch(CompletableFuture::isDone));
    }

    @Test
    void areNotGivenByUnreliableGroups() {
        start(2, GroupBuilder::unreliable);
        assertThatThrownBy(() -> send(1, "a", Stability.ALL))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("group records is unreliable");
    }

    @Test
    void mayBeWaitedForByTheSender() {
        start(3);
        members.run(1, sender -> {
            try {
                cluster.node(1).threads().join(sender.group.sendStable(bytes("a"), Stability.ALL));
            } catch (CompletionException e) {
                throw new AssertionError(e.getCause());
            }
        });
        assertThat(members.running()).allMatch(member -> member.got.equals(List.of("a")));
    }

    // ------------------------------------------------------------------ primary partition

    @Test
    void ofAMajorityIsKeptByThePrimaryPartitionThatGoesOn() {
        start(3, settings -> settings.primary("n1", "n2", "n3"), node -> node.set("records.directory", "memory"));
        cluster.cut(1, 3).cut(2, 3);
        Delivery delivery = given(send(1, "kept", Stability.MAJORITY));
        assertThat(delivery.deliveredBy()).containsExactlyInAnyOrderElementsOf(members(1, 2));
        cluster.heal().partition(1);
        CompletableFuture<Delivery> lost = send(1, "never", Stability.MAJORITY);
        cluster.awaitOneViewOf(LONG, 2, 3);
        assertThat(members.on(3).got).as("from n2, as n1 is gone").containsExactly("kept");
        cluster.advance(Duration.ofSeconds(10));
        assertThat(lost).as("n1 stands still in its view").isNotDone();
        cluster.heal();
        UnstableException failure = failed(lost);
        assertThat(failure.reason()).isEqualTo(Reason.VIEW_CHANGE);
        assertThat(failure.outcome(settled(failure))).isEqualTo(Outcome.NOBODY_ELSE);
    }
}
