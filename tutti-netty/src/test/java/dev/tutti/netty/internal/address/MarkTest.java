package dev.tutti.netty.internal.address;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.address.HostPort;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Marks of addresses that other networks may have, too. */
class MarkTest {

    @ParameterizedTest
    @CsvSource({
        "10.0.0.1,true", "172.16.0.1,true", "172.32.0.1,false", "192.168.1.2,true", "127.0.0.1,true", "169.254.3.4,true",
        "100.64.0.1,true", "100.127.255.254,true", "100.128.0.1,false", "100.63.0.1,false", "8.8.8.8,false", "::1,true",
        "fe80::1,true", "fd00::1,true", "fc00::1,true", "2001:db8::1,false", "6440::1,false"
    })
    void knowsPrivateAddresses(String address, boolean isPrivate) {
        assertThat(Mark.isPrivate(InetAddress.ofLiteral(address))).isEqualTo(isPrivate);
    }

    @ParameterizedTest
    @ValueSource(strings = {"192.168.1.2:7800", "[fd00::1]:7800"})
    void addsAMarkThatStaysTheSame(String address) {
        HostPort marked = HostPort.parse(Mark.add(address));
        assertThat(marked.mark()).matches("[0-9a-f]{10}");
        assertThat(new HostPort(marked.machine(), marked.port())).isEqualTo(HostPort.parse(address));
        assertThat(Mark.add(address)).isEqualTo(marked.toString());
        assertThat(HostPort.parse(Mark.add(address.replace("7800", "7801"))).mark()).isNotEqualTo(marked.mark());
    }

    @Test
    void leavesOthersAsTheyAre() {
        assertThat(Mark.add("8.8.8.8:7800")).isEqualTo("8.8.8.8:7800");
        assertThat(Mark.add("node.example.com:7800")).isEqualTo("node.example.com:7800");
    }
}
