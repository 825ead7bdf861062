package dev.tutti.cli.migration;

import dev.tutti.cli.migration.Element.Attribute;
import dev.tutti.cli.migration.Element.Place;
import dev.tutti.cli.migration.Finding.Outcome;
import dev.tutti.cli.migration.Rule.Use;
import dev.tutti.cli.migration.Rule.Verdict;
import dev.tutti.core.Printable;
import dev.tutti.core.settings.NodeSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The translation of one stack: its settings, and a finding for each protocol and attribute. */
final class Translation {

    private static final Pattern SECRET = Pattern.compile("(?i).*(password|secret|auth_value|passcode|apikey|access_key).*");
    private static final int SHOWN_MAX = 120;

    private final Draft draft;
    private final List<Finding> findings = new ArrayList<>();
    private final Map<String, Finding> origins = new TreeMap<>();

    private Translation(NodeSpec defaults) {
        draft = new Draft(defaults);
    }

    /** @param defaults all settings that there are */
    static Translation of(Element root, NodeSpec defaults) {
        Translation translation = new Translation(defaults);
        translation.translate(root);
        return translation;
    }

    NodeSpec spec() {
        return draft.spec();
    }

    List<Finding> findings() {
        return List.copyOf(findings);
    }

    List<Finding> refusals() {
        return findings.stream().filter(each -> each.outcome() == Outcome.REFUSED).toList();
    }

    /** Returns what people have to do before a node can start. */
    List<String> tasks() {
        return draft.tasks();
    }

    /** Returns the finding from which a setting comes; groups' settings begin with "group.". */
    @Nullable Finding origin(String setting) {
        return origins.get(setting);
    }

    private void translate(Element root) {
        if (!root.name().equals(StackFile.STACK)) {
            note(root, null, new Verdict(Outcome.REFUSED, "", "is no stack of protocols; name a file whose root is <" + StackFile.STACK + ">, and for sites see docs/operating/sites.md"));
            return;
        }
        for (Element protocol : root.children()) {
            translateProtocol(protocol);
        }
        complete(root);
    }

    private void translateProtocol(Element protocol) {
        Protocol row = StackTable.protocol(protocol.name());
        if (row == null) {
            boolean isDiscovery = protocol.name().endsWith("PING");
            Verdict verdict = isDiscovery
                    ? Verdict.refused("is a discovery that tutti does not know", "write <TCPPING> in its place, or use NodeBuilder.discover in code")
                    : new Verdict(Outcome.UNKNOWN, "", "not in the table; a protocol of your own is a LayerProvider: docs/operating/layers.md");
            note(protocol, null, verdict);
            protocol.attributes().forEach(each -> note(protocol, each, new Verdict(Outcome.UNKNOWN, "", "of a protocol that is unknown")));
            return;
        }
        // Attributes come first: some protocols depend on them. The report has the protocol before them.
        int index = findings.size();
        for (Attribute attribute : protocol.attributes()) {
            Rule rule = row.rule(attribute.name().replaceFirst("^auth_token\\.", ""));
            note(protocol, attribute, rule == null
                    ? new Verdict(Outcome.UNKNOWN, "", "no attribute of " + protocol.name() + " in JGroups 5.5")
                    : applied(rule, new Use(protocol, attribute.value(), draft)));
        }
        Verdict itself = applied(row.itself(), new Use(protocol, "", draft));
        if (itself.outcome() == Outcome.REFUSED) {
            findings.subList(index, findings.size()).replaceAll(Translation::withoutProtocol);
        }
        note(protocol, null, itself);
        findings.add(index, findings.removeLast());
        for (Element child : protocol.children()) {
            note(child, null, Verdict.dropped("part of " + protocol.name()));
        }
    }

    /** Returns the finding of an attribute whose protocol is refused, and with it the attribute. */
    private static Finding withoutProtocol(Finding finding) {
        boolean isDecided = finding.outcome() != Outcome.KEPT || !finding.setting().isEmpty();
        return isDecided
                ? finding
                : new Finding(finding.place(), finding.protocol(), finding.attribute(), finding.value(), Outcome.DROPPED, "", "its protocol is refused");
    }

    private static Verdict applied(Rule rule, Use use) {
        try {
            return rule.apply(use);
        } catch (IllegalArgumentException | ArithmeticException e) {
            return Verdict.refused("is " + String.valueOf(e.getMessage()), "correct it");
        }
    }

    /** Adds what the protocols mean together, and refuses what is no stack. */
    private void complete(Element root) {
        List<String> names = root.children().stream().map(each -> each.name().replaceFirst(".*\\.", "")).toList();
        if (!names.contains("GMS")) {
            note(root, null, Verdict.refused(
                    "has no pbcast.GMS: it is a part that other files include, or its members see no views",
                    "name the file that includes it"));
            return;
        }
        Element transport = root.children().getFirst();
        if (!draft.has("transport.protocol")) {
            note(transport, null, Verdict.refused(
                    "is the lowest protocol, and no transport that tutti knows", "begin the stack with <TCP> or <UDP>"));
            return;
        }
        boolean isReliable = names.stream().anyMatch(name -> name.startsWith("NAKACK"));
        if (!isReliable && !draft.has("group.stack")) {
            imply(transport, "group.stack", "unreliable", "there is no NAKACK");
        }
        boolean isLocal = draft.text("transport.protocol").equals("local");
        if (!draft.has("bind.address") && !draft.has("rendezvous.relay") && !isLocal) {
            imply(transport, "bind.address", "NON_LOOPBACK", "the default of JGroups");
        }
        boolean hasPort = draft.has("bind.port") && draft.text("bind.port").equals("0");
        if (!draft.has("bind.port-range") && !hasPort && !isLocal) {
            imply(transport, "bind.port-range", "10", "the default of JGroups");
        }
        if (draft.has("detection.heartbeat") && !draft.has("detection.timeout")) {
            imply(transport, "detection.timeout", "40 s", "the default of JGroups, as the interval is set");
        }
        secure(transport, isLocal);
        matchVersions();
    }

    /** Names such as SITE_LOCAL may stand for an address of IPv6, where a multicast group is one of IPv4. */
    private void matchVersions() {
        boolean isName = !draft.text("bind.address").matches(".*[.:].*") && !draft.text("bind.address").equals("LOOPBACK");
        for (String setting : List.of("transport.multicast.address", "discovery.multicast.address")) {
            if (draft.has(setting) && isName) {
                draft.task("if this machine has addresses of IPv4 and IPv6, set bind.address to the one whose version " + setting
                        + " has, " + draft.text(setting));
            }
        }
    }

    private void secure(Element transport, boolean isLocal) {
        boolean isSecure = draft.has("security.secret-file") || draft.has("tls.certificate");
        String address = draft.text("bind.address").toLowerCase(Locale.ROOT);
        boolean isLoopback = (address.equals("loopback") || address.equals("localhost") || address.startsWith("127.") || address.equals("::1"))
                && !draft.has("rendezvous.relay");
        if (!isSecure && !isLoopback && !isLocal) {
            imply(transport, "security.insecure", "true", "the stack encrypts nothing: everybody who reaches the port can join and"
                    + " read, as with JGroups; security.secret-file ends that");
        }
    }

    private void imply(Element transport, String setting, String value, String reason) {
        draft.set(setting, value);
        note(transport, null, new Verdict(Outcome.KEPT, setting, reason));
    }

    private void note(Element protocol, @Nullable Attribute attribute, Verdict verdict) {
        Place place = attribute == null ? protocol.place() : attribute.place();
        Finding finding = new Finding(
                place,
                shown(protocol.name()),
                attribute == null ? "" : shown(attribute.name()),
                attribute == null ? "" : value(attribute),
                verdict.outcome(),
                verdict.setting(),
                explained(attribute, verdict));
        findings.add(finding);
        for (String setting : settings()) {
            origins.putIfAbsent(setting, finding);
        }
        if (!verdict.setting().isEmpty() && verdict.outcome() != Outcome.DROPPED && draft.has(verdict.setting())) {
            origins.put(verdict.setting(), finding);
        }
    }

    private List<String> settings() {
        List<String> all = new ArrayList<>(spec().node().explicit().keySet());
        spec().groupDefaults().explicit().keySet().forEach(each -> all.add("group." + each));
        return all;
    }

    /** Secrets are in no report: their texts could repeat them, too. */
    private static String explained(@Nullable Attribute attribute, Verdict verdict) {
        if (attribute == null || attribute.value().isEmpty() || !SECRET.matcher(attribute.name()).matches()) {
            return Printable.escape(verdict.explanation());
        }
        return Printable.escape(verdict.explanation().replace(attribute.value(), "(not shown)"));
    }

    private static String value(Attribute attribute) {
        if (SECRET.matcher(attribute.name()).matches()) {
            return "(not shown)";
        }
        String raw = shown(attribute.raw());
        return attribute.raw().equals(attribute.value()) ? raw : raw + " = " + shown(attribute.value());
    }

    private static String shown(String text) {
        return Printable.escape(text.length() > SHOWN_MAX ? text.substring(0, SHOWN_MAX) + "..." : text);
    }
}
