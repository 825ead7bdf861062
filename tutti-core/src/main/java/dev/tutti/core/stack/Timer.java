package dev.tutti.core.stack;

/** Timer of a layer. Each layer declares its own ones, as the constants of an enum that implements this interface. */
public interface Timer {

    int ordinal();

    String name();
}
