package dev.tutti.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.protocols.datagram.DatagramBytes;
import dev.tutti.sim.DatagramNetwork;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * One bit of a datagram is flipped. Every datagram has a CRC-32C of all of it in all settings, so that the damaged one
 * is as good as lost.
 */
class FlippedDatagramTest {

    private static final int NODES = 3;

    @Test
    void noBitOfARecordedSessionCanBeWrongUnnoticed() {
        TreeMap<Integer, Long> bitsByKind = new TreeMap<>();
        for (int scene = 0; scene < 2; scene++) {
            for (int reader = 1; reader <= 2; reader++) {
                for (byte[] datagram : DatagramTarget.recorded(scene, reader)) {
                    assertThat(DatagramBytes.isIntact(datagram)).isTrue();
                    for (int bit = 0; bit < 8 * datagram.length; bit++) {
                        flip(datagram, bit);
                        if (DatagramBytes.isIntact(datagram)) {
                            throw new AssertionError("bit " + bit + " of a datagram of kind " + datagram[4]);
                        }
                        flip(datagram, bit);
                    }
                    bitsByKind.merge((int) datagram[4], 8L * datagram.length, Long::sum);
                }
            }
        }
        // All kinds but RESET, which only a stranger gets.
        assertThat(bitsByKind).containsKeys(1, 2, 3, 4, 6);
        assertThat(bitsByKind.values().stream().mapToLong(Long::longValue).sum()).isGreaterThan(400_000);
    }

    @ParameterizedTest
    @EnumSource(names = {"DATAGRAMS", "MULTICAST", "ENCRYPTED"})
    void theSessionGoesOnAfterAWrongBitInAnyOfItsDatagrams(Lab.Carrier carrier) {
        SplittableRandom random = new SplittableRandom(3);
        for (int reader = 1; reader <= NODES; reader++) {
            for (int number = 1; number <= 60; number += 3) {
                runWithWrongBit(carrier, reader, number, random);
            }
        }
    }

    private static void runWithWrongBit(Lab.Carrier carrier, int reader, int number, SplittableRandom random) {
        Lab lab = new Lab(NODES, 3, carrier);
        for (int seat = 1; seat <= NODES; seat++) {
            lab.start(seat);
        }
        AtomicInteger heard = new AtomicInteger();
        DatagramNetwork network = lab.simulation().datagrams();
        network.setFilter((from, to, datagram) -> {
            if (to != lab.seat(reader).node || heard.incrementAndGet() != number) {
                return true;
            }
            byte[] wrong = datagram.clone();
            flip(wrong, random.nextInt(8 * wrong.length));
            network.inject(network.endpoint(from), to, wrong);
            return false;
        });
        lab.until("one view of all", lab::isOneView);
        for (int round = 0; round < 3; round++) {
            for (int seat = 1; seat <= NODES; seat++) {
                lab.seat(seat).send(4, 100);
            }
            lab.seat(1).send(1, 20_000);
            lab.advanceMillis(40);
        }
        lab.advanceMillis(500);
        lab.until("one view of all again", lab::isOneView);
        lab.advanceMillis(200);
        assertThat(lab.violationsAtRest()).as("a bit of datagram %d at n%d", number, reader).isEmpty();
        if (carrier != Lab.Carrier.ENCRYPTED) {
            assertThat(lab.seat(reader).counters()).containsEntry("datagrams.damaged", 1L);
        }
    }

    private static void flip(byte[] datagram, int bit) {
        datagram[bit / 8] ^= (byte) (1 << bit % 8);
    }
}
