package dev.tutti.cli.migration;

import dev.tutti.cli.migration.Rule.Use;
import dev.tutti.cli.migration.Rule.Verdict;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Row of the table: a protocol, the rule for itself and the rules for its attributes.
 *
 * @param names names that the protocol has, without their packages
 */
record Protocol(List<String> names, Rule itself, Map<String, Rule> attributes) {

    /** Begins a row. Names are separated by blanks. */
    static Protocol of(String names, Rule itself) {
        return new Protocol(List.of(names.split(" ")), itself, Map.of());
    }

    /** Returns this with a rule for some attributes, whose names are separated by blanks; a rule that is there stays. */
    Protocol with(String names, Rule rule) {
        Map<String, Rule> all = new LinkedHashMap<>(attributes);
        for (String name : names.split("\\s+")) {
            all.putIfAbsent(name, rule);
        }
        return new Protocol(this.names, itself, Map.copyOf(all));
    }

    /** Returns this with the rules of a family of protocols; a rule that is there stays. */
    Protocol with(Map<String, Rule> family) {
        Map<String, Rule> all = new LinkedHashMap<>(family);
        all.putAll(attributes);
        return new Protocol(names, itself, Map.copyOf(all));
    }

    Verdict itself(Use use) {
        return itself.apply(use);
    }

    @Nullable Rule rule(String attribute) {
        return attributes.get(attribute);
    }
}
