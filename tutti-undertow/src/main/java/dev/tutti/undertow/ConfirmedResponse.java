package dev.tutti.undertow;

import io.undertow.server.HttpServerExchange;
import io.undertow.util.ConduitFactory;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.xnio.channels.StreamSourceChannel;
import org.xnio.conduits.AbstractStreamSinkConduit;
import org.xnio.conduits.StreamSinkConduit;

/**
 * The way of a response to its connection, which opens when other nodes have what the request has changed in its session: once before the
 * first byte, and once more, for what the request changes while it writes, before the last one.
 *
 * <p>A worker thread waits where it begins or ends the response. An I/O thread does not wait: the way takes nothing for a while, as that of a
 * slow client does, and then wakes up whoever wants to write.
 */
final class ConfirmedResponse extends AbstractStreamSinkConduit<StreamSinkConduit> {

    private final HttpServerExchange exchange;
    private final Request request;

    /** Done when the response may go on. */
    private volatile CompletableFuture<Void> confirmed;

    /** True when changes made during the response are written, or about to be. */
    private boolean isLastWritten;

    /** True while the end waits for {@link #confirmed}. */
    private boolean isEndHeld;

    private volatile boolean isResumed;

    private ConfirmedResponse(StreamSinkConduit next, HttpServerExchange exchange, Request request, CompletableFuture<Void> confirmed) {
        super(next);
        this.exchange = exchange;
        this.request = request;
        this.confirmed = confirmed;
        wakeUpLater(confirmed);
    }

    /** Writes what the request has changed so far. */
    static StreamSinkConduit wrap(ConduitFactory<StreamSinkConduit> factory, HttpServerExchange exchange, Request request) {
        CompletableFuture<Void> confirmed = request.commit();
        return new ConfirmedResponse(factory.create(), exchange, request, confirmed);
    }

    private boolean isOpen() {
        return confirmed.isDone();
    }

    /** Writes what the request has changed since its response began, once; returns whether all is confirmed. */
    private boolean isOpenForEnd() {
        if (!isLastWritten && isOpen()) {
            isLastWritten = true;
            CompletableFuture<Void> last = request.commit();
            confirmed = last;
            wakeUpLater(last);
        }
        return isLastWritten && isOpen();
    }

    private void wakeUpLater(CompletableFuture<Void> written) {
        if (!written.isDone()) {
            var unused = written.thenRun(() -> exchange.getIoThread().execute(this::wakeUp));
        }
    }

    private void wakeUp() {
        if (isResumed) {
            next.wakeupWrites();
        }
    }

    // ------------------------------------------------------------------ bytes

    @Override
    public int write(ByteBuffer source) throws IOException {
        return isOpen() ? next.write(source) : 0;
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
        return isOpen() ? next.write(sources, offset, length) : 0;
    }

    @Override
    public long transferFrom(FileChannel source, long position, long count) throws IOException {
        return isOpen() ? next.transferFrom(source, position, count) : 0;
    }

    @Override
    public long transferFrom(StreamSourceChannel source, long count, ByteBuffer throughBuffer) throws IOException {
        if (isOpen()) {
            return next.transferFrom(source, count, throughBuffer);
        }
        throughBuffer.clear().limit(0);
        return 0;
    }

    // ------------------------------------------------------------------ the end

    @Override
    public int writeFinal(ByteBuffer source) throws IOException {
        return isOpenForEnd() ? next.writeFinal(source) : 0;
    }

    @Override
    public long writeFinal(ByteBuffer[] sources, int offset, int length) throws IOException {
        return isOpenForEnd() ? next.writeFinal(sources, offset, length) : 0;
    }

    @Override
    public void terminateWrites() throws IOException {
        if (isOpenForEnd()) {
            next.terminateWrites();
        } else {
            isEndHeld = true;
        }
    }

    @Override
    public boolean isWriteShutdown() {
        return isEndHeld || next.isWriteShutdown();
    }

    @Override
    public boolean flush() throws IOException {
        if (isEndHeld) {
            if (!isOpenForEnd()) {
                return false;
            }
            isEndHeld = false;
            next.terminateWrites();
        }
        return isOpen() && next.flush();
    }

    // ------------------------------------------------------------------ waiting

    @Override
    public void resumeWrites() {
        isResumed = true;
        if (isOpen()) {
            next.resumeWrites();
        }
    }

    @Override
    public void wakeupWrites() {
        isResumed = true;
        if (isOpen()) {
            next.wakeupWrites();
        }
    }

    @Override
    public void suspendWrites() {
        isResumed = false;
        next.suspendWrites();
    }

    @Override
    public boolean isWriteResumed() {
        return isOpen() ? next.isWriteResumed() : isResumed;
    }

    @Override
    public void awaitWritable() throws IOException {
        if (isOpen()) {
            next.awaitWritable();
        } else {
            confirmed.join();
        }
    }

    @Override
    public void awaitWritable(long time, TimeUnit unit) throws IOException {
        if (isOpen()) {
            next.awaitWritable(time, unit);
            return;
        }
        try {
            confirmed.get(time, unit);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while other nodes confirm changes of a session");
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        } catch (TimeoutException e) {
            // The caller looks again.
        }
    }
}
