package dev.tutti.blocks.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.machine.CommandException.Execution;
import dev.tutti.blocks.machine.CommandException.Reason;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.Components;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Results of commands, in a simulated cluster whose network and processes fail when the test says so. */
@Timeout(60)
class ReplicaTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private Cluster cluster = Cluster.of(3, 1);
    private Components<Writer> writers = cluster.deploy(Writer::new);

    @AfterEach
    void closeCluster() {
        cluster.close();
    }

    private void start(int size, Function<Node, Writer> factory) {
        cluster.close();
        cluster = Cluster.of(size, 1);
        writers = cluster.startAll(factory);
        cluster.awaitOneView();
    }

    private Replica<String, Integer> replica(int number) {
        return writers.on(number).replica;
    }

    private static CommandException failureOf(CompletableFuture<?> command) {
        assertThat(command).isCompletedExceptionally();
        try {
            command.join();
        } catch (CompletionException e) {
            return (CommandException) e.getCause();
        }
        throw new AssertionError("a result");
    }

    private static void assertFailure(CompletableFuture<?> command, Reason reason, Execution execution) {
        CommandException failure = failureOf(command);
        assertThat(failure.reason()).as(failure.getMessage()).isEqualTo(reason);
        assertThat(failure.execution()).as(failure.getMessage()).isEqualTo(execution);
    }

    private void assertAlike() {
        List<String> first = writers.running().getFirst().diary.lines;
        assertThat(writers.running()).allSatisfy(writer -> assertThat(writer.diary.lines).isEqualTo(first));
    }

    @Test
    void commandIsExecutedAtAllMembersInOneOrder() {
        cluster.start(1, 2, 3).awaitOneView();
        List<CompletableFuture<Integer>> results = new ArrayList<>();
        for (int index = 0; index < 30; index++) {
            results.add(replica(1 + index % 3).submit("line " + index));
        }
        cluster.advance(SECOND);
        assertThat(results).extracting(CompletableFuture::join).containsExactlyInAnyOrderElementsOf(
                IntStream.rangeClosed(1, 30).boxed().toList());
        assertThat(writers.on(1).diary.lines).hasSize(30);
        assertThat(writers.on(1).diary.stable).isEqualTo(30);
        assertAlike();
        assertThat(writers.<Integer>ask(2, writer -> writer.replica.call("31"))).isEqualTo(31);
        assertThat(replica(2).status()).containsEntry("commands", 31L).containsEntry("open-commands", 0L);
    }

    @Test
    void newcomerGetsTheStateAndGoesOnWithIt() {
        cluster.start(1, 2).awaitOneView();
        writers.run(1, writer -> writer.replica.call("before"));
        cluster.start(3).awaitOneView();
        assertThat(writers.<Integer>ask(3, writer -> writer.replica.call("after"))).isEqualTo(2);
        cluster.awaitRest();
        assertThat(writers.on(3).diary.lines).containsExactly("n1 before", "n3 after");
        assertAlike();
    }

    @Test
    void readSeesWhatWasToldBefore() {
        cluster.start(1, 2, 3).awaitOneView();
        writers.run(1, writer -> writer.replica.call("a"));
        assertThat(writers.<Integer>ask(3, writer -> writer.replica.ask(writer.diary.lines::size, SECOND))).isOne();
        assertThat(replica(3).<Integer>local(writers.on(3).diary.lines::size)).isOne();
        CompletableFuture<Integer> read = replica(2).read(() -> {
            throw new IllegalStateException("a read that can't be");
        });
        cluster.advance(SECOND);
        assertFailure(read, Reason.FAILED, Execution.ONCE);
        assertThat(replica(3).status()).containsEntry("reads", 1L).containsEntry("commands", 1L);
    }

    @Test
    void whatTheMachineThrowsIsToldToTheSubmitterAndChangesNothing() {
        cluster.start(1, 2, 3).awaitOneView();
        CompletableFuture<Integer> failed = replica(2).submit("fail");
        CompletableFuture<Integer> next = replica(2).submit("next");
        cluster.advance(SECOND);
        assertFailure(failed, Reason.FAILED, Execution.ONCE);
        assertThat(failureOf(failed)).hasRootCauseInstanceOf(IllegalArgumentException.class);
        assertThat(next).isCompletedWithValue(1);
        assertAlike();
    }

    @Test
    void asManyCommandsAsAllowedAreOpenAndOthersAreRefusedOrWait() {
        start(2, node -> new Writer(node, group -> group, builder -> builder.openMax(2)));
        CompletableFuture<Integer> first = replica(1).submit("1");
        replica(1).submit("2");
        assertFailure(replica(1).submit("3"), Reason.TOO_MANY, Execution.NEVER);
        assertThat(writers.<Integer>ask(1, writer -> writer.replica.call("4"))).isEqualTo(3);
        assertThat(first).isCompletedWithValue(1);
        cluster.pause(2);
        for (int index = 0; index < 2; index++) {
            replica(1).submit("x", Duration.ofMinutes(5));
        }
        Duration before = cluster.elapsed();
        writers.run(1, writer -> assertThatThrownBy(() -> writer.replica.call("y", Duration.ofMillis(200)))
                .isInstanceOfSatisfying(CommandException.class, e ->
                        assertThat(e.execution()).isIn(Execution.NEVER, Execution.UNKNOWN)));
        assertThat(cluster.elapsed().minus(before)).isBetween(Duration.ofMillis(200), Duration.ofMillis(210));
    }

    @Test
    void commandEndsAtItsDeadlineWhileAMemberStandsStill() {
        start(3, node -> new Writer(node, group -> group.set("total.delivery", "safe"), builder -> builder));
        cluster.pause(3);
        CompletableFuture<Integer> command = replica(1).submit("a", Duration.ofMillis(300));
        cluster.advance(Duration.ofMillis(299));
        assertThat(command).isNotDone();
        cluster.advance(Duration.ofMillis(3));
        assertFailure(command, Reason.TIMED_OUT, Execution.UNKNOWN);
        cluster.resume(3).awaitRest().advance(SECOND);
        assertThat(writers.on(2).diary.lines).containsExactly("n1 a");
        assertAlike();
    }

    @Test
    void whatWasNotSentByItsDeadlineIsNeverExecuted() {
        start(2, node -> new Writer(node, group -> group.set("window", "128 KiB"), builder -> builder));
        cluster.pause(2);
        String large = "x".repeat(20_000);
        List<CompletableFuture<Integer>> commands = new ArrayList<>();
        for (int index = 0; index < 40; index++) {
            commands.add(replica(1).submit(index + large, Duration.ofMillis(500)));
        }
        cluster.advance(SECOND);
        assertFailure(commands.getLast(), Reason.TIMED_OUT, Execution.NEVER);
        cluster.resume(2).awaitRest();
        for (int index = 0; index < commands.size(); index++) {
            String line = "n1 " + index + large;
            CompletableFuture<Integer> command = commands.get(index);
            Execution execution = command.isCompletedExceptionally() ? failureOf(command).execution() : Execution.ONCE;
            if (execution != Execution.UNKNOWN) {
                assertThat(writers.on(2).diary.lines.contains(line)).isEqualTo(execution == Execution.ONCE);
            }
        }
        assertAlike();
    }

    @Test
    void closedReplicaFailsItsCommands() {
        cluster.start(1, 2, 3).awaitOneView();
        CompletableFuture<Integer> open = replica(1).submit("a");
        writers.run(1, Writer::close);
        assertFailure(open, Reason.CLOSED, Execution.UNKNOWN);
        assertFailure(replica(1).submit("b"), Reason.CLOSED, Execution.NEVER);
        cluster.advance(SECOND);
        assertThat(writers.on(2).diary.lines).isIn(List.of(), List.of("n1 a"));
    }

    @Test
    void lostNodeEndsItsCommands() {
        cluster.start(1, 2, 3).awaitOneView();
        CompletableFuture<Integer> open = replica(1).submit("a");
        cluster.node(1);
        cluster.stop(1);
        assertThat(open).isDone();
    }

    @Test
    void eachSideGoesOnAndOneStateIsLeftAfterTheMerge() {
        start(3, node -> new Writer(node, group -> group.set("total.delivery", "safe"), builder -> builder));
        // The oldest is n3: its side's state goes on.
        cluster.partition(1);
        CompletableFuture<Integer> alone = replica(1).submit("alone", Duration.ofMinutes(1));
        CompletableFuture<Integer> both = replica(3).submit("both", Duration.ofMinutes(1));
        cluster.advance(Duration.ofSeconds(2));
        assertThat(List.of(alone, both)).as("not all members of the view have them").noneMatch(CompletableFuture::isDone);
        cluster.advance(Duration.ofSeconds(20));
        assertThat(alone).as("its side goes on by itself").isCompletedWithValue(1);
        assertThat(both).isCompletedWithValue(1);
        cluster.heal().awaitRest();
        assertThat(writers.on(1).diary.lines).containsExactly("n3 both");
        assertThat(replica(1).status()).containsEntry("installs", 2L);
        assertThat(writers.<Integer>ask(1, writer -> writer.replica.call("again"))).isEqualTo(2);
        cluster.advance(SECOND);
        assertAlike();
    }

    @Test
    void hostileMessagesAreCountedAndChangeNothing() {
        cluster.close();
        cluster = Cluster.of(2, 1);
        List<Group> groups = new ArrayList<>();
        Components<Writer> members = cluster.deploy(node -> {
            if (node.name().equals("n1")) {
                return new Writer(node);
            }
            groups.add(node.group("diary").total().state(new Diary() {
                @Override
                public void install(InputStream in) {
                    // The messages that it gets are not its own.
                }
            }).join());
            return new Writer(node, group -> node.group("other"), builder -> builder);
        });
        cluster.start(1).start(2).awaitOneView();
        Group hostile = groups.getFirst();
        hostile.send(new byte[0]);
        hostile.send(new byte[] {1, 2});
        hostile.send(new byte[20]);
        hostile.send(new ByteOutput().putByte(1).putLong(-1).copy());
        hostile.send(new ByteOutput().putByte(1).putLong(1).putInt(Integer.MAX_VALUE).copy());
        hostile.send(new ByteOutput().putByte(1).putLong(2).putText("a").putByte(0).copy());
        hostile.send(new ByteOutput().putByte(1).putLong(3).putText("good").copy());
        hostile.send(new ByteOutput().putByte(1).putLong(3).putText("again").copy());
        hostile.sendTo(replicaOf(members).self(), new ByteOutput().putByte(1).putLong(4).putText("one").copy());
        cluster.advance(SECOND);
        assertThat(members.on(1).diary.lines).containsExactly("n2 good");
        assertThat(replicaOf(members).status()).containsEntry("malformed", 7L).containsEntry("repeated", 1L);
    }

    private static Replica<String, Integer> replicaOf(Components<Writer> members) {
        return members.on(1).replica;
    }
}
