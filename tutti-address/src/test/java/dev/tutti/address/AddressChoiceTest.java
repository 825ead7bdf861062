package dev.tutti.address;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
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
        return Arrays.stream(texts).map(InetAddress::ofLiteral).toList();
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
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(reason)
                .hasMessageContaining("eth0 10.0.0.5")
                .hasMessageContaining("SITE_LOCAL");
    }

    /** Interfaces whose IPv6 addresses name them, as those of the system do. */
    private static AddressChoice choice(String... texts) {
        List<AddressChoice.Interface> interfaces = new ArrayList<>();
        for (String text : texts) {
            int index = interfaces.size() + 1;
            interfaces.add(new AddressChoice.Interface(index, "if" + index, List.of(scoped(text, index))));
        }
        return new AddressChoice(interfaces, host -> List.of());
    }

    private static InetAddress scoped(String text, int index) {
        InetAddress address = InetAddress.ofLiteral(text);
        try {
            return address instanceof Inet6Address ? Inet6Address.getByAddress(null, address.getAddress(), index) : address;
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1 fd01::2 10.0.0.5,       0.0.0.0, 10.0.0.5",
        "127.0.0.1 fd01::2 203.0.113.7,    0.0.0.0, 203.0.113.7",
        "203.0.113.7 10.0.0.5,             0.0.0.0, 10.0.0.5",
        "127.0.0.1 fd01::2,                0.0.0.0, 127.0.0.1",
        "127.0.0.1 10.0.0.5 fd01::2,       ::,      fd01::2",
        "127.0.0.1 10.0.0.5 2001:db8::7,   ::,      2001:db8::7",
        "127.0.0.1 10.0.0.5 fe80::5,       ::,      10.0.0.5",
        "127.0.0.1,                        ::,      127.0.0.1",
        "10.0.0.5,                         fd01::2, fd01::2"
    })
    void advertisesAnAddressOfTheWildcardsFamily(String present, String bound, String expected) {
        assertThat(HostPort.hostOf(choice(present.split(" ")).advertise(InetAddress.ofLiteral(bound))))
                .isEqualTo(HostPort.hostOf(InetAddress.ofLiteral(expected)));
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1 fd01::2 10.0.0.5,  0.0.0.0",
        "127.0.0.1 fd01::2,           ::",
        "127.0.0.1 fe80::2,           0.0.0.0",
        "127.0.0.1,                   0.0.0.0"
    })
    void listensToIpv6ByAnyWhereOthersReachItByThatAlone(String present, String expected) {
        assertThat(choice(present.split(" ")).listen("ANY")).isEqualTo(InetAddress.ofLiteral(expected));
    }

    @Test
    void listensWithTheInterfaceThatALinkLocalAddressNeedsAndTellsOthersNone() {
        InetAddress chosen = choice("10.0.0.5", "fe80::5").listen("fe80::5");
        assertThat(((Inet6Address) chosen).getScopeId()).isEqualTo(2);
        assertThat(HostPort.hostOf(chosen)).isEqualTo("fe80:0:0:0:0:0:0:5");
        assertThat(HostPort.hostOf(scoped("fd01::2", 2))).isEqualTo("fd01:0:0:0:0:0:0:2");
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
