package dev.tutti.netty.internal.tcp;

import dev.tutti.address.HostPort;
import dev.tutti.address.Resolver;
import dev.tutti.core.driver.DialFailure;
import dev.tutti.netty.internal.address.Interfaces;
import dev.tutti.netty.internal.relay.Relays;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.collection.IntObjectHashMap;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/** Opens connections: looks up names, tries each address in turn, or servers, gives up at the deadline. Used on the loop only. */
final class Dialer {

    private static final int CANDIDATES_MAX = 8;

    private final NettyDriver driver;
    private final Endpoint endpoint;
    private final IntObjectHashMap<Dial> dials = new IntObjectHashMap<>();

    Dialer(NettyDriver driver, Endpoint endpoint) {
        this.driver = driver;
        this.endpoint = endpoint;
    }

    /** @param isDirect not through a server */
    void dial(int id, String address, boolean isDirect) {
        Dial dial = new Dial(id, address);
        dials.put(id, dial);
        Relays relays = isDirect ? null : endpoint.relays();
        long timeoutNanos = driver.options().connectTimeoutNanos();
        if (relays != null) {
            timeoutNanos += relays.headStartNanos() + timeoutNanos;
        }
        long limitNanos = timeoutNanos;
        dial.deadline = endpoint.loop().executor().schedule(
                () -> driver.onInput(() -> onDeadline(dial, limitNanos)), limitNanos, TimeUnit.NANOSECONDS);
        dial.isRelayOver = relays == null;
        Relays own = endpoint.relays();
        if (isDirect && own != null && !own.isDirectTried()) {
            driver.onInput(() -> onNotDirect(dial, DialFailure.UNREACHABLE, "rendezvous.relay is always, so nobody is dialled directly"));
        } else if (relays == null) {
            dialDirectly(dial);
        } else if (relays.isDirectTried()) {
            dial.headStart = endpoint.loop().executor().schedule(
                    () -> driver.onInput(() -> onHeadStart(dial)), relays.headStartNanos(), TimeUnit.NANOSECONDS);
            dialDirectly(dial);
        } else {
            dial.isDirectOver = true;
            relay(dial);
        }
    }

    private void dialDirectly(Dial dial) {
        String address = dial.address;
        HostPort target;
        try {
            target = HostPort.parse(address);
        } catch (IllegalArgumentException e) {
            driver.onInput(() -> onNotDirect(dial, DialFailure.UNRESOLVED, String.valueOf(e.getMessage())));
            return;
        }
        if (target.port() < 1) {
            driver.onInput(() -> onNotDirect(dial, DialFailure.UNRESOLVED, "'" + address + "' has no port; write host:port"));
            return;
        }
        dial.port = target.port();
        InetAddress literal = Resolver.literal(target.machine());
        if (literal != null) {
            InetAddress scoped = Interfaces.scoped(literal, endpoint.scope());
            if (scoped instanceof Inet6Address six && six.isLinkLocalAddress() && six.getScopeId() == 0) {
                driver.onInput(() -> onNotDirect(dial, DialFailure.UNRESOLVED, target.host()
                        + " is link-local and names no interface; bind this node to an address of that link"
                        + " (bind.address: LINK_LOCAL), or write [" + target.host() + "%eth0]:" + target.port()));
                return;
            }
            dial.candidates.add(scoped);
            connectNext(dial);
        } else {
            Resolver.lookUp(endpoint.loop().workers(), target.machine(), found -> onResolved(dial, target, found));
        }
    }

    /** Takes the result of a look-up. On any thread. */
    private void onResolved(Dial dial, HostPort target, List<InetAddress> found) {
        try {
            endpoint.loop().executor().execute(() -> driver.onInput(() -> {
                if (found.isEmpty()) {
                    onNotDirect(dial, DialFailure.UNRESOLVED, "the name " + target.host() + " has no address");
                    return;
                }
                found.stream().limit(CANDIDATES_MAX).forEach(dial.candidates::add);
                connectNext(dial);
            }));
        } catch (RejectedExecutionException e) {
            // The loop has ended; nothing waits for the answer.
            dial.candidates.clear();
        }
    }

    private void connectNext(Dial dial) {
        InetAddress next = dial.candidates.poll();
        if (dial.isOver) {
            return;
        }
        if (next == null) {
            onNotDirect(dial, dial.failure, dial.detail);
            return;
        }
        InetSocketAddress target = new InetSocketAddress(next, dial.port);
        new Bootstrap()
                .group(endpoint.loop().executor())
                .channelFactory(endpoint.io()::newSocket)
                .handler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        dial.attempts.add(driver.install(channel, dial, Route.DIRECT));
                    }
                })
                .connect(target)
                .addListener(connected -> {
                    Throwable cause = connected.cause();
                    if (cause != null) {
                        driver.onInput(() -> onRefused(dial, target, cause));
                    }
                });
    }

    private void onRefused(Dial dial, InetSocketAddress target, Throwable cause) {
        String where = new HostPort(HostPort.hostOf(target.getAddress()), target.getPort()).toString();
        String message = String.valueOf(cause.getMessage());
        boolean isRefused = message.contains("refused");
        dial.failure = isRefused ? DialFailure.REFUSED : DialFailure.UNREACHABLE;
        dial.detail = isRefused ? "nobody listens on " + where : where + ": " + message;
        connectNext(dial);
    }

    /** Ends an attempt whose connection was established, and ended before it was open. */
    void onEnded(Dial dial, NettyConnection connection, String reason) {
        dial.attempts.remove(connection);
        if (connection.relay().isEmpty()) {
            onNotDirect(dial, DialFailure.UNTRUSTED, reason);
        } else {
            onNotRelayed(dial, false, "over " + connection.relay() + ": " + reason);
        }
    }

    private void onDeadline(Dial dial, long timeoutNanos) {
        long millis = TimeUnit.NANOSECONDS.toMillis(timeoutNanos);
        fail(dial, DialFailure.UNREACHABLE, "no connection with " + dial.address + " within " + millis + " ms"
                + (dial.detail().isEmpty() ? "" : ": " + dial.detail()));
    }

    void onConnected(Dial dial, NettyConnection connection) {
        dials.remove(dial.id);
        dial.end(connection);
    }

    // ------------------------------------------------------------------ through servers

    private void onHeadStart(Dial dial) {
        if (!dial.isDirectConnected()) {
            relay(dial);
        }
    }

    /** Dials through the servers, too. */
    private void relay(Dial dial) {
        Relays relays = endpoint.relays();
        if (dial.isOver || dial.isRelayOver || dial.relay != null || relays == null) {
            return;
        }
        dial.relay = relays.dial(dial.address, new Relays.Dialled() {
            @Override
            public void onOpen(SocketChannel channel, String server) {
                driver.onInput(() -> {
                    if (dial.isOver) {
                        channel.close();
                    } else {
                        dial.attempts.add(driver.install(channel, dial, new Route(server, dial.address)));
                    }
                });
            }

            @Override
            public void onFailed(boolean isUnknown, String detail) {
                driver.onInput(() -> onNotRelayed(dial, isUnknown, detail));
            }
        });
    }

    private void onNotDirect(Dial dial, DialFailure failure, String detail) {
        if (dial.isOver || dial.isDirectOver) {
            return;
        }
        dial.isDirectOver = true;
        dial.failure = failure;
        dial.detail = detail;
        relay(dial);
        checkFailed(dial);
    }

    private void onNotRelayed(Dial dial, boolean isUnknown, String detail) {
        dial.isRelayOver = true;
        dial.isUnknown = isUnknown;
        dial.relayDetail = detail;
        checkFailed(dial);
    }

    private void checkFailed(Dial dial) {
        if (dial.isDirectOver && dial.isRelayOver) {
            fail(dial, dial.failure(), dial.detail());
        }
    }

    void cancel(int id) {
        Dial dial = dials.remove(id);
        if (dial != null) {
            dial.end(null);
        }
    }

    void close() {
        List.copyOf(dials.values()).forEach(dial -> cancel(dial.id));
    }

    private void fail(Dial dial, DialFailure failure, String detail) {
        if (dial.isOver) {
            return;
        }
        dials.remove(dial.id);
        dial.end(null);
        driver.onDialFailed(dial, failure, detail);
    }
}
