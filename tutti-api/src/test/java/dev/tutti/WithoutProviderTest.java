package dev.tutti;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A process without an SLF4J provider is not mute, unless it was asked to be. */
@Tag("slow")
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT) // They wait for processes.
class WithoutProviderTest {

    @Test
    void writesWarningsAndErrorsToStandardErrorAndSaysOnceHowToChangeThat() throws Exception {
        List<String> lines = Program.run(WithoutProvider.class);
        assertThat(lines).filteredOn(line -> line.contains("SLF4J has no provider")).hasSize(1)
                .first().asString().contains("Add a provider", "-Dtutti.log=off");
        assertThat(lines).anySatisfy(line -> assertThat(line).contains("ERROR dev.tutti.Group: group g: ", "onMessage"));
        assertThat(lines).anySatisfy(line -> assertThat(line).contains("IllegalStateException: no room in the shop"));
        assertThat(lines).anySatisfy(line -> assertThat(line)
                .contains("WARN dev.tutti.Node: node ann: this node is alone", "nobody listens at 127.0.0.1:1", "next step: "));
        assertThat(lines).noneMatch(line -> line.contains(" INFO "));
    }

    @Test
    void isSilentIfAskedToBe() throws Exception {
        assertThat(Program.run(WithoutProvider.class, "-Dtutti.log=off")).noneMatch(line -> line.contains("dev.tutti") || line.startsWith("tutti: "));
    }
}
