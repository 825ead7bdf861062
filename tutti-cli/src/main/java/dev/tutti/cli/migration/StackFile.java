package dev.tutti.cli.migration;

import dev.tutti.cli.migration.Element.Attribute;
import dev.tutti.core.Printable;
import dev.tutti.core.settings.SettingException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The protocols of a stack file, from the transport upwards, with those of the files that it includes. */
final class StackFile {

    /** Name of the root of a stack. */
    static final String STACK = "config";

    static final int BYTES_MAX = 1024 * 1024;
    static final int INCLUDES_MAX = 4;
    static final int INCLUDED_MAX = 16;

    /**
     * Files that are in the jar of JGroups, and that its other files include. They are taken as JGroups 5.5 has them
     * where they do not lie beside the stack; attributes of threads and bundlers, which have no counterpart, are left out.
     */
    private static final Map<String, String> SHIPPED = Map.of(
            "udp-default.xml",
            """
            <config><UDP bind_addr="match-interface:eth2,match-interface:eth0,site_local,loopback"
              mcast_addr="${jgroups.udp.mcast_addr:239.8.8.8}" mcast_port="${jgroups.udp.mcast_port:45588}" diag.enabled="true"/></config>
            """,
            "tcp-default.xml",
            """
            <config><TCP bind_addr="match-interface:eth2,match-interface:eth0,site_local,loopback"
              bind_port="7800" sock_conn_timeout="300ms" diag.enabled="true"/></config>
            """,
            "nio-default.xml",
            """
            <config><TCP_NIO2 bind_addr="match-interface:eth2,match-interface:eth0,site_local,loopback"
              bind_port="7800" sock_conn_timeout="300ms" diag.enabled="true"/></config>
            """);

    private final Placeholders placeholders;
    private int included;

    StackFile(Placeholders placeholders) {
        this.placeholders = placeholders;
    }

    /**
     * Returns the root of a file, with the protocols of included files in the place of includes.
     *
     * @throws SettingException if a file can't be read, is no XML or includes something outside of its directory
     */
    Element read(Path file) {
        return read(file, String.valueOf(file.getFileName()), INCLUDES_MAX);
    }

    private Element read(Path file, String label, int includesLeft) {
        Element root = XmlReader.read(label, text(file));
        // What is no stack is refused as such, whatever stands in it.
        return root.name().equals(STACK) ? resolve(root, file, includesLeft) : root;
    }

    private Element resolve(Element element, Path file, int includesLeft) {
        List<Attribute> attributes = element.attributes().stream()
                .map(each -> new Attribute(each.name(), each.place(), each.raw(), placeholders.resolve(each.place(), each.raw())))
                .toList();
        List<Element> children = new ArrayList<>();
        for (Element child : element.children()) {
            Element resolved = resolve(child, file, includesLeft);
            if (resolved.name().equals("include")) {
                children.addAll(included(resolved, file, includesLeft));
            } else {
                children.add(resolved);
            }
        }
        return new Element(element.name(), element.place(), attributes, List.copyOf(children));
    }

    /** Returns the protocols of an included file; attributes of the include are those of its transport, and win. */
    private List<Element> included(Element include, Path file, int includesLeft) {
        String name = include.value("file").orElse("");
        if (includesLeft == 0 || ++included > INCLUDED_MAX) {
            throw error(include, "is too much: files include each other at most " + INCLUDES_MAX + " deep, and " + INCLUDED_MAX + " in all");
        }
        boolean isName = !name.isBlank() && !name.contains("://") && name.chars().noneMatch(Character::isISOControl);
        Path directory = file.toAbsolutePath().normalize().resolveSibling("");
        Path other = directory.resolve(isName ? name : "..").normalize();
        if (!other.startsWith(directory)) {
            throw error(include, "includes '" + Printable.escape(name) + "'; a stack includes files of its own directory or below: copy it there");
        }
        String shipped = SHIPPED.get(name);
        List<Element> protocols;
        if (Files.exists(other)) {
            protocols = read(other, name, includesLeft - 1).children();
        } else if (shipped != null) {
            protocols = resolve(XmlReader.read(name + " of JGroups", shipped), file, includesLeft - 1).children();
        } else {
            throw error(include, "includes '" + Printable.escape(name) + "', which is not beside it; copy it there");
        }
        List<Attribute> own = include.attributes().stream().filter(each -> !each.name().equals("file")).toList();
        return protocols.stream().map(protocol -> overridden(protocol, own)).toList();
    }

    private static Element overridden(Element protocol, List<Attribute> attributes) {
        List<Attribute> all = new ArrayList<>(attributes);
        protocol.attributes().stream()
                .filter(each -> attributes.stream().noneMatch(other -> other.name().equals(each.name())))
                .forEach(all::add);
        return new Element(protocol.name(), protocol.place(), List.copyOf(all), protocol.children());
    }

    private static String text(Path file) {
        if (Files.isDirectory(file)) {
            throw new SettingException(file + ": this is a directory; name a file in it");
        }
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(BYTES_MAX + 1);
            if (bytes.length > BYTES_MAX) {
                throw new SettingException(file + ": longer than " + BYTES_MAX + " bytes; is it a stack of JGroups?");
            }
            String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
            return text.startsWith("\uFEFF") ? text.substring(1) : text;
        } catch (NoSuchFileException e) {
            throw new SettingException(file + ": there is no such file (looked in " + Path.of("").toAbsolutePath() + ")", e);
        } catch (CharacterCodingException e) {
            throw new SettingException(file + ": not UTF-8; save it as UTF-8", e);
        } catch (IOException e) {
            throw new SettingException(file + ": can't be read: " + e.getMessage(), e);
        }
    }

    private static SettingException error(Element element, String message) {
        return new SettingException(element.place() + ": <include> " + message);
    }
}
