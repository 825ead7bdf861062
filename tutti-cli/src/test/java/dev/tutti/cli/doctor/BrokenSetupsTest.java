package dev.tutti.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.internal.Json;
import dev.tutti.netty.tls.Certificates;
import dev.tutti.netty.tls.Certificates.PemFiles;
import dev.tutti.netty.tls.Certificates.Request;
import dev.tutti.netty.tls.ClusterSecret;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.function.ThrowingConsumer;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Networks and configurations that are broken in one way each, and what the doctor says of them. A member runs in one network
 * namespace, the doctor in the other.
 */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT) // They wait for processes, and for time-outs of these.
class BrokenSetupsTest {

    private static final String MEMBER = "dev.tutti.cli.Tutti";
    private static final String SEED = TwoSpaces.THERE + ":7800";
    private static final int PORT = 7800;

    @TempDir
    private Path directories;

    /** Two namespaces, and the processes in them. */
    private final class Scene implements AutoCloseable {

        final TwoSpaces spaces = new TwoSpaces();
        final Path directory;
        private final List<Process> processes = new ArrayList<>();

        Scene() throws IOException {
            directory = Files.createTempDirectory(directories, "scene");
        }

        /** Starts a node at the other end; returns when it listens. */
        void member(String... options) throws IOException {
            List<String> command = new ArrayList<>(List.of("node", "--name", "ann", "--bind", TwoSpaces.THERE, "--seed", "127.0.0.1:1"));
            // Its own diagnostics would show the fault, too; here the doctor sees only the other side of the network.
            command.addAll(List.of("-D", "diagnostics.enabled=false"));
            command.addAll(List.of(options));
            start(spaces.prefixThere(), TwoSpaces.java(MEMBER, command.toArray(String[]::new)));
        }

        void start(List<String> prefix, List<String> command) throws IOException {
            List<String> whole = Stream.concat(prefix.stream(), command.stream()).toList();
            Process process = new ProcessBuilder(whole).redirectError(ProcessBuilder.Redirect.INHERIT).start();
            processes.add(process);
            BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
            String line = out.readLine();
            assertThat(line).as("%s", whole).contains("listens on");
        }

        Diagnosis doctor(String... options) throws Exception {
            return doctor(spaces.prefixHere(), "dev.tutti.cli.Tutti", Stream.concat(Stream.of("doctor"), Stream.of(options)));
        }

        Diagnosis doctor(List<String> prefix, String main, Stream<String> options) throws Exception {
            String[] all = Stream.concat(options, Stream.of("--bind", TwoSpaces.HERE, "--json")).toArray(String[]::new);
            List<String> command = Stream.concat(prefix.stream(), TwoSpaces.java(main, all).stream()).toList();
            Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
            processes.add(process);
            process.getOutputStream().close();
            String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
            System.out.println(text);
            return new Diagnosis(process.exitValue(), (Map<?, ?>) Json.parse(text));
        }

        String secret(String name) throws IOException {
            Path file = directory.resolve(name + ".secret");
            if (!Files.exists(file)) {
                Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
                Files.writeString(file, ClusterSecret.generate());
            }
            return file.toString();
        }

        String[] tls(Path at, Duration validity) throws IOException {
            PemFiles authority = new PemFiles(at.resolve("authority.pem"), at.resolve("authority-key.pem"));
            if (!Files.exists(authority.key())) {
                Files.createDirectories(at);
                Certificates.createAuthority(at, Request.of("authority"));
            }
            PemFiles node = Certificates.createNode(at, authority, new Request("ann", List.of(), validity, true));
            return new String[] {
                "--tls-certificate", node.certificate().toString(), "--tls-key", node.key().toString(),
                "--tls-authority", authority.certificate().toString()
            };
        }

        @Override
        public void close() {
            processes.forEach(process -> process.destroyForcibly().onExit().join());
            spaces.close();
        }
    }

    /** Report of the doctor. */
    private record Diagnosis(int code, Map<?, ?> document) {

        /** Text and advice of each fault, by check. */
        Map<String, String> faults() {
            Map<String, String> faults = new LinkedHashMap<>();
            for (Object each : (List<?>) document.get("findings")) {
                Map<?, ?> finding = (Map<?, ?>) each;
                if ("fault".equals(finding.get("level"))) {
                    String text = finding.get("text") + " -> " + finding.get("advice");
                    faults.merge((String) finding.get("check"), text, (one, other) -> one + "; " + other);
                }
            }
            return faults;
        }

        /** Asserts that the doctor has found this fault, and that its text has these words. */
        void names(String check, String... words) {
            assertThat(faults()).containsKey(check);
            assertThat(faults().get(check)).contains(words);
            assertThat(code).isEqualTo(1);
        }

        void namesOnly(String check, String... words) {
            names(check, words);
            assertThat(faults()).containsOnlyKeys(check);
        }
    }

    private DynamicTest setup(String name, ThrowingConsumer<Scene> story) {
        return DynamicTest.dynamicTest(name, () -> {
            try (Scene scene = new Scene()) {
                story.accept(scene);
            }
        });
    }

    /** Without namespaces (without root, ip or tc) there are no tests here. .ci/run has them. */
    @TestFactory
    List<DynamicTest> namesTheFault() {
        try {
            new TwoSpaces().close();
        } catch (IllegalStateException e) {
            System.out.println("broken set-ups are not tried: they need root, ip and tc: " + e.getMessage());
            return List.of();
        }
        return List.of(
                setup("nothing is wrong", this::nothing),
                setup("blocked port", this::blockedPort),
                setup("nobody listens", this::nobody),
                setup("wrong netmask", this::wrongMask),
                setup("missing multicast route", this::missingMulticastRoute),
                setup("clashing port", this::clashingPort),
                setup("wrong cluster secret", this::wrongSecret),
                setup("no secret there", this::noSecretThere),
                setup("another cluster", this::anotherCluster),
                setup("stack mismatch", this::stackMismatch),
                setup("DNS without answers", this::silentNames),
                setup("MTU black hole", this::blackHole),
                setup("clock far off", this::clock),
                setup("UDP buffers too small", this::smallBuffers),
                setup("expired certificate", this::expired),
                setup("another authority", this::anotherAuthority),
                setup("loopback only", this::loopback));
    }

    private void nothing(Scene scene) throws Exception {
        String secret = scene.secret("right");
        scene.member("--secret-file", secret, "--group", "chat");
        Diagnosis diagnosis = scene.doctor("--seed", SEED, "--secret-file", secret, "--group", "chat");
        assertThat(diagnosis.faults()).isEmpty();
        assertThat(diagnosis.code()).isZero();
    }

    private void blockedPort(Scene scene) throws Exception {
        scene.member("--insecure");
        scene.spaces.dropTo(PORT);
        scene.doctor("--seed", SEED, "--insecure").namesOnly("reach", SEED, "firewall drops", "tcp dport 7800 accept");
    }

    private void nobody(Scene scene) throws Exception {
        scene.doctor("--seed", SEED, "--insecure").namesOnly("reach", SEED + ": nobody listens", "bind.port");
    }

    private void wrongMask(Scene scene) throws Exception {
        scene.member("--insecure");
        scene.spaces.maskHere(28);
        scene.doctor("--seed", SEED, "--insecure")
                .names("route", "outside of 10.79.0.1/28", "netmask is wrong", "ip address replace 10.79.0.1/24 dev eth0");
    }

    private void missingMulticastRoute(Scene scene) throws Exception {
        String[] udp = {"--insecure", "-D", "transport.protocol=udp", "-D", "transport.multicast.address=239.192.78.1:7801"};
        scene.member(udp);
        String[] doctor = Stream.concat(Stream.of(udp), Stream.of("--seed", SEED)).toArray(String[]::new);
        scene.doctor(doctor).namesOnly("multicast", "no route to the multicast address 239.192.78.1", "ip route add 224.0.0.0/4 dev eth0");
        scene.spaces.routeMulticasts();
        assertThat(scene.doctor(doctor).faults()).isEmpty();
    }

    private void clashingPort(Scene scene) throws Exception {
        scene.member("--insecure");
        scene.start(scene.spaces.prefixHere(), TwoSpaces.java(Squatter.class.getName(), TwoSpaces.HERE, "7800"));
        scene.doctor("--seed", SEED, "--insecure", "-D", "bind.port-range=0")
                .namesOnly("port", "10.79.0.1:7800 can't be bound", "java has it (process ", "bind.port");
    }

    private void wrongSecret(Scene scene) throws Exception {
        scene.member("--secret-file", scene.secret("theirs"));
        scene.doctor("--seed", SEED, "--secret-file", scene.secret("ours")).namesOnly("secret", "trust", "cluster secret is another one there");
    }

    private void noSecretThere(Scene scene) throws Exception {
        scene.member("--insecure");
        scene.doctor("--seed", SEED, "--secret-file", scene.secret("ours")).namesOnly("secret", "TLS", "or none");
    }

    private void anotherCluster(Scene scene) throws Exception {
        scene.member("--insecure", "--cluster", "east");
        scene.doctor("--seed", SEED, "--insecure", "--cluster", "west").namesOnly("cluster", "'east'", "'west'");
    }

    private void stackMismatch(Scene scene) throws Exception {
        scene.member("--insecure", "--group", "chat", "-D", "group.stack=total");
        scene.doctor("--seed", SEED, "--insecure", "--group", "chat")
                .namesOnly("stack", "group chat: stack is fifo here and total at ann", "groups.chat.stack");
        scene.doctor("--seed", SEED, "--insecure", "--group", "chat", "-D", "group.stack=total", "-D", "group.window=2MiB")
                .namesOnly("stack", "window is 2 MiB here and 1 MiB at ann");
    }

    private void silentNames(Scene scene) throws Exception {
        Path resolver = Files.writeString(scene.directory.resolve("resolv.conf"), "nameserver 10.79.0.99\n");
        // A mount namespace of its own, which ends with the process.
        List<String> prefix = Stream.concat(
                        scene.spaces.prefixHere().stream(),
                        Stream.of("unshare", "--mount", "sh", "-c", "mount --bind " + resolver + " /etc/resolv.conf && exec \"$@\"", "sh"))
                .toList();
        scene.doctor(prefix, MEMBER, Stream.of("doctor", "--seed", "ann.example:7800", "--insecure"))
                .namesOnly("names", "'ann.example'", "10.79.0.99", "/etc/resolv.conf");
    }

    private void blackHole(Scene scene) throws Exception {
        scene.member("--insecure");
        scene.spaces.dropLongerThan(1_014);
        Diagnosis diagnosis = scene.doctor("--seed", SEED, "--insecure");
        diagnosis.namesOnly("mtu", "black hole", "ip link set dev INTERFACE mtu ");
        String mtu = diagnosis.faults().get("mtu").replaceAll(".*than about ([0-9]+) bytes.*", "$1");
        assertThat(Integer.parseInt(mtu)).isBetween(970, 1_000);
    }

    private void clock(Scene scene) throws Exception {
        scene.member("--insecure");
        scene.doctor(scene.spaces.prefixHere(), "dev.tutti.cli.doctor.LateDoctor", Stream.of("--seed", SEED, "--insecure"))
                .namesOnly("clock", "ann has started", "clock is behind", "timedatectl");
    }

    private void smallBuffers(Scene scene) throws Exception {
        scene.member("--insecure", "-D", "transport.protocol=udp");
        scene.doctor("--seed", SEED, "--insecure", "-D", "transport.protocol=udp", "-D", "transport.socket-buffer=64MiB")
                .namesOnly("system", "of 64 MiB", "sysctl -w net.core.rmem_max=67108864");
    }

    private void expired(Scene scene) throws Exception {
        scene.member(scene.tls(scene.directory.resolve("theirs"), Duration.ofDays(1)));
        Path ours = scene.directory.resolve("theirs");
        Files.copy(ours.resolve("ann.pem"), scene.directory.resolve("good.pem"));
        // The certificate has expired by the time that a doctor's JVM has started.
        String[] tls = scene.tls(ours, Duration.ofMillis(1));
        scene.doctor(Stream.concat(Stream.of(tls), Stream.of("--seed", SEED)).toArray(String[]::new))
                .names("certificates", "has expired: it was good until", "tutti certs node");
    }

    private void anotherAuthority(Scene scene) throws Exception {
        scene.member(scene.tls(scene.directory.resolve("one"), Duration.ofDays(1)));
        String[] tls = scene.tls(scene.directory.resolve("other"), Duration.ofDays(1));
        scene.doctor(Stream.concat(Stream.of(tls), Stream.of("--seed", SEED)).toArray(String[]::new))
                .namesOnly("certificates", "trust", "one tls.authority for all");
        String[] mixed = tls.clone();
        mixed[5] = scene.directory.resolve("one").resolve("authority.pem").toString();
        scene.doctor(Stream.concat(Stream.of(mixed), Stream.of("--seed", SEED)).toArray(String[]::new))
                .names("certificates", "not by tls.authority");
    }

    private void loopback(Scene scene) throws Exception {
        scene.member("--insecure");
        scene.doctor("--seed", SEED, "-D", "bind.address=LOOPBACK").names("route", "bind.address is loopback", "SITE_LOCAL");
    }
}
