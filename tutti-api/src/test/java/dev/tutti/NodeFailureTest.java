package dev.tutti;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A loop that fails: every thread that waits for the node learns the cause. */
@Timeout(60)
class NodeFailureTest {

    private final BlockingQueue<String> troubles = new LinkedBlockingQueue<>();

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "CHECKED_EXCEPTION") // no code of the loop throws one, and users' code is fenced
    void loopThatFailsClosesAllGroupsWithTheCauseAndReleasesAllThatWait(Thrown thrown) throws Exception {
        assertEnd(Node.tcp(0), thrown);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "CHECKED_EXCEPTION") // no code of the loop throws one, and users' code is fenced
    void loopOnDatagramsThatFailsDoesTheSame(Thrown thrown) throws Exception {
        assertEnd(Node.udp(0), thrown);
    }

    private void assertEnd(NodeBuilder builder, Thrown thrown) throws Exception {
        Recorder one = new Recorder();
        Recorder two = new Recorder();
        try (Node node = builder.name("broken").onTrouble(troubles::add).start()) {
            Group first = one.on(node.group("one")).join();
            CountDownLatch release = new CountDownLatch(1);
            Group second = two.on(node.group("two")).onMessage(message -> awaitQuietly(release)).set("window", "128 KiB").join();
            CompletableFuture<String> refusal = new CompletableFuture<>();
            Thread blocked = Thread.ofPlatform().start(() -> {
                while (true) {
                    try {
                        second.send(new byte[10_000]);
                    } catch (SendException e) {
                        refusal.complete(String.valueOf(e.getMessage()));
                        return;
                    }
                }
            });
            CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(
                    () -> first.awaitMembers(2, Duration.ofMinutes(1)), task -> Thread.ofVirtual().start(task));

            node.host().driver().execute(now -> thrown.now());

            assertThat(blocked.join(Duration.ofSeconds(20))).as("the blocked sender is released").isTrue();
            assertThat(refusal.join()).contains("internal error").contains(thrown.type().getName());
            assertThat(waiting.get(20, TimeUnit.SECONDS)).isFalse();
            one.await("the end of the group", all -> !all.closed().isEmpty());
            release.countDown();
            two.await("the end of the group", all -> !all.closed().isEmpty());
            assertThat(one.closed()).contains("internal error").contains(thrown.type().getName());
            assertThat(first.failure()).hasRootCauseInstanceOf(thrown.type());
            assertThat(first.isPrimary()).isFalse();
            Health health = node.health();
            assertThat(health.isAlive()).isFalse();
            assertThat(health.reasons()).anySatisfy(reason -> assertThat(reason).contains("internal error"));
            assertThatThrownBy(() -> first.send("too late"))
                    .isInstanceOf(SendException.class)
                    .hasRootCauseInstanceOf(thrown.type());
            assertThatThrownBy(() -> node.group("three").join())
                    .isInstanceOf(IllegalStateException.class);
            assertThat(node.events(0).list()).anySatisfy(event -> assertThat(event.kind()).isEqualTo(Event.Kind.FAILED));
            assertThat(troubles.poll(20, TimeUnit.SECONDS)).contains("internal error");
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
