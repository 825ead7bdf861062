package dev.tutti.protocols;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.protocols.GroupModel.Proc;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Without faults: how many views it takes. */
class GroupTest {

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 8})
    void membersThatStartTogetherComeToOneViewAtOnce(int count) {
        GroupModel model = new GroupModel(count, 128 * 1024);
        model.connectAll();
        model.settle();
        model.checkAtRest();
        for (Proc proc : model.procs) {
            assertThat(proc.history).as("views of %s", proc.member).hasSize(2);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 6})
    void aJoinIsOneViewChange(int before) {
        GroupModel model = new GroupModel(before, 128 * 1024);
        model.connectAll();
        model.settle();
        int views = model.procs.getFirst().history.size();
        Proc newcomer = model.add();
        model.connectAll();
        model.settle();
        model.checkAtRest();
        assertThat(model.procs.getFirst().history).hasSize(views + 1);
        assertThat(newcomer.history).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void aCrashIsOneViewChange(int crashed) {
        GroupModel model = new GroupModel(3, 128 * 1024);
        model.connectAll();
        model.settle();
        int views = model.procs.getFirst().history.size();
        model.crash(model.procs.get(crashed));
        model.heal();
        model.checkAtRest();
        for (Proc proc : model.up()) {
            assertThat(proc.history).hasSize(views + 1);
        }
    }
}
