package dev.tutti.internal.state;

import java.io.IOException;
import java.io.OutputStream;

/** Stream that drops the first bytes and passes on the rest. */
public final class SkippingStream extends OutputStream {

    private final OutputStream out;
    private long skip;

    public SkippingStream(OutputStream out, long skip) {
        this.out = out;
        this.skip = skip;
    }

    @Override
    public void write(int value) throws IOException {
        if (skip > 0) {
            skip--;
        } else {
            out.write(value);
        }
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        int skipped = (int) Math.min(skip, length);
        skip -= skipped;
        if (skipped < length) {
            out.write(bytes, offset + skipped, length - skipped);
        }
    }

    @Override
    public void flush() throws IOException {
        out.flush();
    }
}
