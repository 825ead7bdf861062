package dev.tutti.bench.options;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Defaults of shared options that differ from command to command, by the first name of the option. */
public record Defaults(Map<String, String> values) implements CommandLine.IDefaultValueProvider {

    @Override
    public @Nullable String defaultValue(ArgSpec argument) {
        String own = argument instanceof OptionSpec option ? values.get(option.names()[0]) : null;
        return own == null ? argument.defaultValue() : own;
    }
}
