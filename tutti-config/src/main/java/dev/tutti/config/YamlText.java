package dev.tutti.config;

import dev.tutti.core.settings.SettingException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** The text of a configuration file: UTF-8, with or without a byte order mark, and not too long. */
final class YamlText {

    /** Longest file, in bytes. */
    static final int BYTES_MAX = 1024 * 1024;

    private YamlText() {}

    static String read(Path file) {
        if (Files.isDirectory(file)) {
            throw new SettingException(file + ": this is a directory; name a file in it");
        }
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(BYTES_MAX + 1);
        } catch (NoSuchFileException e) {
            throw new SettingException(
                    file + ": there is no such file (looked in " + Path.of("").toAbsolutePath() + ")", e);
        } catch (AccessDeniedException e) {
            throw new SettingException(
                    file + ": no permission to read it; allow user " + System.getProperty("user.name") + " to", e);
        } catch (IOException e) {
            throw new SettingException(file + ": can't be read: " + e.getMessage(), e);
        }
        if (bytes.length > BYTES_MAX) {
            throw new SettingException(file + ": longer than " + BYTES_MAX + " bytes; is it a configuration?");
        }
        return decode(file.toString(), bytes);
    }

    static String decode(String label, byte[] bytes) {
        int start = 0;
        if (startsWith(bytes, 0xEF, 0xBB, 0xBF)) {
            start = 3;
        } else if (startsWith(bytes, 0xFE, 0xFF) || startsWith(bytes, 0xFF, 0xFE)) {
            throw new SettingException(label + ":1: this is UTF-16; save it as UTF-8");
        }
        CharsetDecoder decoder = StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        ByteBuffer in = ByteBuffer.wrap(bytes, start, bytes.length - start);
        CharBuffer out = CharBuffer.allocate(bytes.length);
        CoderResult result = decoder.decode(in, out, true);
        if (result.isError()) {
            throw new SettingException(label + ":" + line(bytes, in.position()) + ": byte 0x"
                    + Integer.toHexString(bytes[in.position()] & 0xFF) + " is not UTF-8; save the file as UTF-8");
        }
        return out.flip().toString();
    }

    private static boolean startsWith(byte[] bytes, int... prefix) {
        if (bytes.length < prefix.length) {
            return false;
        }
        for (int index = 0; index < prefix.length; index++) {
            if ((bytes[index] & 0xFF) != prefix[index]) {
                return false;
            }
        }
        return true;
    }

    private static int line(byte[] bytes, int position) {
        int line = 1;
        for (int index = 0; index < position; index++) {
            if (bytes[index] == '\n') {
                line++;
            }
        }
        return line;
    }
}
