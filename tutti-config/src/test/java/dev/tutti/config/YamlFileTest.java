package dev.tutti.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.NodeSpec;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.settings.Settings.Source;
import dev.tutti.core.settings.Size;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class YamlFileTest {

    private enum Kind {
        FIFO,
        AT_MOST_ONCE
    }

    private static final Setting<String> CLUSTER = Setting.text("cluster", "tutti", "A text.");
    private static final Setting<List<String>> SEEDS = Setting.list("discovery.seeds", "A list.");
    private static final Setting<Duration> DEEP = Setting.duration(
            "a.b.c", Duration.ofSeconds(1), Duration.ZERO, Duration.ofHours(1), "Three levels.");
    private static final Setting<Boolean> SHALLOW = Setting.flag("a.d", false, "Two levels.");
    private static final Setting<Duration> DEEP_TOO = Setting.duration(
            "a.b.e", Duration.ofSeconds(1), Duration.ZERO, Duration.ofHours(1), "Three levels, with others between.");
    private static final Setting<Size> WINDOW =
            Setting.size("window", Size.mebibytes(2), Size.kibibytes(128), Size.mebibytes(512), "A size.");
    private static final Setting<Kind> STACK = Setting.choice("stack", Kind.class, Kind.FIFO, "A choice.");

    private static final NodeSpec BASE = NodeSpec.of(
            Stream.concat(
                            Stream.<Setting<?>>of(CLUSTER, SEEDS, DEEP, SHALLOW, DEEP_TOO),
                            TransportSettings.ALL.stream())
                    .toList(),
            List.of(WINDOW, STACK));

    @TempDir
    private Path directory;

    @Test
    void readsNodeGroupsAndTheirDefaults() throws IOException {
        Path file = write("""
                # who we are
                cluster: shop
                bind:
                  address: SITE_LOCAL
                  port: 7801
                discovery:
                  seeds:
                    - 10.0.0.1:7800
                    - '[::1]:7800-7810'
                group:
                  window: 4 MiB
                groups:
                  load:
                    stack: at-most-once
                """);
        NodeSpec spec = YamlFile.read(file, BASE);
        assertThat(spec.node().get(CLUSTER)).isEqualTo("shop");
        assertThat(spec.node().get(TransportSettings.BIND_PORT)).isEqualTo(7801);
        assertThat(spec.node().get(SEEDS)).containsExactly("10.0.0.1:7800", "[::1]:7800-7810");
        assertThat(spec.group("anything").get(WINDOW)).isEqualTo(Size.mebibytes(4));
        assertThat(spec.group("load").get(WINDOW)).isEqualTo(Size.mebibytes(4));
        assertThat(spec.group("load").get(STACK)).isEqualTo(Kind.AT_MOST_ONCE);
        assertThat(spec.group("anything").get(STACK)).isEqualTo(Kind.FIFO);
    }

    @Test
    void remembersFileAndLineOfEachValue() throws IOException {
        Path file = write("cluster: shop\n\nbind:\n  port: 1\n");
        Map<String, Settings.Value> values = YamlFile.read(file, BASE).node().explicit();
        assertThat(values.get("bind.port")).isEqualTo(new Settings.Value("1", Source.FILE, file + ":4"));
    }

    @Test
    void takesValuesOfAnotherFormatAsIfTheyStoodInAFile() {
        NodeSpec spec = YamlFile.of(
                List.of(
                        new PlacedValue(List.of("bind", "port"), "7801", "a:1"),
                        new PlacedValue(List.of("discovery", "seeds", "[1]"), "h:2", "a:3"),
                        new PlacedValue(List.of("discovery", "seeds", "[0]"), "h:1", "a:2"),
                        new PlacedValue(List.of("group"), "", "a:4"),
                        new PlacedValue(List.of("groups", "a.b"), "", "a:5"),
                        new PlacedValue(List.of("groups", "load", "window"), "2 MiB", "a:6")),
                BASE);
        assertThat(spec.node().explicit().get("bind.port")).isEqualTo(new Settings.Value("7801", Source.FILE, "a:1"));
        assertThat(spec.node().get(SEEDS)).containsExactly("h:1", "h:2");
        assertThat(spec.groups()).containsOnlyKeys("a.b", "load");
        assertThat(spec.group("load").get(WINDOW)).isEqualTo(Size.mebibytes(2));
        assertThat(YamlFile.of(List.of(), BASE)).isEqualTo(BASE);
    }

    @Test
    void namesThePlaceOfAWrongValueOfAnotherFormat() {
        assertThatThrownBy(() -> YamlFile.of(List.of(new PlacedValue(List.of("bind", "prt"), "1", "a:1")), BASE))
                .isInstanceOf(SettingException.class)
                .hasMessageStartingWith("a:1: ")
                .hasMessageContaining("prt");
        assertThatThrownBy(() -> YamlFile.of(
                        List.of(
                                new PlacedValue(List.of("bind"), "x", "a:1"),
                                new PlacedValue(List.of("bind", "port"), "1", "a:2")),
                        BASE))
                .hasMessageContaining("a:1: bind has a value here, and parts elsewhere");
    }

    @Test
    void readsDottedKeysAsLevels() {
        assertThat(parse("bind.port: 9\n").node().get(TransportSettings.BIND_PORT)).isEqualTo(9);
    }

    @Test
    void yieldsToWhatWasSetByTheBuilder() {
        NodeSpec base = BASE.withNode(BASE.node().with(CLUSTER, "built"));
        assertThat(YamlFile.parse("x", "cluster: filed\n", base).node().get(CLUSTER)).isEqualTo("built");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n\n", "# nothing but a comment\n", "---\n...\n", "~", "bind:\n", "group:\ngroups: ~\n"})
    void changesNothingIfNothingIsSaid(String text) {
        assertThat(YamlFile.print(parse(text))).isEmpty();
    }

    static Stream<Setting<?>> everySetting() {
        return Stream.concat(
                BASE.node().definitions().stream(), BASE.groupDefaults().definitions().stream());
    }

    @ParameterizedTest
    @MethodSource("everySetting")
    void readsWhatItPrintsForEverySetting(Setting<?> setting) {
        boolean ofNode = BASE.node().has(setting.name());
        String text = sample(setting);
        NodeSpec spec = ofNode
                ? BASE.withNode(set(BASE.node(), setting, text))
                : BASE.withGroupDefaults(set(BASE.groupDefaults(), setting, text))
                        .withGroup("a group: \"quoted\" #", set(BASE.groupDefaults(), setting, text));
        assertRoundTrip(spec);
    }

    @Test
    void readsWhatItPrintsOfEverythingTogether() {
        Settings node = BASE.node();
        for (Setting<?> setting : node.definitions()) {
            node = set(node, setting, sample(setting));
        }
        Settings group = BASE.groupDefaults();
        for (Setting<?> setting : group.definitions()) {
            group = set(group, setting, sample(setting));
        }
        NodeSpec spec = BASE.withNode(node)
                .withGroupDefaults(group)
                .withGroup("chat", group)
                .withGroup("null", group)
                .withGroup("- 1", Settings.of(group.definitions()));
        assertRoundTrip(spec);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", " ", "null", "~", "true", "7", "a: b", "a #b", "-", "- a", "[x]", "{y}", "\"", "'", "\\", "é",
                "\t", "line\nline", "\u2028", "\uFEFFx", "\u0001", "\u0085", "*", "&a", "!t", "%", "@", "`", "|", ">", "?",
                "a:", ":a", "...", "---", "=", "<<", "\uD83D\uDE00", "a  b", " a ", "C:\\keys\\node.pem", "0x1F", "1e3"})
    void readsWhatItPrintsOfEveryText(String text) {
        assertRoundTrip(BASE.withNode(BASE.node().with(CLUSTER, text)).withGroup("x" + text, BASE.groupDefaults()));
    }

    @Test
    void printsMapsInTheOrderOfTheDefinitions() {
        NodeSpec spec = parse("group: {window: 4 MiB}\na: {b: {e: 2 s, c: 1 ms}, d: true}\ndiscovery: {seeds: [x, y]}\n");
        assertThat(YamlFile.print(spec)).isEqualTo("""
                discovery:
                  seeds: [x, y]
                a:
                  d: true
                  b:
                    c: 1 ms
                    e: 2 s
                group:
                  window: 4 MiB
                """);
    }

    @Test
    void leavesOutWhatAPresetHasSet() {
        Settings node = BASE.node().with("cluster", "preset", Source.PRESET, "preset");
        assertThat(YamlFile.print(BASE.withNode(node))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "clutser: a | x.yaml:1: there is no setting 'clutser'; did you mean 'cluster'?",
        "bind: {prot: 1} | x.yaml:1: there is no setting 'bind.prot'; did you mean 'bind.port'?",
        "bnid: {port: 1} | x.yaml:1: there is no setting 'bnid'; did you mean 'bind'?",
        "port: 1 | x.yaml:1: there is no setting 'port'; did you mean 'bind.port'?",
        "grop: {window: 1 MiB} | x.yaml:1: there is no setting 'grop'; did you mean 'group'?",
        "bind: 7800 | x.yaml:1: 'bind' is no setting but has some: bind.address, bind.port",
        "bind: {port: {min: 1}} | x.yaml:1: bind.port is one value (number, 0 to 65535), not a map",
        "bind: {port: [1, 2]} | x.yaml:1: bind.port is one value (number, 0 to 65535), not a list",
        "bind: {port: many} | x.yaml:1: bind.port: 'many' is not a whole number (number, 0 to 65535)",
        "bind: {port: 70000} | x.yaml:1: bind.port: '70000' is outside 0 to 65535",
        "bind: {port: } | x.yaml:1: bind.port has no value; write \"\" for an empty text",
        "a: {d: yes} | x.yaml:1: a.d: 'yes' is neither true nor false",
        "a: {b: {c: 3}} | x.yaml:1: a.b.c: '3' has no unit; write a duration such as 250 ms or 3 s",
        "a: {b: {c: 3 parsec}} | x.yaml:1: a.b.c: '3 parsec' has the unit 'parsec'; a duration has",
        "group: {window: 4} | x.yaml:1: window: '4' has no unit; write a size such as 64 KiB or 1 MiB",
        "group: {window: 1 B} | x.yaml:1: window: '1 B' is outside 128 KiB to 512 MiB",
        "group: {stack: filo} | x.yaml:1: stack: 'filo' is not one of fifo, at-most-once",
        "group: {cluster: x} | x.yaml:1: there is no setting 'cluster'; there are window, stack",
        "group: [window] | x.yaml:1: 'group' is a map of settings that every group has, not a list",
        "groups: [chat] | x.yaml:1: 'groups' is a map from a group's name to its settings, not a list",
        "groups: {chat: fifo} | x.yaml:1: a group has a map of settings, not 'fifo'",
        "groups: {'': {}} | x.yaml:1: a group needs a name",
        "window: 4 MiB | x.yaml:1: 'window' is a setting of groups; write it under 'group'",
        "discovery: {seeds: [[a]]} | x.yaml:1: an element of discovery.seeds is a text",
        "discovery: {seeds: ['a,b']} | x.yaml:1: 'a,b' has a comma; write its parts as elements of their own",
        "just words | x.yaml:1: the file holds no settings; write one per line, such as 'cluster: shop'",
        "[a, b] | x.yaml:1: the file holds no settings",
        "? [a, b] | x.yaml:1: a key is a text",
        "cluster: !!java.net.URL a | x.yaml:1: 'tag:yaml.org,2002:java.net.URL' is a tag, which is not supported",
        "cluster: &x a | x.yaml:1: '&x' is an anchor, which is not supported; remove it",
        "cluster: *x | x.yaml:1: '*x' is an alias, which is not supported; write the value",
        "<<: {cluster: a} | x.yaml:1: '<<' is not supported",
        "cluster: a: b | x.yaml:1: this is no YAML: a colon where no key can be",
        "cluster: [a | x.yaml:1: this is no YAML: ",
    })
    void saysWhatIsWrongAndWhereAndWhatWouldBeRight(String text, String message) {
        assertThatThrownBy(() -> parse(text)).isInstanceOf(SettingException.class).hasMessageStartingWith(message);
    }

    @Test
    void namesTheLineOfTheMistakeInALongFile() {
        assertThatThrownBy(() -> parse("cluster: a\n# comment\nbind:\n  port: 1\n  adress: b\n"))
                .hasMessageStartingWith("x.yaml:5: there is no setting 'bind.adress'; did you mean 'bind.address'?");
    }

    @Test
    void refusesAKeyThatIsThereTwice() {
        assertThatThrownBy(() -> parse("cluster: a\nbind: {}\ncluster: b\n"))
                .hasMessage("x.yaml:3: the key 'cluster' is there twice, before at x.yaml:1");
        assertThatThrownBy(() -> parse("bind:\n  port: 1\nbind.port: 2\n"))
                .hasMessage("x.yaml:3: bind.port is set twice, before at x.yaml:2");
    }

    @Test
    void refusesTabs() {
        assertThatThrownBy(() -> parse("bind:\n\tport: 1\n")).hasMessage("x.yaml:2: this is no YAML: a tab; indent with spaces");
    }

    @Test
    void refusesASecondDocument() {
        assertThatThrownBy(() -> parse("cluster: a\n---\ncluster: b\n"))
                .hasMessageStartingWith("x.yaml:2: a second document begins");
    }

    @Test
    void refusesAliasesThatMultiply() {
        StringBuilder bomb = new StringBuilder("a: &a [x, x]\n");
        for (char letter = 'b'; letter < 'z'; letter++) {
            bomb.append(letter).append(": &").append(letter).append(" [*").append((char) (letter - 1)).append(", *")
                    .append((char) (letter - 1)).append("]\n");
        }
        assertThatThrownBy(() -> parse(bomb.toString())).isInstanceOf(SettingException.class).hasMessageContaining("anchor");
    }

    @Test
    void boundsDepthAndNumber() {
        assertThatThrownBy(() -> parse("[".repeat(100_000))).hasMessageContaining("nested more than 16 levels deep");
        assertThatThrownBy(() -> parse("discovery: {seeds: [" + "x,".repeat(YamlParser.NODES_MAX) + "]}"))
                .hasMessageContaining("more than 20000 keys and values");
    }

    @Test
    void boundsTheLengthOfAFile() throws IOException {
        Path file = write("#".repeat(YamlText.BYTES_MAX + 1));
        assertThatThrownBy(() -> YamlFile.read(file, BASE)).hasMessageStartingWith(file + ": longer than 1048576 bytes");
    }

    @Test
    void takesAFileOfTheGreatestLength() throws IOException {
        Path file = write("#".repeat(YamlText.BYTES_MAX));
        assertThat(YamlFile.print(YamlFile.read(file, BASE))).isEmpty();
    }

    @Test
    void saysWhyAFileCannotBeRead() {
        Path missing = directory.resolve("missing.yaml");
        assertThatThrownBy(() -> YamlFile.read(missing, BASE)).hasMessageStartingWith(missing + ": there is no such file");
        assertThatThrownBy(() -> YamlFile.read(directory, BASE)).hasMessageStartingWith(directory + ": this is a directory");
    }

    @Test
    void skipsAByteOrderMark() {
        byte[] bytes = "\uFEFFcluster: a\n".getBytes(StandardCharsets.UTF_8);
        assertThat(parse(YamlText.decode("x.yaml", bytes)).node().get(CLUSTER)).isEqualTo("a");
    }

    @Test
    void refusesOtherEncodingsByName() {
        assertThatThrownBy(() -> YamlText.decode("x.yaml", "cluster: a".getBytes(StandardCharsets.UTF_16)))
                .hasMessage("x.yaml:1: this is UTF-16; save it as UTF-8");
        assertThatThrownBy(() -> YamlText.decode("x.yaml", "a: b\nname: caf\u00e9 x\n".getBytes(StandardCharsets.ISO_8859_1)))
                .hasMessage("x.yaml:2: byte 0xe9 is not UTF-8; save the file as UTF-8");
        assertThatThrownBy(() -> YamlText.decode("x.yaml", new byte[] {'a', (byte) 0xC3}))
                .hasMessageStartingWith("x.yaml:1: byte 0xc3 is not UTF-8");
    }

    @Test
    void throwsNothingElseWhateverTheInput() {
        String valid = "cluster: shop\nbind: {port: 7801}\ndiscovery:\n  seeds: [a, \"b\"]\ngroups:\n  x: {window: 4 MiB}\n";
        String hostile = ":[]{}\"'&*!|>%@`#-?,\n\t \\\u0000\uD800~<";
        List<String> others = new ArrayList<>();
        for (int index = 0; index < valid.length(); index++) {
            for (int character = 0; character < hostile.length(); character++) {
                String text = valid.substring(0, index) + hostile.charAt(character) + valid.substring(index + 1);
                try {
                    assertRoundTrip(parse(text));
                } catch (SettingException e) {
                    assertThat(e).hasMessageStartingWith("x.yaml");
                } catch (RuntimeException e) {
                    others.add(text + " -> " + e);
                }
            }
        }
        assertThat(others).isEmpty();
    }

    private static String sample(Setting<?> setting) {
        String type = setting.type();
        if (type.equals("list")) {
            return "10.0.0.1:7800,[::1]:7800-7810,a b";
        }
        if (type.equals("true or false")) {
            return "true";
        }
        if (type.startsWith("one of")) {
            return type.substring(type.lastIndexOf(' ') + 1);
        }
        if (type.startsWith("number") || type.startsWith("duration") || type.startsWith("size")) {
            return type.substring(type.indexOf(" to ") + 4);
        }
        if (type.equals("word")) {
            return "carrier-pigeon-2";
        }
        return "C:\\a: \"b\" #c";
    }

    private static Settings set(Settings settings, Setting<?> setting, String text) {
        return settings.with(setting.name(), text, Source.FILE, "test");
    }

    private static void assertRoundTrip(NodeSpec spec) {
        String printed = YamlFile.print(spec);
        NodeSpec read = YamlFile.parse("printed.yaml", printed, BASE);
        assertThat(texts(read)).as(printed).isEqualTo(texts(spec));
        assertThat(YamlFile.print(read)).isEqualTo(printed);
    }

    private static Map<String, Map<String, String>> texts(NodeSpec spec) {
        Map<String, Map<String, String>> all = new TreeMap<>();
        all.put("node", texts(spec.node()));
        all.put("group", texts(spec.groupDefaults()));
        spec.groups().forEach((name, settings) -> all.put("groups/" + name, texts(settings)));
        return all;
    }

    private static Map<String, String> texts(Settings settings) {
        Map<String, String> texts = new TreeMap<>();
        settings.explicit().forEach((name, value) -> texts.put(name, value.text()));
        return texts;
    }

    private static NodeSpec parse(String text) {
        return YamlFile.parse("x.yaml", text, BASE);
    }

    private Path write(String text) throws IOException {
        return Files.writeString(directory.resolve("tutti.yaml"), text);
    }
}
