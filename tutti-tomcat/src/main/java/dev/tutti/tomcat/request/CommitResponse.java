package dev.tutti.tomcat.request;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Response that runs a callback before it is committed and before it is complete: on flush, on close, when the output
 * exceeds the buffer, or when it reaches the announced content length.
 *
 * <p>The callback may run early and repeatedly, and always runs before the end of a response leaves. An overflow of the
 * buffer is noticed once: after it, the client can't have the whole response before the request ends.
 */
public final class CommitResponse extends HttpServletResponseWrapper {

    /** Name of the request attribute whose {@link Runnable} sends the changes of the request's session so far. */
    public static final String REPLICATE_ATTRIBUTE = "dev.tutti.tomcat.replicate";

    private static final int BYTES_PER_CHARACTER_MAX = 3;

    private final Runnable beforeCommit;
    private long writtenBytes;
    private long contentLength = -1;
    private boolean isOverflowSeen;
    private @Nullable ServletOutputStream stream;
    private @Nullable PrintWriter writer;

    public CommitResponse(HttpServletResponse response, Runnable beforeCommit) {
        super(response);
        this.beforeCommit = beforeCommit;
    }

    @Override
    public ServletOutputStream getOutputStream() throws IOException {
        ServletOutputStream present = stream;
        if (present == null) {
            present = new CommitStream(super.getOutputStream());
            stream = present;
        }
        return present;
    }

    @Override
    public PrintWriter getWriter() throws IOException {
        PrintWriter present = writer;
        if (present == null) {
            present = new CommitPrintWriter(super.getWriter());
            writer = present;
        }
        return present;
    }

    @Override
    public void flushBuffer() throws IOException {
        beforeFlush();
        super.flushBuffer();
    }

    @Override
    public void reset() {
        super.reset();
        forgetOutput();
        contentLength = -1;
        stream = null;
        writer = null;
    }

    @Override
    public void resetBuffer() {
        super.resetBuffer();
        forgetOutput();
    }

    private void forgetOutput() {
        writtenBytes = 0;
        isOverflowSeen = false;
    }

    @Override
    public void setContentLength(int length) {
        super.setContentLength(length);
        contentLength = length;
    }

    @Override
    public void setContentLengthLong(long length) {
        super.setContentLengthLong(length);
        contentLength = length;
    }

    @Override
    public void setHeader(String name, String value) {
        super.setHeader(name, value);
        noteHeader(name, value);
    }

    @Override
    public void addHeader(String name, String value) {
        super.addHeader(name, value);
        noteHeader(name, value);
    }

    @Override
    public void setIntHeader(String name, int value) {
        super.setIntHeader(name, value);
        noteHeader(name, Integer.toString(value));
    }

    @Override
    public void addIntHeader(String name, int value) {
        super.addIntHeader(name, value);
        noteHeader(name, Integer.toString(value));
    }

    private void noteHeader(String name, @Nullable String value) {
        if (name.toLowerCase(Locale.ROOT).equals("content-length") && value != null && value.matches("\\d{1,18}")) {
            contentLength = Long.parseLong(value);
        }
    }

    private void beforeFlush() {
        if (!isCommitted()) {
            beforeCommit.run();
        }
    }

    private void beforeClose() {
        beforeCommit.run();
    }

    private void beforeWrite(long bytes) {
        writtenBytes += bytes;
        if (contentLength >= 0 && writtenBytes >= contentLength) {
            beforeCommit.run();
        } else if (!isOverflowSeen && writtenBytes >= getBufferSize()) {
            isOverflowSeen = true;
            beforeFlush();
        }
    }

    /** Counts characters with their maximum length in bytes; the actual one is known only when they are encoded. */
    private void beforeCharacters(long count) {
        beforeWrite(count * BYTES_PER_CHARACTER_MAX);
    }

    private final class CommitStream extends ServletOutputStream {
        private final ServletOutputStream target;

        CommitStream(ServletOutputStream target) {
            this.target = target;
        }

        @Override
        public void write(int value) throws IOException {
            beforeWrite(1);
            target.write(value);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            beforeWrite(length);
            target.write(bytes, offset, length);
        }

        @Override
        public void write(ByteBuffer buffer) throws IOException {
            beforeWrite(buffer.remaining());
            target.write(buffer);
        }

        @Override
        public void flush() throws IOException {
            beforeFlush();
            target.flush();
        }

        @Override
        public void close() throws IOException {
            beforeClose();
            target.close();
        }

        @Override
        public boolean isReady() {
            return target.isReady();
        }

        @Override
        public void setWriteListener(WriteListener listener) {
            target.setWriteListener(listener);
        }
    }

    /** {@link PrintWriter}'s own line ends and formats all end up in the three methods of the writer below it. */
    private final class CommitPrintWriter extends PrintWriter {
        private final PrintWriter target;

        CommitPrintWriter(PrintWriter target) {
            super(new CountingWriter(target));
            this.target = target;
        }

        @Override
        public boolean checkError() {
            beforeFlush();
            return target.checkError();
        }
    }

    private final class CountingWriter extends Writer {
        private final PrintWriter target;

        CountingWriter(PrintWriter target) {
            this.target = target;
        }

        @Override
        public void write(int character) {
            beforeCharacters(1);
            target.write(character);
        }

        @Override
        public void write(char[] characters, int offset, int length) {
            beforeCharacters(length);
            target.write(characters, offset, length);
        }

        @Override
        public void write(String text, int offset, int length) {
            beforeCharacters(length);
            target.write(text, offset, length);
        }

        @Override
        public void flush() {
            beforeFlush();
            target.flush();
        }

        @Override
        public void close() {
            beforeClose();
            target.close();
        }
    }
}
