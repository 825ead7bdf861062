package dev.tutti;

import dev.tutti.core.NodeId;
import dev.tutti.core.Printable;
import dev.tutti.core.settings.NodeAttributes;
import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import dev.tutti.internal.Host;
import dev.tutti.internal.Logs;
import dev.tutti.internal.OperatorKey;
import dev.tutti.internal.diagnostics.EventJournal;
import dev.tutti.internal.settings.ApiSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Changes of a running node that an operator asks for at another node, through the console. A node permits them if its
 * setting {@code operator.key-file} names a file with a key; the node that asks has to prove that it knows the same key.
 * Each one is written to the {@linkplain Event.Kind#OPERATION events} and to the logger {@code
 * dev.tutti.audit}; those that are refused are counted, too.
 *
 * <p>One operation runs at a time; a further one is refused. All methods may be called from any thread.
 */
public final class Operations {

    /** Kinds of operation. */
    public enum Kind {
        /** Ends calls to this node: other members call it no more, and calls that were made before are answered. */
        DRAIN,
        /** Leaves a group. */
        LEAVE,
        /** Drains, leaves all groups and closes the node; its process goes on. */
        STOP,
        /** Ends the session with another node, and lets that process not come in again. */
        EXCLUDE,
        /** Changes a setting of a group. */
        CHANGE,
        /** Sets an attribute of this node, which it announces to the others. */
        SET_ATTRIBUTE,
        /** Removes an attribute of this node. */
        REMOVE_ATTRIBUTE;

        /** Returns the kind as documents write it: {@code leave}, {@code set-attribute}. */
        public String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        /**
         * Returns the kind that a text names.
         *
         * @throws IllegalArgumentException if there is none
         */
        public static Kind parse(String text) {
            for (Kind kind : values()) {
                if (kind.text().equals(text)) {
                    return kind;
                }
            }
            throw new IllegalArgumentException("there is no operation '" + text + "'; there are "
                    + String.join(", ", Arrays.stream(values()).map(Kind::text).toList()));
        }
    }

    /**
     * An operation.
     *
     * @param arguments the group to leave; name, address and incarnation of the node to exclude; group, setting and value of the
     *     change; or name and, if it is set, value of the attribute
     */
    public record Operation(Kind kind, List<String> arguments) {

        /** @throws IllegalArgumentException if the number of arguments is wrong, or one is too long */
        public Operation {
            arguments = List.copyOf(arguments);
            int expected = switch (kind) {
                case DRAIN, STOP -> 0;
                case LEAVE, REMOVE_ATTRIBUTE -> 1;
                case SET_ATTRIBUTE -> 2;
                case EXCLUDE, CHANGE -> 3;
            };
            if (arguments.size() != expected) {
                throw new IllegalArgumentException(
                        "the operation " + kind.text() + " has " + expected + " arguments, not " + arguments.size());
            }
            for (String argument : arguments) {
                if (argument.length() > ARGUMENT_LENGTH_MAX) {
                    throw new IllegalArgumentException("an argument of the operation " + kind.text() + " has " + argument.length()
                            + " characters, at most " + ARGUMENT_LENGTH_MAX);
                }
            }
        }

        public static Operation drain() {
            return new Operation(Kind.DRAIN, List.of());
        }

        public static Operation leave(String group) {
            return new Operation(Kind.LEAVE, List.of(group));
        }

        public static Operation stop() {
            return new Operation(Kind.STOP, List.of());
        }

        public static Operation exclude(NodeId node) {
            return new Operation(Kind.EXCLUDE, List.of(node.name(), node.address(), Long.toString(node.incarnation())));
        }

        public static Operation change(String group, String setting, String value) {
            return new Operation(Kind.CHANGE, List.of(group, setting, value));
        }

        public static Operation setAttribute(String name, String value) {
            return new Operation(Kind.SET_ATTRIBUTE, List.of(name, value));
        }

        public static Operation removeAttribute(String name) {
            return new Operation(Kind.REMOVE_ATTRIBUTE, List.of(name));
        }

        /** Returns the operation in words, with control characters escaped: {@code leave group orders}. */
        @Override
        public String toString() {
            return Printable.escape(switch (kind) {
                case DRAIN -> "drain calls";
                case LEAVE -> "leave group " + arguments.getFirst();
                case STOP -> "stop";
                case EXCLUDE -> "exclude node " + arguments.getFirst() + " (" + arguments.get(1) + ")";
                case CHANGE -> "set " + arguments.get(1) + " of group " + arguments.getFirst() + " to " + arguments.get(2);
                case SET_ATTRIBUTE -> "set attribute " + arguments.getFirst() + " to '" + arguments.get(1) + "'";
                case REMOVE_ATTRIBUTE -> "remove attribute " + arguments.getFirst();
            });
        }
    }

    /**
     * End of an operation.
     *
     * @param isDone whether it was done
     * @param text result, or why it was not done, for people
     */
    public record Outcome(boolean isDone, String text) {}

    /** Part of an application that stops to take work. */
    @FunctionalInterface
    public interface Drain {

        /** Ends work that others give to this member; returns whether there is none any more. Waits at most {@code within}. */
        boolean drain(Duration within);
    }

    private static final Logger LOG = Logs.named(Logs.AUDIT);

    private final Node node;
    private final Host host;
    private final EventJournal journal;
    private final @Nullable OperatorKey key;
    private final Map<String, Drain> drains = new ConcurrentSkipListMap<>();
    private final AtomicBoolean isBusy = new AtomicBoolean();
    private final LongAdder done = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder refused = new LongAdder();

    /** @throws SettingException if the file of the key can't be used */
    Operations(Node node, Settings settings, Host host, EventJournal journal) {
        this.node = node;
        this.host = host;
        this.journal = journal;
        this.key = OperatorKey.of(
                ApiSettings.OPERATOR_KEY_FILE.name(), settings.get(ApiSettings.OPERATOR_KEY_FILE), host::nanoTime);
    }

    // ------------------------------------------------------------------ parts of the application

    /**
     * Has {@code drain} called before the node stops, and for {@link Kind#DRAIN}.
     *
     * @param name unique at the node; a further one of the same name takes its place
     * @return to be closed when there is nothing to drain any more
     */
    public Subscription onDrain(String name, Drain drain) {
        drains.put(name, drain);
        return () -> drains.remove(name, drain);
    }

    // ------------------------------------------------------------------ asking

    /** Returns whether this node has a key: whether it permits operations, and can ask others for them. */
    public boolean isPermitted() {
        return key != null;
    }

    /** Returns a text to prove the key with, valid once and for 30 s; empty if this node permits no operations. */
    public String challenge() {
        OperatorKey known = key;
        return known == null ? "" : known.challenge();
    }

    /**
     * Returns the proof that this node knows the key, for one operation of one node.
     *
     * @param challenge challenge of the node that is asked
     * @param target node that is asked
     * @param user person who asks, for the events and the log
     * @throws IllegalStateException if this node has no key
     */
    public String prove(String challenge, NodeId target, String user, Operation operation) {
        OperatorKey known = key;
        if (known == null) {
            throw new IllegalStateException("node " + node.name() + " has no key of operators: set operator.key-file");
        }
        return known.prove(challenge, fields(target, user, operation));
    }

    private static List<String> fields(NodeId target, String user, Operation operation) {
        List<String> fields = new ArrayList<>(
                List.of(target.name(), target.address(), Long.toString(target.incarnation()), user, operation.kind().text()));
        fields.addAll(operation.arguments());
        return fields;
    }

    // ------------------------------------------------------------------ doing

    /**
     * Does what another node asks for. Waits until it is done, some seconds; {@link Kind#STOP} begins after the return.
     *
     * @param challenge challenge of this node, which is used up
     * @param proof {@link #prove proof} over it
     * @param user person who asks
     */
    public Outcome perform(String challenge, String proof, String user, Operation operation) {
        String who = Printable.escape(user.length() > USER_LENGTH_MAX ? user.substring(0, USER_LENGTH_MAX) + "…" : user);
        OperatorKey known = key;
        if (known == null) {
            return refuse(who, operation, "operator.key-file is not set");
        }
        if (!known.isProven(challenge, proof, fields(node.id(), user, operation))) {
            return refuse(who, operation, "the key of operators is another one, or the request came too late");
        }
        if (!isBusy.compareAndSet(false, true)) {
            return refuse(who, operation, "another operation is under way");
        }
        try {
            Outcome outcome = outcome(who, operation);
            (outcome.isDone() ? done : failed).increment();
            tell(who, operation, (outcome.isDone() ? "done: " : "failed: ") + outcome.text());
            return outcome;
        } finally {
            isBusy.set(false);
        }
    }

    private Outcome outcome(String user, Operation operation) {
        try {
            return new Outcome(true, done(user, operation));
        } catch (IllegalArgumentException | IllegalStateException | SendException e) {
            return new Outcome(false, Printable.escape(String.valueOf(e.getMessage())));
        }
    }

    private String done(String user, Operation operation) {
        List<String> arguments = operation.arguments();
        return switch (operation.kind()) {
            case DRAIN -> drained(drain());
            case LEAVE -> {
                group(arguments.getFirst()).close();
                yield node.name() + " has left group " + arguments.getFirst();
            }
            case STOP -> {
                // The answer goes out first.
                host.startAfter(STOP_DELAY_NANOS, "tutti-operator-stop", () -> {
                    drain();
                    node.close();
                });
                yield node.name() + " leaves its groups";
            }
            case EXCLUDE -> {
                NodeId other = nodeOf(arguments);
                if (other.equals(node.id())) {
                    throw new IllegalArgumentException("node " + node.name() + " can't exclude itself");
                }
                node.exclude(other, "excluded by the operator " + user);
                yield other.name() + " is excluded";
            }
            case CHANGE -> {
                group(arguments.getFirst()).member().change(arguments.get(1), arguments.get(2));
                yield arguments.get(1) + " of group " + arguments.getFirst() + " is " + arguments.get(2);
            }
            case SET_ATTRIBUTE -> {
                node.components().putAttribute(arguments.getFirst(), arguments.get(1));
                yield "attribute " + arguments.getFirst() + " of " + node.name() + " is " + Printable.escape(arguments.get(1));
            }
            case REMOVE_ATTRIBUTE -> {
                boolean wasThere = node.components().removeAttribute(arguments.getFirst());
                yield node.name() + (wasThere ? " has no attribute " : " had no attribute ") + Printable.escape(arguments.getFirst())
                        + (wasThere ? " any more" : "");
            }
        };
    }

    private static NodeId nodeOf(List<String> arguments) {
        try {
            return new NodeId(Long.parseLong(arguments.get(2)), arguments.getFirst(), arguments.get(1));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("an incarnation is a number, not '" + arguments.get(2) + "'", e);
        }
    }

    private Group group(String name) {
        if (name.startsWith(OWN_PREFIX)) {
            throw new IllegalArgumentException("group " + name + " is tutti's own");
        }
        return node.groups().stream()
                .filter(group -> group.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("node " + node.name() + " is not in group " + name));
    }

    private boolean drain() {
        long endNanos = host.nanoTime() + TimeUnit.SECONDS.toNanos(DRAIN_SECONDS_MAX);
        boolean isDrained = true;
        for (Map.Entry<String, Drain> each : drains.entrySet()) {
            long leftNanos = Math.max(1_000_000, endNanos - host.nanoTime());
            if (!each.getKey().startsWith(OWN_PREFIX)) {
                isDrained &= each.getValue().drain(Duration.ofNanos(leftNanos));
            }
        }
        return isDrained;
    }

    private String drained(boolean isDrained) {
        if (!isDrained) {
            throw new IllegalStateException("some members did not confirm within " + DRAIN_SECONDS_MAX + " s that they call no more");
        }
        return "calls to " + node.name() + " have ended";
    }

    private Outcome refuse(String user, Operation operation, String why) {
        refused.increment();
        LOG.warn("node {}: operator {} may not {}: {}", node.name(), user, operation, why);
        // Anybody in the cluster can cause it.
        journal.onFrequent(Event.Kind.OPERATION, "", "operator " + user + ", " + operation + ": refused", why, details(user, operation, "refused"));
        return new Outcome(false, why);
    }

    private void tell(String user, Operation operation, String outcome) {
        LOG.info("node {}: operator {}, {}: {}", node.name(), user, operation, outcome);
        boolean isOfGroup = operation.kind() == Kind.LEAVE || operation.kind() == Kind.CHANGE;
        journal.onAside(
                Event.Kind.OPERATION,
                isOfGroup ? operation.arguments().getFirst() : "",
                "operator " + user + ", " + operation + ": " + outcome,
                "",
                details(user, operation, outcome));
    }

    private static Map<String, ?> details(String user, Operation operation, String outcome) {
        return Map.of(
                "user", user, "operation", operation.kind().text(), "arguments", operation.arguments(), "outcome", outcome);
    }

    /** Returns counts of operations. */
    NodeInspection.Part part() {
        return new NodeInspection.Part(
                "operations",
                Map.of(),
                Map.of(
                        "permitted", key == null ? 0L : 1L,
                        "done", done.sum(),
                        "failed", failed.sum(),
                        "refused", refused.sum()),
                Map.of());
    }

    private static final int ARGUMENT_LENGTH_MAX = NodeAttributes.VALUE_MAX;
    private static final int USER_LENGTH_MAX = 128;
    private static final long DRAIN_SECONDS_MAX = 10;
    private static final long STOP_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** Beginning of the names of groups that are not the application's. */
    private static final String OWN_PREFIX = "tutti.";
}
