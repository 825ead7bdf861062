package dev.tutti.demo;

import java.util.ArrayList;
import java.util.List;

/**
 * Status that a node reports about itself.
 *
 * @param node its name
 * @param view number of its view; 0 if it has none
 * @param members members of the view by rank, so that the first is the coordinator
 * @param sessions number of sessions that it holds
 * @param requests number of requests that it has answered
 */
record NodeStatus(String node, long view, List<String> members, int sessions, long requests) {

    NodeStatus {
        members = List.copyOf(members);
    }

    /** Returns the name of the coordinator; empty without a view. */
    String coordinator() {
        return members.isEmpty() ? "" : members.getFirst();
    }

    String text() {
        return "node " + node + "\nview " + view + "\nmembers " + String.join(" ", members) + "\nsessions " + sessions
                + "\nrequests " + requests + "\n";
    }

    /** @throws IllegalArgumentException if {@code text} has not the format of {@link #text} */
    static NodeStatus parse(String text) {
        List<String> values = new ArrayList<>();
        List<String> names = List.of("node", "view", "members", "sessions", "requests");
        List<String> lines = text.lines().toList();
        for (int i = 0; i < names.size(); i++) {
            String line = i < lines.size() ? lines.get(i) : "";
            String prefix = names.get(i) + " ";
            if (!line.startsWith(prefix)) {
                throw new IllegalArgumentException("no status: '" + line + "' where '" + prefix + "' is expected");
            }
            values.add(line.substring(prefix.length()));
        }
        List<String> members = new ArrayList<>();
        for (String member : values.get(2).split(" ")) {
            if (!member.isEmpty()) {
                members.add(member);
            }
        }
        return new NodeStatus(
                values.get(0),
                Long.parseLong(values.get(1)),
                members,
                Integer.parseInt(values.get(3)),
                Long.parseLong(values.get(4)));
    }
}
