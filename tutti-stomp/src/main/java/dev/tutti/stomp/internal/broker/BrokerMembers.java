package dev.tutti.stomp.internal.broker;

import dev.tutti.Group;
import dev.tutti.Message;
import dev.tutti.Node;
import dev.tutti.SendException;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.internal.Logs;
import dev.tutti.stomp.internal.codec.Content;
import dev.tutti.stomp.internal.codec.Destination;
import dev.tutti.stomp.internal.codec.Envelope;
import dev.tutti.stomp.internal.codec.FrameException;
import dev.tutti.stomp.internal.codec.Headers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The members that serve STOMP and where their clients reach them: a group of its own, in which each tells newcomers its
 * endpoints. Thread-safe.
 */
public final class BrokerMembers {

    /** Receives the information for clients. */
    public interface Listener {

        void onInfo(Publication info);

        void onMalformed(Member sender, String reason);

        void onClosed(String group, String reason);
    }

    private static final Logger LOG = Logs.of(BrokerMembers.class);

    /** Limit up to which newcomers are told one by one; if there are more, all members are told at once. */
    private static final int ALONE_MAX = 4;

    /** Limit of other members that CONNECTED names: a client needs some, not all. */
    private static final int NAMED_MAX = 16;

    private final String name;
    private final String own;
    private final Listener listener;
    private final TreeMap<Member, String> endpoints = new TreeMap<>();
    private @Nullable Group group;
    private @Nullable View view;
    private long changes;
    private Publication info;

    /** @param own endpoints, separated by commas */
    public BrokerMembers(String name, String own, Listener listener) {
        this.name = name;
        this.own = own;
        this.listener = listener;
        this.info = describe();
    }

    public void join(Node node) {
        Group joined = node.group(name)
                .onMessage(this::onMessage)
                .onView(this::onView)
                .onClosed(reason -> listener.onClosed(name, reason))
                .join();
        synchronized (this) {
            group = joined;
        }
        announce(joined, null);
        change(_ -> {});
    }

    public void close() {
        Group joined;
        synchronized (this) {
            joined = group;
        }
        if (joined != null) {
            joined.close();
        }
    }

    /** Returns the latest information for clients. */
    public synchronized Publication info() {
        return info;
    }

    /** Returns endpoints of other members, separated by commas; in a large group not those of all. */
    public synchronized String others() {
        return String.join(",", otherEndpoints(NAMED_MAX));
    }

    private List<String> otherEndpoints(int membersMax) {
        Member self = group == null ? null : group.self();
        List<String> others = new ArrayList<>();
        int count = 0;
        for (var entry : endpoints.entrySet()) {
            if (!entry.getKey().equals(self) && !entry.getValue().isEmpty() && count < membersMax) {
                others.add(entry.getValue());
                count++;
            }
        }
        return others;
    }

    // ------------------------------------------------------------------ the group's listeners

    private void onMessage(Message message) {
        Member sender = message.sender();
        try {
            if (Envelope.decode(message.bytes()) instanceof Envelope.Endpoints(String text)) {
                change(all -> all.computeIfPresent(sender, (_, _) -> text));
            } else {
                listener.onMalformed(sender, "a message that is no endpoints");
            }
        } catch (FrameException e) {
            listener.onMalformed(sender, e.text());
        }
    }

    private void onView(View next) {
        Group joined;
        synchronized (this) {
            view = next;
            joined = group;
        }
        change(all -> {
            all.keySet().retainAll(next.members());
            next.members().forEach(member -> all.putIfAbsent(member, ""));
        });
        // Before join has returned, nobody can be told; it tells everybody afterwards.
        if (joined != null) {
            Set<Member> known = next.transitionalSet(joined.self());
            List<Member> newcomers =
                    next.members().stream().filter(member -> !known.contains(member)).toList();
            if (newcomers.size() > ALONE_MAX) {
                announce(joined, null);
            } else {
                newcomers.forEach(newcomer -> announce(joined, newcomer));
            }
        }
    }

    /** @param receiver null for all */
    private void announce(Group joined, @Nullable Member receiver) {
        byte[] bytes = Envelope.encode(new Envelope.Endpoints(own));
        try {
            CompletableFuture<Void> accepted =
                    receiver == null ? joined.sendAsync(bytes) : joined.sendToAsync(receiver, bytes);
            accepted.whenComplete((_, error) -> {
                if (error != null) {
                    LOG.warn("group {}: endpoints were not told: {}", name, error.getMessage());
                }
            });
        } catch (SendException e) {
            LOG.debug("group {}: {} has left before it was told endpoints: {}", name, receiver, e.getMessage());
        }
    }

    private void change(Consumer<TreeMap<Member, String>> change) {
        Publication next;
        synchronized (this) {
            change.accept(endpoints);
            changes++;
            next = describe();
            info = next;
        }
        listener.onInfo(next);
    }

    // ------------------------------------------------------------------ what clients read

    private synchronized Publication describe() {
        View current = view;
        StringBuilder json = new StringBuilder("{\"view\":").append(current == null ? 0 : current.id().number());
        json.append(",\"members\":[");
        Member self = group == null ? null : group.self();
        String separator = "";
        if (current != null) {
            for (Member member : current.members()) {
                boolean isSelf = member.equals(self);
                json.append(separator).append("{\"name\":");
                quote(member.name(), json);
                json.append(",\"self\":").append(isSelf).append(",\"endpoints\":[");
                String text = endpoints.getOrDefault(member, "");
                String comma = "";
                for (String endpoint : text.isEmpty() ? List.<String>of() : List.of(text.split(",", -1))) {
                    json.append(comma);
                    quote(endpoint, json);
                    comma = ",";
                }
                json.append("]}");
                separator = ",";
            }
        }
        json.append("]}");
        Headers headers = Headers.of(
                "content-type", "application/json",
                "view", current == null ? "0" : Long.toString(current.id().number()),
                "endpoints", String.join(",", otherEndpoints(NAMED_MAX)));
        Destination destination = new Destination("/" + Destination.INFO, List.of(Destination.INFO));
        byte[] body = json.toString().getBytes(StandardCharsets.UTF_8);
        return new Publication(Publication.INFO_GROUP, "info", changes, 0, new Content(destination, headers, body));
    }

    private static void quote(String text, StringBuilder json) {
        json.append('"');
        for (int index = 0; index < text.length(); index++) {
            char character = text.charAt(index);
            if (character == '"' || character == '\\') {
                json.append('\\').append(character);
            } else if (character < ' ') {
                json.append(String.format("\\u%04x", (int) character));
            } else {
                json.append(character);
            }
        }
        json.append('"');
    }
}
