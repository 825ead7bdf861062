package dev.tutti.netty.internal.address;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.driver.TransportException;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AddressChoiceTest {

    private static final AddressChoice CHOICE = new AddressChoice(
            List.of(
                    new AddressChoice.Interface(4, "wlan0", addresses("203.0.113.7", "2001:db8::7")),
                    new AddressChoice.Interface(3, "eth1", addresses("192.168.1.9")),
                    new AddressChoice.Interface(1, "lo", addresses("::1", "127.0.0.1")),
                    new AddressChoice.Interface(2, "eth0", addresses("fe80::5", "10.0.0.5", "169.254.1.1"))),
            host -> Map.of("shop", addresses("192.168.1.9"), "far", addresses("198.51.100.1"))
                    .getOrDefault(host, List.of()));

    private static List<InetAddress> addresses(String... texts) {
        return java.util.Arrays.stream(texts).map(InetAddress::ofLiteral).toList();
    }

    @ParameterizedTest
    @CsvSource({
        "LOOPBACK,      127.0.0.1",
        "loopback,      127.0.0.1",
        "SITE_LOCAL,    10.0.0.5",
        "LINK_LOCAL,    169.254.1.1",
        "GLOBAL,        203.0.113.7",
        "NON_LOOPBACK,  10.0.0.5",
        "ANY,           0.0.0.0",
        "10.0.0.5,      10.0.0.5",
        "127.0.0.2,     127.0.0.2",
        "::1,           ::1",
        "[::1],         ::1",
        "2001:db8::7,   2001:db8::7",
        "::,            ::",
        "eth*,          10.0.0.5",
        "eth1,          192.168.1.9",
        "eth?,          10.0.0.5",
        "w*,            203.0.113.7",
        "shop,          192.168.1.9"
    })
    void choosesTheFirstMatch(String wanted, String expected) {
        assertThat(CHOICE.listen(wanted)).isEqualTo(InetAddress.ofLiteral(expected));
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.6,  no interface has this address",
        "ppp*,      no interface of that name",
        "nobody,    no host of that name",
        "far,       no interface has this address"
    })
    void saysWhatThereIsWhenNothingMatches(String wanted, String reason) {
        assertThatThrownBy(() -> CHOICE.listen(wanted))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining(reason)
                .hasMessageContaining("eth0 10.0.0.5")
                .hasMessageContaining("SITE_LOCAL");
    }

    @Test
    void advertisesAPrivateAddressForAWildcard() {
        assertThat(CHOICE.advertise(InetAddress.ofLiteral("0.0.0.0"))).isEqualTo(InetAddress.ofLiteral("10.0.0.5"));
        assertThat(CHOICE.advertise(InetAddress.ofLiteral("203.0.113.7")))
                .isEqualTo(InetAddress.ofLiteral("203.0.113.7"));
        AddressChoice alone = new AddressChoice(
                List.of(new AddressChoice.Interface(1, "lo", addresses("127.0.0.1"))), host -> List.of());
        assertThat(alone.advertise(InetAddress.ofLiteral("::"))).isEqualTo(InetAddress.ofLiteral("127.0.0.1"));
    }

    @ParameterizedTest
    @CsvSource({
        "a:1, a, 1",
        "a, a, -1",
        "10.0.0.1:7800, 10.0.0.1, 7800",
        "[::1]:7800, ::1, 7800",
        "[::1], ::1, -1",
        "::1, ::1, -1",
        "[fe80::1%eth0]:80, fe80::1%eth0, 80"
    })
    void readsAddresses(String text, String host, int port) {
        assertThat(HostPort.parse(text)).isEqualTo(new HostPort(host, port));
    }

    @ParameterizedTest
    @CsvSource({"''", "':1'", "a:", "a:x", "a:65536", "[::1", "[::1]7", "a:-1"})
    void refusesWhatIsNoAddress(String text) {
        assertThatThrownBy(() -> HostPort.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("host:port");
    }

    @Test
    void printsIpv6WithBrackets() {
        assertThat(new HostPort("::1", 7800)).hasToString("[::1]:7800");
        assertThat(new HostPort("shop", -1)).hasToString("shop");
    }
}
