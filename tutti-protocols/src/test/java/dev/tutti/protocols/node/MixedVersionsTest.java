package dev.tutti.protocols.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.settings.Settings;
import dev.tutti.core.settings.Size;
import dev.tutti.protocols.LayerTest;
import dev.tutti.protocols.node.TestNetwork.Node;
import dev.tutti.protocols.node.TestNetwork.TestGroup;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Nodes of the present version and of the one before, in one cluster. */
class MixedVersionsTest {

    private static final int OLD = 1;
    private static final int NEW = 2;

    private final TestNetwork network = new TestNetwork();

    private Node node(int version, int port) {
        return network.nodeOfVersion(version, "n" + port, port, "host:1", "host:2", "host:3").start();
    }

    private void awaitOneView(TestGroup... groups) {
        network.runUntil(30 * TestNetwork.SECOND, () -> Stream.of(groups).allMatch(group -> group.members().size() == groups.length));
    }

    private static long number(TestGroup group, String name) {
        return LayerTest.numbers(group.node.machine::report).get(name);
    }

    @Test
    void haveViewsOfTheLowestVersionUntilTheLastOldMemberIsGone() {
        Node old = node(OLD, 1);
        TestGroup one = old.join("g");
        TestGroup two = node(NEW, 2).join("g");
        TestGroup three = node(NEW, 3).join("g");
        awaitOneView(one, two, three);
        for (TestGroup group : List.of(one, two, three)) {
            assertThat(number(group, "groups.g.membership.version")).isEqualTo(OLD);
        }
        assertThat(number(one, "links.n2.version")).isEqualTo(OLD);
        assertThat(number(two, "links.n1.version")).isEqualTo(OLD);
        assertThat(number(two, "links.n3.version")).isEqualTo(NEW);
        one.leave();
        awaitOneView(two, three);
        assertThat(number(two, "groups.g.membership.version")).isEqualTo(NEW);
        assertThat(number(three, "groups.g.membership.version")).isEqualTo(NEW);
    }

    @Test
    void settingsAreComparedByMeaningBetweenVersions() {
        Settings settings = Settings.of(GroupSettings.ALL).with(GroupSettings.WINDOW, Size.kibibytes(2_048));
        TestGroup one = node(OLD, 1).join("g", settings);
        TestGroup two = node(NEW, 2).join("g", settings.with(GroupSettings.WINDOW, Size.mebibytes(2)));
        awaitOneView(one, two);
    }

    @Test
    void differentSettingsAreNamedOnBothSides() {
        Node old = node(OLD, 1);
        Node present = node(NEW, 2);
        old.join("g");
        present.join("g", Settings.of(GroupSettings.ALL).with(GroupSettings.WINDOW, Size.mebibytes(4)));
        network.run(5 * TestNetwork.SECOND);
        assertThat(old.log()).contains("group g: stack differs: window is 1 MiB here and 4 MiB at n2");
        assertThat(present.log()).contains("group g: stack differs: window is 4 MiB here and 1 MiB at n1");
    }
}
