package dev.tutti.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Method of a bean that gets the messages of a group, or its views. The application's node joins the group.
 *
 * <p>A listener of messages has at least one parameter of type {@link dev.tutti.Message}, {@code String} (the text),
 * {@code byte[]} (a copy of the bytes) or {@link dev.tutti.core.Member} (the sender); {@link dev.tutti.core.View} and
 * {@link dev.tutti.Group} may be added. A method with a {@link dev.tutti.core.View}, alone or with the group, is a
 * listener of views.
 *
 * <p>Called one message at a time, in the group's order, on the group's thread; it may block, which slows the senders
 * down. The first call comes when all beans exist and before the web server accepts requests. An exception is counted
 * and logged, and the next message follows.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface TuttiListener {

    /** Returns the name of the group; placeholders are resolved. */
    String group();
}
