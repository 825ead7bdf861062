package dev.tutti.tomcat.replication.session;

/**
 * Key of a value in a session.
 *
 * @param name name of the attribute, note or listener; empty for kinds of which a session has one
 */
public record Field(Kind kind, String name) {

    /** Kind of a value. The order is that of the wire format and never changes. */
    public enum Kind {
        /** Attribute that the application put into the session. */
        ATTRIBUTE,
        /** Note that an authenticator has to remember between two requests. */
        NOTE,
        PRINCIPAL,
        AUTH_TYPE,
        /** Maximum inactive interval in seconds, as four bytes. */
        MAX_INACTIVE,
        /** The id that the client has, route included. */
        ID,
        /** A session listener that can be serialized. */
        LISTENER,
        /** Number of the copy of another site that the session was taken over from last, as eight bytes. */
        COPY
    }

    public static final Field PRINCIPAL = new Field(Kind.PRINCIPAL, "");
    public static final Field AUTH_TYPE = new Field(Kind.AUTH_TYPE, "");
    public static final Field MAX_INACTIVE = new Field(Kind.MAX_INACTIVE, "");
    public static final Field ID = new Field(Kind.ID, "");
    public static final Field COPY = new Field(Kind.COPY, "");

    public static Field attribute(String name) {
        return new Field(Kind.ATTRIBUTE, name);
    }

    public static Field note(String name) {
        return new Field(Kind.NOTE, name);
    }

    public static Field listener(String name) {
        return new Field(Kind.LISTENER, name);
    }
}
