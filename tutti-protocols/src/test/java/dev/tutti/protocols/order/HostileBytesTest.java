package dev.tutti.protocols.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Member;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Layer;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever a member writes, nobody throws, and what can't be read is counted and kept by nobody. */
class HostileBytesTest {

    static List<Function<Member, Layer>> orders() {
        return List.of(
                self -> new Causal(self),
                self -> new Sequencer(self, 64, false),
                self -> new Sequencer(self, 64, true),
                self -> new Rotation(self, false),
                self -> new Rotation(self, true));
    }

    @ParameterizedTest
    @MethodSource("orders")
    void anyBytesAreTakenOrRefused(Function<Member, Layer> order) {
        SplittableRandom random = new SplittableRandom(7);
        int refused = 0;
        for (int round = 0; round < 60; round++) {
            OrderScene scene = new OrderScene(3, order);
            for (int index = 0; index < 200; index++) {
                byte[] bytes = new byte[random.nextInt(60)];
                random.nextBytes(bytes);
                for (int at = 0; at < bytes.length; at++) {
                    // Small numbers get further.
                    bytes[at] = random.nextInt(8) == 0 ? bytes[at] : (byte) (random.nextInt(6) / 3 * random.nextInt(4));
                }
                scene.receive(1 + random.nextInt(3), 1 + random.nextInt(3), bytes);
                if (random.nextInt(4) == 0) {
                    scene.seat(1 + random.nextInt(3)).turn();
                }
            }
            scene.freeze();
            scene.install();
            for (OrderScene.Seat seat : scene.seats) {
                refused += seat.layer.dropped.size();
                assertThat(seat.layer.dropped).isSubsetOf(DropReason.MALFORMED, DropReason.CAUSE_LOST);
                seat.order.onStop();
                seat.layer.takeSent().forEach(packet -> packet.release());
                assertThat(seat.layer.memory.outstanding()).isZero();
            }
        }
        assertThat(refused).isPositive();
    }
}
