package dev.tutti.internal.door;

import dev.tutti.internal.Logs;
import java.net.SocketAddress;
import java.util.LinkedHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Logs every log-in to the logger {@value #LOGGER}: each success at level info; failures as warnings, the first of an
 * origin at once, further ones once a second with the number of those in between.
 *
 * <p>Thread-safe. Texts of peers are escaped, as in every line of the log.
 */
public final class Audit {

    /** Name of the logger. */
    public static final String LOGGER = Logs.AUDIT;

    static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /**
     * Most origins whose failures are counted separately; beyond that, the origin with the oldest line is reported at
     * once.
     */
    static final int ORIGINS_MAX = 256;

    private static final int ACCOUNT_LENGTH_MAX = 64;

    private static final Logger LOG = Logs.named(LOGGER);

    private static final class Untold {
        long toldNanos;
        long count;
    }

    private final String listener;
    private final LongSupplier nanoTime;
    private final Consumer<String> successes;
    private final Consumer<String> failures;
    private final LinkedHashMap<String, Untold> untold = new LinkedHashMap<>();

    /** @param listener listener that peers connect to, as lines begin with it: {@code STOMP of node n1} */
    public Audit(String listener, LongSupplier nanoTime) {
        this(listener, nanoTime, LOG::info, LOG::warn);
    }

    Audit(String listener, LongSupplier nanoTime, Consumer<String> successes, Consumer<String> failures) {
        this.listener = listener;
        this.nanoTime = nanoTime;
        this.successes = successes;
        this.failures = failures;
    }

    /**
     * Notes that a peer was let in.
     *
     * @param account account; empty if there is only one
     * @param how means by which it was let in
     */
    public void onAdmitted(@Nullable SocketAddress remote, String account, String how) {
        successes.accept(line(remote, account, "let in by " + how));
    }

    /** Notes that a peer that was let in has done something of consequence: {@code has made a link}. */
    public void onDone(@Nullable SocketAddress remote, String account, String what) {
        successes.accept(line(remote, account, what));
    }

    /** Notes that a peer was not let in, or that a request of it was refused. */
    public void onRefused(@Nullable SocketAddress remote, String account, String why) {
        String origin = Origins.of(remote);
        String more;
        String forgotten = "";
        synchronized (this) {
            long nowNanos = nanoTime.getAsLong();
            Untold of = untold.get(origin);
            if (of == null) {
                of = new Untold();
                of.toldNanos = nowNanos - PAUSE_NANOS;
            }
            if (nowNanos - of.toldNanos < PAUSE_NANOS) {
                of.count++;
                return;
            }
            more = of.count == 0 ? "" : " (and " + of.count + " more from " + origin + " since the line before)";
            of.count = 0;
            of.toldNanos = nowNanos;
            untold.putLast(origin, of);
            if (untold.size() > ORIGINS_MAX) {
                var eldest = untold.pollFirstEntry();
                forgotten = eldest.getValue().count == 0
                        ? ""
                        : listener + ": " + eldest.getValue().count + " more from " + eldest.getKey() + " refused";
            }
        }
        if (!forgotten.isEmpty()) {
            failures.accept(forgotten);
        }
        failures.accept(line(remote, account, "refused: " + why) + more);
    }

    private String line(@Nullable SocketAddress remote, String account, String what) {
        String name = account.length() > ACCOUNT_LENGTH_MAX ? account.substring(0, ACCOUNT_LENGTH_MAX) + "..." : account;
        return listener + ": " + (name.isEmpty() ? "" : "'" + name + "' from ") + remote + " " + what;
    }
}
