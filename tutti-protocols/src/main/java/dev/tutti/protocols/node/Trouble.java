package dev.tutti.protocols.node;

import dev.tutti.core.NodeId;
import dev.tutti.protocols.discovery.Discovery.Outcome;
import dev.tutti.protocols.discovery.Discovery.Unmet;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Lasting problem that keeps a node from meeting others. The same kind, group and subject are the same trouble,
 * regardless of the text.
 *
 * @param group empty if it is about the node
 * @param subject address, host or node that it is about; empty if there is no single one
 * @param text the facts, for people: addresses, counts, the difference
 * @param advice the next step, for people
 */
public record Trouble(Kind kind, String group, String subject, String text, String advice) {

    /** Kind of a trouble. */
    public enum Kind {
        /** No session with any node, although addresses of others are known. */
        ALONE,
        /** An address refuses this node, does not trust it, or does not belong to a node, while others are met. */
        REFUSED,
        /** This node refuses connections from a host. */
        REFUSING,
        /** A node has a group of the same name that is set up differently. */
        MISMATCH,
        /** Two nodes of the cluster have the same name. */
        SAME_NAME
    }

    /** Number of addresses that are named; further ones are counted. */
    private static final int NAMED_MAX = 4;

    static Trouble mismatch(String group, NodeId node, String difference) {
        return new Trouble(
                Kind.MISMATCH,
                group,
                node.name() + " " + node.address(),
                "group " + group + " does not meet " + node.name() + " (" + node.address() + "): " + difference,
                "give group " + group + " the same settings at all members, and restart those that are wrong");
    }

    static Trouble sameName(NodeId first, NodeId second) {
        return new Trouble(
                Kind.SAME_NAME,
                "",
                first.address() + " " + second.address(),
                "two nodes are named '" + first.name() + "': one at " + first.address() + " and one at " + second.address(),
                "set name to another value at one of them");
    }

    static Trouble refusing(String host, String reason, boolean isNode) {
        return new Trouble(
                Kind.REFUSING,
                "",
                host + " " + reason,
                "this node refuses connections from " + host + ": " + reason,
                isNode
                        ? advice(Outcome.REFUSED, reason)
                        : "find out what connects from there, and point it to another port than this node's");
    }

    /** Adds one trouble for all addresses if no node is met, else one for each that does not pass by itself. */
    static void ofAddresses(NodeId self, boolean isAlone, List<Unmet> unmet, List<Trouble> troubles) {
        if (isAlone && !unmet.isEmpty()) {
            troubles.add(alone(self, unmet));
            return;
        }
        for (Unmet each : unmet) {
            switch (each.outcome()) {
                case UNTRUSTED, NO_NODE, REFUSED -> troubles.add(new Trouble(
                        Kind.REFUSED,
                        "",
                        each.address(),
                        "there is no session with " + each.address() + ": " + words(each.outcome()) + detail(each),
                        advice(each.outcome(), each.detail())));
                // The node is down, or not up yet.
                case NONE, NOBODY, SILENT, UNRESOLVED -> {}
            }
        }
    }

    private static Trouble alone(NodeId self, List<Unmet> unmet) {
        Map<Outcome, List<Unmet>> byOutcome = new EnumMap<>(Outcome.class);
        TreeSet<String> families = new TreeSet<>();
        boolean hasSeeds = false;
        for (Unmet each : unmet) {
            byOutcome.computeIfAbsent(each.outcome(), outcome -> new ArrayList<>()).add(each);
            families.add(family(each.address()));
            hasSeeds |= each.isSeed();
        }
        List<String> parts = new ArrayList<>();
        TreeSet<String> steps = new TreeSet<>();
        byOutcome.forEach((outcome, addresses) -> {
            parts.add(words(outcome) + " at " + named(addresses) + detail(addresses.getFirst()));
            addresses.forEach(each -> steps.add(advice(outcome, each.detail())));
        });
        String own = family(self.address());
        String other = own.equals("IPv4") ? "IPv6" : "IPv4";
        boolean isOtherFamily = families.size() == 1 && families.contains(other) && !own.equals("by name");
        String text = "this node is alone: no " + (hasSeeds ? "seed" : "other node") + " answers; " + String.join("; ", parts)
                + "; this node listens at " + self.address() + " (" + own + ")";
        String families1 = isOtherFamily
                ? "all seeds are " + other + " and this node is bound to " + own
                        + ": use one family in bind.address and discovery.seeds of all nodes; or "
                : "";
        return new Trouble(Kind.ALONE, "", "", text, families1 + String.join("; or ", steps));
    }

    /** Returns the addresses of one outcome, by family. */
    private static String named(List<Unmet> addresses) {
        TreeSet<String> families = new TreeSet<>();
        List<String> names = new ArrayList<>();
        for (Unmet each : addresses) {
            families.add(family(each.address()));
            if (names.size() < NAMED_MAX) {
                names.add(each.address());
            }
        }
        int more = addresses.size() - names.size();
        return (addresses.size() == 1 ? "" : addresses.size() + " addresses, ")
                + String.join(", ", names)
                + (more > 0 ? " and " + more + " more" : "")
                + " (" + String.join(" and ", families) + ")";
    }

    private static String family(String address) {
        if (address.startsWith("[")) {
            return "IPv6";
        }
        for (int index = 0; index < address.length(); index++) {
            char character = address.charAt(index);
            if (character != '.' && character != ':' && (character < '0' || '9' < character)) {
                return "by name";
            }
        }
        return "IPv4";
    }

    private static String detail(Unmet unmet) {
        return switch (unmet.outcome()) {
            // The words of the outcome are sufficient.
            case NONE, NOBODY, SILENT, UNRESOLVED -> "";
            case UNTRUSTED, NO_NODE, REFUSED -> unmet.detail().isEmpty() ? "" : ": " + unmet.detail();
        };
    }

    private static String words(Outcome outcome) {
        return switch (outcome) {
            case NONE -> "no dial has ended yet";
            case NOBODY -> "nobody listens";
            case SILENT -> "no answer";
            case UNRESOLVED -> "no address for the name";
            case UNTRUSTED -> "no trust";
            case NO_NODE -> "an answer that is no node's";
            case REFUSED -> "a refusal";
        };
    }

    private static String advice(Outcome outcome, String detail) {
        return switch (outcome) {
            case NONE, SILENT -> "look for a firewall, a wrong route or a machine that is off: tutti doctor";
            case NOBODY -> "start the other nodes, or correct discovery.seeds and their bind.address and bind.port";
            case UNRESOLVED -> "correct the name in discovery.seeds, or the name service";
            case UNTRUSTED -> "give all nodes the same security.secret, or certificates of one tls.authority: tutti doctor";
            case NO_NODE -> "correct the port in discovery.seeds; use TLS at all nodes or at none";
            case REFUSED -> refusalAdvice(detail);
        };
    }

    private static String refusalAdvice(String detail) {
        if (detail.contains("may not come in")) {
            return "if that node belongs to the cluster, correct admission.rule, its files, or the node";
        }
        if (detail.contains("no details (admission)")) {
            return "the log of the other node says why its admission.rule does not let this one in";
        }
        if (detail.contains("version without admission")) {
            return "set admission.rule when all nodes run a version that has it";
        }
        if (detail.contains("of cluster '")) {
            return "set cluster to the same name at all nodes, or take the address out of discovery.seeds";
        }
        if (detail.contains("protocol version")) {
            return "run versions of tutti that have a protocol version in common";
        }
        if (detail.contains("handshake in time")) {
            return "look for a machine that is overloaded, or for what else connects to this port";
        }
        if (detail.contains("TLS") || detail.contains("trust") || detail.contains("certificate")) {
            return "give all nodes the same security.secret, or certificates of one tls.authority: tutti doctor";
        }
        return "the log of the other node says more";
    }
}
