package dev.tutti.campaign.chaos.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The program drops the right packets, run here as the kernel runs it. */
class LossProgramTest {

    private static final int HERE = 10 << 24 | 1;
    private static final int THERE = 10 << 24 | 2;
    private static final int ELSEWHERE = 10 << 24 | 3;
    private static final long PASS = 0xffff_ffffL;
    private static final long DROP = 2;

    /** Runs the program, on a machine with the instructions of classic BPF that it uses. */
    private static long run(String program, int etherType, int source, long random) {
        String[] lines = program.split(",");
        assertThat(Integer.parseInt(lines[0])).isEqualTo(lines.length - 1);
        long accumulator = 0;
        for (int at = 1; at < lines.length; at++) {
            long[] line = Arrays.stream(lines[at].split(" ")).mapToLong(Long::parseLong).toArray();
            switch ((int) line[0]) {
                case 0x28 -> accumulator = line[3] == 12 ? etherType : -1;
                case 0x20 -> accumulator = line[3] == 26 ? Integer.toUnsignedLong(source) : random;
                case 0x15 -> at += (int) (accumulator == line[3] ? line[1] : line[2]);
                case 0x25 -> at += (int) (accumulator > line[3] ? line[1] : line[2]);
                case 0x06 -> {
                    return line[3];
                }
                default -> throw new AssertionError("instruction " + lines[at]);
            }
        }
        throw new AssertionError("the program has no end");
    }

    @Test
    void cutDropsEverythingFromThereAndNothingElse() {
        String program = LossProgram.of(Map.of(HERE, 1.0, THERE, 1.0));

        for (long random : new long[] {0, 1L << 31, PASS}) {
            assertThat(run(program, 0x800, HERE, random)).isEqualTo(DROP);
            assertThat(run(program, 0x800, THERE, random)).isEqualTo(DROP);
            assertThat(run(program, 0x800, ELSEWHERE, random)).isEqualTo(PASS);
        }
    }

    @Test
    void addressResolutionPasses() {
        assertThat(run(LossProgram.of(Map.of(HERE, 1.0)), 0x806, HERE, 0)).isEqualTo(PASS);
    }

    @Test
    void shareIsLost() {
        String program = LossProgram.of(Map.of(HERE, 0.25));

        assertThat(run(program, 0x800, HERE, PASS / 4 - 1)).isEqualTo(DROP);
        assertThat(run(program, 0x800, HERE, PASS / 4 + 2)).isEqualTo(PASS);
    }

    @Test
    void emptyProgramPassesEverything() {
        assertThat(run(LossProgram.of(Map.of()), 0x800, HERE, 0)).isEqualTo(PASS);
    }

    @Test
    void asManyAddressesAsItTakesAreWithinReachOfTheJump() {
        Map<Integer, Double> many = new HashMap<>();
        for (int index = 0; index < LossProgram.ADDRESSES_MAX; index++) {
            many.put(HERE + index, 1.0);
        }

        assertThat(run(LossProgram.of(many), 0x806, HERE, 0)).isEqualTo(PASS);
        many.put(ELSEWHERE + 1_000, 1.0);
        assertThatThrownBy(() -> LossProgram.of(many)).hasMessageContaining("33 addresses, at most 32");
        assertThatThrownBy(() -> LossProgram.threshold(1.5)).hasMessageContaining("1.5");
    }
}
