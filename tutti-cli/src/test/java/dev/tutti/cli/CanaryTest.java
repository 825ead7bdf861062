package dev.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.cli.terminal.ExitCodes;
import dev.tutti.internal.Json;
import dev.tutti.netty.tls.ClusterSecret;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.lang.management.ManagementFactory;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.JMRuntimeException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes that were given a secret, a token and a passcode, right and wrong ones: everything that they print, record and
 * answer is searched for them. Logs are those of all modules at the finest level.
 */
@Tag("slow")
@Timeout(120)
class CanaryTest {

    private static final List<String> COMMANDS = List.of(
            "view %d", "view %d --json", "probe %d", "probe %d --json", "probe %d --all --json", "probe %d --settings",
            "events %d --no-follow", "events %d --no-follow --json", "doctor --json");

    @TempDir
    private Path directory;

    private final String secret = ClusterSecret.generate();
    private final String token = ClusterSecret.generate();
    private final String passcode = ClusterSecret.generate();
    private final String wrongToken = ClusterSecret.generate();
    private final String wrongPasscode = ClusterSecret.generate();
    private final List<Process> processes = new ArrayList<>();

    /** Everything that was seen, by its source. */
    private final Map<String, String> seen = new LinkedHashMap<>();

    @AfterEach
    void stop() {
        processes.forEach(Process::destroyForcibly);
    }

    private Path privateFile(String name, String text) throws IOException {
        Path file = Files.createFile(
                directory.resolve(name), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        return Files.writeString(file, text + "\n");
    }

    private Process start(String name, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:StartFlightRecording:settings=profile,filename=" + directory.resolve(name + ".jfr"),
                "-Dorg.slf4j.simpleLogger.log.dev.tutti=trace",
                "-Dorg.slf4j.simpleLogger.log.io.netty=trace",
                "-Dorg.slf4j.simpleLogger.logFile=" + directory.resolve(name + ".log"),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Tutti.class.getName()));
        command.addAll(Arrays.asList(arguments));
        Process process = new ProcessBuilder(command)
                .redirectError(Redirect.to(directory.resolve(name + ".err").toFile()))
                .start();
        processes.add(process);
        return process;
    }

    /** Reads up to the event, and keeps everything read. */
    private Map<?, ?> event(String name, BufferedReader out, String kind) throws IOException {
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            seen.merge("output of " + name, line + "\n", String::concat);
            if (line.startsWith("{") && Json.parse(line) instanceof Map<?, ?> event && kind.equals(event.get("event"))) {
                return event;
            }
        }
        throw new IOException(name + " has ended: " + Files.readString(directory.resolve(name + ".err")));
    }

    @Test
    void secretsAreFoundNowhere() throws Exception {
        Path secretFile = privateFile("secret", secret);
        Path tokenFile = privateFile("token", token);
        Path logins = privateFile("logins", "ann:" + passcode);
        Process node = start(
                "node", "node", "--json", "--port", "0", "--name", "one", "--group", "g", "--cluster", directory.toString(),
                "--secret-file", secretFile.toString(), "-D", "console.enabled=true", "-D", "console.port=0",
                "-D", "console.token-file=" + tokenFile);
        BufferedReader nodeOut = node.inputReader();
        Map<?, ?> started = event("node", nodeOut, "started");
        Map<?, ?> console = event("node", nodeOut, "console");
        Process stomp = start(
                "stomp", "stomp", "--json", "--port", "0", "--name", "two", "--stomp-port", "0", "--group", "g",
                "--cluster", directory.toString(), "--secret-file", secretFile.toString(), "--login-file", logins.toString(),
                "--seed", String.valueOf(started.get("address")));
        BufferedReader stompOut = stomp.inputReader();
        List<?> endpoints = (List<?>) Objects.requireNonNull(event("stomp", stompOut, "started").get("endpoints"));
        URI endpoint = URI.create(String.valueOf(endpoints.getFirst()));

        while (!(event("node", nodeOut, "view").get("members") instanceof List<?> members && members.size() == 2)) {
            // Until they have met.
        }
        askStomp(endpoint.getPort());
        askConsole(String.valueOf(console.get("address")));
        for (Process each : processes) {
            askOnTheMachine(each.pid());
            askByJmx(each.pid());
        }
        for (Process each : processes) {
            each.destroy();
        }
        for (Process each : processes) {
            assertThat(each.waitFor(60, TimeUnit.SECONDS)).isTrue();
        }
        readFiles();

        assertThat(seen.get("log of stomp")).contains("TRACE").contains("dev.tutti.audit").contains("ann");
        assertThat(seen.get("recording of node")).contains("jdk.JVMInformation");
        assertThat(seen.get("/api/cluster")).contains("one", "two");
        Map<String, String> canaries = Map.of(
                "secret", secret, "token", token, "passcode", passcode, "wrong token", wrongToken,
                "wrong passcode", wrongPasscode);
        canaries.forEach((name, canary) ->
                seen.forEach((place, text) -> assertThat(text.contains(canary)).as(name + " in " + place).isFalse()));
    }

    private void askStomp(int port) throws IOException {
        for (String each : List.of(wrongPasscode, passcode)) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                String text = "CONNECT\naccept-version:1.2\nhost:localhost\nlogin:ann\npasscode:" + each + "\n\n\0";
                socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
                seen.merge("answers of STOMP", frame(socket.getInputStream()), String::concat);
                if (each.equals(passcode)) {
                    socket.getOutputStream().write("NONSENSE\n\n\0".getBytes(StandardCharsets.UTF_8));
                    seen.merge("answers of STOMP", frame(socket.getInputStream()), String::concat);
                }
            }
        }
        assertThat(seen.get("answers of STOMP")).contains("CONNECTED", "ERROR");
    }

    private static String frame(InputStream in) throws IOException {
        StringBuilder text = new StringBuilder();
        for (int next = in.read(); 0 < next; next = in.read()) {
            text.append((char) next);
        }
        return text.toString();
    }

    private void askConsole(String address) throws IOException {
        URI base = URI.create(address);
        for (String path : List.of(
                "/api/cluster", "/api/inspection?member=one", "/api/inspection?member=two", "/login", "/health", "/ready", "/",
                "/login?once=" + wrongToken)) {
            for (String each : List.of(wrongToken, token)) {
                HttpURLConnection connection = get(base.resolve(path), each);
                InputStream body = connection.getResponseCode() < 400 ? connection.getInputStream() : connection.getErrorStream();
                String text = new String(body.readAllBytes(), StandardCharsets.UTF_8);
                String place = path.replace(wrongToken, "") + (each.equals(token) ? "" : " with a wrong token");
                seen.put(place, connection.getHeaderFields() + text);
            }
        }
        try (InputStream body = get(base.resolve("/api/stream"), token).getInputStream()) {
            seen.put("/api/stream", new String(body.readNBytes(1_000), StandardCharsets.UTF_8));
        }
    }

    private static HttpURLConnection get(URI address, String token) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) address.toURL().openConnection();
        connection.setRequestProperty("Authorization", "Bearer " + token);
        return connection;
    }

    private void askOnTheMachine(long process) throws IOException {
        seen.put("/proc/" + process + "/cmdline", Files.readString(Path.of("/proc", Long.toString(process), "cmdline")));
        for (String command : COMMANDS) {
            String filled = String.format(command, process);
            Run run = Run.of(filled.split(" "));
            assertThat(run.code()).as(filled + ": " + run.err()).isNotEqualTo(ExitCodes.WRONG);
            seen.put(filled, run.out() + run.err());
        }
    }

    private void askByJmx(long process) throws Exception {
        jcmd(process, "ManagementAgent.start_local");
        String status = jcmd(process, "ManagementAgent.status");
        Matcher matcher = Pattern.compile("service:jmx:\\S+").matcher(status);
        assertThat(matcher.find()).as(status).isTrue();
        String address = matcher.group();
        StringBuilder text = new StringBuilder();
        try (JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(address))) {
            MBeanServerConnection server = connector.getMBeanServerConnection();
            for (ObjectName bean : server.queryNames(null, null)) {
                for (MBeanAttributeInfo attribute : server.getMBeanInfo(bean).getAttributes()) {
                    text.append(bean).append(' ').append(value(server, bean, attribute.getName())).append('\n');
                }
            }
        }
        assertThat(text).contains(ManagementFactory.RUNTIME_MXBEAN_NAME);
        seen.put("JMX of " + process, text.toString());
    }

    private static String jcmd(long process, String command) throws IOException {
        Path tool = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        Process run = new ProcessBuilder(tool.toString(), Long.toString(process), command).redirectErrorStream(true).start();
        return new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    private static String value(MBeanServerConnection server, ObjectName bean, String attribute) throws IOException {
        try {
            Object value = server.getAttribute(bean, attribute);
            return value instanceof Object[] array ? Arrays.deepToString(array) : String.valueOf(value);
        } catch (JMException | JMRuntimeException e) {
            return e.toString();
        }
    }

    private void readFiles() throws IOException {
        for (String name : List.of("node", "stomp")) {
            seen.put("log of " + name, Files.readString(directory.resolve(name + ".log")));
            seen.put("errors of " + name, Files.readString(directory.resolve(name + ".err")));
            StringBuilder recorded = new StringBuilder();
            for (RecordedEvent event : RecordingFile.readAllEvents(directory.resolve(name + ".jfr"))) {
                recorded.append(event.getEventType().getName()).append(' ').append(event).append('\n');
            }
            seen.put("recording of " + name, recorded.toString());
        }
    }

    // ------------------------------------------------------------------ settings that are wrong

    @Test
    void complaintsAboutWrongFilesDoNotQuoteThem() throws Exception {
        String weak = "weak secret " + "of people";
        Path weakFile = privateFile("weak", weak);
        Path three = privateFile("three", secret + "\n" + passcode + "\n" + token);
        Path shortToken = privateFile("short", "tooshort");
        Path logins = privateFile("logins", passcode);
        Path yaml = privateFile("node.yaml", "security: {secret: [" + secret + "]}\nconsole: {token-file: 1, token: " + token + "}");
        Path pem = privateFile("key.pem", "-----BEGIN PRIVATE KEY-----\n" + passcode + "\n-----END PRIVATE KEY-----");
        List<List<String>> commands = List.of(
                List.of("node", "--port", "0", "--secret-file", weakFile.toString()),
                List.of("node", "--port", "0", "--secret-file", three.toString()),
                List.of("node", "--port", "0", "-D", "security.secret=" + secret),
                List.of("node", "--port", "0", "-D", "security.secret-flie=" + secret),
                List.of("console", "--port", "0", "--console-port", "0", "-D", "console.token-file=" + shortToken),
                List.of("stomp", "--port", "0", "--stomp-port", "0", "--login-file", logins.toString()),
                List.of("node", "--port", "0", "--config", yaml.toString()),
                List.of("config", "show", "--config", yaml.toString()),
                List.of("config", "check", "--config", yaml.toString()),
                List.of("node", "--port", "0", "--tls-certificate", pem.toString(), "--tls-key", pem.toString(),
                        "--tls-authority", pem.toString()));
        for (List<String> command : commands) {
            for (boolean isDebug : List.of(false, true)) {
                List<String> words = new ArrayList<>(command);
                if (isDebug) {
                    words.addFirst("--debug");
                }
                Run run = Run.of(words.toArray(String[]::new));
                assertThat(run.code()).as(command + run.out()).isNotEqualTo(ExitCodes.DONE);
                for (String canary : List.of(secret, token, passcode, weak, "tooshort")) {
                    assertThat((run.out() + run.err()).contains(canary)).as(command + " quotes:\n" + run.err()).isFalse();
                }
            }
        }
    }
}
