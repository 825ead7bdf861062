package dev.tutti.internal;

import java.io.PrintStream;
import java.io.Serial;
import java.time.Instant;
import java.util.ServiceLoader;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.helpers.NOPLoggerFactory;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * Loggers of this project: those of SLF4J, or, where it has no provider, ones that write warnings and errors to standard
 * error, so that nothing goes wrong in silence. A program that has chosen {@code slf4j-nop} has chosen silence.
 */
public final class Logs {

    /** System property that silences what is written for want of a provider, with the value {@code off}. */
    public static final String PROPERTY = "tutti.log";

    private static final String NOTICE = "tutti: SLF4J has no provider, so tutti writes its warnings and errors to standard error. Add a"
            + " provider (logback-classic, log4j-slf4j2-impl, slf4j-simple) to see and configure all of its log, or set -D" + PROPERTY
            + "=off for silence.";

    private static final AtomicBoolean IS_NOTICED = new AtomicBoolean();

    private Logs() {}

    /** The logger of a class. */
    public static Logger of(Class<?> owner) {
        Logger logger = LoggerFactory.getLogger(owner);
        return isMute() && !"off".equals(System.getProperty(PROPERTY)) ? new StandardError(owner.getName()) : logger;
    }

    private static boolean isMute() {
        return LoggerFactory.getILoggerFactory() instanceof NOPLoggerFactory
                && System.getProperty("slf4j.provider") == null
                && ServiceLoader.load(SLF4JServiceProvider.class, LoggerFactory.class.getClassLoader()).findFirst().isEmpty();
    }

    /** Writes warnings and errors, a line each, with what was thrown below. */
    private static final class StandardError extends LegacyAbstractLogger {

        @Serial
        private static final long serialVersionUID = 1;

        StandardError(String name) {
            this.name = name;
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
            return false;
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
            PrintStream out = System.err;
            String text = MessageFormatter.basicArrayFormat(pattern, arguments);
            synchronized (out) {
                if (IS_NOTICED.compareAndSet(false, true)) {
                    out.println(NOTICE);
                }
                out.println(Instant.now() + " " + level + " " + name + ": " + text);
                if (thrown != null) {
                    thrown.printStackTrace(out);
                }
            }
        }
    }
}
