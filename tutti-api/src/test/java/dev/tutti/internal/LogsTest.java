package dev.tutti.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.spi.LocationAwareLogger;

class LogsTest {

    /** Keeps lines as a file would have them. */
    private static class Lines extends LegacyAbstractLogger {

        private static final long serialVersionUID = 1;

        final transient List<String> lines = new ArrayList<>();

        Lines() {
            name = "lines";
        }

        @Override
        public boolean isTraceEnabled() {
            return false;
        }

        @Override
        public boolean isDebugEnabled() {
            return false;
        }

        @Override
        public boolean isInfoEnabled() {
            return true;
        }

        @Override
        public boolean isWarnEnabled() {
            return true;
        }

        @Override
        public boolean isErrorEnabled() {
            return true;
        }

        @Override
        protected @Nullable String getFullyQualifiedCallerName() {
            return null;
        }

        @Override
        protected void handleNormalizedLoggingCall(
                Level level, @Nullable Marker marker, String pattern, Object @Nullable [] arguments, @Nullable Throwable thrown) {
            lines.add(level + " " + MessageFormatter.basicArrayFormat(pattern, arguments) + (thrown == null ? "" : " " + thrown));
        }
    }

    /** A logger that shows the place of a call. */
    private static final class Placed extends Lines implements LocationAwareLogger {

        private static final long serialVersionUID = 1;

        @Override
        public void log(Marker marker, String called, int level, String text, Object[] arguments, Throwable thrown) {
            lines.add(Level.intToLevel(level) + " " + text + (thrown == null ? "" : " " + thrown) + " below " + called);
        }
    }

    private static void write(Logger logger) {
        logger.info("node {}: {}", "a\nnode b", "gone \u001b[2J");
        logger.warn("{} of {}", "{}", 7);
        logger.error("failed {}", "x\r", new IllegalStateException("y"));
        logger.debug("not wanted");
    }

    @Test
    void aMessageIsOneLineWhateverOthersHavePutIntoIt() {
        Lines lines = new Lines();
        write(Logs.escaping(lines));
        assertThat(lines.lines).containsExactly(
                "INFO node a\\u000anode b: gone \\u001b[2J",
                "WARN {} of 7",
                "ERROR failed x\\u000d java.lang.IllegalStateException: y");
    }

    @Test
    void loggersThatShowThePlaceOfACallShowTheCaller() {
        Placed placed = new Placed();
        write(Logs.escaping(placed));
        assertThat(placed.lines).containsExactly(
                "INFO node a\\u000anode b: gone \\u001b[2J below org.slf4j.helpers.AbstractLogger",
                "WARN {} of 7 below org.slf4j.helpers.AbstractLogger",
                "ERROR failed x\\u000d java.lang.IllegalStateException: y below org.slf4j.helpers.AbstractLogger");
    }

    @Test
    void everyLoggerOfThisProjectEscapes() {
        assertThat(Logs.of(LogsTest.class).getClass()).isEqualTo(Logs.escaping(new Lines()).getClass());
        assertThat(Logs.named("dev.tutti.audit").getName()).isEqualTo("dev.tutti.audit");
    }
}
