package dev.tutti.discovery.beacon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.discovery.NodeEntry;
import dev.tutti.core.discovery.SourceDrops;
import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import dev.tutti.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BeaconDiscoveryTest {

    /** Most questions until all answers were heard on a machine that is late with some. */
    private static final int QUESTIONS_MAX = 50;

    private static final String GROUP = "239.192.78.77:17811";

    /** Address that all sockets of loopback hear. */
    private static final String BROADCAST = "127.255.255.255:17814";

    private final List<BeaconDiscovery> sources = new ArrayList<>();

    @AfterEach
    void close() throws IOException {
        for (BeaconDiscovery source : sources) {
            source.close();
        }
    }

    private BeaconDiscovery started(String cluster, int port) throws IOException {
        return started(BeaconDiscovery.multicast(GROUP, 0), cluster, port);
    }

    private BeaconDiscovery started(BeaconDiscovery source, String cluster, int port) throws IOException {
        sources.add(source);
        source.start(new NodeEntry(cluster, "n" + port, "127.0.0.1:" + port));
        return source;
    }

    @Test
    void nodesOfOneClusterHearEachOther() throws IOException {
        BeaconDiscovery first = started("shop", 1);
        BeaconDiscovery second = started("shop", 2);
        started("other", 3);
        assertThat(first.addresses()).containsExactly("127.0.0.1:2");
        assertThat(second.addresses()).as("whoever asks is heard").containsExactly("127.0.0.1:1");
    }

    /** Nodes wait for each other's answers for a random time; here a few do not wait, and the others wait for long. */
    @Test
    void ofManyAFewAnswer() throws IOException {
        List<String> quick = new ArrayList<>();
        for (int port = 1; port <= 40; port++) {
            int pauseMillis = port <= BeaconDiscovery.ANSWERS_MAX ? 0 : 60_000;
            started(new BeaconDiscovery(MulticastGroup.of(GROUP, 0), () -> pauseMillis), "shop", port);
            if (pauseMillis == 0) {
                quick.add("127.0.0.1:" + port);
            }
        }
        BeaconDiscovery asking = started("shop", 41);
        List<String> heard = asking.addresses();
        for (int question = 0; question < QUESTIONS_MAX && heard.size() < quick.size(); question++) {
            heard = asking.addresses();
        }
        assertThat(heard).containsExactlyInAnyOrderElementsOf(quick);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "239.192.78.2", "10.0.0.1:7810", "239.192.78.2:0", "239.192.78.2:70000", "all.example:7810"})
    void anAddressThatIsNoGroupIsRefused(String address) {
        assertThatThrownBy(() -> BeaconDiscovery.multicast(address, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is no multicast group with a port; write 239.192.78.2:7810");
    }

    @Test
    void anAddressOfNoInterfaceIsAnOutage() {
        assertThatThrownBy(() -> BeaconDiscovery.multicast(GROUP, 1).start(new NodeEntry("shop", "n", "203.0.113.9:7800")))
                .isInstanceOf(IOException.class)
                .hasMessage("no network interface has the node's address 203.0.113.9");
    }

    @Test
    void settingsNameWhatIsWrong() {
        MulticastProvider provider = new MulticastProvider();
        assertThatThrownBy(() -> provider.open(Settings.of(provider.settings()).with(MulticastProvider.ADDRESS, "nonsense")))
                .isInstanceOf(SettingException.class)
                .hasMessageStartingWith("discovery.multicast.address: 'nonsense' is no multicast group");
        assertThat(provider.open(Settings.of(provider.settings()))).isEmpty();
    }

    @Test
    void nodesThatBroadcastHearEachOther() throws IOException {
        BeaconDiscovery first = started(BeaconDiscovery.broadcast(BROADCAST), "shop", 1);
        BeaconDiscovery second = started(BeaconDiscovery.broadcast(BROADCAST), "shop", 2);
        started(BeaconDiscovery.broadcast(BROADCAST), "other", 3);
        assertThat(first.addresses()).containsExactly("127.0.0.1:2");
        assertThat(second.addresses()).containsExactly("127.0.0.1:1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "10.0.0.255", "239.192.78.2:7810", "[ff12::7810]:7810", "10.0.0.255:0", "all.example:7810"})
    void anAddressThatIsNoBroadcastIsRefused(String address) {
        assertThatThrownBy(() -> BeaconDiscovery.broadcast(address))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is no IPv4 broadcast address with a port; write 10.0.0.255:7810 or 255.255.255.255:7810");
    }

    @Test
    void anAddressOfOneHostIsAnOutage() {
        assertThatThrownBy(() -> BeaconDiscovery.broadcast("10.0.0.7:17813").start(new NodeEntry("shop", "n", "127.0.0.1:1")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("10.0.0.7 is no broadcast address of lo");
    }

    @Test
    void whateverIsNoBeaconIsCounted() throws IOException {
        BeaconDiscovery source = started("shop", 1);
        try (DatagramChannel stranger = DatagramChannel.open(StandardProtocolFamily.INET)) {
            int port = Integer.parseInt(GROUP.substring(GROUP.indexOf(':') + 1));
            for (byte[] bytes : new byte[][] {{}, {1, 2, 3}, new byte[4_000]}) {
                stranger.send(ByteBuffer.wrap(bytes), new InetSocketAddress("127.0.0.1", port));
            }
            Await.until("three are counted", () -> source.drops().equals(new SourceDrops(3, 0)));
        }
    }

    @Test
    void moreQuestionsThanCanBeAnsweredAreCounted() throws IOException {
        BeaconDiscovery source = started("shop", 1);
        try (DatagramChannel stranger = DatagramChannel.open(StandardProtocolFamily.INET)) {
            int port = Integer.parseInt(GROUP.substring(GROUP.indexOf(':') + 1));
            Await.until("questions overflow", () -> {
                for (int question = 0; question < 500; question++) {
                    ask(stranger, port, question);
                }
                return source.drops().overflow() > 0;
            });
            assertThat(source.drops().malformed()).isZero();
        }
    }

    private static void ask(DatagramChannel stranger, int port, long question) {
        try {
            stranger.send(new Beacon(true, question, "shop", "10.0.0.9:1").encode(), new InetSocketAddress("127.0.0.1", port));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
