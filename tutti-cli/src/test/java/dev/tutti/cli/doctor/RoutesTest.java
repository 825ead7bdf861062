package dev.tutti.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

class RoutesTest {

    private static final List<String> TABLE = List.of(
            "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT",
            "eth0\t004E0A0A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0",
            "eth1\t00000A0A\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0",
            "eth2\t000000E0\t00000000\t0001\t0\t0\t0\t000000F0\t0\t0\t0");

    private static Inet4Address address(String text) {
        return (Inet4Address) InetAddress.ofLiteral(text);
    }

    private static String interfaceTo(String text) {
        return Routes.interfaceTo(Routes.number(address(text)), TABLE);
    }

    @Test
    void takesTheMostSpecificRoute() {
        assertThat(interfaceTo("10.10.78.5")).isEqualTo("eth0");
        assertThat(interfaceTo("10.10.77.5")).isEqualTo("eth1");
        assertThat(interfaceTo("239.192.78.1")).isEqualTo("eth2");
        assertThat(interfaceTo("10.11.78.5")).isEmpty();
    }

    @Test
    void findsTheNetworkOfTwoAddresses() {
        assertThat(Routes.commonPrefix(address("10.79.0.1"), address("10.79.0.200"))).isEqualTo(24);
        assertThat(Routes.commonPrefix(address("10.79.0.1"), address("10.79.2.200"))).isEqualTo(22);
        assertThat(Routes.commonPrefix(address("10.79.0.1"), address("10.79.0.2"))).isEqualTo(24);
    }
}
