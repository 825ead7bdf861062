package dev.tutti.internal;

import dev.tutti.core.Printable;
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
import org.slf4j.helpers.AbstractLogger;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.helpers.NOPLoggerFactory;
import org.slf4j.spi.LocationAwareLogger;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * Loggers of this project: those of SLF4J or, if it has no provider, loggers that write warnings and errors to standard
 * error, so that no failure is silent. With {@code slf4j-nop} the program itself has chosen silence.
 *
 * <p>A message is one line, whatever data of peers it contains: characters that would end the line or that a terminal
 * would interpret are {@linkplain Printable#escape escaped}.
 */
public final class Logs {

    /** System property that silences these lines if there is no provider, with the value {@code off}. */
    public static final String PROPERTY = "tutti.log";

    /** Name of the logger of log-ins, and of changes that operators make. */
    public static final String AUDIT = "dev.tutti.audit";

    private static final String NOTICE = "tutti: SLF4J has no provider, so tutti writes its warnings and errors to standard error. Add a"
            + " provider (logback-classic, log4j-slf4j2-impl, slf4j-simple) to see and configure all of its log, or set -D" + PROPERTY
            + "=off for silence.";

    private static final AtomicBoolean IS_NOTICED = new AtomicBoolean();

    private Logs() {}

    /** Returns the logger of a class. */
    public static Logger of(Class<?> owner) {
        return named(owner.getName());
    }

    /** Returns the logger of this name, for lines that operators select by it. */
    public static Logger named(String name) {
        boolean isOwn = isMute() && !"off".equals(System.getProperty(PROPERTY));
        return new Escaping(isOwn ? new StandardError(name) : LoggerFactory.getLogger(name));
    }

    /** Returns a logger that escapes messages on their way to {@code to}. */
    static Logger escaping(Logger to) {
        return new Escaping(to);
    }

    /** Passes each message on as one line; a logger that shows the place of a call still shows that of the caller. */
    private static final class Escaping extends LegacyAbstractLogger {

        @Serial
        private static final long serialVersionUID = 1;

        private static final String CALLED = AbstractLogger.class.getName();

        private final transient Logger to;

        Escaping(Logger to) {
            this.name = to.getName();
            this.to = to;
        }

        @Override
        public boolean isTraceEnabled() {
            return to.isTraceEnabled();
        }

        @Override
        public boolean isDebugEnabled() {
            return to.isDebugEnabled();
        }

        @Override
        public boolean isInfoEnabled() {
            return to.isInfoEnabled();
        }

        @Override
        public boolean isWarnEnabled() {
            return to.isWarnEnabled();
        }

        @Override
        public boolean isErrorEnabled() {
            return to.isErrorEnabled();
        }

        @Override
        protected String getFullyQualifiedCallerName() {
            return CALLED;
        }

        @Override
        protected void handleNormalizedLoggingCall(
                Level level, @Nullable Marker marker, String pattern, Object @Nullable [] arguments, @Nullable Throwable thrown) {
            String text = Printable.escape(MessageFormatter.basicArrayFormat(pattern, arguments));
            if (to instanceof LocationAwareLogger aware) {
                aware.log(marker, CALLED, level.toInt(), text, null, thrown);
            } else {
                // As an argument: braces in data of peers must not be taken for placeholders.
                to.atLevel(level).setCause(thrown).log("{}", text);
            }
        }
    }

    private static boolean isMute() {
        return LoggerFactory.getILoggerFactory() instanceof NOPLoggerFactory
                && System.getProperty("slf4j.provider") == null
                && ServiceLoader.load(SLF4JServiceProvider.class, LoggerFactory.class.getClassLoader()).findFirst().isEmpty();
    }

    /** Writes warnings and errors, a line each, with the stack trace below. */
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
