package dev.tutti.campaign.relays;

import dev.tutti.rendezvous.RendezvousServer;
import dev.tutti.rendezvous.settings.RendezvousServerSettings;
import java.io.IOException;

/** Main class of a rendezvous server's process, which ends with its input. */
final class ServerProcess {

    /** Line that it prints when it accepts connections. */
    static final String READY = "#rendezvous ready";

    private ServerProcess() {}

    /** Takes the address and the port to listen on. */
    public static void main(String[] arguments) throws IOException {
        RendezvousServer server = RendezvousServer.open(RendezvousServer.defaults()
                .with(RendezvousServerSettings.ADDRESS, arguments[0])
                .with(RendezvousServerSettings.PORT, Integer.parseInt(arguments[1]))
                .with(RendezvousServerSettings.INSECURE, true));
        System.out.println(READY);
        while (System.in.read() >= 0) {
            // It runs until its input ends.
        }
        server.close();
        System.exit(0);
    }
}
