package dev.tutti.netty.internal.relay;

import io.netty.channel.Channel;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.Future;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** This node at one server: it is there as long as it can be, and takes the connections of others. On the loop. */
final class Registration implements ControlStream.Listener {

    private static final Logger LOG = LoggerFactory.getLogger(Registration.class);

    private static final long PAUSE_MIN_MILLIS = 100;
    private static final long PAUSE_MAX_MILLIS = 2_000;

    /** Connections that the server may announce while earlier ones are being opened; further ones are not taken. */
    private static final int ACCEPTING_MAX = 64;

    private final RelayContext context;
    private final RelayServer server;
    private final String address;
    private final Relays.@Nullable Acceptor acceptor;
    private final RelayCounters counters;
    private final Set<ServerCall> accepting = new HashSet<>();
    private @Nullable ServerCall call;
    private @Nullable Channel control;
    private @Nullable Future<?> pause;
    private long pauseMillis = PAUSE_MIN_MILLIS;
    private String trouble = "";
    private boolean isClosed;

    /** @param acceptor null if the node is only listed, and takes no connections through the server */
    Registration(
            RelayContext context, RelayServer server, String address, Relays.@Nullable Acceptor acceptor, RelayCounters counters) {
        this.context = context;
        this.server = server;
        this.address = address;
        this.acceptor = acceptor;
        this.counters = counters;
    }

    static String path(RelayContext context, String what, String argument) {
        return path(context, what) + "/" + encode(argument);
    }

    static String path(RelayContext context, String what) {
        return "/v1/clusters/" + encode(context.options.cluster()) + "/" + what;
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    boolean isUp() {
        return control != null;
    }

    RelayServer server() {
        return server;
    }

    void open() {
        pause = null;
        if (isClosed) {
            return;
        }
        String path = path(context, "listen", address) + (acceptor == null ? "?relay=no" : "");
        call = ServerCall.open(context, server, path, new ServerCall.Result() {
            @Override
            public void onOpen(SocketChannel channel) {
                call = null;
                control = channel;
                counters.onServer(true);
                pauseMillis = PAUSE_MIN_MILLIS;
                trouble = "";
                LOG.info("{}: listed by the rendezvous server {}", address, server);
                channel.pipeline().addLast(new ControlStream(Registration.this));
            }

            @Override
            public void onAnswer(int status, String text) {
                call = null;
                again(ServerCall.reason(status, text));
            }
        });
    }

    @Override
    public void onEnd(String reason) {
        control = null;
        counters.onServer(false);
        again(reason);
    }

    /** Tries again after a pause that grows; the reason is told once, until it is another one. */
    private void again(String reason) {
        if (isClosed) {
            return;
        }
        if (!reason.equals(trouble)) {
            trouble = reason;
            LOG.warn("{}: not listed by the rendezvous server {}, which is tried again: {}", address, server, reason);
        }
        pause = context.loop.schedule(this::open, pauseMillis, TimeUnit.MILLISECONDS);
        pauseMillis = Math.min(PAUSE_MAX_MILLIS, 2 * pauseMillis);
    }

    @Override
    public void onConnect(String ticket, String from) {
        Relays.Acceptor taker = acceptor;
        if (taker == null || accepting.size() >= ACCEPTING_MAX) {
            counters.onIgnored();
            return;
        }
        Accepting result = new Accepting(taker, from);
        result.call = ServerCall.open(context, server, path(context, "accept", ticket), result);
        accepting.add(result.call);
    }

    private final class Accepting implements ServerCall.Result {

        private final Relays.Acceptor taker;
        private final String from;
        private @Nullable ServerCall call;

        Accepting(Relays.Acceptor taker, String from) {
            this.taker = taker;
            this.from = from;
        }

        @Override
        public void onOpen(SocketChannel channel) {
            end();
            counters.onAccepted();
            taker.onAccepted(channel, server.toString(), from);
        }

        @Override
        public void onAnswer(int status, String text) {
            end();
            counters.onFailed();
            LOG.debug("{}: a connection from {} over {} was not opened: {}", address, from, server, ServerCall.reason(status, text));
        }

        private void end() {
            if (call != null) {
                accepting.remove(call);
            }
        }
    }

    void close() {
        isClosed = true;
        if (pause != null) {
            pause.cancel(false);
        }
        if (call != null) {
            call.cancel();
        }
        Set.copyOf(accepting).forEach(ServerCall::cancel);
        if (control != null) {
            control.close();
        }
    }
}
