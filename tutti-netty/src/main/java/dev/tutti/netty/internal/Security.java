package dev.tutti.netty.internal;

import javax.net.ssl.SSLEngine;

/** Where TLS engines come from. Used on the loop only. */
interface Security {

    SSLEngine engine(long nowNanos, boolean isClient);

    /** For people. */
    String description();
}
