package dev.tutti.address;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Looks up names with the JDK. */
public final class Resolver {

    private Resolver() {}

    /** Returns the address if {@code host} is a literal one; otherwise null. */
    public static @Nullable InetAddress literal(String host) {
        try {
            return InetAddress.ofLiteral(host);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** Returns the addresses of a name, none if there are none. Blocks, perhaps for long. */
    public static List<InetAddress> lookUp(String host) {
        try {
            return List.of(InetAddress.getAllByName(host));
        } catch (UnknownHostException e) {
            return List.of();
        }
    }

    /** Calls {@code answer} on any thread, with no addresses if there are none. */
    public static void lookUp(Executor workers, String host, Consumer<List<InetAddress>> answer) {
        try {
            workers.execute(() -> answer.accept(lookUp(host)));
        } catch (RejectedExecutionException e) {
            answer.accept(List.of());
        }
    }
}
