package dev.tutti.campaign.grid;

import dev.tutti.campaign.host.Pause;
import dev.tutti.campaign.sites.process.ProcessPipe;
import dev.tutti.campaign.sites.process.Settings;
import dev.tutti.campaign.sites.process.SiteNode;
import dev.tutti.grid.Answer;
import dev.tutti.grid.Entry;
import dev.tutti.grid.Grid;
import dev.tutti.grid.Producer;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.Query;
import dev.tutti.grid.Topic;
import dev.tutti.grid.client.GridClient;
import dev.tutti.grid.mediator.Mediator;
import dev.tutti.grid.member.GridMember;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Main class of a process at a site: a member of the grid, a mediator, clients of mediators, a mediator that has a grid of its own, or a
 * {@link BareSocket}. It ends with its input.
 */
public final class LoadProcess {

    private static final long REPORT_MILLIS = 500;
    private static final long POLL_MILLIS = 50;
    private static final long PAGE_KIB = 4;

    private final Settings settings;
    private final LoadPlan plan;
    private final String role;
    private final int site;
    private final Audience audience;
    private final Fleet fleet;
    private final List<Grid> grids = new ArrayList<>();

    private LoadProcess(Settings settings) {
        this.settings = settings;
        this.plan = LoadPlan.of(settings);
        this.role = settings.get("role");
        this.site = LoadPlan.SITES.indexOf(settings.get("site"));
        this.audience = new Audience(plan, site);
        this.fleet = new Fleet(plan);
    }

    /**
     * Takes {@link Settings}: those of the {@link LoadPlan}, the {@code role}, and of members and mediators those of {@link SiteNode}; of
     * mediators their {@code client-port}, of clients the addresses of {@code mediators}, and the number of {@code clients}.
     */
    public static void main(String[] arguments) throws IOException {
        int code = 0;
        try {
            new LoadProcess(Settings.of(arguments)).run();
        } catch (RuntimeException e) {
            e.printStackTrace();
            ProcessPipe.tell("found that it failed: " + e);
            code = 1;
        }
        System.exit(code);
    }

    private void run() throws IOException {
        open();
        ProcessPipe.tell("open");
        Thread.ofPlatform().daemon().name("reporter").start(this::report);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String text = in.readLine(); text != null; text = in.readLine()) {
            String[] words = text.split(" ");
            switch (words[0]) {
                case "publish" -> fleet.start();
                case "phase" -> audience.begin(Phase.of(words[1]));
                case "quiet" -> fleet.stop();
                case "entries" -> entries();
                case "report" -> audience.report(counts(words));
                default -> throw new IllegalArgumentException("no command " + text);
            }
        }
    }

    private static Map<Integer, Long> counts(String[] words) {
        Map<Integer, Long> counts = new TreeMap<>();
        Arrays.stream(words).skip(1).map(each -> each.split(":")).forEach(each -> counts.put(Integer.valueOf(each[0]), Long.valueOf(each[1])));
        return counts;
    }

    // ------------------------------------------------------------------ roles

    private void open() throws IOException {
        switch (role) {
            case "member" -> {
                grids.add(GridMember.on(SiteNode.open(settings)).join());
                add(false);
                awaitWanted(fleet::unwanted);
            }
            case "mediator" -> {
                GridMember member = GridMember.on(SiteNode.open(settings)).join();
                grids.add(member);
                Mediator.on(member).port((int) settings.number("client-port")).rehearse().open();
                Producer producer = member.produce(ProducerOptions.of("probe", "load/#"));
                awaitWanted(() -> IntStream.range(0, plan.consumers())
                        .mapToObj(consumer -> LoadPlan.group(consumer) + "any")
                        .filter(topic -> !producer.isWanted(Topic.of(topic)))
                        .toList());
            }
            case "socket" -> BareSocket.open(micros -> audience.addTime("bare-socket", micros));
            case "stranger" -> {
                GridMember member = GridMember.on(SiteNode.open(settings)).join();
                grids.add(member);
                Mediator.on(member).port((int) settings.number("client-port")).rehearse().open();
            }
            default -> {
                URI[] mediators = Arrays.stream(settings.get("mediators").split(",")).map(URI::create).toArray(URI[]::new);
                for (int client = 0; client < settings.number("clients"); client++) {
                    // Clients begin at different mediators.
                    Collections.rotate(Arrays.asList(mediators), 1);
                    grids.add(GridClient.of(mediators.clone()).inOrder().name("client" + client).open());
                }
                add(true);
            }
        }
    }

    private void add(boolean isClient) {
        int next = 0;
        for (int consumer : plan.consumersAt(site, isClient)) {
            audience.subscribe(grids.get(next++ % grids.size()), consumer);
        }
        for (int producer : plan.producersAt(site, isClient)) {
            fleet.produce(grids.get(next++ % grids.size()), producer);
        }
    }

    /** Tells when all topics are wanted, which takes until the filters of other sites have come; logs those that are not. */
    private static void awaitWanted(Supplier<List<String>> unwanted) {
        Thread.ofVirtual().start(() -> {
            List<String> before = List.of();
            for (List<String> now = unwanted.get(); !now.isEmpty(); now = unwanted.get()) {
                if (!now.equals(before)) {
                    System.err.println("not wanted yet: " + now);
                }
                before = now;
                Pause.millis(POLL_MILLIS);
            }
            ProcessPipe.tell("wanted");
        });
    }

    // ------------------------------------------------------------------ reports

    private void report() {
        while (true) {
            ProcessPipe.tell("has " + fleet.published() + " " + audience.arrived() + " " + residentKib());
            Pause.millis(REPORT_MILLIS);
        }
    }

    /** Returns the second number of {@code statm} (proc(5)), which is in pages, in KiB: the cheapest that there is to read. */
    private static long residentKib() {
        try {
            return Long.parseLong(Files.readString(Path.of("/proc/self/statm")).split(" ")[1]) * PAGE_KIB;
        } catch (IOException e) {
            return 0;
        }
    }

    /** Tells the names of all entries that the registry has, as this process sees it, and the parts that have not answered. */
    private void entries() {
        Answer<Entry> all = grids.getFirst().find(Query.ALL.limit(Query.LIMIT_MAX));
        StringBuilder text = new StringBuilder("entries ").append(all.missing().size());
        all.items().stream().map(Entry::name).filter(name -> !name.equals("probe")).forEach(name -> text.append(' ').append(name));
        ProcessPipe.tell(text.toString());
    }
}
