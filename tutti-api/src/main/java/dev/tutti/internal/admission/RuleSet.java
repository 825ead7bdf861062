package dev.tutti.internal.admission;

import dev.tutti.core.admission.AdmissionRule;
import dev.tutti.core.admission.Newcomer;
import dev.tutti.core.admission.Verdict;
import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rules of a node: the one of its settings, with the files that it uses, and those of the program. All of them must admit. */
final class RuleSet {

    private final @Nullable TokenFile token;
    private final @Nullable Rule rule;
    private final List<AdmissionRule> own;

    private RuleSet(@Nullable TokenFile token, @Nullable Rule rule, List<AdmissionRule> own) {
        this.token = token;
        this.rule = rule;
        this.own = List.copyOf(own);
    }

    /**
     * Makes the rules and reads their files.
     *
     * @throws SettingException if settings contradict each other, or a file can't be used
     */
    static RuleSet of(Settings settings, List<AdmissionRule> own) {
        String file = settings.get(AdmissionSettings.TOKEN_FILE).strip();
        String text = settings.get(AdmissionSettings.RULE).strip();
        TokenFile token = file.isEmpty() ? null : new TokenFile(Path.of(file));
        Rule rule = token == null ? null : new Rule.Token(token);
        if (!text.isEmpty()) {
            RuleParser.Parsed parsed = RuleParser.parse(text, token == null ? new TokenFile(Path.of("")) : token);
            if (parsed.hasToken() && token == null) {
                throw new SettingException("admission.rule asks for a token, and admission.token-file is not set; make one with:"
                        + " tutti certs secret FILE");
            }
            rule = parsed.rule();
        }
        RuleSet rules = new RuleSet(token, rule, own);
        if (!rules.isEmpty()) {
            AdmissionSettings.check(settings);
        }
        try {
            rules.refresh();
        } catch (IOException e) {
            throw new SettingException("admission: " + e.getMessage(), e);
        }
        return rules;
    }

    /** Returns whether all nodes may come in. */
    boolean isEmpty() {
        return rule == null && own.isEmpty();
    }

    /** Returns the token that this node proves to know; empty for none. */
    byte[] token() {
        return token == null ? new byte[0] : token.own();
    }

    /** Decides about a node that wants to come in. Blocks as long as the program's rules do. */
    Verdict check(Newcomer newcomer) throws Exception {
        String objection = rule == null ? null : rule.objection(newcomer, false);
        if (objection != null) {
            return Verdict.refused(objection);
        }
        for (AdmissionRule each : own) {
            @Nullable Verdict verdict = each.check(newcomer);
            if (verdict == null) {
                throw new UndecidedException("a rule of the program has returned null");
            }
            if (!verdict.isAdmitted()) {
                return verdict;
            }
        }
        return Verdict.admitted();
    }

    /** Returns whether a node that is in may stay, by the rule of the settings: files of it have changed. */
    Verdict checkAgain(Newcomer newcomer) throws UndecidedException {
        String objection = rule == null ? null : rule.objection(newcomer, true);
        return objection == null ? Verdict.admitted() : Verdict.refused(objection);
    }

    /**
     * Reads the files that have changed; returns whether rules or tokens are other ones now. Blocks.
     *
     * @throws IOException if a file can't be used; its content before stays in force
     */
    boolean refresh() throws IOException {
        boolean isOther = token != null && token.refresh();
        return rule != null && rule.refresh() || isOther;
    }
}
