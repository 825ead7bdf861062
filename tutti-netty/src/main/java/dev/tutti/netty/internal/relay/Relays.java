package dev.tutti.netty.internal.relay;

import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The rendezvous servers of a node: it takes connections through each of them, and dials through any. On the loop. */
public final class Relays {

    /** Receiver of connections that others have opened through a server. */
    public interface Acceptor {

        /**
         * @param channel reads and writes the bytes of the other node
         * @param server the server, for people
         * @param from address from which the other node has come to the server, for people
         */
        void onAccepted(SocketChannel channel, String server, String from);
    }

    /** Receiver of the result of a dial, on the loop; it is told one of the two, unless the dial is cancelled. */
    public interface Dialled {

        /** @param channel reads and writes the bytes of the other node */
        void onOpen(SocketChannel channel, String server);

        /** @param isUnknown each server has said that the node is not there */
        void onFailed(boolean isUnknown, String detail);
    }

    private final RelayContext context;
    private final RelayCounters counters = new RelayCounters();
    private final List<Registration> registrations = new ArrayList<>();

    /** @param workers threads that may block */
    public Relays(EventLoop loop, Supplier<SocketChannel> sockets, Executor workers, RelayOptions options) {
        this.context = new RelayContext(loop, sockets, workers, options);
    }

    /** Returns whether nodes are dialled directly, too. */
    public boolean isDirectTried() {
        return context.options.isDirectTried();
    }

    /** Returns the time that a direct dial has before the relayed one begins. */
    public long headStartNanos() {
        return context.options.headStartNanos();
    }

    /** Lets others reach this node through all servers. */
    public void start(String address, Acceptor acceptor) {
        for (RelayServer server : context.options.servers()) {
            Registration registration = new Registration(context, server, address, acceptor, counters);
            registrations.add(registration);
            registration.open();
        }
    }

    /** Dials a node through one server after the other: first those at which this node is present. */
    public Dial dial(String address, Dialled result) {
        List<RelayServer> servers = registrations.stream()
                .sorted(Comparator.comparing((Registration each) -> !each.isUp()))
                .map(Registration::server)
                .toList();
        Dial dial = new Dial(address, servers, result);
        dial.next();
        return dial;
    }

    public void close() {
        registrations.forEach(Registration::close);
    }

    /** Adds {@code relay.*} numbers. */
    public void count(Map<String, Long> counted) {
        counters.count(counted);
    }

    /** A dial that is under way. */
    public final class Dial implements ServerCall.Result {

        private final String address;
        private final List<RelayServer> servers;
        private final Dialled result;
        private final StringBuilder failures = new StringBuilder();
        private boolean isUnknown = true;
        private int tried;
        private @Nullable ServerCall call;

        Dial(String address, List<RelayServer> servers, Dialled result) {
            this.address = address;
            this.servers = servers;
            this.result = result;
        }

        private void next() {
            if (tried == servers.size()) {
                counters.onFailed();
                result.onFailed(isUnknown, failures.toString());
                return;
            }
            RelayServer server = servers.get(tried++);
            call = ServerCall.open(context, server, Registration.path(context, "connect", address), this);
        }

        @Override
        public void onOpen(SocketChannel channel) {
            counters.onDialled();
            result.onOpen(channel, servers.get(tried - 1).toString());
        }

        @Override
        public void onAnswer(int status, String text) {
            isUnknown &= status == ServerCall.NOT_FOUND;
            failures.append(failures.isEmpty() ? "over " : "; over ").append(servers.get(tried - 1)).append(": ")
                    .append(ServerCall.reason(status, text));
            next();
        }

        /** Gives the dial up; its result is not told. */
        public void cancel() {
            if (call != null) {
                call.cancel();
            }
        }
    }
}
