package dev.tutti.internal.inspection;

import dev.tutti.NodeInspection.GroupPart;
import dev.tutti.NodeInspection.LinkPart;
import dev.tutti.NodeInspection.MemberPart;
import dev.tutti.NodeInspection.Part;
import dev.tutti.NodeInspection.ThreadPart;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import dev.tutti.core.driver.Socket;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.stack.Report;
import dev.tutti.protocols.node.GroupSettings;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/** Builds an inspection from the loop's report of one turn and from the counters of other threads. */
public final class InspectionBuilder {

    /** Prefixes of a part's settings, for parts of the node whose settings do not begin with the name of the part. */
    private static final Map<String, List<String>> PREFIXES =
            Map.of("links", List.of("link."), "driver", List.of("transport.", "bind."));

    private InspectionBuilder() {}

    /** A report as a tree. A section with an address is one of several of its kind and stays apart from the others. */
    public static final class Section implements Report {

        final String name;
        final Map<String, Long> values = new LinkedHashMap<>();
        final Map<String, String> texts = new LinkedHashMap<>();
        private final List<Section> sections = new ArrayList<>();

        public Section(String name) {
            this.name = name;
        }

        @Override
        public void put(String key, long value) {
            values.put(key, value);
        }

        @Override
        public void put(String key, String value) {
            texts.put(key, value);
        }

        @Override
        public Section section(String key) {
            for (Section present : sections) {
                if (present.name.equals(key) && !present.isOneOfSeveral()) {
                    return present;
                }
            }
            Section section = new Section(key);
            sections.add(section);
            return section;
        }

        /** Returns a text of the first section of that name; empty if there is none. */
        public String text(String section, String key) {
            for (Section present : sections) {
                if (present.name.equals(section)) {
                    return present.texts.getOrDefault(key, "");
                }
            }
            return "";
        }

        boolean isOneOfSeveral() {
            return texts.containsKey("address");
        }

        List<Section> several() {
            return sections.stream().filter(Section::isOneOfSeveral).toList();
        }

        /** Returns the section as a part, with the sections below it except for those that are one of several. */
        Part part(String part, Map<String, String> settings) {
            Map<String, Long> allValues = new LinkedHashMap<>(values);
            Map<String, String> allTexts = new LinkedHashMap<>(texts);
            for (Section section : sections) {
                if (!section.isOneOfSeveral()) {
                    Part below = section.part(section.name, Map.of());
                    below.values().forEach((key, value) -> allValues.put(section.name + "." + key, value));
                    below.texts().forEach((key, value) -> allTexts.put(section.name + "." + key, value));
                }
            }
            return new Part(part, settings, allValues, allTexts);
        }
    }

    // ------------------------------------------------------------------ of the node

    public static List<Part> parts(Section root, Map<String, Long> driver, Section process, Map<String, String> settings) {
        List<Part> parts = new ArrayList<>();
        for (Section section : root.sections) {
            if (section.name.equals("groups")) {
                parts.add(groupsOfNode(section));
            } else if (!section.name.equals("node")) {
                parts.add(section.part(section.name, settingsOf(section.name, settings)));
            }
        }
        parts.add(new Part("driver", settingsOf("driver", settings), new TreeMap<>(driver), Map.of()));
        parts.add(process.part("process", Map.of()));
        return parts;
    }

    /** Returns what concerns no group in particular, and the groups that other nodes have and this one has not. */
    private static Part groupsOfNode(Section section) {
        Part elsewhere = section.section("elsewhere").part("elsewhere", Map.of());
        Map<String, String> texts = new LinkedHashMap<>(section.texts);
        elsewhere.texts().forEach((key, value) -> texts.put("elsewhere." + key, value));
        return new Part("groups", Map.of(), section.values, texts);
    }

    private static Map<String, String> settingsOf(String part, Map<String, String> settings) {
        List<String> prefixes = PREFIXES.getOrDefault(part, List.of(part + "."));
        return choose(settings, name -> beginsWithOne(name, prefixes));
    }

    /** A loop, as this is asked for each setting and part: a stream would be most of an inspection. */
    private static boolean beginsWithOne(String name, List<String> prefixes) {
        for (String prefix : prefixes) {
            if (name.startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }

    private static Map<String, String> choose(Map<String, String> settings, Predicate<String> isWanted) {
        Map<String, String> chosen = new LinkedHashMap<>();
        settings.forEach((name, text) -> {
            if (isWanted.test(name)) {
                chosen.put(name, text);
            }
        });
        return chosen;
    }

    /**
     * Returns settings by name, without secret ones. They never change, so that the inspected node or group can keep
     * them.
     */
    public static Map<String, String> texts(Settings settings) {
        Map<String, String> texts = new LinkedHashMap<>();
        for (Setting<?> setting : settings.definitions()) {
            if (!setting.isSecret()) {
                texts.put(setting.name(), settings.text(setting));
            }
        }
        return Collections.unmodifiableMap(texts);
    }

    // ------------------------------------------------------------------ of groups

    public static List<GroupPart> groups(Section root, Collection<InspectedGroup> groups) {
        Section reported = root.section("groups");
        List<GroupPart> parts = new ArrayList<>();
        for (InspectedGroup group : groups) {
            parts.add(group(reported.section(group.name()), group));
        }
        return parts;
    }

    private static GroupPart group(Section section, InspectedGroup group) {
        Map<String, String> settings = group.settingTexts();
        List<Part> parts = new ArrayList<>();
        parts.add(new Part("group", Map.of(), section.values, section.texts));
        List<Part> layers = new ArrayList<>();
        List<MemberPart> members = new ArrayList<>();
        for (Section below : section.sections) {
            if (below.name.equals("dropped")) {
                parts.add(below.part("dropped", Map.of()));
            } else {
                layers.add(below.part(below.name, choose(settings, isOfLayer(below.name))));
                for (Section one : below.several()) {
                    String address = one.texts.getOrDefault("address", "");
                    members.add(new MemberPart(one.name, address, new Part("pair", Map.of(), one.values, Map.of())));
                }
            }
        }
        parts.addAll(group.parts());
        String waitsFor = group.waitsFor();
        String boundedBy = section.text("reliability", "window-bounded-by");
        boolean isClosed = !waitsFor.isEmpty() && section.section("packing").values.getOrDefault("frozen", 0L) == 0;
        View view = group.installed();
        return new GroupPart(
                group.name(),
                group.member(),
                view,
                group.isReady(),
                order(group.settings()),
                waitsFor,
                isClosed ? boundedBy : "",
                settings,
                parts,
                layers,
                members);
    }

    private static Predicate<String> isOfLayer(String layer) {
        List<String> names = GroupSettings.ofLayer(layer).stream().map(Setting::name).toList();
        return name -> names.contains(name) || layer.startsWith("layer.") && name.startsWith(layer + ".");
    }

    private static String order(Settings settings) {
        GroupSettings.StackKind kind = settings.get(GroupSettings.STACK);
        return settings.text(GroupSettings.STACK)
                + (kind == GroupSettings.StackKind.TOTAL
                        ? " by " + settings.text(GroupSettings.TOTAL_BY) + ", " + settings.text(GroupSettings.TOTAL_DELIVERY)
                        : "");
    }

    // ------------------------------------------------------------------ of links

    public static List<LinkPart> links(Section root, List<Socket> sockets, List<GroupPart> groups) {
        Section links = root.section("links");
        List<String> silent = List.of(root.text("detection", "silent").split(", "));
        Map<String, Section> paths = new TreeMap<>();
        root.section("datagrams").several().forEach(path -> paths.put(path.texts.getOrDefault("address", ""), path));
        Map<Long, Socket> byConnection = new TreeMap<>();
        sockets.forEach(socket -> byConnection.put((long) socket.connection(), socket));
        List<LinkPart> parts = new ArrayList<>();
        for (Section link : links.several()) {
            String address = link.texts.getOrDefault("address", "");
            NodeId peer = new NodeId(link.values.getOrDefault("incarnation", 0L), link.name, address);
            List<Part> own = new ArrayList<>();
            own.add(link.part("link", Map.of()));
            Socket socket = byConnection.get(link.values.getOrDefault("connection", -1L));
            if (socket != null) {
                own.add(new Part("socket", Map.of(), socket.values(), Map.of("dialled", Boolean.toString(socket.isDialled()))));
            }
            Section path = paths.get(address);
            if (path != null) {
                own.add(path.part("path", Map.of()));
            }
            List<String> closes = groups.stream()
                    .filter(group -> group.windowClosedBy().equals(peer.name()))
                    .map(GroupPart::name)
                    .toList();
            parts.add(new LinkPart(
                    peer,
                    link.texts.getOrDefault("state", ""),
                    silent.contains(peer.name()),
                    closes,
                    socket == null ? "" : socket.local(),
                    socket == null ? path == null ? "" : address : socket.remote(),
                    own));
        }
        return parts;
    }

    // ------------------------------------------------------------------ of the process

    public static List<ThreadPart> threads(Collection<Thread> threads) {
        return threads.stream()
                .map(thread -> new ThreadPart(thread.getName(), thread.getState().name().toLowerCase(Locale.ROOT),
                        thread.isDaemon()))
                .toList();
    }
}
