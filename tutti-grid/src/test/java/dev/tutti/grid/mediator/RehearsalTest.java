package dev.tutti.grid.mediator;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RehearsalTest {

    @Test
    void measurementsGoAllTheWayToAClient() {
        // Those before the filters are known are not for it.
        assertThat(Rehearsal.rehearse(100)).isGreaterThan(100);
    }
}
