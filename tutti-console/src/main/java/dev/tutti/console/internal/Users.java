package dev.tutti.console.internal;

import dev.tutti.console.Role;
import dev.tutti.console.UserFile;
import dev.tutti.core.settings.SettingException;
import dev.tutti.internal.Logs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The present users of the console. Their file is read again within a second or two of use after it has changed; one
 * that can't be used then leaves the users as they were. Passwords are checked one after another on one thread, so that
 * a flood of them takes one processor at most. From any thread.
 */
final class Users implements AutoCloseable {

    private static final Logger LOG = Logs.of(Users.class);

    /** Least time between two looks at the file. */
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long THREAD_SECONDS = 10;

    /** Time and size of the file, which differ for different contents, as a rule. */
    private record Stamp(FileTime changed, long bytes) {}

    private final @Nullable Path file;
    private final LongSupplier nanoTime;
    private final ThreadPoolExecutor checks;
    private final AtomicLong lookedNanos;
    private final AtomicBoolean isLooking = new AtomicBoolean();
    private volatile UserFile users = UserFile.empty();

    // Accessed by one thread at a time, which has set isLooking.
    private @Nullable Stamp stamp;

    /**
     * @param name name of the file; empty for no users
     * @param waitingMax passwords that may wait to be checked
     * @throws SettingException if the file can't be used
     */
    Users(String name, int waitingMax, LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.lookedNanos = new AtomicLong(nanoTime.getAsLong());
        this.checks = new ThreadPoolExecutor(
                1,
                1,
                THREAD_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(waitingMax),
                Thread.ofPlatform().daemon().name("tutti-console-passwords").factory());
        checks.allowCoreThreadTimeOut(true);
        if (name.isEmpty()) {
            this.file = null;
        } else {
            Path path = Path.of(name);
            this.file = path;
            try {
                this.stamp = stamp(path);
                this.users = UserFile.read(path);
            } catch (IOException e) {
                checks.shutdownNow();
                throw new SettingException("console.users-file: " + e.getMessage(), e);
            }
        }
    }

    private static Stamp stamp(Path file) throws IOException {
        return new Stamp(Files.getLastModifiedTime(file), Files.size(file));
    }

    /** Returns whether there is a file of users. */
    boolean isKept() {
        return file != null;
    }

    /** Returns a user's present role; null if there is no such user. */
    @Nullable Role role(String name) {
        look();
        return users.role(name);
    }

    /**
     * Checks a password on a thread of its own.
     *
     * @param isWanted returns whether anybody still waits for the result
     * @param result gets the user's role, or null if name or password is wrong; not called if nobody waits
     * @return false if too many passwords wait to be checked already
     */
    boolean check(
            String name, String password, BooleanSupplier isWanted, Consumer<@Nullable Role> result) {
        look();
        try {
            checks.execute(() -> {
                if (isWanted.getAsBoolean()) {
                    UserFile present = users;
                    result.accept(present.isRight(name, password) ? present.role(name) : null);
                }
            });
            return true;
        } catch (RejectedExecutionException e) {
            LOG.debug("a password is not checked", e);
            return false;
        }
    }

    /** Begins a look at the file on another thread, if the last one is old. */
    private void look() {
        Path path = file;
        if (path != null && nanoTime.getAsLong() - lookedNanos.get() >= LOOK_NANOS && isLooking.compareAndSet(false, true)) {
            Thread.ofVirtual().name("tutti-console-users").start(() -> {
                try {
                    readAgain(path);
                } finally {
                    lookedNanos.set(nanoTime.getAsLong());
                    isLooking.set(false);
                }
            });
        }
    }

    private void readAgain(Path path) {
        Stamp present = null;
        try {
            present = stamp(path);
            if (!present.equals(stamp)) {
                users = UserFile.read(path);
                LOG.info("console.users-file {} was read again: {}", path, users);
            }
        } catch (IOException e) {
            // A file that is not there is reported once.
            if (present != null || stamp != null) {
                LOG.warn("console.users-file has changed and can't be used; users stay as they were: {}", e.getMessage());
            }
        }
        stamp = present;
    }

    /** Ends the thread that checks passwords; those that wait get no result. */
    @Override
    public void close() {
        checks.shutdownNow();
    }
}
