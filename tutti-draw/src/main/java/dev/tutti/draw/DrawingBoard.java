package dev.tutti.draw;

import dev.tutti.GroupState;
import dev.tutti.Node;
import dev.tutti.Snapshot;
import dev.tutti.internal.Logs;
import dev.tutti.stomp.Access;
import dev.tutti.stomp.Authenticator;
import dev.tutti.stomp.Login;
import dev.tutti.stomp.Pages.Page;
import dev.tutti.stomp.StompMessage;
import dev.tutti.stomp.StompServer;
import dev.tutti.stomp.StompServerBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * A member that serves the drawing board: the page, and STOMP over WebSocket, at one port. All drawing boards in a
 * cluster share one board; pages of a member that dies continue at another. See {@code docs/design/draw.md}.
 *
 * <p>Everybody with the key in {@link #url} may draw. All methods may be called from any thread.
 */
public final class DrawingBoard implements AutoCloseable {

    private static final Logger LOG = Logs.of(DrawingBoard.class);

    private static final String GROUP = "draw";
    private static final String STROKES = "/draw/strokes";
    private static final String LOOK = "/draw/look";
    private static final String HERE = "/draw/here";

    private static final int KEY_BYTES = 15;

    /** More than the text of a board of {@code 2 * Board.POINTS_MAX}, and small enough to be harmless. */
    private static final int STATE_BYTES_MAX = 64 * 1024 * 1024;

    /** Bytes of lines that are published together. */
    private static final int MESSAGE_BYTES_MAX = 16 * 1024;

    private static final Map<String, String> TYPES = Map.of(
            "index.html", "text/html; charset=utf-8",
            "style.css", "text/css; charset=utf-8",
            "main.js", "text/javascript; charset=utf-8",
            "link.js", "text/javascript; charset=utf-8",
            "stomp.js", "text/javascript; charset=utf-8",
            "strokes.js", "text/javascript; charset=utf-8",
            "paint.js", "text/javascript; charset=utf-8");

    private final Board board = new Board();
    private final Map<String, Page> pages = new TreeMap<>();
    private final Node node;
    private final StompServer server;
    private volatile @Nullable StompServer started;


    private DrawingBoard(Node node, UnaryOperator<StompServerBuilder> where) {
        this.node = node;
        TYPES.forEach((name, type) -> pages.put(name.equals("index.html") ? "/" : "/" + name, new Page(type, read(name))));
        byte[] random = new byte[KEY_BYTES];
        new SecureRandom().nextBytes(random);
        board.apply("k " + Base64.getUrlEncoder().withoutPadding().encodeToString(random));
        this.server = where.apply(StompServer.on(node)
                        .groups(GROUP)
                        .set("stomp.members-group", "draw-members")
                        .set("stomp.body-max", "64 KiB")
                        // Pages load the board anew when they connect to another member.
                        .set("stomp.history", "0 B")
                        .set("stomp.heart-beat", "5 s")
                        // Pages of one member continue at another. The key keeps others out.
                        .set("stomp.origins", "*")
                        .authenticator(new KeyHolders())
                        .state(GROUP, new State())
                        .onMessage(this::onMessage)
                        .pages(this::page))
                .start();
        this.started = server;
    }

    /**
     * Serves the board on a node; returns when it has the existing board.
     *
     * @param where sets the address and the port, and nothing else
     * @throws dev.tutti.core.settings.SettingException if the address can't be bound
     * @throws dev.tutti.StateException if there are members that have a board and none could give it
     */
    public static DrawingBoard start(Node node, UnaryOperator<StompServerBuilder> where) {
        return new DrawingBoard(node, where);
    }

    /** Returns the address for a browser, with a key to the board. */
    public String url() {
        return page(server.endpoints()) + "#" + board.keys().getFirst();
    }

    /** Returns the address of the page, which shares its port with the WebSocket. */
    private static String page(List<String> endpoints) {
        String webSocket = endpoints.stream().filter(each -> each.startsWith("ws")).findFirst().orElseThrow();
        return "http" + webSocket.substring("ws".length());
    }

    /** Returns the number of lines that were ignored, because they were none of a board or because it was full. */
    public long ignored() {
        return board.ignored();
    }

    // ------------------------------------------------------------------ pages

    private @Nullable Page page(String target) {
        int question = target.indexOf('?');
        String path = question < 0 ? target : target.substring(0, question);
        if (path.equals("/board")) {
            boolean isAllowed = question > 0 && isKey(target.substring(question + 1).replaceFirst("^key=", ""));
            return isAllowed ? new Page("text/plain; charset=utf-8", utf8(board.image().lines(false))) : null;
        }
        return pages.get(path);
    }

    /** Admits clients that know a key, of 120 random bits. */
    private final class KeyHolders implements Authenticator {

        @Override
        public @Nullable Access authenticate(Login login) {
            return isKey(login.passcode()) ? PAGE : null;
        }

        @Override
        public boolean mayBeGuessed() {
            return false;
        }
    }

    private static final Access PAGE = new Access() {
        @Override
        public boolean maySend(String destination) {
            return destination.equals(STROKES) || destination.equals(HERE);
        }
    };

    private boolean isKey(String text) {
        byte[] given = text.getBytes(StandardCharsets.UTF_8);
        boolean isKey = false;
        for (String key : board.keys()) {
            isKey |= MessageDigest.isEqual(given, key.getBytes(StandardCharsets.UTF_8));
        }
        return isKey;
    }

    private static byte[] read(String name) {
        try (InputStream in = DrawingBoard.class.getResourceAsStream("page/" + name)) {
            if (in == null) {
                throw new IllegalStateException("the resource page/" + name + " is missing beside " + DrawingBoard.class);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // ------------------------------------------------------------------ the group

    private void onMessage(StompMessage message) {
        if (!message.destination().equals(STROKES)) {
            return;
        }
        board.apply(message.text());
        String relief = board.relief();
        StompServer own = started;
        if (relief != null && own != null && isFirst()) {
            publish(own, STROKES, relief);
        }
    }

    /** Returns whether this is the member that makes room; the others would send the same line. */
    private boolean isFirst() {
        return node.groups().stream()
                .filter(group -> group.name().equals(GROUP))
                .anyMatch(group -> group.view().coordinator().equals(group.self()));
    }

    private static void publish(StompServer server, String destination, String lines) {
        server.publish(destination, Map.of(), lines.getBytes(StandardCharsets.UTF_8)).whenComplete((_, error) -> {
            if (error != null) {
                LOG.warn("{} was not published: {}", destination, error.getMessage());
            }
        });
    }

    private static byte[] utf8(List<String> lines) {
        return String.join("", lines).getBytes(StandardCharsets.UTF_8);
    }

    /** State for newcomers: the board. */
    private final class State implements GroupState {

        @Override
        public Snapshot snapshot() {
            Board.Image image = board.image();
            return new Snapshot() {
                @Override
                public void write(OutputStream out) throws IOException {
                    out.write(utf8(image.lines(true)));
                }
            };
        }

        /**
         * When a partition ends, the board of one side continues. This runs at a member of the other: no stroke may be
         * lost, so both boards are united, and lines that only this side has are published.
         */
        @Override
        public void install(InputStream in) throws IOException {
            byte[] bytes = in.readNBytes(STATE_BYTES_MAX);
            String lines = new String(bytes, StandardCharsets.UTF_8);
            Board other = new Board();
            other.apply(lines);
            StompServer own = started;
            if (own == null) {
                // A newcomer has nothing to add, not even a key.
                board.clearKeys();
                board.apply(lines);
                return;
            }
            List<String> missing = board.linesBeyond(other);
            board.apply(lines);
            Thread.ofVirtual().name("tutti-draw-unite").start(() -> {
                StringBuilder batch = new StringBuilder();
                for (String line : missing) {
                    if (batch.length() + line.length() > MESSAGE_BYTES_MAX && !batch.isEmpty()) {
                        publish(own, STROKES, batch.toString());
                        batch.setLength(0);
                    }
                    batch.append(line);
                }
                if (!batch.isEmpty()) {
                    publish(own, STROKES, batch.toString());
                }
                // Pages of this member lack strokes of the other side: all of them load their member's board again.
                publish(own, LOOK, "");
            });
        }
    }

    /** Sends pages to other members, and leaves. */
    @Override
    public void close() {
        server.close();
    }

    @Override
    public String toString() {
        return "drawing board at " + page(server.endpoints());
    }
}
