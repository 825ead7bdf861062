package dev.tutti.spring;

import dev.tutti.core.settings.SettingException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Tells a wrong setting as a sentence with its place, instead of a trace of the beans that needed the node. */
final class SettingFailureAnalyzer extends AbstractFailureAnalyzer<SettingException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, SettingException cause) {
        return new FailureAnalysis(
                "A setting of tutti is wrong: " + cause.getMessage(),
                "Change the setting at that place. docs/settings.md lists all of them; in application.yaml they are under 'tutti:'.",
                cause);
    }
}
