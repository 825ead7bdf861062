package dev.tutti.bench.relay;

import dev.tutti.core.settings.Settings;
import dev.tutti.core.settings.Settings.Source;
import dev.tutti.rendezvous.RendezvousServer;
import java.io.IOException;

/** Main class of a rendezvous server's process. It prints its port, and ends with its input. */
final class RelayMain {

    private RelayMain() {}

    /** Takes settings as {@code name=value}. */
    public static void main(String[] arguments) throws IOException {
        Settings settings = RendezvousServer.defaults();
        for (String argument : arguments) {
            int equals = argument.indexOf('=');
            settings = settings.with(argument.substring(0, equals), argument.substring(equals + 1), Source.BUILDER, "bench");
        }
        RendezvousServer server = RendezvousServer.open(settings);
        System.out.println(server.port());
        while (System.in.read() >= 0) {
            // It runs until its input ends.
        }
        server.close();
        System.exit(0);
    }
}
