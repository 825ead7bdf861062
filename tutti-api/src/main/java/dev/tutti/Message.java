package dev.tutti;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.io.InputStream;
import java.nio.ByteBuffer;

/**
 * What a member sent, as its receiver sees it.
 *
 * <p>A message is valid while the callback runs that it was passed to, because its bytes lie in memory that is used again:
 * take what you need ({@link #bytes}, {@link #text}) and keep that. Afterwards every method throws {@link
 * IllegalStateException}, and so does a {@link #stream} that was taken. A {@link #buffer} can't be made to throw: after
 * the callback its content is undefined. Message objects are used again after some sixty further messages.
 */
public interface Message {

    Member sender();

    /** The view that the message is delivered in, the same at all who deliver it. */
    View view();

    /** Whether it was sent to this member alone. */
    boolean isUnicast();

    int length();

    /** A copy of the content, yours to keep. */
    byte[] bytes();

    /** The content as UTF-8. */
    String text();

    /** The content, read-only and without a copy. Its content is undefined when the callback has returned. */
    ByteBuffer buffer();

    /** The content as a stream, without a copy. Reading it after the callback throws {@link IllegalStateException}. */
    InputStream stream();
}
