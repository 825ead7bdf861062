package dev.tutti.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.coordination.Coordination;
import dev.tutti.blocks.inspection.Inspection;
import dev.tutti.blocks.map.ReplicatedMap;
import dev.tutti.blocks.presence.Attributes;
import dev.tutti.internal.Json;
import dev.tutti.testing.Chromium;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Log-ins, links, data, charts of a day, attributes and operations in a real Chromium; pictures are in {@code target/screenshots}. */
@Tag("slow")
@Timeout(180)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ChromiumOperatorTest {

    private static final Path PICTURES = Path.of("target", "screenshots");
    private static final String PASSWORD = "correct horse battery";

    @TempDir
    private static Path directory;

    private static Node first;
    private static Node second;
    private static Inspection inspection;
    private static Coordination coordination;
    private static Coordination waiting;
    private static Group orders;
    private static ReplicatedMap<String, String> carts;
    private static FakeProvider provider;
    private static Console console;
    private static Chromium chromium;
    private static Chromium.Page page;

    @BeforeAll
    static void start() throws IOException {
        Path key = Files.writeString(directory.resolve("key"), "0123456789abcdef0123456789abcdef");
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        Path users = directory.resolve("users");
        UserFile.empty().with("ann", Role.OPERATOR, PASSWORD, 1_000).with("bob", Role.READER, PASSWORD, 1_000).write(users);
        first = Node.tcp(0).name("oboe").cluster("orchestra").set("records.directory", "memory").set("operator.key-file", key.toString())
                .set("operator.values", "true").set("attributes", "zone=eu-1a,rack=r12,version=4.2").start();
        second = Node.tcp(0).name("cello").cluster("orchestra").set("records.directory", "memory").set("operator.key-file", key.toString())
                .set("attributes", "zone=eu-1b,rack=r7,version=4.2").seeds(first.address()).start();
        Attributes.join(first.group("attributes"));
        Attributes.join(second.group("attributes"));
        carts = ReplicatedMap.on(first.group("carts"), Codec.TEXT, Codec.TEXT).lastWriter();
        for (int cart = 0; cart < 60; cart++) {
            carts.put("cart/" + cart, "two violins, a bow and " + cart + " strings, to be sent to the Philharmonic Hall");
        }
        carts.put("note/1", "call the luthier");
        orders = first.group("orders").join();
        second.group("orders").join();
        inspection = Inspection.open(first);
        Inspection.open(second);
        coordination = Coordination.on(first.group("locks")).founders("oboe", "cello").join();
        waiting = Coordination.on(second.group("locks")).founders("oboe", "cello").join();
        assertThat(coordination.lock("payments").tryAcquire(Duration.ofSeconds(20))).isPresent();
        Thread.ofVirtual().start(() -> waiting.lock("payments").tryAcquire(Duration.ofMinutes(5)));
        provider = new FakeProvider();
        console = Console.on(first)
                .inspection(inspection)
                .port(0)
                .set("console.users-file", users.toString())
                .set("console.oidc-issuer", provider.issuer())
                .set("console.oidc-client-id", FakeProvider.CLIENT)
                .set("console.oidc-operators", "tutti-operator")
                .start();
        chromium = new Chromium(directory.resolve("profile"), Json::parse, Json::write);
        page = chromium.page(1440, 900, false);
    }

    @AfterAll
    static void stop() {
        chromium.close();
        console.close();
        provider.close();
        second.close();
        first.close();
    }

    private static void click(String words) {
        page.evaluate("[...document.querySelectorAll('button')].filter((each) => each.getClientRects().length && each.textContent.trim() === '"
                + words + "').at(-1).click()");
    }

    private static void logIn(String user) {
        page.go(console.address() + "login");
        page.await("document.getElementById('password')");
        page.evaluate("document.getElementById('user').value = '" + user + "', document.getElementById('password').value = '" + PASSWORD
                + "', document.getElementById('users').submit()");
        page.await("document.getElementById('whoami')?.textContent.startsWith('" + user + ", ')");
        page.await("document.querySelector('h1')?.textContent.startsWith('2 members')");
    }

    @Test
    @Order(1)
    void aUserLogsInByPassword() {
        page.go(console.address());
        page.await("document.getElementById('password')");
        page.screenshot(PICTURES.resolve("login-users.png"));
        page.shape(390, 844, false);
        page.await("document.documentElement.scrollWidth <= window.innerWidth");
        page.screenshot(PICTURES.resolve("login-users-phone.png"));
        page.shape(1440, 900, false);
        page.evaluate("document.getElementById('user').value = 'ann', document.getElementById('password').value = 'wrong password',"
                + " document.getElementById('users').submit()");
        page.await("document.querySelector('.message')?.textContent.startsWith('That was not it')");
        logIn("ann");
        assertThat(page.evaluate("document.getElementById('whoami').textContent")).isEqualTo("ann, operator");
    }

    @Test
    @Order(2)
    void aLinkForTheNextPersonIsMadeInADialog() {
        click("Invite");
        page.await("document.querySelector('dialog[open]')");
        click("Make a link");
        page.await("document.getElementById('invite-link').value.includes('/login?once=')");
        page.screenshot(PICTURES.resolve("invite.png"));
        assertThat(String.valueOf(page.evaluate("document.querySelector('dialog').textContent"))).contains("good once, and for 15 minutes");
        page.press("Escape", 27);
        page.await("!document.querySelector('dialog')");
    }

    @Test
    @Order(3)
    void locksShowWhoWaitsForWhom() {
        page.go(console.address() + "#/group/locks");
        page.await("document.querySelector('.data tbody')?.textContent.includes('lock payments')");
        page.await("document.querySelector('.data tbody').textContent.includes('cello')");
        page.evaluate("document.querySelector('.data').scrollIntoView({ block: 'center' })");
        page.screenshot(PICTURES.resolve("locks.png"));
        page.shape(390, 844, true);
        page.await("document.documentElement.scrollWidth <= window.innerWidth");
        page.evaluate("document.querySelector('.data').scrollIntoView({ block: 'center' })");
        page.screenshot(PICTURES.resolve("locks-phone-dark.png"));
        page.shape(1440, 900, false);
        String row = String.valueOf(page.evaluate("[...document.querySelectorAll('.data tbody tr > *')].map((each) => each.textContent).join('|')"));
        assertThat(row).isEqualTo("lock payments|1|oboe|cello");
    }

    @Test
    @Order(4)
    void chartsReachADay() {
        page.go(console.address() + "#/");
        page.await("document.querySelectorAll('.chart canvas').length === 4");
        page.evaluate("[...document.querySelectorAll('.over-time input')].find((each) => each.value === 'day').click()");
        page.await("document.querySelector('.over-time input[value=day]').checked");
        page.evaluate("document.querySelector('.over-time').scrollIntoView()");
        page.screenshot(PICTURES.resolve("charts-day.png"));
        page.evaluate("[...document.querySelectorAll('.over-time input')].find((each) => each.value === 'recent').click()");
        page.await("document.querySelectorAll('.chart canvas').length === 4");
    }

    @Test
    @Order(5)
    void whateverHasTheFocusHasARing() {
        page.evaluate("document.activeElement.blur(), window.scrollTo(0, 0)");
        List<String> without = new ArrayList<>();
        for (int stop = 0; stop < 30; stop++) {
            page.press("Tab", 9);
            String ring = String.valueOf(page.evaluate(RING));
            if (!ring.isEmpty()) {
                without.add(ring);
            }
            if (stop == 8) {
                page.screenshot(PICTURES.resolve("focus.png"));
            }
        }
        assertThat(without).isEmpty();
    }

    @Test
    @Order(6)
    void anOperatorHasAMemberLeaveAGroup() {
        page.go(console.address() + "#/member/cello");
        page.await("document.querySelector('.actions') && !document.querySelector('.actions').hidden");
        page.screenshot(PICTURES.resolve("member-operator.png"));
        page.shape(390, 844, false);
        page.await("document.documentElement.scrollWidth <= window.innerWidth");
        page.screenshot(PICTURES.resolve("member-operator-phone.png"));
        click("Leave a group…");
        page.await("document.querySelector('dialog[open] select')");
        page.screenshot(PICTURES.resolve("leave-phone.png"));
        page.shape(1440, 900, false);
        page.evaluate("document.querySelector('dialog select').value = 'orders'");
        click("Leave");
        page.await("document.querySelector('dialog .outcomes')?.textContent.includes('cello has left group orders')");
        page.screenshot(PICTURES.resolve("left.png"));
        page.press("Escape", 27);
        page.go(console.address() + "#/timeline");
        page.await("[...document.querySelectorAll('.story .what')].some((each) => each.textContent.includes('operator ann'))");
        page.screenshot(PICTURES.resolve("timeline-operator.png"));
        assertThat(orders.view().size()).isEqualTo(1);
    }

    @Test
    @Order(7)
    void aReaderSeesNoOperations() {
        page.go(console.address() + "#/");
        page.await("document.querySelector('h1')?.textContent.startsWith('2 members')");
        page.evaluate("document.querySelector('form[action=\"/logout\"] button').click()");
        page.await("document.getElementById('password')");
        logIn("bob");
        page.go(console.address() + "#/member/cello");
        page.await("document.querySelector('.facts')?.textContent.includes('Heap')");
        assertThat(page.evaluate("document.querySelector('.actions').hidden")).isEqualTo(true);
        page.go(console.address() + "#/group/orders");
        page.await("document.querySelector('.layers > li')");
        assertThat(page.evaluate("document.querySelector('.actions').hidden")).isEqualTo(true);
        page.go(console.address() + "#/group/carts");
        page.await("document.querySelector('.layers > li')");
        assertThat(page.evaluate("document.querySelector('.data').hidden")).as("entries and keys are for operators").isEqualTo(true);
        assertThat(chromium.complaints()).allMatch(each -> !each.contains("level=error") || each.contains("/api/inspection") || each.contains("403"));
    }

    @Test
    @Order(8)
    void aPersonWhomTheProviderKnowsLogsInThere() {
        page.evaluate("document.querySelector('form[action=\"/logout\"] button').click()");
        page.await("document.querySelector('.enter')");
        page.screenshot(PICTURES.resolve("login-provider.png"));
        page.shape(390, 844, true);
        page.await("document.documentElement.scrollWidth <= window.innerWidth");
        page.screenshot(PICTURES.resolve("login-provider-phone-dark.png"));
        page.shape(1440, 900, false);
        Map<String, Object> ann = provider.person;
        provider.person = Map.of("sub", "248289", "preferred_username", "ann", "roles", List.of("music"));
        goThroughProvider();
        page.await("document.querySelector('.message')?.textContent.includes('you have no role at this console: the claim roles')");
        page.screenshot(PICTURES.resolve("login-no-role.png"));
        provider.person = ann;
        goThroughProvider();
        page.await("document.getElementById('whoami')?.textContent === 'oidc:ann, operator'");
        page.await("document.querySelector('h1')?.textContent.startsWith('2 members')");
    }

    private static void goThroughProvider() {
        page.evaluate("document.querySelector('.enter').click()");
        page.await("document.getElementById('ann')");
        page.evaluate("document.getElementById('ann').click()");
    }

    @Test
    @Order(9)
    void anOperatorFindsMembersByAttributesAndChangesThem() {
        page.go(console.address() + "#/members");
        page.await("document.querySelector('tbody')?.textContent.includes('zone=eu-1b, rack=r7, version=4.2')");
        page.evaluate("(() => { const search = document.getElementById('member-search'); search.value = 'zone=eu-1b'; search.dispatchEvent(new Event('input')); })()");
        page.await("document.querySelectorAll('main .card tbody')[0].rows.length === 1");
        page.screenshot(PICTURES.resolve("members-attributes.png"));
        page.shape(390, 844, true);
        page.await("document.documentElement.scrollWidth <= window.innerWidth");
        page.screenshot(PICTURES.resolve("members-attributes-phone-dark.png"));
        page.shape(1440, 900, false);
        page.evaluate("document.getElementById('attribute-name').value = 'canary', document.getElementById('attribute-value').value = 'yes'");
        click("Set…");
        page.await("document.querySelector('dialog[open]')");
        assertThat(String.valueOf(page.evaluate("document.querySelector('dialog').textContent"))).contains("canary becomes yes at 2 members");
        click("Set");
        page.await("document.querySelector('dialog .outcomes')?.textContent.includes('attribute canary of cello is yes')");
        page.screenshot(PICTURES.resolve("attribute-set.png"));
        page.press("Escape", 27);
        page.await("document.querySelector('tbody').textContent.includes('canary=yes')");
        page.go(console.address() + "#/member/oboe");
        page.await("document.querySelector('.facts')?.textContent.includes('canary=yes')");
        page.screenshot(PICTURES.resolve("member-attributes.png"));
    }

    @Test
    @Order(10)
    void anOperatorSeesEntriesAndFindsThemByKeys() {
        page.go(console.address() + "#/group/carts");
        page.await("document.querySelector('.data tbody')?.textContent.includes('two violins')");
        page.evaluate("document.querySelector('.data').scrollIntoView({ block: 'start' })");
        page.screenshot(PICTURES.resolve("entries.png"));
        page.evaluate("document.getElementById('search-entries').value = 'note/', document.querySelector('.data form').requestSubmit()");
        page.await("document.querySelectorAll('.data tbody tr').length === 1");
        assertThat(String.valueOf(page.evaluate("[...document.querySelectorAll('.data tbody tr > *')].map((each) => each.textContent).join('|')")))
                .isEqualTo("note/1|call the luthier|String|20 bytes");
        page.shape(390, 844, true);
        page.await("document.documentElement.scrollWidth <= window.innerWidth");
        page.evaluate("document.querySelector('.data').scrollIntoView({ block: 'center' })");
        page.screenshot(PICTURES.resolve("entries-phone-dark.png"));
        page.shape(1440, 900, true);
        page.evaluate("document.querySelector('.data').scrollIntoView({ block: 'center' })");
        page.screenshot(PICTURES.resolve("entries-dark.png"));
        assertThat(chromium.complaints()).allMatch(each -> !each.contains("level=error") || each.contains("/api/inspection") || each.contains("403"));
    }

    @Test
    @Order(11)
    void aPersonOfTheProviderWhoLogsOutMayDoSoThere() {
        page.shape(390, 844, false);
        page.go(console.address() + "#/members");
        page.await("document.querySelector('.actions') && !document.querySelector('.actions').hidden");
        page.evaluate("document.querySelector('.actions').scrollIntoView({ block: 'center' })");
        page.screenshot(PICTURES.resolve("attribute-phone.png"));
        page.evaluate("document.querySelector('form[action=\"/logout\"] button').click()");
        page.await("document.querySelector('.note a')");
        page.screenshot(PICTURES.resolve("logged-out-phone.png"));
        assertThat(String.valueOf(page.evaluate("document.querySelector('.note a').href"))).startsWith(provider.issuer() + "/logout?client_id=tutti");
    }

    /** Returns a description of the element that has the focus and no ring; empty if it has one. */
    private static final String RING =
            """
            (() => {
              const at = document.activeElement;
              if (!at || at === document.body || at.id === "main") return "";
              const ring = (element) => { const style = getComputedStyle(element);
                return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2; };
              const chip = at.matches(".chips input") && at.nextElementSibling;
              const disc = at.closest(".map") && at.querySelector(".disc");
              if (chip ? ring(chip) : ring(at)) return "";
              if (disc && parseFloat(getComputedStyle(disc).strokeWidth) >= 4) return "";
              return at.tagName + " " + (at.textContent || at.value || "").trim().slice(0, 40);
            })()""";
}
