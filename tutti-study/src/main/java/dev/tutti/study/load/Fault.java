package dev.tutti.study.load;

import java.util.Locale;

/** Process that is killed under load, and started again. */
public enum Fault {
    NODE,
    BALANCER,
    DATABASE;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
