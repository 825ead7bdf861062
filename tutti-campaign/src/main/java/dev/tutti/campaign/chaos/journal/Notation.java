package dev.tutti.campaign.chaos.journal;

import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Converts members, view ids and views to words without spaces, and back.
 *
 * <pre>
 *   member   incarnation.join                  incarnation in hexadecimal
 *   view id  number.attempt@member
 *   parts    view-id/member,…/member=cut,…;…   or - if there are none
 * </pre>
 */
public final class Notation {

    private static final String NONE = "-";
    private static final String UNKNOWN = "unknown";

    private final Map<Long, NodeId> nodes;

    /** @param nodes nodes by incarnation, for reading; may grow */
    Notation(Map<Long, NodeId> nodes) {
        this.nodes = nodes;
    }

    // ------------------------------------------------------------------ writing

    public static String of(Member member) {
        return Long.toHexString(member.node().incarnation()) + "." + member.join();
    }

    public static String of(ViewId id) {
        return id.number() + "." + id.attempt() + "@" + of(id.proposer());
    }

    public static String of(List<Member> members) {
        return members.stream().map(Notation::of).collect(Collectors.joining(","));
    }

    static String parts(View view) {
        String text = view.parts().stream()
                .map(part -> of(part.previous()) + "/" + of(part.members()) + "/" + cut(part.cut()))
                .collect(Collectors.joining(";"));
        return text.isEmpty() ? NONE : text;
    }

    private static String cut(Map<Member, Long> cut) {
        return cut.entrySet().stream()
                .map(each -> of(each.getKey()) + "=" + each.getValue())
                .collect(Collectors.joining(","));
    }

    // ------------------------------------------------------------------ reading

    Member member(String text) {
        int dot = text.indexOf('.');
        long incarnation = Long.parseUnsignedLong(text, 0, dot, 16);
        // No such node was started. The checker will report that, and needs a name for it.
        NodeId node = nodes.computeIfAbsent(incarnation, key -> new NodeId(key, UNKNOWN, UNKNOWN));
        return new Member(node, Integer.parseInt(text.substring(dot + 1)));
    }

    /** Reports whether no process of the run is the node of a member that was read. */
    static boolean isUnknown(Member member) {
        return member.node().address().equals(UNKNOWN);
    }

    ViewId viewId(String text) {
        int at = text.indexOf('@');
        int dot = text.indexOf('.');
        return new ViewId(
                Long.parseLong(text.substring(0, dot)),
                Integer.parseInt(text.substring(dot + 1, at)),
                member(text.substring(at + 1)));
    }

    List<Member> members(String text) {
        List<Member> members = new ArrayList<>();
        for (String each : text.split(",")) {
            members.add(member(each));
        }
        return members;
    }

    View view(String id, String members, String parts) {
        List<View.Part> read = new ArrayList<>();
        if (!parts.equals(NONE)) {
            for (String part : parts.split(";")) {
                String[] fields = part.split("/", -1);
                TreeMap<Member, Long> cut = new TreeMap<>();
                if (!fields[2].isEmpty()) {
                    for (String each : fields[2].split(",")) {
                        int equals = each.indexOf('=');
                        cut.put(member(each.substring(0, equals)), Long.valueOf(each.substring(equals + 1)));
                    }
                }
                read.add(new View.Part(viewId(fields[0]), members(fields[1]), cut));
            }
        }
        return new View(viewId(id), members(members), read);
    }
}
