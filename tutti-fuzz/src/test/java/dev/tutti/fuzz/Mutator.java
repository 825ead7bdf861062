package dev.tutti.fuzz;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** Makes hostile inputs from valid ones: faults of networks and memory, and deliberate lies. */
final class Mutator {

    private static final long[] NUMBERS = {
        0, 1, 2, -1, 127, 128, 255, 256, 32_767, 65_535, 65_536, 65_537, Integer.MAX_VALUE, Integer.MIN_VALUE,
        Integer.MAX_VALUE - 1, 0xffff_ffffL, 1L << 32, 1L << 62, Long.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE - 1
    };
    private static final int STEPS_MAX = 4;
    private static final int LENGTH_MAX = 64 * 1024;

    private final SplittableRandom random;

    Mutator(long seed) {
        random = new SplittableRandom(seed);
    }

    byte[] mutate(List<byte[]> valid) {
        byte[] input = pick(valid).clone();
        int steps = 1 + random.nextInt(STEPS_MAX);
        for (int step = 0; step < steps; step++) {
            input = step(input, valid);
        }
        return input.length <= LENGTH_MAX ? input : Arrays.copyOf(input, LENGTH_MAX);
    }

    private byte[] pick(List<byte[]> valid) {
        return valid.get(random.nextInt(valid.size()));
    }

    private byte[] step(byte[] input, List<byte[]> valid) {
        if (input.length == 0) {
            return pick(valid).clone();
        }
        int at = random.nextInt(input.length);
        int length = 1 + random.nextInt(Math.min(64, input.length - at));
        return switch (random.nextInt(11)) {
            case 0, 1 -> {
                input[at] ^= (byte) (1 << random.nextInt(8));
                yield input;
            }
            case 2 -> {
                input[at] = (byte) random.nextInt(256);
                yield input;
            }
            case 3, 4 -> number(input, at);
            case 5 -> Arrays.copyOf(input, at);
            case 6 -> join(Arrays.copyOf(input, at), Arrays.copyOfRange(pick(valid), 0, pick(valid).length));
            case 7 -> splice(input, at, pick(valid));
            // Pieces that are left out, repeated, or moved.
            case 8 -> join(Arrays.copyOf(input, at), Arrays.copyOfRange(input, at + length, input.length));
            case 9 -> join(Arrays.copyOf(input, at + length), Arrays.copyOfRange(input, at, input.length));
            default -> {
                byte[] piece = Arrays.copyOfRange(input, at, at + length);
                byte[] rest = join(Arrays.copyOf(input, at), Arrays.copyOfRange(input, at + length, input.length));
                int to = random.nextInt(rest.length + 1);
                yield join(join(Arrays.copyOf(rest, to), piece), Arrays.copyOfRange(rest, to, rest.length));
            }
        };
    }

    /** Writes a false count, length or number: a bound, or a value next to the true one. */
    private byte[] number(byte[] input, int at) {
        ByteBuffer bytes = ByteBuffer.wrap(input);
        int left = input.length - at;
        long value = NUMBERS[random.nextInt(NUMBERS.length)];
        boolean isRelative = random.nextInt(3) == 0;
        if (left >= 8 && random.nextBoolean()) {
            bytes.putLong(at, isRelative ? bytes.getLong(at) + random.nextInt(-2, 3) : value);
        } else if (left >= 4) {
            long relative = random.nextBoolean() ? left - 4L : bytes.getInt(at);
            bytes.putInt(at, (int) (isRelative ? relative + random.nextInt(-2, 3) : value));
        } else {
            input[at] = (byte) value;
        }
        return input;
    }

    private byte[] splice(byte[] input, int at, byte[] other) {
        int from = other.length == 0 ? 0 : random.nextInt(other.length);
        return join(Arrays.copyOf(input, at), Arrays.copyOfRange(other, from, other.length));
    }

    private static byte[] join(byte[] first, byte[] second) {
        byte[] joined = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, joined, first.length, second.length);
        return joined;
    }
}
