package dev.tutti.blocks.calls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Group;
import dev.tutti.Message;
import dev.tutti.Node;
import dev.tutti.Scope;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.internal.calls.Frame;
import dev.tutti.core.Member;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.Components;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A member that sends malformed messages of calls: nothing throws, and calls continue. */
@Timeout(60)
class HostileMessagesTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    /** Either an honest peer, or one that sends what the test wants. */
    private static final class Either {
        private final List<byte[]> got = new ArrayList<>();
        private Peer peer;
        private Group group;

        Either(Node node) {
            if (node.name().equals("n1")) {
                peer = new Peer(node);
            } else {
                group = node.group("calls").onMessage(this::onMessage).join();
            }
        }

        private void onMessage(Message message) {
            got.add(message.bytes());
        }
    }

    private final Cluster cluster = Cluster.of(2, 1);
    private final Components<Either> members = cluster.startAll(Either::new);

    @AfterEach
    void closeCluster() {
        cluster.close();
    }

    private Peer honest() {
        return members.on(1).peer;
    }

    private Member hostile() {
        return members.on(2).group.self();
    }

    private void say(ByteOutput out) {
        say(out.copy());
    }

    private void say(byte[] bytes) {
        members.on(2).group.sendTo(honest().self(), bytes);
        cluster.advance(Duration.ofMillis(20));
    }

    private long counted(String what) {
        return honest().calls.status().get(what);
    }

    private static ByteOutput request(long call, String procedure, String value) {
        ByteOutput out = new ByteOutput();
        Frame.putRequest(out, Procedure.of(procedure, Codec.TEXT, Codec.TEXT).id(), 1_000_000_000, 1 << 20);
        Frame.setCall(out, call);
        return out.putText(value);
    }

    @Test
    void garbageIsCountedAndNothingElse() {
        cluster.awaitOneView();
        SplittableRandom random = new SplittableRandom(1);
        long malformed = 0;
        for (int kind = -1; kind < 20; kind++) {
            byte[] bytes = new byte[Math.max(0, kind * 3)];
            random.nextBytes(bytes);
            if (bytes.length > 0) {
                bytes[0] = (byte) (5 + kind);
            }
            say(bytes);
            malformed++;
        }
        byte[] whole = request(7, "echo", "a").copy();
        for (int length = 0; length < 25; length++) {
            say(Arrays.copyOf(whole, length));
            malformed++;
        }
        say(request(-1, "echo", "a"));
        assertThat(counted("malformed")).isEqualTo(malformed + 1);
        assertThat(honest().handled).isEmpty();
        say(request(8, "echo", "honest"));
        cluster.advance(SECOND);
        assertThat(honest().handled).containsExactly("honest");
        ByteInput answer = new ByteInput(members.on(2).got.getLast());
        assertThat(List.of(answer.takeByte(), answer.takeLong(), answer.takeText())).containsExactly((byte) 2, 8L, "n1 honest");
    }

    @Test
    void answersOfWhoWasNotAskedAndSecondOnesAreIgnored() {
        cluster.awaitOneView();
        CompletableFuture<String> ownCall = honest().calls.to(honest().self()).start(Peer.SLOW, 500);
        CompletableFuture<Outcomes<String>> call =
                honest().calls.to(List.of(hostile(), honest().self())).start(Peer.SLOW, 500);
        cluster.advance(Duration.ofMillis(20));
        for (long number = 0; number < 10; number++) {
            ByteOutput failure = new ByteOutput();
            Frame.putFailure(failure, number, 99, "some.Type", "no");
            say(failure);
            ByteOutput answer = new ByteOutput();
            Frame.putAnswer(answer, number);
            say(answer.putText("forged"));
        }
        cluster.advance(SECOND);
        assertThat(ownCall.join()).isEqualTo("n1 after 500");
        assertThat(call.join().of(hostile())).isEqualTo(new Outcome.Failure<>("some.Type", "no"));
        assertThat(call.join().of(honest().self())).isEqualTo(new Outcome.Value<>("n1 after 500"));
        assertThat(counted("stray-answers")).isEqualTo(19);
    }

    @Test
    void oneNumberTwiceIsHandledOnce() {
        cluster.awaitOneView();
        ByteOutput request = new ByteOutput();
        Frame.putRequest(request, Peer.SLOW.id(), 1_000_000_000, 1 << 20);
        Frame.setCall(request, 5);
        request.putInt(500);
        say(request);
        say(request);
        assertThat(honest().handled).containsExactly("slow 500");
        assertThat(counted("malformed")).isEqualTo(1);
        ByteOutput cancel = new ByteOutput();
        Frame.putCancel(cancel, 6);
        say(cancel);
        assertThat(honest().cancelled).isEmpty();
        say(new ByteOutput().putRaw(cancel.setLong(1, 5).copy(), 0, 9));
        assertThat(honest().cancelled).containsExactly("slow 500");
        cluster.advance(SECOND);
        assertThat(members.on(2).got).as("what was cancelled is not answered").isEmpty();
    }

    @Test
    void messagesThatComeSideBySideAreTakenToo() {
        cluster.awaitOneView();
        for (int count = 0; count < 50; count++) {
            members.on(2).group.sendTo(honest().self(), request(100 + count, "inline", "a" + count).copy(), Scope.of(count % 5));
            members.on(2).group.sendTo(
                    honest().self(), request(200 + count, "inline", "b" + count).copy(), Scope.OUT_OF_BAND);
        }
        cluster.advance(SECOND);
        assertThat(honest().handled).hasSize(100);
        assertThat(members.on(2).got).hasSize(100);
        assertThat(counted("malformed")).isZero();
    }

    private byte[] answerTo(byte[] request, String text) {
        ByteInput in = new ByteInput(request);
        in.takeByte();
        ByteOutput answer = new ByteOutput();
        Frame.putAnswer(answer, in.takeLong());
        return answer.putText(text).copy();
    }

    @Test
    void answersThatComeTogetherAndSideBySideAreTakenToo() {
        cluster.awaitOneView();
        List<CompletableFuture<String>> open = new ArrayList<>();
        for (int count = 0; count < 60; count++) {
            open.add(honest().calls.to(hostile()).start(Peer.ECHO, "a"));
        }
        cluster.advance(Duration.ofMillis(20));
        List<byte[]> requests = List.copyOf(members.on(2).got);
        assertThat(requests).hasSize(60);
        Group group = members.on(2).group;
        for (int count = 0; count < 60; count++) {
            byte[] answer = answerTo(requests.get(count), "a" + count);
            switch (count % 3) {
                case 0 -> {
                    group.sendTo(honest().self(), answer);
                    group.sendTo(honest().self(), answer);
                }
                case 1 -> group.sendTo(honest().self(), answer, Scope.of(count % 5));
                default -> group.sendTo(honest().self(), answer, Scope.OUT_OF_BAND);
            }
        }
        cluster.advance(Duration.ofMillis(20));
        for (int count = 0; count < 60; count++) {
            assertThat(open.get(count)).isCompletedWithValue("a" + count);
        }
        assertThat(counted("stray-answers")).as("second answers").isEqualTo(20);
        assertThat(counted("open-calls")).isZero();
    }

    @Test
    void answerCountsThoughTheCallerIsToldLater() {
        cluster.awaitOneView();
        List<Runnable> waiting = new ArrayList<>();
        OpenCall<?> left = (OpenCall<?>) honest().calls.to(hostile()).within(Duration.ofSeconds(30)).start(Peer.ECHO, "a");
        OpenCall<?> late = (OpenCall<?>) honest().calls.to(hostile()).within(SECOND).start(Peer.ECHO, "b");
        assertThat(left.onAnswer(hostile(), new ByteInput(new ByteOutput().putText("1").copy()), waiting::add)).isTrue();
        assertThat(late.onAnswer(hostile(), new ByteInput(new ByteOutput().putText("2").copy()), waiting::add)).isTrue();
        cluster.crash(2);
        cluster.advance(Duration.ofSeconds(10));
        assertThat(honest().calls.view().size()).isEqualTo(1);
        assertThat(counted("timed-out-calls")).isZero();
        assertThat(left.isDone()).isFalse();
        waiting.forEach(Runnable::run);
        assertThat(left.join()).isEqualTo("1");
        assertThat(late.join()).isEqualTo("2");
    }
}
