package dev.tutti.cli.node;

import dev.tutti.Message;
import dev.tutti.blocks.presence.Attributes;
import dev.tutti.cli.inspection.Inspected;
import dev.tutti.cli.terminal.Terminal;
import dev.tutti.core.Member;
import dev.tutti.core.Printable;
import dev.tutti.core.View;
import dev.tutti.internal.Json;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Prints a group's events, one line each: for people, or as JSON. */
final class Events {

    /** Most bytes of a message that are shown to people. */
    private static final int SHOWN_BYTES_MAX = 1_024;

    private final Terminal terminal;
    private final boolean isJson;

    Events(Terminal terminal, boolean isJson) {
        this.terminal = terminal;
        this.isJson = isJson;
    }

    /** @param attributes those of members, which are shown with them; null if they are not known here */
    void onView(String group, View view, @Nullable Attributes attributes) {
        if (isJson) {
            Map<String, Object> event = event("view", group);
            event.put("view", view.id().toString());
            event.put("coordinator", view.coordinator().name());
            event.put("members", view.members().stream().map(Member::name).toList());
            if (attributes != null) {
                Map<String, Object> known = new LinkedHashMap<>();
                view.members().forEach(member -> known.put(member.name(), attributes.of(member)));
                event.put("attributes", known);
            }
            terminal.print(Json.write(event));
        } else {
            String members = Printable.escape(
                    String.join(", ", view.members().stream().map(member -> shown(member, attributes)).toList()));
            terminal.print(terminal.faint("* " + Printable.escape(group) + ": view " + view.id().number() + ", "
                    + view.size() + (view.size() == 1 ? " member: " : " members: ") + members));
        }
    }

    private static String shown(Member member, @Nullable Attributes attributes) {
        String words = attributes == null ? "" : Inspected.words(attributes.of(member));
        return words.isEmpty() ? member.name() : member.name() + " (" + words + ")";
    }

    void onMessage(String group, Message message) {
        if (isJson) {
            Map<String, Object> event = event("message", group);
            event.put("sender", message.sender().name());
            byte[] bytes = message.bytes();
            String text = decode(bytes);
            event.put(text == null ? "base64" : "text", text == null ? Base64.getEncoder().encodeToString(bytes) : text);
            terminal.print(Json.write(event));
        } else {
            terminal.print(terminal.bold(Printable.escape(message.sender().name())) + ": " + shown(message));
        }
    }

    void onClosed(String group, String reason) {
        if (isJson) {
            Map<String, Object> event = event("left", group);
            event.put("reason", reason);
            terminal.print(Json.write(event));
        } else {
            terminal.print(terminal.faint("* " + Printable.escape(group) + ": " + Printable.escape(reason)));
        }
    }

    private static Map<String, Object> event(String kind, String group) {
        Map<String, Object> event = new LinkedHashMap<>();
        event.put("event", kind);
        event.put("group", group);
        return event;
    }

    private static String shown(Message message) {
        if (message.length() > SHOWN_BYTES_MAX) {
            return "(" + message.length() + " bytes)";
        }
        String text = decode(message.bytes());
        return text == null ? "(" + message.length() + " bytes, no text)" : Printable.escape(text);
    }

    /** Returns the text; null if the bytes are no UTF-8. */
    private static @Nullable String decode(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }
}
