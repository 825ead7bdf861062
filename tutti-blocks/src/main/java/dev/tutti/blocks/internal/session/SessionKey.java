package dev.tutti.blocks.internal.session;

import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;

/**
 * A field of a session, as a key of the map: each is written on its own, so that changes of different fields at two nodes
 * do not overrule each other.
 *
 * @param session id of the session
 * @param field the field
 * @param attribute name of the attribute; empty for other fields
 */
public record SessionKey(String session, Field field, String attribute) {

    /** Fields. Their places in this list are on the wire. */
    public enum Field {
        /** Time of creation, and the id that the session had before, if any. Written last, so that all is there with it. */
        CREATED,
        /** Time without requests after which the session expires. */
        INTERVAL,
        /** Values by which the session is found, such as the principal's name. */
        INDEX,
        /** Time of the last request. Its entry has the time to live: with it the session expires. */
        TOUCHED,
        ATTRIBUTE,
        /** The session was deleted. Outlives it for a while, so that a late write does not bring it back. */
        ENDED
    }

    private static final Field[] FIELDS = Field.values();

    static final Codec<SessionKey> CODEC = Codec.of(
            in -> {
                String session = in.takeText();
                int field = in.takeByte();
                if (field < 0 || field >= FIELDS.length) {
                    throw new MalformedException("field " + field + " of a session, 0 to " + (FIELDS.length - 1));
                }
                return new SessionKey(session, FIELDS[field], in.takeText());
            },
            (key, out) -> out.putText(key.session).putByte(key.field.ordinal()).putText(key.attribute));

    static SessionKey of(String session, Field field) {
        return new SessionKey(session, field, "");
    }

    static SessionKey ofAttribute(String session, String attribute) {
        return new SessionKey(session, Field.ATTRIBUTE, attribute);
    }
}
