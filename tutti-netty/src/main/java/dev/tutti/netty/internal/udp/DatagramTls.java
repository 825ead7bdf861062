package dev.tutti.netty.internal.udp;

import dev.tutti.core.Packet;
import dev.tutti.core.crypto.KeySchedule;
import dev.tutti.core.driver.DatagramMachine;
import dev.tutti.core.driver.Endpoint;
import dev.tutti.netty.internal.arrival.Allowance;
import dev.tutti.netty.internal.arrival.Arrivals;
import dev.tutti.netty.internal.arrival.HostQueue;
import dev.tutti.netty.internal.arrival.RefusalLog;
import dev.tutti.netty.internal.loop.DriverCounters;
import dev.tutti.netty.internal.loop.DriverCounters.Name;
import dev.tutti.netty.internal.loop.Loop;
import dev.tutti.netty.internal.security.ClientHello;
import dev.tutti.netty.internal.security.Passes;
import dev.tutti.netty.internal.security.Recheck;
import dev.tutti.netty.internal.security.Security;
import dev.tutti.netty.internal.security.TlsTrouble;
import dev.tutti.netty.internal.security.Trust;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * TLS of the connections over datagrams: the handshake alone, whose bytes the machine carries. The keys of datagrams are
 * exported from it (RFC 8446, section 7.5). Handshakes that others begin queue as those over TCP do. Used on the loop
 * only; the arithmetic runs on workers.
 */
final class DatagramTls {

    /** Gives the machine an input with the time, in a turn. */
    interface Inputs {
        void give(BiConsumer<DatagramMachine, Long> input);
    }

    private static final String TO_SERVER = "EXPORTER-tutti-datagrams-to-server";
    private static final String TO_CLIENT = "EXPORTER-tutti-datagrams-to-client";

    private static final String CLOSED = "the other node has ended the handshake";

    /** Failed handshakes per second that are reported to the machine. */
    private static final int REJECTIONS_PER_SECOND = 16;

    private final Security security;
    private final Loop loop;
    private final DriverCounters counters;
    private final Inputs inputs;
    private final Logger log;
    private final long timeoutNanos;
    private final Arrivals arrivals;
    private final Passes passes = new Passes();
    private final RefusalLog refusals;
    private final Allowance rejections = new Allowance(REJECTIONS_PER_SECOND);
    private final Map<Long, Handshake> handshakes = new LinkedHashMap<>();
    private final Map<Long, Peer> peers = new LinkedHashMap<>();

    /** Other end of a connection that is or was open. */
    private record Peer(String remote, List<X509Certificate> chain) {}

    DatagramTls(
            Security security, Loop loop, DriverCounters counters, long timeoutNanos, Inputs inputs, Logger log) {
        this.security = security;
        this.loop = loop;
        this.counters = counters;
        this.timeoutNanos = timeoutNanos;
        this.inputs = inputs;
        this.log = log;
        this.refusals = new RefusalLog(log);
        this.arrivals = new Arrivals(
                loop.acceptWorker(),
                loop.executor(),
                (task, delayNanos) -> loop.executor().schedule(task, delayNanos, TimeUnit.NANOSECONDS));
    }

    /** Returns the certificates in force. */
    Security security() {
        return security;
    }

    /** Begins to check the certificates of other ends from time to time. */
    void start() {
        new Recheck<>(security, loop, this::chains, this::onDistrusted).schedule();
    }

    private Map<Long, List<X509Certificate>> chains() {
        Map<Long, List<X509Certificate>> chains = new LinkedHashMap<>();
        peers.forEach((connection, peer) -> chains.put(connection, peer.chain()));
        return chains;
    }

    private void onDistrusted(long connection, String reason) {
        Peer peer = peers.remove(connection);
        if (peer != null) {
            counters.add(Name.CONNECTIONS_DISTRUSTED, 1);
            log.warn("closing the connection with {}: {}", peer.remote(), reason);
            inputs.give((machine, now) -> machine.onDistrusted(now, connection, reason));
        }
    }

    // ------------------------------------------------------------------ from the machine

    void begin(long connection, Endpoint with, boolean isDialed) {
        Handshake handshake = new Handshake(connection, with, isDialed);
        handshakes.put(connection, handshake);
        if (isDialed) {
            handshake.begin();
        } else {
            arrivals.onAccepted(handshake, System.nanoTime() + timeoutNanos);
            arrivals.scheduleExpiry(timeoutNanos);
        }
    }

    /** Takes bytes of the other end. The packet passes to the callee. */
    void onBytes(long connection, Packet packet) {
        Handshake handshake = handshakes.get(connection);
        if (handshake != null) {
            handshake.onBytes(packet.bytes().duplicate().limit(packet.offset() + packet.length()).position(packet.offset()));
        }
        packet.release();
    }

    void end(long connection) {
        peers.remove(connection);
        Handshake handshake = handshakes.get(connection);
        if (handshake != null) {
            handshake.settle();
        }
    }

    // ------------------------------------------------------------------ one handshake

    private final class Handshake implements Arrivals.Arrival {

        private final long connection;
        private final String remote;
        private final String host;
        private final boolean isDialed;
        private final ByteBuf received = Unpooled.buffer();
        private final ByteBuf toSend = Unpooled.buffer();
        private @Nullable SSLEngine engine;
        private boolean isReady;
        private boolean isComputing;
        private boolean isOver;

        Handshake(long connection, Endpoint with, boolean isDialed) {
            this.connection = connection;
            this.remote = with.toString();
            this.host = HostQueue.host(Addresses.of(with, 0).getAddress());
            this.isDialed = isDialed;
        }

        @Override
        public String host() {
            return host;
        }

        @Override
        public void begin() {
            SSLEngine made = security.engine(isDialed);
            engine = made;
            try {
                made.beginHandshake();
            } catch (SSLException e) {
                fail(TlsTrouble.explain(e));
                return;
            }
            proceed();
        }

        @Override
        public void evict() {
            counters.add(Name.CONNECTIONS_EVICTED, 1);
            refusals.refused(System.nanoTime(), host, remote,
                    "too many connections have not shown whose they are, and most of them are of this host");
            fail("");
        }

        @Override
        public void expire() {
            counters.add(Name.CONNECTIONS_EXPIRED, 1);
            fail("no TLS handshake in time");
        }

        void onBytes(ByteBuffer bytes) {
            received.writeBytes(bytes);
            if (engine != null) {
                proceed();
            } else if (!isReady && ClientHello.isWhole(received)) {
                isReady = true;
                arrivals.onReady(this, passes.isShown(security.trust().pass(), received));
            }
        }

        /** Forgets the handshake. */
        void settle() {
            isOver = true;
            handshakes.remove(connection);
            arrivals.remove(this);
        }

        private void fail(String detail) {
            if (isOver) {
                return;
            }
            settle();
            boolean isTold = isDialed || !detail.isEmpty() && rejections.take(System.nanoTime());
            if (!isTold && !detail.isEmpty()) {
                counters.add(Name.REFUSALS_UNTOLD, 1);
            }
            inputs.give((machine, now) -> machine.onHandshakeFailed(now, connection, isTold ? detail : ""));
        }

        private void proceed() {
            SSLEngine present = engine;
            if (present == null || isComputing || isOver) {
                return;
            }
            try {
                boolean isDone = run(present);
                flush();
                if (isDone) {
                    finish(present);
                }
            } catch (SSLException | GeneralSecurityException e) {
                counters.add(Name.TLS_HANDSHAKES_FAILED, 1);
                alert(present);
                flush();
                fail(TlsTrouble.explain(e));
            }
        }

        /** Goes on until bytes are missing or something is to be computed; returns whether the handshake is done. */
        private boolean run(SSLEngine present) throws SSLException {
            while (true) {
                switch (present.getHandshakeStatus()) {
                    case NEED_TASK -> {
                        compute(present);
                        return false;
                    }
                    case NEED_WRAP -> {
                        SSLEngineResult result = wrap(present);
                        if (isDone(result)) {
                            return true;
                        }
                        requireOpen(result);
                    }
                    case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
                        SSLEngineResult result = unwrap(present);
                        if (isDone(result)) {
                            return true;
                        }
                        if (result.getStatus() == SSLEngineResult.Status.BUFFER_UNDERFLOW) {
                            return false;
                        }
                        requireOpen(result);
                    }
                    case FINISHED, NOT_HANDSHAKING -> {
                        if (present.isInboundDone() || present.isOutboundDone()) {
                            throw new SSLException(CLOSED);
                        }
                        return true;
                    }
                }
            }
        }

        private static void requireOpen(SSLEngineResult result) throws SSLException {
            if (result.getStatus() == SSLEngineResult.Status.CLOSED) {
                throw new SSLException(CLOSED);
            }
        }

        private static boolean isDone(SSLEngineResult result) {
            return result.getHandshakeStatus() == SSLEngineResult.HandshakeStatus.FINISHED;
        }

        private SSLEngineResult wrap(SSLEngine present) throws SSLException {
            ByteBuffer record = ByteBuffer.allocate(present.getSession().getPacketBufferSize());
            SSLEngineResult result = present.wrap(ByteBuffer.allocate(0), record);
            toSend.writeBytes(record.flip());
            return result;
        }

        private SSLEngineResult unwrap(SSLEngine present) throws SSLException {
            ByteBuffer bytes = received.nioBuffer();
            SSLEngineResult result =
                    present.unwrap(bytes, ByteBuffer.allocate(present.getSession().getApplicationBufferSize()));
            received.skipBytes(result.bytesConsumed());
            received.discardSomeReadBytes();
            return result;
        }

        /** Runs the engine's tasks on a worker, and goes on. */
        private void compute(SSLEngine present) {
            isComputing = true;
            Executor executor = isDialed ? loop.workers() : arrivals;
            try {
                executor.execute(() -> {
                    Runnable task = present.getDelegatedTask();
                    while (task != null) {
                        task.run();
                        task = present.getDelegatedTask();
                    }
                    onComputed();
                });
            } catch (RejectedExecutionException e) {
                fail("this node has too much to do for a TLS handshake");
            }
        }

        private void onComputed() {
            try {
                loop.executor().execute(() -> {
                    isComputing = false;
                    proceed();
                });
            } catch (RejectedExecutionException e) {
                // The loop has ended, and its connections with it.
                log.debug("a TLS handshake with {} was under way at the end", remote);
            }
        }

        /** Lets the other end know why the handshake has failed, if TLS has words for it. */
        private void alert(SSLEngine present) {
            present.closeOutbound();
            try {
                for (int records = 0; records < 2 && !present.isOutboundDone(); records++) {
                    wrap(present);
                }
            } catch (SSLException e) {
                log.debug("no alert for {}: {}", remote, e.getMessage());
            }
        }

        private void flush() {
            if (toSend.isReadable()) {
                byte[] bytes = new byte[toSend.readableBytes()];
                toSend.readBytes(bytes);
                toSend.clear();
                inputs.give((machine, now) -> machine.onHandshake(now, connection, bytes));
            }
        }

        private void finish(SSLEngine present) throws SSLException, GeneralSecurityException {
            List<X509Certificate> chain = new ArrayList<>();
            for (Certificate each : present.getSession().getPeerCertificates()) {
                chain.add((X509Certificate) each);
            }
            Trust trust = security.trust();
            String objection = trust.objection(chain, Instant.now(), false);
            if (objection != null) {
                counters.add(Name.TLS_HANDSHAKES_FAILED, 1);
                fail(objection);
                return;
            }
            ExtendedSSLSession session = (ExtendedSSLSession) present.getSession();
            byte[] toServer = session.exportKeyingMaterialData(TO_SERVER, new byte[0], KeySchedule.SECRET_BYTES);
            byte[] toClient = session.exportKeyingMaterialData(TO_CLIENT, new byte[0], KeySchedule.SECRET_BYTES);
            settle();
            peers.put(connection, new Peer(remote, List.copyOf(chain)));
            var credentials = trust.credentials(chain, session);
            inputs.give((machine, now) -> machine.onSecured(
                    now, connection, isDialed ? toServer : toClient, isDialed ? toClient : toServer, credentials));
        }
    }
}
