/** The layers, and the node that carries them. */
module dev.tutti.protocols {
    requires transitive dev.tutti.core;
    requires static transitive org.jspecify;

    exports dev.tutti.protocols.datagram;
    exports dev.tutti.protocols.node;
    exports dev.tutti.protocols.packing;
}
