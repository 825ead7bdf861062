/** Addresses of machines: texts with host and port, names, and the choice among the network interfaces. */
module dev.tutti.address {
    requires static transitive org.jspecify;

    exports dev.tutti.address;
}
