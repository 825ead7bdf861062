package dev.tutti.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class DemoTest {

    private final Demo demo = new Demo();
    private final StringWriter out = new StringWriter();
    private final CommandLine line =
            new CommandLine(demo).setOut(new PrintWriter(out, true)).setErr(new PrintWriter(out, true));

    @Test
    void hasThreeNodesUnlessSaid() {
        line.parseArgs();
        assertThat(demo.nodes).isEqualTo(3);
        assertThat(demo.port).isNull();
        assertThat(demo.time).isNull();
        assertThat(demo.isSmoke).isFalse();
    }

    @Test
    void readsItsOptions() {
        line.parseArgs("--smoke", "--nodes", "5", "--port", "0", "--for", "30s", "--json");
        assertThat(demo.nodes).isEqualTo(5);
        assertThat(demo.port).isZero();
        assertThat(demo.time).isEqualTo(Duration.ofSeconds(30));
        assertThat(demo.isSmoke).isTrue();
        assertThat(demo.isJson).isTrue();
    }

    @Test
    void showsHelpWithExamples() {
        assertThat(line.execute("--help")).isZero();
        assertThat(out.toString()).contains("--smoke", "./tutti demo --nodes 5", "Ctrl-C");
    }

    @Test
    void refusesNumbersThatCannotBe() {
        assertThat(line.execute("--nodes", "1")).isEqualTo(2);
        assertThat(out.toString()).contains("--nodes is 2 to 8, not 1");
        assertThat(line.execute("--port", "70000")).isEqualTo(2);
        assertThat(out.toString()).contains("--port is 0 to 65535, not 70000");
        assertThat(line.execute("--smoke", "--nodes", "2")).isEqualTo(2);
        assertThat(out.toString()).contains("--smoke wants --nodes 3 or more, not 2");
    }

    @Test
    void refusesATimeWithoutUnit() {
        assertThat(line.execute("--for", "30")).isEqualTo(2);
        assertThat(out.toString()).contains("30");
    }

    @Test
    void refusesWhatItDoesNotKnow() {
        assertThat(line.execute("--smok")).isEqualTo(2);
        assertThat(out.toString()).contains("--smok");
    }
}
