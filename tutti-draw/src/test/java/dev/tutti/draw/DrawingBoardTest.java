package dev.tutti.draw;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.testing.Await;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Members in this process, without a browser. */
class DrawingBoardTest {

    private final HttpClient http = HttpClient.newHttpClient();
    private final List<Node> nodes = new ArrayList<>();
    private final List<DrawingBoard> boards = new ArrayList<>();

    @AfterEach
    void stop() {
        boards.reversed().forEach(DrawingBoard::close);
        nodes.reversed().forEach(Node::close);
        http.close();
    }

    private DrawingBoard start(String... seeds) {
        // A node without seeds is the first one at once; others wait for those that are there, however late a processor is free.
        NodeBuilder builder = Node.tcp(0)
                .name("m" + nodes.size())
                .set("discovery.patience", seeds.length == 0 ? "200 ms" : "30 s")
                .seeds(seeds);
        Node node = builder.start();
        nodes.add(node);
        DrawingBoard board = DrawingBoard.start(node, server -> server.port(0));
        boards.add(board);
        return board;
    }

    private static String key(DrawingBoard board) {
        return board.url().substring(board.url().indexOf('#') + 1);
    }

    private String lines(DrawingBoard board, String key) throws Exception {
        String place = board.url().substring(0, board.url().indexOf('#'));
        return http.send(HttpRequest.newBuilder(URI.create(place + "board?key=" + key)).build(), BodyHandlers.ofString())
                .body();
    }

    private void draw(DrawingBoard board, String lines) throws Exception {
        BlockingQueue<String> frames = new LinkedBlockingQueue<>();
        WebSocket socket = http.newWebSocketBuilder()
                .subprotocols("v12.stomp")
                .buildAsync(URI.create(board.url().replaceFirst("http", "ws").replaceFirst("#.*", "")), new WebSocket.Listener() {
                    @Override
                    public CompletionStage<?> onText(WebSocket from, CharSequence text, boolean isLast) {
                        frames.add(text.toString());
                        from.request(1);
                        return null;
                    }
                })
                .get(20, TimeUnit.SECONDS);
        socket.sendText("CONNECT\naccept-version:1.2\nhost:draw\npasscode:" + key(board) + "\n\n\0", true).join();
        assertThat(frames.poll(20, TimeUnit.SECONDS)).startsWith("CONNECTED");
        socket.sendText("SEND\ndestination:/draw/strokes\nreceipt:r\n\n" + lines + "\0", true).join();
        assertThat(frames.poll(20, TimeUnit.SECONDS)).startsWith("RECEIPT");
        socket.abort();
    }

    @Test
    void handsTheBoardAndItsKeyToMembersThatComeLater() throws Exception {
        DrawingBoard first = start();
        draw(first, "p 1.a 0 2d6cdf 3 1 2 3 4\nu 2.b\nf 0.x\n");
        assertThat(first.ignored()).isEqualTo(1);
        DrawingBoard second = start(nodes.getFirst().address());
        assertThat(key(second)).isEqualTo(key(first));
        assertThat(lines(second, key(second))).isEqualTo("p 1.a 0 2d6cdf 3 1 2 3 4\nu 2.b\n");
        draw(second, "p 1.a 2 2d6cdf 3 5 6\n");
        assertThat(lines(first, key(first))).isEqualTo("p 1.a 0 2d6cdf 3 1 2 3 4 5 6\nu 2.b\n");
    }

    @Test
    void unitesBoardsThatMeet() throws Exception {
        DrawingBoard one = start();
        DrawingBoard other = start();
        String oneKey = key(one);
        String otherKey = key(other);
        assertThat(oneKey).isNotEqualTo(otherKey);
        draw(one, "p 1.a 0 2d6cdf 3 1 2 3 4\np 3.a 0 2d6cdf 3 1 2");
        draw(other, "p 2.b 0 2d6cdf 3 5 6 7 8\n" + "p 4.b 0 2d6cdf 3 5 6\nu 4.b");
        // A member that knows both merges them.
        start(nodes.get(0).address(), nodes.get(1).address());
        String all = "p 1.a 0 2d6cdf 3 1 2 3 4\np 2.b 0 2d6cdf 3 5 6 7 8\np 3.a 0 2d6cdf 3 1 2\nu 4.b\n";
        for (DrawingBoard board : boards) {
            for (String key : List.of(oneKey, otherKey)) {
                Await.until("everybody has everything, with either key", () -> {
                    try {
                        return lines(board, key).equals(all);
                    } catch (Exception e) {
                        throw new AssertionError(e);
                    }
                });
            }
        }
    }

    @Test
    void givesNothingWithoutTheKey() throws Exception {
        DrawingBoard board = start();
        draw(board, "p 1.a 0 2d6cdf 3 1 2 3 4\n");
        assertThat(lines(board, "wrong")).doesNotContain("1.a");
        assertThat(lines(board, "")).doesNotContain("1.a");
    }
}
