package dev.tutti.protocols.datagram;

import dev.tutti.core.driver.Endpoint;
import dev.tutti.core.stack.Report;

/**
 * Proof that the sender of an OPEN receives at the address that it sends from: it has to return a cookie that was sent
 * there. Nothing is stored for a sender that has not, and the answer to it is shorter than its OPEN.
 */
final class AddressValidation {

    private final Keys keys;
    private final Replies replies;
    private final DatagramDrops drops;
    private long cookiesSent;

    AddressValidation(Keys keys, Replies replies, DatagramDrops drops) {
        this.keys = keys;
        this.replies = replies;
        this.drops = drops;
    }

    /** Returns whether the cookie of an OPEN is valid, and answers it by one that is, if not. */
    boolean isValid(Endpoint from, long id, long cookie, long nowNanos) {
        if (keys.isCookie(cookie, from, id, nowNanos)) {
            return true;
        }
        if (cookie != 0) {
            drops.count(DatagramDrops.Reason.BAD_COOKIE);
        }
        cookiesSent++;
        replies.add(from, replies.create(Datagrams.COOKIE_BYTES, Datagrams.COOKIE)
                .appendLong(id)
                .appendLong(keys.cookie(from, id, nowNanos)));
        return false;
    }

    void report(Report section) {
        section.put("cookies-sent", cookiesSent);
    }
}
