package dev.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.cli.terminal.ExitCodes;
import dev.tutti.internal.Json;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The doctor on this machine alone, without breaking anything on it. */
class DoctorCommandTest {

    private static List<?> findings(Run run) {
        return (List<?>) ((Map<?, ?>) Json.parse(run.out())).get("findings");
    }

    @Test
    void isContentWithAMemberThatIsThere() {
        try (Node node = Node.tcp(0).name("ann").start();
                Group _ = node.group("chat").join()) {
            Run run = Run.of("doctor", "--seed", node.address(), "--group", "chat", "--port", "0");
            assertThat(run.out())
                    .contains("taken as one of theirs by ann")
                    .contains("group chat is set up as at ann")
                    .contains("large packets arrive")
                    .endsWith("Nothing is wrong.\n");
            assertThat(run.code()).isZero();
            assertThat(node.groups().getFirst().view().size()).isEqualTo(1);
        }
    }

    @Test
    void namesTheSettingThatDiffers() {
        try (Node node = Node.tcp(0).name("ann").start();
                Group _ = node.group("chat").causal().join()) {
            Run run = Run.of("doctor", "--seed", node.address(), "--group", "chat", "--port", "0");
            assertThat(run.out())
                    .contains("group chat: stack is fifo here and causal at ann")
                    .contains("-> set groups.chat.stack to the same at all members")
                    .endsWith("One thing is wrong.\n");
            assertThat(run.code()).isEqualTo(ExitCodes.FAILED);
        }
    }

    @Test
    void namesWhatIsTheDefaultThere() {
        try (Node node = Node.tcp(0).name("ann").start();
                Group _ = node.group("chat").join()) {
            Run run = Run.of(
                    "doctor", "--seed", node.address(), "--group", "chat", "--port", "0", "-D", "group.dissemination=ring");
            assertThat(run.out()).contains("group chat: dissemination is ring here and fan-out at ann");
            assertThat(run.code()).isEqualTo(ExitCodes.FAILED);
        }
    }

    @Test
    void saysAsJsonThatNobodyListens() {
        Run run = Run.of("doctor", "--seed", "127.0.0.1:1", "--port", "0", "--json");
        assertThat(run.code()).isEqualTo(ExitCodes.FAILED);
        assertThat(findings(run)).anySatisfy(each -> {
            Map<?, ?> finding = (Map<?, ?>) each;
            assertThat(finding.get("check")).isEqualTo("reach");
            assertThat(finding.get("level")).isEqualTo("fault");
            assertThat(finding.get("text")).isEqualTo("127.0.0.1:1: nobody listens at that port");
        });
    }

    @Test
    void saysThatFilesOfCertificatesAreMissing() {
        Run run = Run.of("doctor", "--port", "0", "--tls-certificate", "no.pem", "--tls-key", "no.pem", "--tls-authority", "no.pem");
        assertThat(run.code()).isEqualTo(ExitCodes.FAILED);
        assertThat(run.out()).contains("FAULT").contains("tls.certificate: no.pem can't be read");
    }

    @Test
    void refusesWrongSettings() {
        assertThat(Run.of("doctor", "-D", "detection.heartbeat=1 week").code()).isEqualTo(ExitCodes.WRONG);
    }
}
