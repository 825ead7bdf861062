package dev.tutti.cli.config;

import dev.tutti.balancer.settings.BalancerSettings;
import dev.tutti.console.ConsoleSettings;
import dev.tutti.core.settings.NodeSpec;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.Settings;
import dev.tutti.rendezvous.settings.RendezvousServerSettings;
import dev.tutti.stomp.StompSettings;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The page docs/settings.md. */
final class SettingsPage {

    private SettingsPage() {}

    static String markdown(NodeSpec defaults) {
        StringBuilder page = new StringBuilder("""
                # Settings

                Made by `./tutti config docs`; a test compares. Every setting has one name, used alike by the builder
                (`set("bind.port", "7801")`), the YAML file (dots are levels), system properties (`-Dtutti.bind.port=7801`)
                and environment variables (`TUTTI_BIND_PORT=7801`). Of several values the builder's wins, then the
                property's, the variable's, the file's, the preset's.

                Durations and sizes have units: `ns`, `us`, `ms`, `s`, `min`, `h`; `B`, `KiB`, `MiB`, `GiB`, `kB`, `MB`,
                `GB`.

                ## Of a node

                """);
        table("", defaults.node(), page);
        page.append("""

                ## Of a server of STOMP

                For nodes that are made from `StompSettings.addTo(Node.defaults())`, as those of the command line are.

                """);
        table("", Settings.of(StompSettings.ALL), page);
        page.append("""

                ## Of the console

                For nodes that are made from `ConsoleSettings.addTo(Node.defaults())`, as those of the command line are.

                """);
        table("", Settings.of(ConsoleSettings.ALL), page);
        page.append("""

                ## Of a rendezvous server

                For `RendezvousServer.open`, and `tutti rendezvous` with `-D`.

                """);
        table(null, Settings.of(RendezvousServerSettings.ALL), page);
        page.append("""

                ## Of a balancer

                For `Balancer.open`, and `tutti balance` with `-B`.

                """);
        table(null, Settings.of(BalancerSettings.ALL), page);
        page.append("""

                ## Of a group

                Under `group` in a file for all groups, under `groups` and the group's name for one; `tutti.group.<setting>`
                and `tutti.groups.<name>.<setting>` as properties, `TUTTI_GROUP_<SETTING>` as a variable.

                """);
        table("group.", defaults.groupDefaults(), page);
        return page.toString();
    }

    /** @param prefix of the names of variables of the environment; null for settings that are not read from there */
    private static void table(@Nullable String prefix, Settings settings, StringBuilder page) {
        boolean hasVariables = prefix != null;
        page.append("| setting | type | default | meaning |").append(hasVariables ? " variable |" : "")
                .append("\n|---|---|---|---|").append(hasVariables ? "---|" : "").append('\n');
        for (Setting<?> setting : settings.definitions()) {
            String value = settings.text(setting);
            String variable = "TUTTI_"
                    + (prefix + setting.name()).toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
            page.append("| `").append(setting.name())
                    .append("` | ").append(cell(setting.type()))
                    .append(" | ").append(value.isEmpty() ? "" : "`" + cell(value) + "`")
                    .append(" | ").append(cell(setting.description()))
                    .append(hasVariables ? " | `" + variable + "`" : "")
                    .append(" |\n");
        }
    }

    private static String cell(String text) {
        return text.replace("|", "\\|").replace("*", "\\*");
    }
}
