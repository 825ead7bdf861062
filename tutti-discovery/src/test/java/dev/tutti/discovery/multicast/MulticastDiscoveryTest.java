package dev.tutti.discovery.multicast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.discovery.NodeEntry;
import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MulticastDiscoveryTest {

    private static final String GROUP = "239.192.78.77:17811";

    private final List<MulticastDiscovery> sources = new ArrayList<>();

    @AfterEach
    void close() throws IOException {
        for (MulticastDiscovery source : sources) {
            source.close();
        }
    }

    private MulticastDiscovery started(String cluster, int port) throws IOException {
        MulticastDiscovery source = new MulticastDiscovery(GROUP, 0);
        sources.add(source);
        source.start(new NodeEntry(cluster, "n" + port, "127.0.0.1:" + port));
        return source;
    }

    @Test
    void nodesOfOneClusterHearEachOther() throws IOException {
        MulticastDiscovery first = started("shop", 1);
        MulticastDiscovery second = started("shop", 2);
        started("other", 3);
        assertThat(first.addresses()).containsExactly("127.0.0.1:2");
        assertThat(second.addresses()).as("whoever asks is heard").containsExactly("127.0.0.1:1");
    }

    @Test
    void ofManyAFewAnswer() throws IOException {
        for (int port = 1; port <= 40; port++) {
            started("shop", port);
        }
        assertThat(started("shop", 41).addresses()).hasSizeBetween(MulticastDiscovery.ANSWERS_MAX, 25);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "239.192.78.2", "10.0.0.1:7810", "239.192.78.2:0", "239.192.78.2:70000", "all.example:7810"})
    void anAddressThatIsNoGroupIsRefused(String address) {
        assertThatThrownBy(() -> new MulticastDiscovery(address, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is no multicast group with a port; write 239.192.78.2:7810");
    }

    @Test
    void anAddressOfNoInterfaceIsAnOutage() {
        assertThatThrownBy(() -> new MulticastDiscovery(GROUP, 1).start(new NodeEntry("shop", "n", "203.0.113.9:7800")))
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
}
