package dev.tutti.campaign.rollout;

/**
 * Address of a pod. Each pod has one of its own on loopback, with the same ports as all others.
 *
 * @param host IPv4 address in 127.0.0.0/8
 */
record PodAddress(String host, int nodePort, int httpPort, int healthPort) {

    String node() {
        return host + ":" + nodePort;
    }

    /** Returns a name that no other pod has: pods that follow each other may have one name, but not one address. */
    String id(String name) {
        return name + "@" + host;
    }

    /** Returns the address of another pod with the same ports. */
    PodAddress at(String other) {
        return new PodAddress(other, nodePort, httpPort, healthPort);
    }
}
