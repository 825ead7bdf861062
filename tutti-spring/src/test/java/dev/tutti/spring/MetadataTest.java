package dev.tutti.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.core.settings.Setting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The metadata by which editors complete application.yaml are those of the settings that there are. */
class MetadataTest {

    private static final Path FILE = Path.of("src/main/resources/META-INF/spring-configuration-metadata.json");

    @Test
    void metadataAreThoseOfTheSettings() throws IOException {
        String expected = metadata();
        if ("write".equals(System.getProperty("tutti.test.golden"))) {
            Files.writeString(FILE, expected);
        }
        assertThat(Files.readString(FILE)).as("-Dtutti.test.golden=write writes it anew").isEqualTo(expected);
    }

    private static String metadata() {
        List<String> properties = new ArrayList<>();
        for (Setting<?> setting : Node.defaults().node().definitions()) {
            properties.add(property("tutti." + setting.name(), setting));
        }
        for (Setting<?> setting : Node.defaults().groupDefaults().definitions()) {
            properties.add(property("tutti.group." + setting.name(), setting));
        }
        properties.add(property("tutti.groups", "java.util.Map<java.lang.String,java.util.Map<java.lang.String,java.lang.String>>",
                "Settings of one group, by its name: those under tutti.group.", ""));
        String own = "tutti.spring.";
        properties.add(property(own + "enabled", "java.lang.Boolean", "Switches the node on.", "true"));
        properties.add(property(own + "groups", "java.util.List<java.lang.String>", "Groups of messages to join, besides those with a listener.", ""));
        properties.add(property(own + "maps", "java.util.Map<java.lang.String,dev.tutti.spring.SpringSettings$OneMap>", "Replicated maps, by the names of their groups: order, values, time-to-live, entries-max.", ""));
        properties.add(property(own + "calls", "java.util.Map<java.lang.String,java.lang.Class<?>>", "Interfaces of services, by the names of their groups.", ""));
        properties.add(property(own + "allowed-classes", "java.util.List<java.lang.String>", "Classes that may be in sessions, caches and maps of objects, besides values of the JDK and the application's packages: com.shop.Cart, com.shop.*, com.shop.**.", ""));
        properties.add(property(own + "coordination", "java.lang.String", "Group of locks and elections.", "coordination"));
        properties.add(property(own + "health", "java.lang.String", "Address and port of the node's health and numbers over HTTP, ANY:9464 for example. They open after the web server.", ""));
        properties.add(property(own + "session.enabled", "java.lang.Boolean", "Switches the replication of HTTP sessions on.", "true"));
        properties.add(property(own + "session.group", "java.lang.String", "Group of the sessions.", "spring-session"));
        properties.add(property(own + "session.sync", "java.lang.Boolean", "Makes a request wait for what other nodes have saved before it; false where a balancer keeps each session at one node.", "true"));
        properties.add(property(own + "session.save-mode", "java.lang.String", "Attributes that a save writes: on-set-attribute, on-get-attribute, always.", "on-set-attribute"));
        properties.add(property(own + "cache.enabled", "java.lang.Boolean", "Switches the cache manager on.", "true"));
        properties.add(property(own + "cache.time-to-live", "java.time.Duration", "Time to live of entries; without limit if not set.", ""));
        properties.add(property(own + "cache.entries-max", "java.lang.Integer", "Entries of a cache; beyond, those go that have not been written for the longest time.", "10000"));
        properties.add(property(own + "cache.caches", "java.util.Map<java.lang.String,dev.tutti.spring.SpringSettings$OneCache>", "Caches with a time-to-live and entries-max of their own, by name.", ""));
        return "{\n  \"properties\": [\n" + String.join(",\n", properties) + "\n  ]\n}\n";
    }

    private static <T> String property(String name, Setting<T> setting) {
        String type = switch (setting.type()) {
            case "list" -> "java.util.List<java.lang.String>";
            case "true or false" -> "java.lang.Boolean";
            default -> setting.type().startsWith("number") ? "java.lang.Integer" : "java.lang.String";
        };
        return property(name, type, setting.description() + " (" + setting.type() + ")", setting.print(setting.defaultValue()));
    }

    private static String property(String name, String type, String description, String value) {
        String line = "    {\"name\": " + quoted(name) + ", \"type\": " + quoted(type) + ", \"description\": " + quoted(description);
        return line + (value.isEmpty() ? "" : ", \"defaultValue\": " + quoted(value)) + "}";
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
