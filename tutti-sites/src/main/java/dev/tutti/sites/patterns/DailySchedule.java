package dev.tutti.sites.patterns;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.List;

/**
 * Shifts of a day, in which one site after the other is active: follow the sun. A shift lasts until the next one begins.
 *
 * @param shifts in any order; at least two
 */
public record DailySchedule(List<Shift> shifts) {

    /**
     * Time of day from which a site is active.
     *
     * @param begin time on the clocks of {@code zone}; if these skip it in a night in spring, the shift begins by that much later
     */
    public record Shift(String site, LocalTime begin, ZoneId zone) {

        public Shift {
            requireNonNull(site, "site");
            requireNonNull(begin, "begin");
            requireNonNull(zone, "zone");
        }

        /** Returns the last time up to {@code now} at which this shift has begun. */
        Instant begunBefore(Instant now) {
            LocalDate today = now.atZone(zone).toLocalDate();
            ZonedDateTime begun = begin.atDate(today).atZone(zone);
            return (begun.toInstant().isAfter(now) ? begin.atDate(today.minusDays(1)).atZone(zone) : begun).toInstant();
        }
    }

    public DailySchedule {
        shifts = List.copyOf(shifts);
        if (shifts.size() < 2) {
            throw new IllegalArgumentException("a schedule has at least two shifts, not " + shifts);
        }
    }

    /** Returns a schedule of these shifts. */
    public static DailySchedule of(Shift... shifts) {
        return new DailySchedule(List.of(shifts));
    }

    /** Returns a shift of a site that begins at a time of day, such as {@code 08:00}, in a zone, such as {@code Europe/Berlin}. */
    public static Shift shift(String site, String begin, String zone) {
        return new Shift(site, LocalTime.parse(begin), ZoneId.of(zone));
    }

    /** Returns the shift at a time: the one that has begun last. */
    public Shift at(Instant now) {
        Shift last = shifts.getFirst();
        for (Shift shift : shifts) {
            last = shift.begunBefore(now).isAfter(last.begunBefore(now)) ? shift : last;
        }
        return last;
    }
}
