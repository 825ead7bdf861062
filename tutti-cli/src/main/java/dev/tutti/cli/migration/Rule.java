package dev.tutti.cli.migration;

import dev.tutti.cli.migration.Finding.Outcome;
import dev.tutti.core.settings.SettingException;
import java.util.function.UnaryOperator;

/** Translation of one attribute, or of a protocol as such. */
@FunctionalInterface
interface Rule {

    Verdict apply(Use use);

    /**
     * An attribute where it is used.
     *
     * @param value the attribute's value; empty if the rule is that of a protocol
     */
    record Use(Element protocol, String value, Draft draft) {

        /** Returns another attribute of the protocol. */
        String value(String attribute, String otherwise) {
            return protocol.value(attribute).orElse(otherwise);
        }
    }

    /**
     * Result of a rule.
     *
     * @param setting the setting that was set; empty if there is none
     * @param explanation difference or reason
     */
    record Verdict(Outcome outcome, String setting, String explanation) {

        static Verdict kept(String explanation) {
            return new Verdict(Outcome.KEPT, "", explanation);
        }

        static Verdict changed(String setting, String explanation) {
            return new Verdict(Outcome.CHANGED, setting, explanation);
        }

        static Verdict dropped(String explanation) {
            return new Verdict(Outcome.DROPPED, "", explanation);
        }

        static Verdict refused(String reason, String right) {
            return new Verdict(Outcome.REFUSED, "", reason + "; " + right);
        }
    }

    /** Returns a rule for what always holds at tutti. */
    static Rule always(String explanation) {
        return use -> Verdict.kept(explanation);
    }

    static Rule kept(String setting, UnaryOperator<String> form) {
        return set(setting, form, new Verdict(Outcome.KEPT, setting, ""));
    }

    static Rule changed(String setting, UnaryOperator<String> form, String difference) {
        return set(setting, form, Verdict.changed(setting, difference));
    }

    /** Returns a rule for a protocol that stands for one value of a setting. */
    static Rule stands(String setting, String value) {
        return kept(setting, ignored -> value);
    }

    static Rule dropped(String reason) {
        return use -> Verdict.dropped(reason);
    }

    static Rule refused(String reason, String right) {
        return use -> Verdict.refused(reason, right);
    }

    /** Returns a rule for a protocol that means nothing without one of its attributes. */
    static Rule needs(String attribute, String example) {
        return use -> use.value(attribute, "").isEmpty()
                ? Verdict.refused("has no " + attribute, "write it, " + attribute + "=\"" + example + "\" for example")
                : Verdict.kept("set by " + attribute);
    }

    private static Rule set(String setting, UnaryOperator<String> form, Verdict done) {
        return use -> {
            String text;
            try {
                text = form.apply(use.value());
            } catch (IllegalArgumentException e) {
                return Verdict.refused("is " + e.getMessage(), "correct it");
            }
            return tried(setting, use, text, done);
        };
    }

    /** Sets a setting, unless it does not take the value: then the attribute is dropped with the reason. */
    static Verdict tried(String setting, Use use, String text, Verdict done) {
        try {
            use.draft().set(setting, text);
            return done;
        } catch (SettingException e) {
            return Verdict.dropped("the default of " + setting + " stands: " + String.valueOf(e.getMessage()).replace("migrate: ", ""));
        }
    }
}
