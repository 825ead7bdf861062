package dev.tutti.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.settings.Settings;
import dev.tutti.core.settings.Size;
import dev.tutti.rendezvous.settings.RendezvousServerSettings;
import dev.tutti.testing.Await;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Pairs with an end that does what no node does, and pairs beside them. */
@Timeout(120)
class HostilePairsTest {

    private static final int PAIRS = 60;
    private static final long MEMORY = 2L << 20;

    private final List<Peer> peers = new ArrayList<>();

    @AfterEach
    void close() throws IOException {
        for (Peer peer : peers) {
            peer.close();
        }
    }

    private static Settings settings() {
        return RendezvousServer.defaults().with(RendezvousServerSettings.PORT, 0);
    }

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private Peer keep(Peer peer) {
        peers.add(peer);
        return peer;
    }

    private record Ends(Peer dialler, Peer acceptor) {}

    private Ends connect(RendezvousServer server, String cluster, Peer control, boolean isWebSocket) throws IOException {
        Peer dialler = keep(Peer.ask(server.port(), "/v1/clusters/" + cluster + "/connect/n:1", isWebSocket));
        Peer acceptor = keep(Peer.ask(server.port(), "/v1/clusters/" + cluster + "/accept/" + control.ticket(), isWebSocket));
        assertThat(acceptor.status()).isEqualTo(101);
        assertThat(dialler.status()).isEqualTo(101);
        // Little of what it does not read is in the kernel's memory.
        acceptor.socket.setReceiveBufferSize(16 << 10);
        return new Ends(dialler, acceptor);
    }

    private Peer listen(RendezvousServer server, String cluster) throws IOException {
        return keep(Peer.listen(server.port(), cluster, "n:1"));
    }

    /** Sends to somebody who does not read, until the connection is closed. */
    private static void flood(Peer peer, byte[] part, AtomicInteger ended) {
        Thread.ofVirtual().start(() -> {
            try {
                while (true) {
                    peer.send(part);
                }
            } catch (IOException e) {
                ended.incrementAndGet();
            }
        });
    }

    private static long number(RendezvousServer server, String name) {
        return server.numbers().get(name);
    }

    @ParameterizedTest
    @CsvSource({"60000,false", "60000,true", "1,false", "1,true"})
    void endsThatTakeNothingHoldLittleMemoryAndOtherClustersGoOn(int partBytes, boolean isWebSocket) throws Exception {
        Settings settings = settings().with(RendezvousServerSettings.RELAYED_MEMORY, Size.bytes(MEMORY));
        try (RendezvousServer server = RendezvousServer.open(settings)) {
            Peer hostile = listen(server, "hostile");
            AtomicInteger ended = new AtomicInteger();
            List<Ends> pairs = new ArrayList<>();
            for (int index = 0; index < PAIRS; index++) {
                pairs.add(connect(server, "hostile", hostile, isWebSocket));
            }
            // Once all are there: parts of one byte take so much of a busy machine that the last ones would come too late.
            pairs.forEach(pair -> flood(pair.dialler, bytes(partBytes), ended));
            if (partBytes > 1) {
                Await.until("the hostile cluster has used up its share", () -> number(server, "relayed-waiting-bytes") > MEMORY / 2);
            }
            Ends honest = connect(server, "honest", listen(server, "honest"), false);
            for (int round = 0; round < 8; round++) {
                honest.dialler.send(bytes(100_000));
                assertThat(honest.acceptor.receive(100_000)).isEqualTo(bytes(100_000));
                // Above the bound, each direction may have one last part; messages of a WebSocket are passed on whole.
                long last = isWebSocket ? 66_000 : 5_000;
                assertThat(number(server, "relayed-waiting-bytes")).isLessThan(2 * MEMORY + PAIRS * last);
            }
            assertThat(ended).hasValue(0);
        }
    }

    @Test
    void pairsOfAUsedUpShareAreStillPassedOn() throws Exception {
        Settings settings = settings().with(RendezvousServerSettings.RELAYED_MEMORY, Size.bytes(MEMORY));
        try (RendezvousServer server = RendezvousServer.open(settings)) {
            Peer control = listen(server, "c");
            AtomicInteger ended = new AtomicInteger();
            for (int index = 0; index < PAIRS; index++) {
                flood(connect(server, "c", control, false).dialler, bytes(60_000), ended);
            }
            Await.until("the share is used up", () -> number(server, "relayed-waiting-bytes") >= MEMORY);
            Ends good = connect(server, "c", control, true);
            for (int length : new int[] {1, 4_096, 5_000, 2_000_000}) {
                byte[] sent = bytes(length);
                Thread writer = Thread.ofVirtual().start(() -> {
                    try {
                        good.dialler.send(sent);
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                });
                assertThat(good.acceptor.receive(length)).isEqualTo(sent);
                writer.join();
            }
        }
    }

    @Test
    void anEndThatTakesNothingForLongIsClosed() throws Exception {
        Settings settings = settings().with(RendezvousServerSettings.STALL_TIMEOUT, Duration.ofMillis(900));
        try (RendezvousServer server = RendezvousServer.open(settings)) {
            Peer control = listen(server, "c");
            AtomicInteger ended = new AtomicInteger();
            Ends idle = connect(server, "c", control, false);
            flood(connect(server, "c", control, false).dialler, bytes(60_000), ended);
            Await.until("the sender is told", () -> ended.get() == 1);
            assertThat(number(server, "stalled")).isEqualTo(1);
            Await.until("nothing waits", () -> number(server, "relayed-waiting-bytes") == 0);
            // The sender's connection is closed before its handler is told, which notes that the pair is over.
            Await.until("the pair is over", () -> number(server, "pairs") == 1);
            idle.dialler.send(bytes(10));
            assertThat(idle.acceptor.receive(10)).isEqualTo(bytes(10));
        }
    }

    @Test
    void aPairCountsUntilBothItsEndsAreClosed() throws Exception {
        Settings settings = settings().with(RendezvousServerSettings.STALL_TIMEOUT, Duration.ofMillis(1_500));
        try (RendezvousServer server = RendezvousServer.open(settings)) {
            Peer control = listen(server, "c");
            Ends ends = connect(server, "c", control, false);
            AtomicInteger ended = new AtomicInteger();
            flood(ends.dialler, bytes(60_000), ended);
            Await.until("bytes wait", () -> number(server, "relayed-waiting-bytes") > 100_000);
            ends.dialler.close();
            Await.until("the sender is gone", () -> ended.get() == 1);
            // The other end has not taken what waits for it, so that it holds memory.
            assertThat(number(server, "pairs")).isEqualTo(1);
            Await.until("it is closed", () -> number(server, "pairs") == 0);
            assertThat(number(server, "relayed-waiting-bytes")).isZero();
        }
    }

    @Test
    void whatAnEndHasSentBeforeItsEndArrives() throws Exception {
        try (RendezvousServer server = RendezvousServer.open(settings())) {
            Ends ends = connect(server, "c", listen(server, "c"), false);
            byte[] sent = bytes(3_000_000);
            Thread writer = Thread.ofVirtual().start(() -> {
                try {
                    ends.dialler.send(sent);
                    ends.dialler.close();
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            ByteArrayOutputStream received = new ByteArrayOutputStream();
            ends.acceptor.socket.getInputStream().transferTo(received);
            writer.join();
            assertThat(received.toByteArray()).isEqualTo(sent);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"early", "early\r\n", "GET / HTTP/1.1\r\n\r\n"})
    void anEndThatDoesNotWaitForItsAnswerIsClosed(String early) throws Exception {
        try (RendezvousServer server = RendezvousServer.open(settings())) {
            Peer control = listen(server, "c");
            for (String what : new String[] {"connect", "accept"}) {
                Peer dialler = keep(Peer.silent(server.port()));
                dialler.write(request("connect/n:1") + (what.equals("connect") ? early : ""));
                String ticket = control.ticket();
                Peer acceptor = keep(Peer.silent(server.port()));
                acceptor.write(request("accept/" + ticket) + (what.equals("accept") ? early : ""));
                assertThat(dialler.isClosedAtLast()).isTrue();
                assertThat(acceptor.isClosedAtLast()).isTrue();
                Await.until("no pair is left", () -> number(server, "pairs") == 0);
            }
            assertThat(number(server, "relayed-bytes")).isZero();
        }
    }

    private static String request(String what) {
        return "GET /v1/clusters/c/" + what + " HTTP/1.1\r\nHost: s\r\nConnection: Upgrade\r\nUpgrade: tutti\r\n\r\n";
    }

    @Test
    void aWebSocketThatCanNotBeOpenedLeavesNoPair() throws Exception {
        Settings settings = settings().with(RendezvousServerSettings.CLUSTER_RELAYED_MAX, 3);
        try (RendezvousServer server = RendezvousServer.open(settings)) {
            Peer control = listen(server, "c");
            for (String head : new String[] {"Sec-WebSocket-Version: 12\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", "Sec-WebSocket-Version: 13\r\n"}) {
                Peer dialler = keep(Peer.silent(server.port()));
                dialler.write("GET /v1/clusters/c/connect/n:1 HTTP/1.1\r\nHost: s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" + head + "\r\n");
                assertThat(dialler.status()).isEqualTo(400);
            }
            assertThat(number(server, "pairs")).isZero();
            connect(server, "c", control, true);
            assertThat(number(server, "pairs")).isEqualTo(1);
        }
    }

    @Test
    void diallersThatAreGoneBeforeTheOtherNodeComesLeaveNoPair() throws Exception {
        Settings settings = settings().with(RendezvousServerSettings.STALL_TIMEOUT, Duration.ofMillis(900));
        try (RendezvousServer server = RendezvousServer.open(settings)) {
            Peer control = listen(server, "c");
            for (int index = 0; index < 100; index++) {
                Peer dialler = Peer.ask(server.port(), "/v1/clusters/c/connect/n:1", false);
                String ticket = control.ticket();
                dialler.close();
                Peer acceptor = keep(Peer.ask(server.port(), "/v1/clusters/c/accept/" + ticket, index % 2 == 0));
                if (index % 3 == 0) {
                    acceptor.close();
                }
            }
            Await.until("no pair is left", () -> number(server, "pairs") == 0);
        }
    }
}
