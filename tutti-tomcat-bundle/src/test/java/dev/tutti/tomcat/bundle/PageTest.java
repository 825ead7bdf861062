package dev.tutti.tomcat.bundle;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Follows docs/operating/tomcat.md to the letter, on a Tomcat as it is downloaded. */
@Tag("slow")
class PageTest {

    private static final String SEPARATOR = "---- step done ----";
    private static final int SECONDS_MAX = 240;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    /** Ends Tomcats that a failure has left behind, found by their directory. */
    @AfterEach
    void endTomcats() throws IOException {
        Path real = directory.toRealPath();
        ProcessHandle.allProcesses()
                .filter(process -> process.info().commandLine().orElse("").contains("catalina.base=" + real + "/"))
                .forEach(ProcessHandle::destroyForcibly);
    }

    @Test
    void readsCommandsAndWhatTheyPrint() {
        Page page = Page.parse("text\n\n```sh\nls\n```\n\nprints\n\n```text\na…c\nd\n```\n\n```sh\npwd\n```\n");
        assertThat(page.steps()).hasSize(2);
        Page.Step step = page.steps().getFirst();
        assertThat(step.commands()).isEqualTo("ls\n");
        assertThat(step.isAsPrinted("x\na b c\nd\n")).isTrue();
        assertThat(step.isAsPrinted("d\na b c\n")).isFalse();
        assertThat(step.isAsPrinted("ab\nc\nd\n")).isFalse();
    }

    @Test
    void commandsOfThePageLeadToTwoNodesWhoseSessionsSurvive() throws Exception {
        Page page = Page.read(Path.of(System.getProperty("tutti.home")));
        assertThat(page.steps()).hasSizeGreaterThan(8);
        Path tomcat = directory.resolve("tomcat");
        Files.createDirectories(tomcat);
        Files.copy(Path.of(System.getProperty("tutti.tomcat")), tomcat.resolve("apache-tomcat-11.0.25.zip"));
        Path bundle = Path.of(System.getProperty("tutti.bundle"));
        Files.copy(bundle, tomcat.resolve(bundle.getFileName()));

        Map<String, String> here = here();
        Path output = directory.resolve("output");
        ProcessBuilder commands = new ProcessBuilder("bash", "-c", with(page.script(SEPARATOR), here))
                .directory(tomcat.toRealPath().toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        // Each Tomcat runs for some seconds, in which the second compiler does not pay for itself.
        commands.environment().put("CATALINA_OPTS", "-XX:+UseSerialGC -XX:TieredStopAtLevel=1");
        Process shell = commands.start();
        boolean isOver = shell.waitFor(SECONDS_MAX, TimeUnit.SECONDS);
        shell.destroyForcibly();
        String text = Files.readString(output);
        assertThat(isOver).as("over within %d s; it printed%n%s", SECONDS_MAX, text).isTrue();
        assertThat(shell.exitValue()).as(text).isZero();
        String[] printed = text.split(SEPARATOR + "\n", -1);
        for (int index = 0; index < page.steps().size(); index++) {
            Page.Step step = page.steps().get(index);
            Page.Step expected = new Page.Step(
                    step.commands(), step.printed().stream().map(line -> with(line, here)).toList());
            assertThat(expected.isAsPrinted(printed[index]))
                    .as("%s%nprints%n%s%nas the page says, and not%n%s", step.commands(), expected.printed(), printed[index])
                    .isTrue();
        }
    }

    /** Replaces in one pass, so that replaced text is not replaced again. */
    private static String with(String text, Map<String, String> replacements) {
        Pattern keys = Pattern.compile(replacements.keySet().stream().map(Pattern::quote).collect(Collectors.joining("|")));
        return keys.matcher(text).replaceAll(found -> Matcher.quoteReplacement(replacements.get(found.group())));
    }

    /** Returns the JDK and free ports of this machine, by those on the page. */
    private static Map<String, String> here() throws IOException {
        Map<String, String> here = new TreeMap<>();
        here.put("/opt/jdk-25", System.getProperty("java.home"));
        // It stands for one of the two ports below.
        here.put("780…", "…");
        for (String port : List.of("8080", "8081", "8005", "8006", "7800", "7801")) {
            here.put(port, String.valueOf(freePort(here.values())));
        }
        // The first node has the ports that Tomcat is delivered with.
        String unzip = "unzip -q apache-tomcat-11.0.25.zip";
        here.put(unzip, unzip + "\nsed -i 's/port=\"8080\"/port=\"" + here.get("8080") + "\"/; s/port=\"8005\"/port=\""
                + here.get("8005") + "\"/' apache-tomcat-11.0.25/conf/server.xml");
        // The page computes one port from the number of the node.
        here.put("808$((node - 1))", "$((node == 1 ? " + here.get("8080") + " : " + here.get("8081") + "))");
        return here;
    }

    /** Returns a free port below the range of Linux for outgoing connections. */
    private static int freePort(Collection<String> taken) throws IOException {
        for (int attempt = 0; attempt < 1_000; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(20_000, 31_000);
            try (ServerSocket socket = new ServerSocket(port)) {
                if (!taken.contains(String.valueOf(port)) && socket.isBound()) {
                    return port;
                }
            } catch (BindException e) {
                // The port is in use; the next one may be free.
                continue;
            }
        }
        throw new IOException("no free port");
    }
}
