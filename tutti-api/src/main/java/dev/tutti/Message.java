package dev.tutti;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.io.InputStream;
import java.nio.ByteBuffer;

/**
 * What a member sent, as its receiver sees it.
 *
 * <p>Valid while the callback runs that it was passed to, because its bytes lie in memory that is used again: take what
 * you need ({@link #bytes}, {@link #text}) and keep that. Afterwards every method throws {@link IllegalStateException}.
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

    /** The content, read-only, without a copy; valid while the callback runs. */
    ByteBuffer buffer();

    /** The content as a stream; valid while the callback runs. */
    InputStream stream();
}
