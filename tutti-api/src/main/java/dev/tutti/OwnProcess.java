package dev.tutti;

import dev.tutti.core.driver.Driver;
import dev.tutti.internal.Host;
import dev.tutti.protocols.node.NodeEvents;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;

/**
 * The process that the application runs in.
 *
 * @param driver open, not started
 * @param onTrouble told what is logged as a warning
 */
record OwnProcess(Driver driver, Consumer<String> onTrouble) implements Host {

    /** Grows from start to start with the clock; the random bits keep nodes apart that start in one millisecond. */
    @Override
    public long incarnation() {
        return (System.currentTimeMillis() << 20) | ThreadLocalRandom.current().nextLong(1 << 20);
    }

    @Override
    public long seed() {
        return ThreadLocalRandom.current().nextLong();
    }

    @Override
    public NodeEvents events(String node) {
        return new EventLog(node, onTrouble);
    }
}
