package dev.tutti;

import dev.tutti.NodeInspection.GroupPart;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Whether a node works, and whether it can do its part: {@link Node#health}.
 *
 * @param isAlive whether the loop answers; if not, only a restart helps
 * @param isReady whether all groups that were asked for are joined, with their state: whether work may be given to this process
 * @param reasons why it is not alive or not ready, or what is strange although it is, in words; empty if all is well
 */
public record Health(boolean isAlive, boolean isReady, List<String> reasons) {

    public Health {
        reasons = List.copyOf(reasons);
    }

    /** The health of a node that has answered. */
    static Health of(NodeInspection node) {
        List<String> hindrances = new ArrayList<>();
        List<String> remarks = new ArrayList<>();
        if (!node.state().equals("running")) {
            hindrances.add("the node is " + node.state());
        }
        for (GroupPart group : node.groups()) {
            NodeInspection.Part state = group.part("state");
            if (!group.isJoined()) {
                String phase = state.text("phase");
                hindrances.add("group " + group.name() + " is not joined yet"
                        + (phase.isEmpty() || phase.equals("complete") ? "" : ": its state is " + phase));
            }
            String failure = group.part("delivery").text("last-failure");
            if (!failure.isEmpty()) {
                remarks.add("group " + group.name() + ": " + failure);
            }
            if (!group.waitsFor().isEmpty()) {
                remarks.add("sends to group " + group.name() + " wait: " + group.waitsFor());
            }
        }
        for (NodeInspection.LinkPart link : node.links()) {
            if (link.isSuspected()) {
                remarks.add(link.peer().name() + " (" + link.peer().address() + ") is not heard");
            }
        }
        if (node.part("detection").value("stretch") > 1) {
            remarks.add("this node's loop was late not long ago");
        }
        boolean isReady = hindrances.isEmpty();
        hindrances.addAll(remarks);
        return new Health(true, isReady, hindrances);
    }

    /** As nested maps, for JSON. */
    public Map<String, Object> document() {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("alive", isAlive);
        document.put("ready", isReady);
        document.put("reasons", reasons);
        return document;
    }
}
