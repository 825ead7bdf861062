package dev.tutti.netty.internal.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.address.HostPort;
import dev.tutti.core.driver.RendezvousSettings;
import dev.tutti.core.driver.RendezvousSettings.Relay;
import dev.tutti.core.driver.TransportException;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import dev.tutti.netty.internal.loop.Io;
import dev.tutti.netty.internal.tcp.NettyDriver;
import dev.tutti.netty.internal.tcp.Probe;
import dev.tutti.netty.internal.tcp.Probe.Kind;
import dev.tutti.netty.internal.udp.NettyDatagramDriver;
import dev.tutti.testing.Await;
import dev.tutti.testing.Ports;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections that pass through a server which may lie. */
@Timeout(60)
class RelayedConnectionsTest {

    private static final String SECRET = "q7Rk2-Vd9Zp4_Xm1Tb8Ys6Lf3Hn5Wc0GjKx6Pu4EaSc";
    private static final String HIDDEN = "hidden.invalid:7800";
    private static final String OTHER = "other.invalid:7800";

    private static Settings settings(String url, String address) {
        return Probe.settings(Io.NIO)
                .with(TransportSettings.SECRET, SECRET)
                .with(TransportSettings.ADVERTISE, address)
                .with(RendezvousSettings.SERVERS, List.of(url));
    }

    private static byte[] payload(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    @Test
    void reachesANodeThatCanNotBeDialled() throws Exception {
        try (RelayDouble server = new RelayDouble();
                Probe hidden = Probe.start(settings(server.url(), HIDDEN));
                Probe other = Probe.start(settings(server.url(), OTHER))) {
            server.awaitListening(2);
            int dialled = other.dial(HIDDEN);
            assertThat(other.await(Kind.CONNECTED).connection()).isEqualTo(dialled);
            Probe.Event accepted = hidden.await(Kind.ACCEPTED);
            assertThat(accepted.detail()).isEqualTo("192.0.2.1:1 over " + server.url().substring("tcp://".length()));
            assertThat(other.relayed).containsOnlyKeys(dialled);

            for (int length = 1; length < 130_000; length = length * 3 + 1) {
                byte[] bytes = payload(length);
                other.send(dialled, bytes);
                assertThat(hidden.await(Kind.FRAME).bytes()).isEqualTo(bytes);
                hidden.send(accepted.connection(), bytes);
                assertThat(other.await(Kind.FRAME).bytes()).isEqualTo(bytes);
            }
            assertThat(hidden.relayed).containsOnlyKeys(accepted.connection());
            assertThat(other.counter("relay.dialled")).isEqualTo(1);
            assertThat(hidden.counter("relay.accepted")).isEqualTo(1);
        }
    }

    @Test
    void aServerSeesNoPayload() throws Exception {
        try (RelayDouble server = new RelayDouble();
                Probe hidden = Probe.start(settings(server.url(), HIDDEN));
                Probe other = Probe.start(settings(server.url(), OTHER))) {
            server.awaitListening(2);
            int dialled = other.dial(HIDDEN);
            other.await(Kind.CONNECTED);
            hidden.await(Kind.ACCEPTED);
            String payload = "nobody in between reads this line";
            other.send(dialled, payload.getBytes(StandardCharsets.ISO_8859_1));
            hidden.await(Kind.FRAME);
            StringBuilder seen = new StringBuilder();
            server.seen.forEach(bytes -> seen.append(new String(bytes, StandardCharsets.ISO_8859_1)));
            assertThat(seen.length()).isGreaterThan(payload.length());
            assertThat(seen).doesNotContain(payload);
        }
    }

    @Test
    void bytesThatAServerChangesOrRepeatsOrReordersOrDropsEndTheConnection() throws Exception {
        List<RelayDouble.Meddler> lies = List.of(
                (isFromDialler, offset, bytes) -> {
                    byte[] changed = bytes.clone();
                    changed[changed.length / 2] ^= 1;
                    return changed;
                },
                (isFromDialler, offset, bytes) -> {
                    byte[] twice = new byte[2 * bytes.length];
                    System.arraycopy(bytes, 0, twice, 0, bytes.length);
                    System.arraycopy(bytes, 0, twice, bytes.length, bytes.length);
                    return twice;
                },
                (isFromDialler, offset, bytes) -> {
                    byte[] turned = bytes.clone();
                    for (int index = 0; index < bytes.length; index++) {
                        turned[index] = bytes[bytes.length - 1 - index];
                    }
                    return turned;
                },
                (isFromDialler, offset, bytes) -> new byte[bytes.length],
                new RelayDouble.Meddler() {
                    private boolean hasDropped;

                    @Override
                    public byte[] meddle(boolean isFromDialler, long offset, byte[] bytes) {
                        boolean isFirst = !hasDropped;
                        hasDropped = true;
                        return isFirst ? new byte[0] : bytes;
                    }
                });
        for (RelayDouble.Meddler lie : lies) {
            try (RelayDouble server = new RelayDouble();
                    Probe hidden = Probe.start(settings(server.url(), HIDDEN));
                    Probe other = Probe.start(settings(server.url(), OTHER))) {
                server.awaitListening(2);
                int dialled = other.dial(HIDDEN);
                other.await(Kind.CONNECTED);
                hidden.await(Kind.ACCEPTED);
                other.send(dialled, payload(100));
                assertThat(hidden.await(Kind.FRAME).bytes()).isEqualTo(payload(100));
                server.meddler = (isFromDialler, offset, bytes) -> isFromDialler ? lie.meddle(true, offset, bytes) : bytes;
                int seen = server.dialled.getFirst().size();
                other.send(dialled, payload(200));
                Await.until("the server has meddled", () -> server.dialled.getFirst().size() > seen);
                // Nobody misses what was dropped before something follows.
                other.send(dialled, payload(300));
                // A repeated record is read once; what follows it is none of the other node's.
                Probe.Event next = hidden.next();
                if (next.kind() == Kind.FRAME) {
                    assertThat(next.bytes()).isEqualTo(payload(200));
                    next = hidden.next();
                }
                assertThat(next.kind()).isEqualTo(Kind.DISCONNECTED);
            }
        }
    }

    @Test
    void aServerCanNotPretendToBeANode() throws Exception {
        try (RelayDouble server = new RelayDouble();
                Probe hidden = Probe.start(settings(server.url(), HIDDEN));
                Probe other = Probe.start(settings(server.url(), OTHER))) {
            server.awaitListening(2);
            other.dial(HIDDEN);
            other.await(Kind.CONNECTED);
            hidden.await(Kind.ACCEPTED);
            byte[] handshake = server.dialled.getFirst().toByteArray();
            for (byte[] lie : List.of(handshake, payload(1_000), "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII))) {
                try (Socket end = server.invite(HIDDEN)) {
                    end.getOutputStream().write(lie);
                    end.shutdownOutput();
                    InputStream in = end.getInputStream();
                    in.readAllBytes();
                }
            }
            // Nothing but the first connection was accepted, which still carries frames.
            assertThat(hidden.events).isEmpty();
            assertThat(hidden.counter("relay.accepted")).isEqualTo(4);
        }
    }

    @Test
    void reachesANodeThroughAnotherServerWhenOneIsGone() throws Exception {
        RelayDouble first = new RelayDouble();
        try (RelayDouble second = new RelayDouble();
                Probe hidden = Probe.start(settings(first.url(), HIDDEN).with(RendezvousSettings.SERVERS, List.of(first.url(), second.url())));
                Probe other = Probe.start(settings(first.url(), OTHER).with(RendezvousSettings.SERVERS, List.of(first.url(), second.url())))) {
            first.awaitListening(2);
            second.awaitListening(2);
            // A server lists a node before the node knows it, which dials by the first one that has.
            Await.until("the node is at both servers", () -> other.counter("relay.servers") == 2);
            int dialled = other.dial(HIDDEN);
            other.await(Kind.CONNECTED);
            hidden.await(Kind.ACCEPTED);
            first.close();
            assertThat(other.await(Kind.DISCONNECTED).connection()).isEqualTo(dialled);
            other.dial(HIDDEN);
            other.await(Kind.CONNECTED);
            assertThat(other.relayed.values()).containsExactlyInAnyOrder(address(first), address(second));
        } finally {
            first.close();
        }
    }

    private static String address(RelayDouble server) {
        return server.url().substring("tcp://".length());
    }

    @Test
    void comesBackToAServerThatWasAway() throws Exception {
        int port = Ports.lasting();
        RelayDouble first = new RelayDouble(port);
        try (Probe hidden = Probe.start(settings(first.url(), HIDDEN)); Probe other = Probe.start(settings(first.url(), OTHER))) {
            first.awaitListening(2);
            first.close();
            Await.until("the nodes know that it is gone", () -> hidden.counter("relay.servers") + other.counter("relay.servers") == 0);
            try (RelayDouble again = new RelayDouble(port)) {
                again.awaitListening(2);
                other.dial(HIDDEN);
                other.await(Kind.CONNECTED);
            }
        } finally {
            first.close();
        }
    }

    @Test
    void aRefusalCountsOnlyIfNoServerKnowsTheNode() throws Exception {
        int closed;
        closed = Ports.lasting();
        String address = "127.0.0.1:" + closed;
        try (RelayDouble server = new RelayDouble(); Probe other = Probe.start(settings(server.url(), OTHER))) {
            server.awaitListening(1);
            other.dial(address);
            assertThat(other.await(Kind.DIAL_FAILED).detail())
                    .startsWith("REFUSED nobody listens on " + address)
                    .contains("over " + address(server) + ": HTTP 404: nobody listens as " + address);
            server.server.close();
            server.cut();
            Await.until("the node knows that it is gone", () -> other.counter("relay.servers") == 0);
            other.dial(address);
            assertThat(other.await(Kind.DIAL_FAILED).detail()).startsWith("UNREACHABLE nobody listens on " + address);
        }
    }

    @Test
    void aNodeThatCanBeDialledIsDialledDirectly() throws Exception {
        try (RelayDouble server = new RelayDouble();
                Probe open = Probe.start(settings(server.url(), ""));
                Probe other = Probe.start(settings(server.url(), OTHER))) {
            server.awaitListening(2);
            other.connect(open);
            open.await(Kind.ACCEPTED);
            assertThat(other.relayed).isEmpty();
            assertThat(server.dialled).isEmpty();
        }
    }

    @Test
    void anotherNodeWithTheSamePrivateAddressIsNotTakenForTheOneThatIsDialled() throws Exception {
        try (RelayDouble server = new RelayDouble();
                Probe stranger = Probe.start(settings(server.url(), ""));
                Probe other = Probe.start(settings(server.url(), OTHER))) {
            HostPort there = HostPort.parse(stranger.driver.address());
            assertThat(there.mark()).isNotEmpty();
            String wanted = there.marked("0123456789").toString();
            try (Probe hidden = Probe.start(settings(server.url(), wanted))) {
                server.awaitListening(3);
                int dialled = other.dial(wanted);
                other.await(Kind.CONNECTED);
                hidden.await(Kind.ACCEPTED);
                assertThat(other.relayed).containsOnlyKeys(dialled);
                assertThat(stranger.events).isEmpty();
            }
        }
    }

    @Test
    void aNodeThatMayNotDialDirectlyDoesNot() throws Exception {
        try (RelayDouble server = new RelayDouble();
                Probe open = Probe.start(settings(server.url(), ""));
                Probe other = Probe.start(settings(server.url(), OTHER).with(RendezvousSettings.RELAY, Relay.ALWAYS))) {
            server.awaitListening(2);
            int dialled = other.dial(open.driver.address());
            other.await(Kind.CONNECTED);
            assertThat(other.relayed).containsOnlyKeys(dialled);
            other.dialDirectly(open.driver.address());
            assertThat(other.await(Kind.DIAL_FAILED).detail()).startsWith("UNREACHABLE rendezvous.relay is always");
        }
    }

    @Test
    void settingsThatCanNotBeRightAreRefused() throws IOException {
        refuses(settings("http://127.0.0.1:80", HIDDEN), SettingException.class, "'http://127.0.0.1:80' is no server; write tcp://");
        refuses(settings("tcp://127.0.0.1", HIDDEN), SettingException.class, "is no server");
        refuses(settings("tcp://127.0.0.1:1", HIDDEN).with(TransportSettings.SECRET, ""), TransportException.class, "can read and change");
        refuses(
                settings("tcp://127.0.0.1:1", HIDDEN).with(RendezvousSettings.TOKEN, "a").with(RendezvousSettings.TOKEN_FILE, "b"),
                TransportException.class,
                "use one of them");
        refuses(
                settings("tcp://127.0.0.1:1", HIDDEN).with(RendezvousSettings.PROXY, "socks://u:hush@h:1"),
                TransportException.class,
                "write http://host:port");
        refuses(
                settings("tls://127.0.0.1:1", HIDDEN).with(RendezvousSettings.AUTHORITY, "/nowhere.pem"),
                TransportException.class,
                "/nowhere.pem");
        assertThatThrownBy(() -> NettyDatagramDriver.open(settings("tcp://127.0.0.1:1", HIDDEN)))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("transport.protocol: tcp");
    }

    private static void refuses(Settings settings, Class<? extends Exception> type, String reason) {
        assertThatThrownBy(() -> NettyDriver.open(settings))
                .isInstanceOf(type)
                .hasMessageContaining(reason)
                .hasMessageNotContaining("hush");
    }
}
