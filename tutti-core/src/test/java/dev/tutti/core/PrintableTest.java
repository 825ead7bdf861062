package dev.tutti.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class PrintableTest {

    private static final List<String> HARMFUL = List.of(
            "a\nnode b: forged", "a\r", "a\u001b[2J", "\u009b2J", "a\0", "\u007f", "a\u202eb", "a\u2028b", "a\u2029b", "\ud800", "\u200f");

    private static final List<String> HARMLESS =
            List.of("", "n1", "Grüße 日本 \ud83d\ude00", "a\"*,=|'\\", "1.2.3.4:7800", "[::1]:7800");

    @Test
    void showsWhatTerminalsAndLogsWouldObey() {
        assertThat(HARMFUL).allSatisfy(text -> assertThat(Printable.escape(text)).matches("[\\x20-\\x7E]+").contains("\\u"));
        assertThat(Printable.escape("a\nb")).isEqualTo("a\\u000ab");
        assertThat(Printable.escape("a\tb")).isEqualTo("a\tb");
    }

    @Test
    void leavesOtherTextAsItIs() {
        assertThat(HARMLESS).allSatisfy(text -> assertThat(Printable.escape(text)).isSameAs(text));
    }

    @Test
    void namesThatWouldForgeALineAreRefusedWithThePlace() {
        assertThat(HARMFUL).noneMatch(Printable::isName);
        assertThat(HARMLESS).allMatch(Printable::isName);
        assertThat(Printable.isName("a\tb")).isFalse();
        assertThatThrownBy(() -> Printable.checkName("the name of a group", "a\u001b[1m"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the name of a group")
                .hasMessageContaining("a\\u001b[1m")
                .hasMessageContaining("no tabs");
    }

    @Test
    void nodesHaveNamesAndAddressesThatCanBePrinted() {
        assertThatThrownBy(() -> new NodeId(1, "a\nb", "h:1")).hasMessageContaining("a\\u000ab");
        assertThatThrownBy(() -> new NodeId(1, "a", "h\u001b:1")).hasMessageContaining("address");
    }

    @Test
    void decodersRefuseNodesWhoseNamesCannotBePrinted() {
        for (String bad : List.of("a\nb", "a\u001b")) {
            assertThat(isMalformed(bad, "h:1")).isTrue();
            assertThat(isMalformed("n", bad)).isTrue();
        }
        assertThat(isMalformed("n1", "h:1")).isFalse();
    }

    private static boolean isMalformed(String name, String address) {
        Packet node = Packet.create(Memory.onHeap(), 4_096);
        node.appendLong(7).appendText(name).appendText(address);
        Wire.takeNode(node);
        Packet member = Packet.create(Memory.onHeap(), 4_096);
        member.appendLong(7).appendText(name).appendText(address).appendInt(1);
        Wire.takeMember(member, new Members());
        assertThat(node.isMalformed()).isEqualTo(member.isMalformed());
        return node.isMalformed();
    }
}
