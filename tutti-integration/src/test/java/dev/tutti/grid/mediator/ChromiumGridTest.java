package dev.tutti.grid.mediator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.grid.Body;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Producer;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.SubscriptionOptions;
import dev.tutti.grid.Topic;
import dev.tutti.grid.client.GridClient;
import dev.tutti.grid.member.GridMember;
import dev.tutti.internal.Json;
import dev.tutti.sites.Sites;
import dev.tutti.testing.Await;
import dev.tutti.testing.Chromium;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The page of the grid in a real Chromium: three sites on loopback, with clients and hostile names. Pictures are in {@code
 * target/screenshots}. One story after the other.
 */
@Tag("slow")
@Timeout(240)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ChromiumGridTest {

    private static final Path PICTURES = Path.of("target", "screenshots");

    /** It would show an alert, or change the title, if any of it became a part of the page. */
    private static final String HOSTILE = "\"><img src=x onerror=\"document.title='broken'\"><script>document.title='broken'</script>";

    /** A site with one member, and a mediator there. */
    private record Place(Node node, Sites sites, GridMember grid, Mediator mediator) {

        void close() {
            mediator.close();
            grid.close();
            sites.close();
            node.close();
        }
    }

    @TempDir
    private static Path directory;

    private static final Map<String, Place> places = new LinkedHashMap<>();
    private static final List<GridClient> clients = new ArrayList<>();
    private static final ScheduledExecutorService publishing = Executors.newSingleThreadScheduledExecutor();
    private static Node meetingPoint;
    private static Chromium chromium;
    private static Chromium.Page page;
    private static String address;

    @BeforeAll
    static void start() throws IOException {
        meetingPoint = Node.tcp(0).name("meeting-point").cluster("bridge").start();
        for (String site : List.of("berlin", "paris", "tokyo")) {
            Node node = Node.tcp(0).name(site + "-m1").cluster(site).start();
            Sites sites = Sites.on(node)
                    .site(site)
                    // A site that is paused by a busy machine is not away; the last story waits for one that is.
                    .awayAfter(Duration.ofSeconds(2))
                    .bridge(() -> Node.tcp(0).cluster("bridge").seeds(meetingPoint.address()))
                    .open();
            GridMember grid = GridMember.on(sites).timeout(Duration.ofSeconds(30)).join();
            places.put(site, new Place(node, sites, grid, Mediator.on(grid).port(0).open()));
        }
        for (String site : places.keySet()) {
            GridClient client = GridClient.of(places.get(site).mediator.url()).name(site).open();
            clients.add(client);
            for (int host = 1; host <= (site.equals("berlin") ? 3 : 1); host++) {
                String name = site + "-host" + host;
                Producer producer = client.produce(ProducerOptions.of(name, "hosts/" + name + "/#").with("team", "shop").history(500));
                publishing.scheduleAtFixedRate(() -> publish(producer, name), 50, 100L * host, TimeUnit.MILLISECONDS);
            }
        }
        clients.get(1).subscribe(SubscriptionOptions.of("alarms", Filter.topic("hosts/*/cpu/load").where("value > 0.01")), measurement -> {});
        clients.get(0).subscribe(SubscriptionOptions.of("all figures of hosts", Filter.topic("hosts/#")), measurement -> {});
        clients.get(2).subscribe(SubscriptionOptions.of("memory of berlin", Filter.topic("hosts/berlin-host1/memory/#")), measurement -> {});
        chromium = new Chromium(directory.resolve("profile"), Json::parse, Json::write);
        page = chromium.page(1440, 900, false);
        address = places.get("berlin").mediator.url() + "/";
        page.go(address);
    }

    private static void publish(Producer producer, String name) {
        double wave = 0.5 + 0.4 * Math.sin(System.nanoTime() / 4e9 + name.hashCode());
        Map<String, String> tags = Map.of("zone", "a");
        producer.publish(Topic.of("hosts/" + name + "/cpu/load"), tags, Body.of(wave, "1"));
        producer.publish(Topic.of("hosts/" + name + "/memory/free"), tags, Body.of(3e9 + 1e9 * wave, "By"));
        producer.publish(Topic.of("hosts/" + name + "/disk"), tags, new Body.Values(Map.of("reads", Body.of(120 * wave, ""), "state", Body.of("fine"))));
    }

    @AfterAll
    static void stop() {
        publishing.shutdownNow();
        chromium.close();
        clients.forEach(GridClient::close);
        places.values().forEach(Place::close);
        meetingPoint.close();
    }

    private static void search(String text) {
        page.evaluate("(() => { const field = document.getElementById('search'); field.value = " + Json.write(text)
                + "; field.dispatchEvent(new Event('input')); })()");
    }

    @Test
    @Order(1)
    void sitesProducersConsumersAndFlowsAreShown() {
        page.await("document.querySelectorAll('.map .node').length === 3");
        page.await("document.querySelectorAll('.map .dot.producer:not(.idle)').length >= 5");
        page.await("document.querySelectorAll('.map .flow').length >= 5");
        page.await("[...document.querySelectorAll('.flow-note')].every((note) => note.textContent.endsWith('/s'))");
        page.await("document.querySelector('h1').textContent.startsWith('5 producers at 3 sites, ')");
        page.await("document.querySelectorAll('#rows tbody tr').length === 20");
        page.screenshot(PICTURES.resolve("grid.png"));
    }

    @Test
    @Order(2)
    void aNumberThatIsPressedIsChartedWithItsPast() {
        page.evaluate("[...document.querySelectorAll('#rows .chart-row')].find((row) => row.innerText === 'hosts/berlin-host1/cpu/load').click()");
        page.evaluate("[...document.querySelectorAll('#rows .chart-row')].find((row) => row.innerText.includes('berlin-host2/disk')).click()");
        page.await("document.querySelectorAll('#charts canvas').length === 2");
        page.await("document.querySelector('#charts .now').innerText.includes('%')");
        assertThat(page.evaluate("document.querySelectorAll('#rows [aria-pressed=true]').length")).isEqualTo(2L);
        page.screenshot(PICTURES.resolve("grid-charts.png"));
    }

    @Test
    @Order(3)
    void theListIsSearchedAndASiteChosenOnTheMap() {
        search("disk reads");
        page.await("document.querySelectorAll('#rows tbody tr').length === 5");
        page.evaluate("[...document.querySelectorAll('.map .node a')].find((site) => site.getAttribute('aria-label').includes('tokyo'))"
                + ".dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true}))");
        page.await("document.querySelectorAll('#rows tbody tr').length === 1 && document.getElementById('site').innerText.includes('tokyo')");
        page.evaluate("document.getElementById('site').click()");
        search("nothing like it");
        page.await("document.getElementById('found').innerText === 'none found'");
        search("");
        page.evaluate("document.querySelector('#lists input[value=consumers]').click()");
        page.await("document.querySelectorAll('#rows tbody tr').length === 3");
        page.await("document.getElementById('rows').innerText.includes('value > 0.01')");
        page.evaluate("document.querySelector('#lists input[value=producers]').click()");
        page.await("document.querySelectorAll('#rows tbody tr').length === 5 && document.getElementById('rows').innerText.includes('team=shop')");
    }

    @Test
    @Order(4)
    void thePageFitsAPhoneAndTheDark() {
        page.evaluate("document.querySelector('#lists input[value=numbers]').click()");
        page.await("document.querySelectorAll('#rows tbody tr').length === 20");
        page.shape(1440, 900, true);
        page.await("matchMedia('(prefers-color-scheme: dark)').matches");
        page.screenshot(PICTURES.resolve("grid-dark.png"));
        page.shape(390, 844, false);
        page.await("document.documentElement.scrollWidth <= window.innerWidth && window.innerWidth === 390");
        page.await("document.querySelectorAll('.map .flow-line').length >= 5");
        page.evaluate("window.scrollTo(0, 0)");
        page.screenshot(PICTURES.resolve("grid-phone.png"));
        page.evaluate("document.querySelector('.chart').scrollIntoView()");
        page.screenshot(PICTURES.resolve("grid-phone-charts.png"));
        page.evaluate("document.getElementById('list-title').parentNode.scrollIntoView()");
        page.screenshot(PICTURES.resolve("grid-phone-list.png"));
        page.evaluate("window.scrollTo(0, 0)");
        page.shape(320, 640, true);
        page.await("document.documentElement.scrollWidth <= window.innerWidth && window.innerWidth === 320");
        page.shape(1440, 900, false);
        page.await("window.innerWidth > 1400");
    }

    @Test
    @Order(5)
    void namesOfOthersStayTexts() {
        GridClient client = clients.get(0);
        try (Producer hostile = client.produce(ProducerOptions.of(HOSTILE, "evil/#").type(HOSTILE).address("javascript:alert(1)").with(HOSTILE, HOSTILE))) {
            String topic = "evil/" + HOSTILE.replace("/", "|");
            Await.until("it is published", () -> {
                hostile.publish(Topic.of(topic), Map.of(HOSTILE, HOSTILE), new Body.Values(Map.of(HOSTILE, Body.of(1), "text", Body.of(HOSTILE))));
                return client.isConnected();
            });
            client.subscribe(SubscriptionOptions.of(HOSTILE, Filter.tag(HOSTILE, HOSTILE)), measurement -> {});
            search("evil");
            page.await("document.getElementById('rows').innerText.includes('<script>')");
            page.evaluate("document.querySelector('#rows .chart-row:not(span)').click()");
            page.await("document.querySelector('#charts .card:last-child h2').innerText.includes('onerror')");
            page.screenshot(PICTURES.resolve("grid-hostile.png"));
            for (String list : List.of("producers", "consumers")) {
                page.evaluate("document.querySelector('#lists input[value=" + list + "]').click()");
                search("onerror");
                page.await("document.querySelectorAll('#rows tbody tr').length === 1 && document.getElementById('rows').innerText.includes('<img')");
            }
            assertThat(page.evaluate("document.querySelectorAll('main img, main script, main iframe').length")).isEqualTo(0L);
            assertThat(page.evaluate("document.title")).isEqualTo("grid · tutti grid");
        }
        page.evaluate("document.querySelectorAll('#charts .close').forEach((button) => button.click())");
        page.await("document.getElementById('charts').hidden");
        page.evaluate("document.querySelector('#lists input[value=numbers]').click()");
        search("");
    }

    @Test
    @Order(6)
    void aTokenIsThePasswordThatTheBrowserAsksFor() throws IOException {
        Path tokens = Files.writeString(directory.resolve("tokens"), "grid 0123456789abcdef0123456789abcdef\n");
        Files.setPosixFilePermissions(tokens, PosixFilePermissions.fromString("rw-------"));
        try (Mediator guarded = Mediator.on(places.get("paris").grid).port(0).tokens(tokens).open()) {
            Chromium.Page other = chromium.page(1440, 900, false);
            other.go(guarded.url().toString().replace("//", "//me:0123456789abcdef0123456789abcdef@") + "/");
            other.await("document.getElementById('live') && document.getElementById('live-text').textContent === 'Live'");
            other.await("document.querySelectorAll('.map .node').length === 3");
            // Pages that nobody sees ask nothing.
            other.await("document.hidden === false");
            other.go("about:blank");
            other.await("location.protocol === 'about:'");
            page.call("Page.bringToFront", Map.of());
        }
    }

    @Test
    @Order(7)
    void aSiteThatIsAwayIsSaid() {
        places.remove("tokyo").close();
        page.await("document.querySelector('h1').textContent === 'Site tokyo is away.'");
        page.await("document.querySelectorAll('.map .away').length === 1");
        page.screenshot(PICTURES.resolve("grid-away.png"));
        assertThat(chromium.complaints()).isEmpty();
        assertThat(chromium.requests()).isNotEmpty().allMatch(url -> url.matches("http://(me:\\w+@)?127\\.0\\.0\\.1:\\d+/.*") || url.startsWith("about:"));
    }
}
