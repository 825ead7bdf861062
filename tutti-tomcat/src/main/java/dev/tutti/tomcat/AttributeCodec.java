package dev.tutti.tomcat;

import dev.tutti.internal.Fence;
import dev.tutti.tomcat.diagnostics.Reports;
import dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter;
import dev.tutti.tomcat.diagnostics.ReplicationCounters;
import dev.tutti.tomcat.replication.session.Field;
import dev.tutti.blocks.internal.serial.AllowedClasses;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Encodes and decodes the values of a session. A value that fails is counted, reported once with its name, and left
 * out; the others are not affected.
 */
final class AttributeCodec {

    private static final String[] CONTAINER_CLASSES = {
        "org.apache.catalina.authenticator.SavedRequest",
        "org.apache.catalina.authenticator.SingleSignOnListener",
        "org.apache.catalina.realm.GenericPrincipal",
        "org.apache.catalina.realm.GenericPrincipal$SerializablePrincipal",
        "org.apache.tomcat.util.buf.AbstractChunk",
        "org.apache.tomcat.util.buf.ByteChunk",
        "jakarta.servlet.http.Cookie"
    };

    /** Maximum number of attempts in a row to encode an object that another thread may be changing. */
    static final int ATTEMPTS_AT_ONCE = 3;

    private final SessionCodec codec;
    private final SessionCodec fieldCodec;
    private final Fence fence = Fence.of((callback, argument, thrown) -> {});
    private final Supplier<ClassLoader> classes;
    private final ReplicationCounters counters;
    private final Reports reports;

    /**
     * @param codec for attributes
     * @param allowed for principals and listeners, beside those of the container
     * @param classes returns the application's class loader
     */
    AttributeCodec(
            SessionCodec codec,
            AllowedClasses allowed,
            Supplier<ClassLoader> classes,
            ReplicationCounters counters,
            Reports reports) {
        this.codec = codec;
        this.fieldCodec = new JavaSerialization(allowed.and(CONTAINER_CLASSES));
        this.classes = classes;
        this.counters = counters;
        this.reports = reports;
    }

    SessionCodec codec() {
        return codec;
    }

    byte @Nullable [] encode(String name, Object value) {
        return encode(codec, "attribute '" + name + "'", value);
    }

    @Nullable Object decode(String name, byte[] content) {
        return decode(codec, "attribute '" + name + "'", content);
    }

    /** Returns what this node's application makes of an encoded attribute; null if it can't read it. */
    byte @Nullable [] reencode(String name, byte[] content) {
        Object value = decode(name, content);
        return value == null ? null : encode(name, value);
    }

    byte @Nullable [] encodeField(Field field, Object value) {
        return switch (field.kind()) {
            case ID, AUTH_TYPE -> ((String) value).getBytes(StandardCharsets.UTF_8);
            case MAX_INACTIVE -> ByteBuffer.allocate(Integer.BYTES).putInt((Integer) value).array();
            case COPY -> throw new IllegalStateException("the number of a copy is no value of the application");
            case NOTE, PRINCIPAL, LISTENER, ATTRIBUTE -> encode(fieldCodec, describe(field), value);
        };
    }

    @Nullable Object decodeField(Field field, byte[] content) {
        return switch (field.kind()) {
            case ID, AUTH_TYPE -> new String(content, StandardCharsets.UTF_8);
            case MAX_INACTIVE -> ByteBuffer.wrap(content).getInt();
            case COPY -> throw new IllegalStateException("the number of a copy is no value of the application");
            case NOTE, PRINCIPAL, LISTENER, ATTRIBUTE -> decode(fieldCodec, describe(field), content);
        };
    }

    private static String describe(Field field) {
        String kind = field.kind().name().toLowerCase(Locale.ROOT);
        return field.name().isEmpty() ? kind : kind + " '" + field.name() + "'";
    }

    /**
     * Encodes a value; returns null if that fails, whatever the application's classes throw, errors included. A runtime
     * exception usually comes from a collection that another thread is changing: the value is tried again at once.
     */
    private byte @Nullable [] encode(SessionCodec with, String what, Object value) {
        if (!with.supports(value)) {
            reportUnencoded(what, value, "it can't be encoded; a class has to implement java.io.Serializable for the"
                    + " default codec. Other nodes keep the last value that could be");
            return null;
        }
        AtomicReference<byte @Nullable []> encoded = new AtomicReference<>();
        Throwable failure = null;
        for (int attempt = 0; attempt < ATTEMPTS_AT_ONCE; attempt++) {
            failure = fence.attempt(() -> encoded.set(with.encode(value)));
            if (failure == null) {
                return encoded.get();
            }
            if (!(failure instanceof RuntimeException)) {
                break;
            }
        }
        String reason = failure instanceof IOException && failure.getMessage() != null ? failure.getMessage() : "" + failure;
        reportUnencoded(what, value, reason + ". Other nodes keep the last value that could be encoded; this one is tried again");
        return null;
    }

    private void reportUnencoded(String what, Object value, String reason) {
        counters.increment(Counter.NOT_ENCODED);
        String type = value.getClass().getName();
        reports.warnOnce(
                "not encoded: " + what + " of " + type,
                "Session " + what + " of class " + type + " stays at this node: " + reason);
    }

    private @Nullable Object decode(SessionCodec with, String what, byte[] content) {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        ClassLoader application = classes.get();
        thread.setContextClassLoader(application);
        try {
            return with.decode(content, application);
        } catch (ClassNotFoundException e) {
            reportUndecoded(what, "this node's application has no class " + e.getMessage());
        } catch (IOException | RuntimeException | LinkageError e) {
            reportUndecoded(what, e + "; see allowedClasses of the <Manager>");
        } finally {
            thread.setContextClassLoader(before);
        }
        return null;
    }

    private void reportUndecoded(String what, String reason) {
        counters.increment(Counter.NOT_DECODED);
        reports.warnOnce(
                "not decoded: " + what + ": " + reason,
                "Session " + what + " can't be read at this node, and is kept as it is: " + reason);
    }
}
