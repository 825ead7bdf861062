package dev.tutti.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Method or bean that runs at one member of the cluster at a time, the leader of an election.
 *
 * <p>A <b>method</b> is called on a thread of its own when this member is elected, and its thread is interrupted when the
 * member is deposed or stops. It has no parameter, or a {@code long}: the fencing token. If it returns early, the member
 * still leads.
 *
 * <p>A <b>class</b> implements {@link org.springframework.context.Lifecycle} and not {@code SmartLifecycle}: its bean is
 * started when this member is elected, and stopped when it is deposed or stops.
 *
 * <p>Only the primary partition elects, so the group of elections needs founders and the node {@code records.directory}.
 * A member that is paused, or cut off without having noticed, takes itself for the leader while another one is: resources
 * that are written to should refuse tokens lower than one they have seen.
 */
@Documented
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface Leader {

    /** Returns the name of the election; all that have the same one are led by the same member. Placeholders are resolved. */
    String value();
}
