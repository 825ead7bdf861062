package dev.tutti.stomp.client;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** Options of a client. */
public final class StompClientBuilder {

    private static final Duration TIME_MAX = Duration.ofHours(1);
    private static final long BYTES_MIN = 1 << 10;
    private static final long BYTES_MAX = 1L << 30;

    final List<URI> addresses;
    @Nullable String login;
    @Nullable String passcode;
    @Nullable SSLContext tls;
    String name = "tutti-stomp-client";
    Duration connectTimeout = Duration.ofSeconds(5);
    Duration sendTimeout = Duration.ofSeconds(10);
    Duration heartBeat = Duration.ofSeconds(5);
    int unconfirmedMax = 500;
    long unconfirmedBytes = 8 << 20;
    long queueBytes = 8 << 20;
    int bodyBytes = 16 << 20;

    StompClientBuilder(List<URI> addresses) {
        if (addresses.isEmpty()) {
            throw new IllegalArgumentException("a client needs the address of a server, such as stomp://localhost:61613");
        }
        for (URI each : addresses) {
            boolean isRight = Set.of("stomp", "stomps").contains(String.valueOf(each.getScheme())) && each.getHost() != null && each.getPort() > 0;
            if (!isRight) {
                throw new IllegalArgumentException("an address is stomp://HOST:PORT, or stomps://HOST:PORT with TLS; not " + each);
            }
            if (!each.getScheme().equals(addresses.getFirst().getScheme())) {
                throw new IllegalArgumentException("all servers have TLS or none has; " + addresses.getFirst() + " and " + each + " differ");
            }
        }
        this.addresses = List.copyOf(addresses);
    }

    /** Copies options, so that a client does not change when its builder does. */
    private StompClientBuilder(StompClientBuilder other) {
        addresses = other.addresses;
        login = other.login;
        passcode = other.passcode;
        tls = other.tls;
        name = other.name;
        connectTimeout = other.connectTimeout;
        sendTimeout = other.sendTimeout;
        heartBeat = other.heartBeat;
        unconfirmedMax = other.unconfirmedMax;
        unconfirmedBytes = other.unconfirmedBytes;
        queueBytes = other.queueBytes;
        bodyBytes = other.bodyBytes;
    }

    /** Sets the log-in. */
    public StompClientBuilder login(String user, String code) {
        login = Objects.requireNonNull(user, "user");
        passcode = Objects.requireNonNull(code, "code");
        return this;
    }

    /** Sets the certificates of {@code stomps}; those of the JDK without it. The name of a server is checked in any case. */
    public StompClientBuilder tls(SSLContext context) {
        tls = Objects.requireNonNull(context, "context");
        return this;
    }

    /** Sets the name of the threads. */
    public StompClientBuilder name(String text) {
        name = Objects.requireNonNull(text, "text");
        return this;
    }

    /** Sets the time for connecting to a server and logging in, 5 seconds by default. */
    public StompClientBuilder connectTimeout(Duration time) {
        connectTimeout = checked("connectTimeout", time, Duration.ofMillis(1));
        return this;
    }

    /** Sets the time that {@link StompClient#send} waits for room, 10 seconds by default; zero for none. */
    public StompClientBuilder sendTimeout(Duration time) {
        sendTimeout = checked("sendTimeout", time, Duration.ZERO);
        return this;
    }

    /** Sets the interval of heart-beats, 5 seconds by default: a server that is silent for twice as long and a second is gone. */
    public StompClientBuilder heartBeat(Duration time) {
        heartBeat = checked("heartBeat", time, Duration.ofMillis(10));
        return this;
    }

    /**
     * Sets how many messages, and bytes of these, may be without a receipt: 500 and 8 MiB by default. The number is at most the {@code
     * stomp.receipts-max} of the servers.
     */
    public StompClientBuilder unconfirmed(int messages, long bytes) {
        if (messages < 1 || messages > 1_000_000) {
            throw new IllegalArgumentException("1 to 1000000 messages may be without a receipt, not " + messages);
        }
        unconfirmedMax = messages;
        unconfirmedBytes = checked("bytes without a receipt", bytes);
        return this;
    }

    /** Sets the bytes of messages that wait for listeners before the server is not read from, 8 MiB by default. */
    public StompClientBuilder queue(long bytes) {
        queueBytes = checked("bytes that wait for listeners", bytes);
        return this;
    }

    /** Sets the largest body of a message that is taken, 16 MiB by default. A larger one is left out and told as a gap. */
    public StompClientBuilder bodyMax(int bytes) {
        bodyBytes = (int) checked("bytes of a body", bytes);
        return this;
    }

    private static Duration checked(String what, Duration time, Duration least) {
        if (time.compareTo(least) < 0 || time.compareTo(TIME_MAX) > 0) {
            throw new IllegalArgumentException(what + " is " + least + " to " + TIME_MAX + ", not " + time);
        }
        return time;
    }

    private static long checked(String what, long bytes) {
        if (bytes < BYTES_MIN || bytes > BYTES_MAX) {
            throw new IllegalArgumentException(what + " are " + BYTES_MIN + " to " + BYTES_MAX + ", not " + bytes);
        }
        return bytes;
    }

    /**
     * Connects to one of the servers.
     *
     * @throws StompException if none lets the client in within twice the connect timeout for each of them; the message has the last reason
     */
    public StompClient open() throws InterruptedException {
        return StompClient.open(new StompClientBuilder(this));
    }
}
