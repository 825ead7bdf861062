package dev.tutti.campaign.grid.faults;

import dev.tutti.campaign.sites.process.ProcessPipe;
import dev.tutti.campaign.sites.process.Settings;
import dev.tutti.campaign.sites.process.SiteNode;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.client.GridClient;
import dev.tutti.grid.mediator.Mediator;
import dev.tutti.grid.member.GridBuilder;
import dev.tutti.grid.member.GridMember;
import dev.tutti.grid.store.JdbcStore;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.time.Duration;
import org.postgresql.ds.PGSimpleDataSource;

/** Main class of a process at a site: a mediator, or a producer that is a client of one. It ends with its input. */
public final class FaultsProcess {

    private FaultsProcess() {}

    /**
     * Takes {@link Settings}: the {@code role}; of mediators those of {@link SiteNode}, the {@code client-port}, the seconds of the {@code lease},
     * and the address of the {@code database} if the store is to be there; of producers their {@code producer} and the {@code mediator}.
     */
    public static void main(String[] arguments) throws IOException {
        int code = 0;
        try {
            Settings settings = Settings.of(arguments);
            if (settings.get("role").equals("mediator")) {
                mediator(settings);
            } else {
                GridClient.of(URI.create(settings.get("mediator")))
                        .name("producer")
                        .open()
                        .produce(ProducerOptions.of(settings.get("producer"), "faults/#"));
            }
            ProcessPipe.tell("open");
            System.in.transferTo(OutputStream.nullOutputStream());
        } catch (RuntimeException e) {
            e.printStackTrace();
            ProcessPipe.tell("found that it failed: " + e);
            code = 1;
        }
        System.exit(code);
    }

    private static void mediator(Settings settings) {
        GridBuilder grid = GridMember.on(SiteNode.open(settings));
        String database = settings.get("database", "");
        if (!database.isEmpty()) {
            grid.store(store(database, "n" + settings.get("id")));
        }
        Mediator.on(grid.join())
                .port((int) settings.number("client-port"))
                .lease(Duration.ofSeconds(settings.number("lease")))
                .open();
    }

    /** Returns the store of a member in a database. */
    static JdbcStore store(String url, String member) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(url);
        source.setUser(FaultsRun.DATABASE_USER);
        return new JdbcStore(source, member);
    }
}
