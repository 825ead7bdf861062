package dev.tutti;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.io.InputStream;
import java.nio.ByteBuffer;

/**
 * A message as its receiver sees it.
 *
 * <p>A message is valid while the callback that it was passed to runs, because its bytes lie in memory that is reused:
 * take what you need ({@link #bytes}, {@link #text}) and keep that. Afterwards every method throws {@link
 * IllegalStateException}, and so does a {@link #stream} that was taken. A {@link #buffer} can't be made to throw: after
 * the callback its content is undefined. Message objects are reused after some sixty further messages.
 */
public interface Message {

    Member sender();

    /** Returns the view that the message is delivered in, the same at all members that deliver it. */
    View view();

    /** Returns whether it was sent to this member alone. */
    boolean isUnicast();

    int length();

    /** Returns a copy of the content, which the caller may keep. */
    byte[] bytes();

    /** Returns the content, decoded as UTF-8. */
    String text();

    /** Returns the content, read-only and without a copy. It is undefined when the callback has returned. */
    ByteBuffer buffer();

    /**
     * Returns a stream of the content, without a copy. Reading it after the callback throws {@link
     * IllegalStateException}.
     */
    InputStream stream();
}
