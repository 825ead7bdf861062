package dev.tutti.announce.message;

import dev.tutti.announce.message.AnnounceMessage.Announced;
import dev.tutti.announce.message.AnnounceMessage.Balancing;
import dev.tutti.announce.message.AnnounceMessage.Ordered;
import dev.tutti.announce.message.AnnounceMessage.Refused;
import dev.tutti.announce.message.AnnounceMessage.Settled;
import java.util.List;
import java.util.Map;

/** Opens the decoder of announcements to the fuzzer. */
public final class AnnounceBytes {

    private AnnounceBytes() {}

    /** Reads a message; returns its kind. */
    public static String message(byte[] input) {
        try {
            return AnnounceCodec.decode(input).getClass().getSimpleName();
        } catch (MalformedAnnouncementException e) {
            return "refused";
        }
    }

    /** Returns a message of each kind. */
    public static List<byte[]> messages() {
        Announcement node = new Announcement(
                "web1",
                "http",
                "10.0.0.1",
                8080,
                "north",
                List.of(WebContext.of("/shop").aliases("a.example", "b.example").version("2"), WebContext.of("/").in(ContextState.STOPPED)),
                new Load(0.5, Map.of("busy-threads", 0.5)),
                17);
        return List.of(
                AnnounceCodec.encode(new Announced(3, node)),
                AnnounceCodec.encode(new Balancing("http://127.0.0.1:7797")),
                AnnounceCodec.encode(new Settled(3)),
                AnnounceCodec.encode(new Refused(3, "taken")),
                AnnounceCodec.encode(new Ordered(Ordered.ALL, ContextState.DRAINING)));
    }
}
