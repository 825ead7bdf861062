package dev.tutti.spring;

import dev.tutti.NodeBuilder;

/** Bean that changes the node before it starts: adds a rule of admission or a source of addresses, for example. */
@FunctionalInterface
public interface NodeCustomizer {

    /** Called once, with the settings of {@code tutti:} in force. What is set here takes precedence over them. */
    void customize(NodeBuilder builder);
}
