package dev.tutti.stomp.internal.codec;

import dev.tutti.core.settings.Settings;
import dev.tutti.stomp.StompSettings;

/**
 * Limits on a frame.
 *
 * @param headersMax number of headers
 * @param lineBytesMax of a header or command, with its end
 * @param headBytesMax of command and headers together
 * @param bodyBytesMax of the body
 */
public record FrameLimits(int headersMax, int lineBytesMax, int headBytesMax, int bodyBytesMax) {

    public static FrameLimits of(Settings settings) {
        return new FrameLimits(
                settings.get(StompSettings.HEADERS_MAX),
                (int) settings.get(StompSettings.HEADER_LENGTH_MAX).bytes(),
                (int) settings.get(StompSettings.HEAD_MAX).bytes(),
                (int) settings.get(StompSettings.BODY_MAX).bytes());
    }
}
