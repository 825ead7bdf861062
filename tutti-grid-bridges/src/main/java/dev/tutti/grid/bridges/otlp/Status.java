package dev.tutti.grid.bridges.otlp;

import com.google.protobuf.CodedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/** The body of an error in OTLP over HTTP: the message {@code google.rpc.Status}, with its code and message alone. */
final class Status {

    static final int INVALID_ARGUMENT = 3;
    static final int UNAVAILABLE = 14;

    private static final int CODE = 1;
    private static final int MESSAGE = 2;

    private Status() {}

    static byte[] encode(int code, String message) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            CodedOutputStream out = CodedOutputStream.newInstance(bytes);
            out.writeInt32(CODE, code);
            out.writeString(MESSAGE, message);
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }
}
