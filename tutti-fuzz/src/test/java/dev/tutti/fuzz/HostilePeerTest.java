package dev.tutti.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * One of four nodes, the coordinator or another, sends an impossible frame at any moment of a run. No node throws,
 * keeps more than its bound, or stands still; when that node is gone, the others come to one view and reach each other.
 *
 * <p>{@code -Dtutti.test.tries=1500} tries all runs.
 *
 * <p>One lie cannot be repaired: a coordinator that tells one member another decision than the others, since views with
 * one id are one view. After such a lie it is enough that no node throws.
 */
@Tag("seeds")
class HostilePeerTest {

    private static final int RUNS = Math.min(1_500, Integer.getInteger("tutti.test.tries", 200));
    private static final int NODES = 4;
    private static final String DECISION = "group control 5";

    @Test
    void leavesTheOthersTogether() {
        TreeMap<String, Integer> changed = new TreeMap<>();
        for (int run = 0; run < RUNS; run++) {
            run(run, changed);
        }
        assertThat(changed).containsKeys("group control 1", "group control 2", "group control 3", "group control 5", "group data 0",
                "group data 2", "frame 4");
    }

    private static void run(int seed, TreeMap<String, Integer> changed) {
        SplittableRandom random = new SplittableRandom(seed);
        Mutator mutator = new Mutator(seed);
        int hostile = 1 + random.nextInt(NODES);
        int victim = 1 + (hostile + random.nextInt(NODES - 1)) % NODES;
        int at = random.nextInt(45);
        int[] read = new int[1];
        TreeSet<String> kinds = new TreeSet<>();
        Lab lab = new Lab(NODES, 1 + seed % 7);
        for (int number = 1; number <= NODES; number++) {
            Lab.Seat seat = lab.start(number);
            if (number == victim) {
                TreeSet<Integer> connections = new TreeSet<>();
                seat.tap.listen((connection, frame) -> {
                    if (isHandshakeOf("n" + hostile + ":7800", frame)) {
                        connections.add(connection);
                    }
                    if (!connections.contains(connection) || read[0]++ != at) {
                        return frame;
                    }
                    kinds.add(SessionTarget.describe(frame));
                    return mutator.mutate(List.of(frame));
                });
            }
            lab.advanceMillis(random.nextInt(20));
        }
        for (int round = 0; round < 6; round++) {
            for (int number = 1; number <= NODES; number++) {
                if (lab.seat(number).outgoing.bytes() < 50_000) {
                    lab.seat(number).send(3, 100);
                }
            }
            lab.advanceMillis(random.nextInt(60));
        }
        lab.advanceMillis(seed % 4 == 0 ? 2_500 : 300);
        lab.seat(hostile).node.crash();
        // Time to notice, and to handle the consequences.
        lab.advanceMillis(5_000);
        kinds.forEach(kind -> changed.merge(kind, 1, Integer::sum));
        if (kinds.contains(DECISION)) {
            return;
        }
        lab.until("seed " + seed + ": one view of the others", lab::isOneView);
        List<Lab.Seat> others = lab.up();
        List<Long> delivered = others.stream().map(seat -> seat.application.deliveredCount()).toList();
        others.forEach(seat -> seat.send(1, 100));
        lab.until("seed " + seed + ": everybody reaches everybody", () -> {
            boolean isReached = true;
            for (int index = 0; index < others.size(); index++) {
                long since = others.get(index).application.deliveredCount() - delivered.get(index);
                isReached &= since >= others.size();
            }
            return isReached;
        });
    }

    /** Reports whether a frame is a HELLO or a WELCOME of an address. */
    private static boolean isHandshakeOf(String address, byte[] frame) {
        return frame.length > 0 && (frame[0] == 1 || frame[0] == 2)
                && new String(frame, StandardCharsets.ISO_8859_1).contains(address);
    }
}
