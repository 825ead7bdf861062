package dev.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.cli.terminal.ExitCodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Options that are refused. A command that should refuse its options and does not serves until it is interrupted. */
@Timeout(60)
class MediatorCommandTest {

    private static String refusal(String... options) {
        String[] arguments = new String[options.length + 5];
        System.arraycopy(new String[] {"mediator", "--port", "0", "-D", "bind.port=0"}, 0, arguments, 0, 5);
        System.arraycopy(options, 0, arguments, 5, options.length);
        Run run = Run.of(arguments);
        assertThat(run.code()).as(run.out() + run.err()).isEqualTo(ExitCodes.WRONG);
        return run.err();
    }

    @Test
    void optionsOfTheBridgeNeedASite() {
        assertThat(refusal("--bridge-seed", "b1:7810")).contains("--site NAME");
        assertThat(refusal("--bridge-port", "7811")).contains("--site NAME");
    }

    @Test
    void wrongOptionsOfTheBridgeAreToldAtTheStart() {
        assertThat(refusal("--site", "berlin", "--bridge-set", "bind.prot=1")).contains("bind.prot", "bind.port");
        assertThat(refusal("--site", "berlin", "--bridge-config", "/nothing.yaml")).contains("/nothing.yaml");
        assertThat(refusal("--site", "ber\nlin")).contains("site");
    }

    @Test
    void aDemonstrationIsLongEnoughForItsStory() {
        Run run = Run.of("grid", "demo", "--seconds", "2");
        assertThat(run.code()).isEqualTo(ExitCodes.WRONG);
        assertThat(run.err()).contains("--seconds", "6 seconds at least");
    }
}
