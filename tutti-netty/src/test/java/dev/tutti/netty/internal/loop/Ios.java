package dev.tutti.netty.internal.loop;

import java.util.Arrays;
import java.util.stream.Stream;

/** The kinds of loop that this machine has; NIO always. */
public final class Ios {

    private Ios() {}

    public static Stream<Io> available() {
        return Arrays.stream(Io.values()).filter(Io::isAvailable);
    }
}
