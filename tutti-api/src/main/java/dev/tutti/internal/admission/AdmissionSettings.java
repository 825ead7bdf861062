package dev.tutti.internal.admission;

import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import dev.tutti.protocols.node.NodeSettings;
import java.time.Duration;
import java.util.List;

/** Settings about which nodes may come in. */
public final class AdmissionSettings {

    private AdmissionSettings() {}

    static final Setting<String> RULE = Setting.text(
            "admission.rule",
            "rule",
            "",
            RuleParser::check,
            "Rule that a node must satisfy to come in, asked at both ends of each connection: token and name ~ shop-[0-9]+ for"
                    + " example. The page on admission lists attributes and operators. Empty: token, if admission.token-file is"
                    + " set, else all nodes may come in.");

    public static final Setting<String> TOKEN_FILE = Setting.text(
            "admission.token-file",
            "",
            "File with a token that the nodes share, which only its owner may read. The token itself is never sent. The file may"
                    + " have two lines while the token changes: the first is used, both are accepted. Read again when it"
                    + " changes.");

    static final Setting<Duration> TIMEOUT = Setting.duration(
            "admission.timeout",
            Duration.ofSeconds(2),
            Duration.ofMillis(10),
            Duration.ofSeconds(30),
            "Time for the decision about a node; a node about which there is none by then is refused. Less than"
                    + " link.handshake-timeout.");

    static final Setting<Integer> PENDING_MAX = Setting.count(
            "admission.pending-max",
            64,
            1,
            10_000,
            "Nodes that may wait for a decision at a time; further ones are refused, and dial again.");

    public static final List<Setting<?>> ALL = List.of(RULE, TOKEN_FILE, TIMEOUT, PENDING_MAX);

    /** @throws SettingException if a decision may take longer than a handshake */
    static void check(Settings settings) {
        if (settings.get(TIMEOUT).compareTo(settings.get(NodeSettings.HANDSHAKE_TIMEOUT)) >= 0) {
            throw new SettingException("admission.timeout: " + settings.text(TIMEOUT)
                    + " is not less than link.handshake-timeout, " + settings.text(NodeSettings.HANDSHAKE_TIMEOUT));
        }
    }
}
