package dev.tutti.spring.session;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Import;
import org.springframework.session.MapSession;

/** Replicates HTTP sessions. Spring Boot does so without it; it is for applications with an auto-configuration switched off. */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Import(TuttiHttpSessionConfiguration.class)
public @interface EnableTuttiHttpSession {

    /** Returns the time without requests after which sessions expire, in seconds; never if negative or zero. */
    int maxInactiveIntervalInSeconds() default MapSession.DEFAULT_MAX_INACTIVE_INTERVAL_SECONDS;
}
