package dev.tutti.console.internal;

import dev.tutti.Operations.Kind;
import dev.tutti.Operations.Operation;
import dev.tutti.Operations.Outcome;
import dev.tutti.core.NodeId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Operations on members, for people and programs whose role permits them. A change of a setting goes to one member or to
 * all of the group, one of an attribute to one member or to all that announce attributes; a node is excluded by all others or by none: if one of them does not permit it, nobody is asked.
 */
final class Operators {

    /** Name of the member that stands for all. */
    static final String ALL = "*";

    /**
     * Request of a person or program.
     *
     * @param member name of the member to change, or {@link #ALL}
     * @param arguments of the operation, without the node to exclude: that is the member
     */
    record Request(Kind kind, String member, List<String> arguments) {

        /** Returns the request in words, for the log. */
        @Override
        public String toString() {
            String at = member.equals(ALL) ? "all members" : member;
            return switch (kind) {
                case DRAIN -> "drain calls to " + at;
                case LEAVE -> "have " + at + " leave group " + String.join(" ", arguments);
                case STOP -> "stop " + at;
                case EXCLUDE -> "exclude " + at;
                case CHANGE -> "change a setting of " + at + ": " + String.join(" ", arguments);
                case SET_ATTRIBUTE -> "set an attribute of " + at + ": " + String.join("=", arguments);
                case REMOVE_ATTRIBUTE -> "remove an attribute of " + at + ": " + String.join("", arguments);
            };
        }
    }

    private final Witnesses witnesses;

    Operators(Witnesses witnesses) {
        this.witnesses = witnesses;
    }

    /**
     * Does what is asked for. Waits some seconds at most.
     *
     * @param user person or program who asks
     * @param cluster present figures, as {@link PageContent} makes them
     * @return outcomes by the member that was asked; in place of a member's name empty if nobody was asked
     */
    Map<String, Outcome> operate(String user, Request request, Map<String, Object> cluster) {
        Map<String, Doc> members = new TreeMap<>();
        new Doc(cluster).list("members").forEach(member -> members.put(member.text("name"), member));
        String who = user + " at the console of " + witnesses.self();
        try {
            return switch (request.kind()) {
                case EXCLUDE -> exclude(who, request.member(), members);
                case DRAIN, LEAVE, STOP, CHANGE, SET_ATTRIBUTE, REMOVE_ATTRIBUTE -> {
                    Operation operation = new Operation(request.kind(), request.arguments());
                    yield request.member().equals(ALL)
                            ? each(who, all(request, members, cluster), operation)
                            : each(who, List.of(request.member()), operation);
                }
            };
        } catch (IllegalArgumentException e) {
            return Map.of("", new Outcome(false, String.valueOf(e.getMessage())));
        }
    }

    private static List<String> all(Request request, Map<String, Doc> members, Map<String, Object> cluster) {
        if (request.kind() == Kind.SET_ATTRIBUTE || request.kind() == Kind.REMOVE_ATTRIBUTE) {
            // Nobody knows of a silent member whether it announces any: the outcome says that it was not changed.
            List<String> found = members.keySet().stream()
                    .filter(name -> isSilent(members, name) || members.getOrDefault(name, Doc.EMPTY).is("announces"))
                    .toList();
            if (found.stream().allMatch(name -> isSilent(members, name))) {
                throw new IllegalArgumentException("no member announces attributes: programs have to join them, by Attributes.join");
            }
            return found;
        }
        if (request.kind() != Kind.CHANGE) {
            throw new IllegalArgumentException("only settings and attributes are changed at all members at once");
        }
        for (Doc group : new Doc(cluster).list("groups")) {
            if (group.text("name").equals(request.arguments().getFirst())) {
                return group.list("members").stream().map(member -> member.text("name")).toList();
            }
        }
        throw new IllegalArgumentException("nobody is in group " + request.arguments().getFirst());
    }

    private static boolean isSilent(Map<String, Doc> members, String name) {
        return members.getOrDefault(name, Doc.EMPTY).text("state").equals("silent");
    }

    private Map<String, Outcome> exclude(String who, String name, Map<String, Doc> members) {
        Doc target = members.get(name);
        if (target == null) {
            throw new IllegalArgumentException("no member is called " + name);
        }
        if (name.equals(witnesses.self())) {
            throw new IllegalArgumentException(name + " serves this console: exclude it at the console of another member");
        }
        List<String> others = new ArrayList<>(members.keySet());
        others.remove(name);
        TreeSet<String> unwilling = new TreeSet<>();
        for (String other : others) {
            if (!members.getOrDefault(other, Doc.EMPTY).is("operable")) {
                unwilling.add(other);
            }
        }
        if (!unwilling.isEmpty()) {
            throw new IllegalArgumentException("nobody was asked, because these members do not permit it or do not answer, and would keep "
                    + name + ": " + String.join(", ", unwilling));
        }
        NodeId node = new NodeId(Long.parseLong(target.text("incarnation")), name, target.text("address"));
        return each(who, others, Operation.exclude(node));
    }

    private Map<String, Outcome> each(String who, List<String> names, Operation operation) {
        Map<String, Outcome> outcomes = new LinkedHashMap<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Map<String, Future<Outcome>> open = new LinkedHashMap<>();
            names.forEach(name -> open.put(name, threads.submit(() -> witnesses.operate(name, who, operation))));
            for (Map.Entry<String, Future<Outcome>> each : open.entrySet()) {
                outcomes.put(each.getKey(), each.getValue().get());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException("a member can't be asked: " + e.getCause(), e);
        }
        return outcomes;
    }
}
