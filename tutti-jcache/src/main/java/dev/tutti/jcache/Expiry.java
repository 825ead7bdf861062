package dev.tutti.jcache;

import dev.tutti.jcache.internal.Change;
import javax.cache.expiry.Duration;
import javax.cache.expiry.ExpiryPolicy;
import org.jspecify.annotations.Nullable;

/**
 * The times to live that a policy gives, in nanoseconds; {@link Change#ETERNAL} or {@link Change#UNCHANGED} for those.
 *
 * @param policy of the application
 */
record Expiry(ExpiryPolicy policy) {

    long forCreation() {
        Duration duration = policy.getExpiryForCreation();
        return duration == null ? Change.ETERNAL : nanos(duration);
    }

    long forUpdate() {
        return nanos(policy.getExpiryForUpdate());
    }

    long forAccess() {
        return nanos(policy.getExpiryForAccess());
    }

    private static long nanos(@Nullable Duration duration) {
        if (duration == null) {
            return Change.UNCHANGED;
        }
        return duration.isEternal() ? Change.ETERNAL : duration.getTimeUnit().toNanos(duration.getDurationAmount());
    }
}
