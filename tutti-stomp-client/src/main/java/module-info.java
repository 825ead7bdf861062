/** A client of STOMP that goes on at another member when its own is gone. */
module dev.tutti.stomp.client {
    requires static transitive org.jspecify;

    exports dev.tutti.stomp.client;
}
