package dev.tutti.stomp.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.testing.Await;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Three members in processes of their own, which are killed. */
@Tag("slow")
class FailoverTest {

    private static final String DESTINATION = "/topic/all";

    private final Map<URI, MemberProcess> members = new LinkedHashMap<>();
    private MemberProcess first;

    @BeforeEach
    void start() throws Exception {
        first = add("m1", "");
        add("m2", first.address());
        add("m3", first.address());
    }

    private MemberProcess add(String name, String seed) throws Exception {
        MemberProcess member = new MemberProcess(name, seed);
        members.put(member.url(), member);
        return member;
    }

    @AfterEach
    void stop() throws Exception {
        for (MemberProcess each : members.values()) {
            each.close();
        }
    }

    /** Kills the member that serves a client. */
    private void killServerOf(StompClient client) throws InterruptedException {
        URI server = client.server();
        members.remove(server).kill();
        Await.until("another server than " + server, () -> client.server() != null && !server.equals(client.server()));
    }

    @Test
    void nothingThatWasSentIsLostAndNothingComesTwiceToASubscription() throws Exception {
        List<String> ids = new ArrayList<>();
        List<String> bodies = new ArrayList<>();
        Heard gaps = new Heard();
        URI last = List.copyOf(members.keySet()).getLast();
        // The client that listens and one of those that send have the same server, of which they know alone. The other one goes on when that is gone.
        try (StompClient sender = StompClient.of(first.url()).open();
                StompClient other = StompClient.of(last).open();
                StompClient listener = StompClient.of(first.url()).open()) {
            listener.subscribe(DESTINATION, new StompListener() {
                @Override
                public void onMessage(StompMessage message) {
                    synchronized (bodies) {
                        ids.add(message.headers().get("message-id"));
                        bodies.add(message.text());
                    }
                }

                @Override
                public void onGap(String reason) {
                    gaps.onGap(reason);
                }
            });
            List<CompletableFuture<Void>> receipts = new ArrayList<>();
            AtomicInteger number = new AtomicInteger();
            try (var clock = Executors.newSingleThreadScheduledExecutor()) {
                clock.scheduleAtFixedRate(() -> {
                    synchronized (receipts) {
                        int next = number.incrementAndGet();
                        receipts.add((next % 2 == 0 ? sender : other).send(DESTINATION, "n" + next));
                    }
                }, 0, 2, TimeUnit.MILLISECONDS);
                for (int kill = 0; kill < 2; kill++) {
                    int until = number.get() + 300;
                    Await.until(() -> "message " + until + " of " + number, () -> received(bodies, until));
                    killServerOf(listener);
                }
                int until = number.get() + 300;
                Await.until(() -> "message " + until + " of " + number, () -> received(bodies, until));
            }
            for (CompletableFuture<Void> each : receipts) {
                each.get(60, TimeUnit.SECONDS);
            }
            Await.until("all messages", () -> {
                synchronized (bodies) {
                    return new HashSet<>(bodies).size() == number.get();
                }
            });
            synchronized (bodies) {
                assertThat(new HashSet<>(ids)).as("message-ids that came twice").hasSameSizeAs(ids);
            }
            assertThat(gaps.all()).isEmpty();
            assertThat(listener.status().get("connections")).isEqualTo(3);
        }
    }

    private static boolean received(List<String> bodies, int number) {
        synchronized (bodies) {
            return bodies.contains("n" + number);
        }
    }
}
