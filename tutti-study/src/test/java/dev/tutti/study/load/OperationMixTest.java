package dev.tutti.study.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.study.setup.Operation;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class OperationMixTest {

    @Test
    void wholeMixHasThePapersRequests() {
        List<Operation> mix = OperationMix.list(1);
        assertThat(mix).hasSize(OperationMix.REQUESTS);
        assertThat(Collections.frequency(mix, Operation.CREATE_USER)).isEqualTo(10);
        assertThat(Collections.frequency(mix, Operation.DELETE_USER)).isEqualTo(10);
        assertThat(Collections.frequency(mix, Operation.CREATE_PROJECT)).isEqualTo(1_000);
        assertThat(Collections.frequency(mix, Operation.UPLOAD)).isEqualTo(1_000);
    }

    @Test
    void shareOfTheMixHasEachOperation() {
        assertThat(OperationMix.list(0.01)).contains(
                Operation.CREATE_USER, Operation.DELETE_USER, Operation.CREATE_PROJECT, Operation.UPLOAD);
    }
}
