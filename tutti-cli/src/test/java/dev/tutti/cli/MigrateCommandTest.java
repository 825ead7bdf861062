package dev.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.cli.node.NodeOptions;
import dev.tutti.cli.terminal.ExitCodes;
import dev.tutti.config.YamlFile;
import dev.tutti.internal.Json;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Stack files of JGroups, those in its own jar among them, as settings. */
@Timeout(180)
class MigrateCommandTest {

    /** Files in the jar that are no stacks, or that mean what settings can't say: beginnings of the line that says so. */
    private static final Map<String, String> REFUSED = Map.ofEntries(
            Map.entry("auth_X509.xml", "auth_X509.xml:12: <AUTH> has its keys in a keystore"),
            Map.entry("auth_fixedlist.xml", "auth_fixedlist.xml:12: <AUTH> has 'localhost' among its fixed members"),
            Map.entry("auth_krb5.xml", "auth_krb5.xml:13: <AUTH> asks Kerberos"),
            Map.entry("fork-stacks.xml", "fork-stacks.xml:4: <fork-stacks> is no stack"),
            Map.entry("jg-magic-map.xml", "jg-magic-map.xml:2: <magic-number-class-mapping> is no stack"),
            Map.entry("jg-protocol-ids.xml", "jg-protocol-ids.xml:2: <protocol-ids> is no stack"),
            Map.entry("nio-default.xml", "nio-default.xml:3: <config> has no pbcast.GMS"),
            Map.entry("pom.xml", "pom.xml:1: <project> is no stack"),
            Map.entry("relay1.xml", "relay1.xml:11: <RelayConfiguration> is no stack"),
            Map.entry("relay2.xml", "relay2.xml:11: <RelayConfiguration> is no stack"),
            Map.entry("settings.xml", "settings.xml:3: <settings> is no stack"),
            Map.entry("tcp-default.xml", "tcp-default.xml:3: <config> has no pbcast.GMS"),
            Map.entry("udp-default.xml", "udp-default.xml:3: <config> has no pbcast.GMS"));

    @TempDir
    private Path directory;

    @Test
    void translatesEveryFileOfJGroupsOrSaysWhyNot() throws IOException {
        Map<String, String> refused = new TreeMap<>();
        List<Path> files = extract();
        assertThat(files).hasSize(33);
        for (Path file : files) {
            String name = file.getFileName().toString();
            Path yaml = directory.resolve(name + ".yaml");
            Run run = Run.of("migrate", file.toString(), "-o", yaml.toString());
            if (run.code() == ExitCodes.DONE) {
                assertThat(run.out()).as(name).doesNotContain("unknown").contains("; written to " + yaml);
                assertThat(Run.of("config", "validate", yaml.toString()).code()).as(name).isEqualTo(ExitCodes.DONE);
                assertThat(Files.readAllLines(yaml)).as(name).allMatch(line -> line.matches("# .*|.+  # .*xml:\\d+ .*|.+:  # .+"));
            } else {
                assertThat(run.code()).isEqualTo(ExitCodes.FAILED);
                assertThat(yaml).doesNotExist();
                refused.put(name, run.err().strip());
            }
        }
        assertThat(refused).containsOnlyKeys(REFUSED.keySet());
        refused.forEach((name, line) -> assertThat(line).startsWith("tutti: " + REFUSED.get(name)).hasLineCount(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp.xml", "fast.xml", "sequencer.xml", "asym-ssl.xml", "comment-test.xml"})
    void nodesStartAndMeetWithTheTranslation(String name) throws IOException {
        Path file = extract().stream().filter(each -> each.endsWith(name)).findFirst().orElseThrow();
        Path yaml = directory.resolve("tutti.yaml");
        assertThat(Run.of("migrate", file.toString(), "-o", yaml.toString()).code()).isEqualTo(ExitCodes.DONE);
        Path secret = directory.resolve("tutti.secret");
        boolean isEncrypted = Files.readString(yaml).contains("secret-file: tutti.secret");
        if (isEncrypted) {
            assertThat(Run.of("certs", "secret", secret.toString()).code()).isEqualTo(ExitCodes.DONE);
        }
        try (Node first = onLoopback(yaml, isEncrypted ? secret : null).name("first").set("discovery.seeds", "").start();
                Group ofFirst = first.group("chat").join();
                Node second = onLoopback(yaml, isEncrypted ? secret : null).name("second").set("discovery.seeds", first.address()).start();
                Group ofSecond = second.group("chat").join()) {
            assertThat(ofFirst.awaitMembers(2, Duration.ofSeconds(90))).isTrue();
            assertThat(ofSecond.awaitMembers(2, Duration.ofSeconds(90))).isTrue();
        }
    }

    /** Returns a builder with the file's settings, but for places: the address, the port and multicasts. */
    private static NodeBuilder onLoopback(Path yaml, Path secret) {
        NodeBuilder builder = Node.of(YamlFile.read(yaml, NodeOptions.defaults()))
                .bind("LOOPBACK")
                .set("bind.port", "0")
                .set("bind.port-range", "0")
                .set("transport.multicast.address", "");
        return secret == null ? builder : builder.secretFile(secret);
    }

    @Test
    void saysWhatBecomesOfEachAttribute() throws IOException {
        Path file = write("""
                <config>
                  <TCP bind_addr="${my.address:127.0.0.1}" bind_port="${my.port}" port_range="0" tos="184" colour="red"/>
                  <TCPPING initial_hosts="a[7800],fe80::1[7801]" port_range="2"/>
                  <FD_ALL3 interval="5s"/>
                  <pbcast.NAKACK2/><pbcast.GMS leave_timeout="1500"/>
                  <MFC max_credits="2M"/><UFC max_credits="4M"/>
                  <COMPRESS min_size="1K"/><RATE_LIMITER max_bytes="1M" time_period="10"/><RSVP timeout="1m"/>
                  <com.acme.GREETING text="hello"/>
                </config>
                """);
        Run run = Run.of("migrate", file.toString(), "-D", "my.port=7900", "--json");
        assertThat(run.code()).isEqualTo(ExitCodes.DONE);
        var document = (Map<?, ?>) Json.parse(run.out());
        assertThat(String.valueOf(document.get("yaml")))
                .contains("address: 127.0.0.1  # stack.xml:2 TCP bind_addr=\"${my.address:127.0.0.1} = 127.0.0.1\", kept\n")
                .contains("port: 7900", "dscp: 46", "seeds: [a:7800-7802, \"[fe80::1]:7801-7803\"]")
                .contains("heartbeat: 5 s", "timeout: 40 s", "leave-timeout: 1500 ms", "window: 4000000 B", "receipt-timeout: 1 min")
                .contains("layers: [compression, rate-limit]", "least: 1000 B", "bytes: 100000000 B")
                .doesNotContain("insecure", "hello");
        assertThat(outcomes((List<?>) document.get("findings")))
                .containsEntry("TCP colour", "unknown")
                .containsEntry("com.acme.GREETING ", "unknown")
                .containsEntry("com.acme.GREETING text", "unknown")
                .containsEntry("TCP tos", "changed")
                .containsEntry("TCP bind_port", "kept");
    }

    @Test
    void namesTheVersionOfIpThatAMulticastNeeds() throws IOException {
        String rest = "<PING/><pbcast.NAKACK2/><pbcast.GMS/></config>";
        String task = "Before it starts: if this machine has addresses of IPv4 and IPv6, set bind.address";
        assertThat(Run.of("migrate", write("<config><UDP bind_addr='site_local'/>" + rest).toString()).err()).contains(task);
        assertThat(Run.of("migrate", write("<config><UDP bind_addr='10.0.0.1'/>" + rest).toString()).err()).doesNotContain(task);
    }

    private static Map<String, String> outcomes(List<?> findings) {
        Map<String, String> outcomes = new TreeMap<>();
        for (Object each : findings) {
            Map<?, ?> finding = (Map<?, ?>) each;
            outcomes.put(finding.get("protocol") + " " + finding.get("attribute"), String.valueOf(finding.get("outcome")));
        }
        return outcomes;
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "<TCP/><SYM_ENCRYPT/> | stack.xml:1: <SYM_ENCRYPT> has no keystore_name, so that it has no key; name the keystore",
        "<TCP/><GOOGLE_PING2/> | stack.xml:1: <GOOGLE_PING2> is the discovery of a cloud that tutti lacks; write <TCPPING>",
        "<TCP/><MY_PING/> | stack.xml:1: <MY_PING> is a discovery that tutti does not know; write <TCPPING>",
        "<TCP/><PING/> | stack.xml:1: <PING> sends multicasts over the transport, which has none; write <TCPPING",
        "<TCP/><TCPPING/> | stack.xml:1: <TCPPING> has no initial_hosts; write it",
        "<TCP/><TCPPING initial_hosts='a'/> | stack.xml:1: TCPPING initial_hosts is no list of at most 1000 hosts such as a[7800]",
        "<TCP/><FD_ALL3 timeout='soon'/> | stack.xml:1: FD_ALL3 timeout is no time such as 500ms",
        "<TCP/><RATE_LIMITER max_bytes='1M'/> | stack.xml:1: <RATE_LIMITER> has no max_bytes or no time; write both",
        "<TCP/><relay.RELAY3/> | stack.xml:1: <relay.RELAY3> joins sites, which no settings do; take it out",
        "<TCP tls.enabled='true'/> | stack.xml:1: TCP tls.enabled is true without tls.keystore_path",
        "<PING/> | stack.xml:1: <PING> sends multicasts over the transport",
    })
    void refusesWithTheLineWhatSettingsCannotSay(String protocols, String message) throws IOException {
        Path yaml = directory.resolve("tutti.yaml");
        Run run = Run.of("migrate", write("<config>" + protocols + "<NAKACK2/><pbcast.GMS/></config>").toString(), "-o", yaml.toString());
        assertThat(run.code()).isEqualTo(ExitCodes.FAILED);
        assertThat(run.err()).startsWith("tutti: " + message);
        assertThat(yaml).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "<!DOCTYPE c [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><config>&x;</config> | stack.xml:1: a DOCTYPE is not read",
        "<config a='&x;'/> | stack.xml:1: there is no entity &x;",
        "<config><TCP></config> | stack.xml:1: </config> ends <TCP> of line 1; write </TCP>",
        "<config><TCP a='1' a='2'/></config> | stack.xml:1: the attribute a is there twice",
        "<config><!-- <!-- --></config> | stack.xml:1: the comment of line 1 does not end",
        "<config><TCP a='1 | stack.xml:1: the value of a does not end",
        "<config><include file='../other.xml'/></config> | stack.xml:1: <include> includes '../other.xml'; a stack includes files of its own directory",
        "<config><include file='/etc/passwd'/></config> | stack.xml:1: <include> includes '/etc/passwd'; a stack includes files",
        "<config><include file='&#0;'/></config> | stack.xml:1: <include> includes '\\u0000'; a stack includes files",
        "<config><include file='http://example.com/x'/></config> | stack.xml:1: <include> includes 'http://example.com/x'; a stack",
        "<config><include file='missing.xml'/></config> | stack.xml:1: <include> includes 'missing.xml', which is not beside it",
        "<config><include file='stack.xml'/></config> | stack.xml:1: <include> is too much",
        "<config a='${x}'/> | stack.xml:1: ${x} has no default; give its value with -D x=VALUE",
        "<config a='${loop:}'/> | stack.xml:1: the placeholders of a value name each other without end",
    })
    void refusesHostileFilesInALine(String text, String message) throws IOException {
        Run run = Run.of("migrate", write(text).toString(), "-D", "loop=${loop:}");
        assertThat(run.code()).isEqualTo(ExitCodes.WRONG);
        assertThat(run.err()).startsWith("tutti: " + message).hasLineCount(1);
        assertThat(run.out()).isEmpty();
    }

    @Test
    void boundsDepthNumberAndLength() throws IOException {
        assertThat(Run.of("migrate", write("<a>".repeat(100_000)).toString()).err()).contains("nested more than 32 deep");
        assertThat(Run.of("migrate", write("<a>" + "<b/>".repeat(10_001) + "</a>").toString()).err()).contains("more than 10000 elements");
        assertThat(Run.of("migrate", write(" ".repeat(1024 * 1024 + 1)).toString()).err()).contains("longer than 1048576 bytes");
    }

    @Test
    void neverShowsASecret() throws IOException {
        Path file = write("""
                <config><TCP bind_addr="loopback"/>
                <JDBC_PING2 connection_url="jdbc:h2:x" connection_password="horse"/>
                <AUTH auth_class="org.jgroups.auth.MD5Token" auth_token.auth_value="${x:horse}"/><pbcast.NAKACK2/><pbcast.GMS/></config>
                """);
        for (String format : List.of("--json", "-o" + directory.resolve("tutti.yaml"))) {
            Run run = Run.of("migrate", file.toString(), format);
            assertThat(run.code()).isEqualTo(ExitCodes.DONE);
            assertThat(run.out() + run.err()).contains("(not shown)", "tutti certs secret tutti.token").doesNotContain("horse");
        }
        assertThat(directory.resolve("tutti.yaml")).content().contains("password-file: jdbc.password").doesNotContain("horse");
    }

    @Test
    void textOfTheFileStaysInComments() throws IOException {
        Path file = write("<config><TCP bind_addr='loopback'/><TCPPING initial_hosts='a[1]' x='&#10;cluster: stolen&#27;[2J'/>"
                + "<FD_ALL timeout='3s'/><pbcast.NAKACK2/><pbcast.GMS/></config>");
        Run run = Run.of("migrate", file.toString());
        assertThat(run.code()).isEqualTo(ExitCodes.DONE);
        assertThat(run.out()).doesNotContain("\ncluster", "\u001b");
        assertThat(run.err()).contains("\\u000acluster").doesNotContain("\u001b");
    }

    @Test
    void overwritesNothing() throws IOException {
        Path file = write("<config><TCP bind_addr='loopback'/><pbcast.NAKACK2/><pbcast.GMS/></config>");
        Path yaml = Files.writeString(directory.resolve("tutti.yaml"), "cluster: mine\n");
        Run run = Run.of("migrate", file.toString(), "-o", yaml.toString());
        assertThat(run).isEqualTo(new Run(ExitCodes.WRONG, "", "tutti: -o: " + yaml + " is there already; remove it, or name another file\n"));
        assertThat(yaml).hasContent("cluster: mine");
    }

    private List<Path> extract() throws IOException {
        Path target = Files.createDirectories(directory.resolve("jgroups"));
        URI jar = URI.create("jar:" + org.jgroups.JChannel.class.getProtectionDomain().getCodeSource().getLocation());
        List<Path> files = new ArrayList<>();
        try (FileSystem inside = FileSystems.newFileSystem(jar, Map.of());
                Stream<Path> all = Files.walk(inside.getPath("/"))) {
            for (Path each : all.filter(path -> path.toString().endsWith(".xml")).sorted().toList()) {
                files.add(Files.copy(each, target.resolve(each.getFileName().toString())));
            }
        }
        return files;
    }

    private Path write(String text) throws IOException {
        return Files.writeString(directory.resolve("stack.xml"), text);
    }
}
