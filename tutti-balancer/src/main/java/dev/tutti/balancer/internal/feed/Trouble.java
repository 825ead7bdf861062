package dev.tutti.balancer.internal.feed;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Log of the failures of one load balancer: a line when one begins, changes or is over. For one thread. */
public final class Trouble {

    private static final Logger LOG = LoggerFactory.getLogger(Trouble.class);

    private final String name;
    private String present = "";

    /** @param name the load balancer, for people */
    public Trouble(String name) {
        this.name = name;
    }

    /** Notes a failure. */
    public void onFailed(Exception failure) {
        String text = String.valueOf(failure.getMessage());
        if (!text.equals(present)) {
            LOG.error("{} can't be kept up to date: {}", name, text);
            present = text;
        }
    }

    /** Notes that all is applied. */
    public void onDone() {
        if (!present.isEmpty()) {
            LOG.info("{} is up to date again", name);
            present = "";
        }
    }
}
