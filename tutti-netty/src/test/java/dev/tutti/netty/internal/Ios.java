package dev.tutti.netty.internal;

import java.util.Arrays;
import java.util.stream.Stream;

/** The kinds of loop that this machine has; NIO always. */
final class Ios {

    private Ios() {}

    static Stream<Io> available() {
        return Arrays.stream(Io.values()).filter(Io::isAvailable);
    }
}
