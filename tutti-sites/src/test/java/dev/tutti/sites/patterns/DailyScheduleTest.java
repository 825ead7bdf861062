package dev.tutti.sites.patterns;

import static dev.tutti.sites.patterns.DailySchedule.shift;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DailyScheduleTest {

    private static final DailySchedule SUN = DailySchedule.of(
            shift("berlin", "08:00", "Europe/Berlin"),
            shift("denver", "09:00", "America/Denver"),
            shift("tokyo", "08:00", "Asia/Tokyo"));

    @ParameterizedTest
    @CsvSource({
        "2026-01-15T06:59:59Z, tokyo",
        "2026-01-15T07:00:00Z, berlin",
        "2026-01-15T15:59:59Z, berlin",
        "2026-01-15T16:00:00Z, denver",
        "2026-01-15T22:59:59Z, denver",
        "2026-01-15T23:00:00Z, tokyo",
        // The clocks of Berlin and Denver are an hour ahead in summer, those of Tokyo are not.
        "2026-07-15T06:00:00Z, berlin",
        "2026-07-15T15:00:00Z, denver",
        "2026-07-15T22:59:59Z, denver",
    })
    void theShiftThatHasBegunLastIsOn(String now, String site) {
        assertThat(SUN.at(Instant.parse(now)).site()).isEqualTo(site);
    }

    @Test
    void aTimeThatANightInSpringSkipsComesLater() {
        DailySchedule nights = DailySchedule.of(shift("a", "02:30", "Europe/Berlin"), shift("b", "12:00", "Europe/Berlin"));
        assertThat(nights.at(Instant.parse("2026-03-29T01:29:59Z")).site()).isEqualTo("b");
        assertThat(nights.at(Instant.parse("2026-03-29T01:30:00Z")).site()).isEqualTo("a");
        Instant begun = nights.at(Instant.parse("2026-03-29T09:00:00Z")).begunBefore(Instant.parse("2026-03-29T09:00:00Z"));
        assertThat(begun.atZone(ZoneId.of("Europe/Berlin")).toLocalDate()).isEqualTo(LocalDate.of(2026, 3, 29));
    }

    @Test
    void aScheduleHasTwoShifts() {
        assertThatThrownBy(() -> DailySchedule.of(shift("a", "02:30", "Europe/Berlin")))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("at least two shifts");
    }
}
