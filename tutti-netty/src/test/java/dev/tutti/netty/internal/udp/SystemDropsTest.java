package dev.tutti.netty.internal.udp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Packet;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.settings.Size;
import dev.tutti.netty.internal.loop.Io;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SystemDropsTest {

    private static final List<String> TABLE = List.of(
            "   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops",
            "  427: 0100007F:1E78 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 4711 2 0000000000000000 17",
            "  428: 0100007F:1E79 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 4712 2 0000000000000000 5",
            "  429: 014EC0EF:1E79 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 4713 2 0000000000000000 100",
            "  430: nonsense");

    @Test
    void addsUpTheSocketsOfThisProcess() {
        assertThat(SystemDrops.count(TABLE, Set.of(7_800), Set.of("4711", "4712"))).isEqualTo(17);
        assertThat(SystemDrops.count(TABLE, Set.of(7_800, 7_801), Set.of("4711", "4712"))).isEqualTo(22);
        assertThat(SystemDrops.count(TABLE, Set.of(7_801), Set.of("4711"))).isZero();
    }

    /** A driver that was opened and does not read yet. */
    @Test
    void tellsWhatAFullBufferHasLost() {
        Settings small = DatagramProbe.settings(Io.NIO).with(TransportSettings.SOCKET_BUFFER, Size.kibibytes(8));
        try (DatagramProbe one = DatagramProbe.start(Io.NIO); DatagramProbe two = DatagramProbe.open(small)) {
            one.want(effects -> {
                for (int index = 0; index < 100; index++) {
                    effects.send(two.endpoint(), Packet.create(one.driver.memory(), 1_000).append(new byte[1_000], 0, 1_000));
                }
            });
            one.settle();
            two.start();
            long lost = two.counter("datagrams.lost-in-buffer");
            if (Files.isReadable(Path.of("/proc/net/udp"))) {
                assertThat(lost).isBetween(50L, 99L);
            } else {
                assertThat(lost).isZero();
            }
        }
    }
}
