package dev.tutti.sites;

import java.nio.charset.StandardCharsets;

/**
 * A message of a {@link SiteGroup}, as its receivers see it. It may be kept.
 *
 * @param site that it was sent at
 * @param sender name of the node that sent it
 * @param incarnation of that node: a node that was restarted is another sender
 * @param bytes content, which must not be changed
 */
@SuppressWarnings("ArrayRecordComponent") // a message is compared with nothing
public record SiteMessage(String site, String sender, long incarnation, byte[] bytes) {

    /** Returns the content, decoded as UTF-8. */
    public String text() {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return bytes.length + " bytes from " + sender + " at " + site;
    }
}
