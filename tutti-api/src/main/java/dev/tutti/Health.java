package dev.tutti;

import dev.tutti.NodeInspection.GroupPart;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Health of a node: whether it works, and whether it can do its part. See {@link Node#health}.
 *
 * <p>A node is not ready if it can't keep its own part of the groups' guarantees: a group that it should be in is not
 * joined, waits for its state, has ended by itself or is outside of the primary partition; a listener does not return;
 * the loop stands still. A condition that is caused by other nodes or by the configuration is a problem and leaves the
 * node ready: it is alone, it is refused, a group is set up differently elsewhere, sends wait for a slow member. So the
 * healthy first node of a cluster is not killed for being alone, and still reports it. {@link Problem.Kind#isReady} has
 * the rule for each kind of problem.
 *
 * @param isAlive whether the loop answers; if not, only a restart helps
 * @param isReady whether work may be given to this process
 * @param reasons reasons why it is not alive or not ready, or warnings if it is healthy, in words; empty if all is well
 * @param problems problems that last, the oldest first; also among the reasons
 */
public record Health(boolean isAlive, boolean isReady, List<String> reasons, List<Problem> problems) {

    public Health {
        reasons = List.copyOf(reasons);
        problems = List.copyOf(problems);
    }

    /** Returns the health of a node that has answered. */
    static Health of(NodeInspection node) {
        List<String> hindrances = new ArrayList<>();
        List<String> remarks = new ArrayList<>();
        List<Problem> problems = node.problems();
        boolean isReady = problems.stream().allMatch(problem -> problem.kind().isReady());
        if (!node.state().equals("running")) {
            hindrances.add("the node is " + node.state());
        }
        for (GroupPart group : node.groups()) {
            if (!group.isJoined()) {
                isReady = false;
                String phase = group.part("state").text("phase");
                if (!has(problems, group.name(), Problem.Kind.JOIN_STUCK, Problem.Kind.STATE_STUCK)) {
                    hindrances.add("group " + group.name() + " is not joined yet"
                            + (phase.isEmpty() || phase.equals("complete") ? "" : ": its state is " + phase));
                }
            }
            String failure = group.part("delivery").text("last-failure");
            if (!failure.isEmpty()) {
                remarks.add("group " + group.name() + ": " + failure);
            }
            if (!group.waitsFor().isEmpty() && !has(problems, group.name(), Problem.Kind.SEND_STUCK, Problem.Kind.SUSPENDED)) {
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
        isReady &= hindrances.isEmpty();
        Stream<String> reasons = Stream.of(hindrances.stream(), words(problems), remarks.stream()).flatMap(each -> each);
        return new Health(true, isReady, reasons.toList(), problems);
    }

    /** Returns the health of a node whose loop has not answered. */
    static Health ofSilent(String reason, List<Problem> problems) {
        return new Health(false, false, Stream.concat(Stream.of(reason), words(problems)).toList(), problems);
    }

    private static boolean has(List<Problem> problems, String group, Problem.Kind one, Problem.Kind other) {
        return problems.stream()
                .anyMatch(problem -> problem.group().equals(group) && (problem.kind() == one || problem.kind() == other));
    }

    private static Stream<String> words(List<Problem> problems) {
        return problems.stream().map(problem -> problem.text() + "; next step: " + problem.advice());
    }

    /** Returns the health as nested maps, for JSON. */
    public Map<String, Object> document() {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("alive", isAlive);
        document.put("ready", isReady);
        document.put("reasons", reasons);
        document.put("problems", problems.stream().map(Problem::document).toList());
        return document;
    }
}
