package dev.tutti.protocols.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Packet;
import dev.tutti.core.stack.DropReason;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RotationTest {

    private final OrderScene agreed = scene(3, false);

    private static OrderScene scene(int count, boolean isSafe) {
        return new OrderScene(count, self -> new Rotation(self, isSafe));
    }

    @Test
    void packetWaitsForThoseWhoseTurnIsBefore() {
        agreed.seat(2).send("b");
        assertThat(agreed.seat(2).delivered()).as("1 comes before 2").isEmpty();
        agreed.pass(2, 1);
        agreed.pass(1, 2);
        assertThat(agreed.seat(2).delivered()).as("1 has passed, and 3 comes after 2").containsExactly("b");
    }

    @Test
    void whoIsIdlePassesOnceForAllThatItHasSeen() {
        for (int index = 0; index < 10; index++) {
            agreed.seat(3).send("c" + index);
        }
        for (int index = 0; index < 10; index++) {
            agreed.take(3, 1);
        }
        agreed.seat(1).turn();
        assertThat(agreed.seat(1).controls()).isEqualTo(1);
        agreed.passAll();
        assertThat(agreed.seat(1).delivered()).hasSize(10);
    }

    @Test
    void whoSendsDoesNotPass() {
        agreed.seat(3).send("c");
        agreed.take(3, 1);
        agreed.seat(1).send("a");
        assertThat(agreed.seat(1).controls()).isZero();
    }

    @Test
    void nobodySpeaksWhenNobodyHasSent() {
        agreed.seat(1).send("a");
        agreed.passAll();
        int controls = agreed.seats.stream().mapToInt(OrderScene.Seat::controls).sum();
        assertThat(controls).as("1 comes first in its round, nobody has to pass").isZero();
        for (OrderScene.Seat seat : agreed.seats) {
            assertThat(seat.delivered()).containsExactly("a");
        }
    }

    @Test
    void whoSendsRarelyJoinsTheLatestRound() {
        for (int index = 0; index < 5; index++) {
            agreed.seat(1).send("a" + index);
        }
        for (int index = 0; index < 5; index++) {
            agreed.take(1, 2);
        }
        agreed.seat(2).send("b");
        agreed.passAll();
        assertThat(agreed.seat(3).delivered()).containsExactly("a0", "a1", "a2", "a3", "a4", "b");
    }

    private static byte[] packet(int kind, long round) {
        return ByteBuffer.allocate(Rotation.HEADER_BYTES + 1).put((byte) kind).putLong(0).putLong(round).put((byte) 'x').array();
    }

    private void lie(long round) {
        for (int other : new int[] {1, 2, 3}) {
            agreed.receive(other, 3, packet(Order.DATA, round));
        }
    }

    @Test
    void roundNearTheEndOfTheRangeIsRefusedAndTheOthersGoOn() {
        lie(Long.MAX_VALUE - 1);
        lie(1L << 62);
        agreed.seat(1).send("a");
        agreed.seat(2).send("b");
        agreed.passAll();
        for (int honest : new int[] {1, 2}) {
            assertThat(agreed.seat(honest).delivered()).containsExactly("a", "b");
            assertThat(agreed.seat(honest).layer.takeDropped()).containsExactly(DropReason.MALFORMED, DropReason.MALFORMED);
        }
    }

    @Test
    void roundsThatLeapAreFollowedInStepsThatAllTake() {
        for (long lies = 1; lies <= 20; lies++) {
            lie(lies * Rotation.JUMP_MAX);
        }
        agreed.seat(1).send("a");
        agreed.seat(2).send("b");
        agreed.passAll();
        for (int honest : new int[] {1, 2}) {
            assertThat(agreed.seat(honest).delivered()).contains("a", "b");
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
    void allDeliverTheSameHoweverPacketsTravel(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int count = 2 + random.nextInt(4);
        OrderScene scene = scene(count, seed % 2 == 0);
        List<List<String>> delivered = new ArrayList<>();
        for (int index = 0; index < count; index++) {
            delivered.add(new ArrayList<>());
        }
        int sent = 0;
        for (int step = 0; step < 500; step++) {
            int from = 1 + random.nextInt(count);
            int to = 1 + random.nextInt(count);
            if (random.nextInt(5) == 0) {
                scene.seat(from).send(from + "-" + sent++);
            } else if (from != to && scene.waiting(from, to) > 0) {
                scene.pass(from, to);
            }
        }
        scene.passAll();
        for (OrderScene.Seat seat : scene.seats) {
            delivered.get(seat.number - 1).addAll(seat.delivered());
        }
        assertThat(delivered.getFirst()).hasSize(sent).doesNotHaveDuplicates();
        assertThat(delivered).containsOnly(delivered.getFirst());
    }

    @Test
    void whatIsNotPlacedWhenTheViewEndsIsPlacedByItsRound() {
        agreed.seat(3).send("c");
        agreed.seat(2).send("b");
        agreed.seat(3).send("d");
        agreed.pass(2, 3);
        agreed.freeze();
        agreed.pass(3, 2);
        agreed.pass(3, 2);
        agreed.install();
        assertThat(agreed.seat(2).delivered()).containsExactly("b", "c", "d");
        assertThat(agreed.seat(3).delivered()).containsExactly("b", "c", "d");
        agreed.seat(2).send("e");
        agreed.passAll();
        assertThat(agreed.seat(3).delivered()).containsExactly("e");
    }

    @Test
    void safeDeliveryWaitsUntilAllHaveIt() {
        OrderScene safe = scene(3, true);
        safe.seat(1).send("a");
        safe.pass(1, 2);
        safe.pass(2, 1);
        assertThat(safe.seat(1).delivered()).as("3 may not have it").isEmpty();
        safe.passAll();
        for (OrderScene.Seat seat : safe.seats) {
            assertThat(seat.delivered()).containsExactly("a");
        }
    }

    @Test
    void whatIsOutOfBandTakesNoTurn() {
        OrderScene.Seat sender = agreed.seat(3);
        sender.layer.sendDown(Packet.create(sender.layer.memory, 1).appendByte('!').markOutOfBand());
        sender.turn();
        agreed.passAll();
        assertThat(agreed.seat(1).delivered()).containsExactly("!");
        assertThat(agreed.seats).allSatisfy(seat -> assertThat(seat.controls()).isZero());
    }

    @Test
    void roundThatGoesBackIsRefused() {
        byte[] packet = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5};
        agreed.receive(2, 1, packet.clone());
        agreed.receive(2, 1, packet.clone());
        byte[] never = packet.clone();
        Arrays.fill(never, 9, 17, (byte) 0xff);
        agreed.receive(2, 1, never);
        never[9] = 0x7f;
        agreed.receive(2, 1, never);
        byte[] pass = packet.clone();
        pass[0] = 1;
        agreed.receive(2, 1, pass);
        agreed.receive(2, 1, Arrays.copyOf(pass, 18));
        assertThat(agreed.seat(2).layer.dropped).containsOnly(DropReason.MALFORMED).hasSize(5);
    }
}
