package dev.tutti.netty.internal.udp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.driver.TransportException;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Settings;
import dev.tutti.netty.internal.loop.Io;
import org.junit.jupiter.api.Test;

class MulticastSettingsTest {

    @Test
    void refusesMulticastAddressesThatCanNotWork() {
        assertThat(multicastTrouble("239.192.1.1")).contains("no port");
        assertThat(multicastTrouble("10.0.0.1:7801")).contains("no multicast address", "239.255.255.255");
        assertThat(multicastTrouble("shop.example:7801")).contains("no IP address", "239.192.78.1:7801");
        assertThat(multicastTrouble("1:2:x")).contains("transport.multicast.address");
        assertThat(multicastTrouble("[ff12::7801]:7801")).contains("bind.address", "same version");
    }

    private static String multicastTrouble(String address) {
        Settings settings = DatagramProbe.settings(Io.NIO).with(TransportSettings.MULTICAST_ADDRESS, address);
        try (NettyDatagramDriver opened = NettyDatagramDriver.open(settings)) {
            throw new AssertionError("opened: " + opened.description());
        } catch (TransportException e) {
            return e.getMessage();
        }
    }

    @Test
    void multicastsTakeTheInterfaceThatIsSet() {
        Settings everywhere = DatagramProbe.settings(Io.NIO)
                .with(TransportSettings.BIND_ADDRESS, "ANY")
                .with(TransportSettings.INSECURE, true)
                .with(TransportSettings.MULTICAST_ADDRESS, "239.192.1.1:7801");
        try (DatagramProbe probe = DatagramProbe.start(everywhere.with(TransportSettings.MULTICAST_INTERFACE, "LOOPBACK"))) {
            assertThat(probe.driver.description().get("multicast")).contains("on lo");
            assertThat(probe.driver.address()).as("IPv4, as the socket").doesNotContain("[");
        }
        assertThatThrownBy(() -> NettyDatagramDriver.open(everywhere.with(TransportSettings.MULTICAST_INTERFACE, "ppp*")))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("transport.multicast.interface: ppp*")
                .hasMessageContaining("this machine has");
    }

    @Test
    void namesAnInterfaceWithoutMulticast() {
        assertThatThrownBy(() -> Multicast.check("239.192.1.1:7801", "tun7", false, false))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("tun7")
                .hasMessageContaining("bind.address");
        Multicast.check("239.192.1.1:7801", "lo", true, false);
    }
}
