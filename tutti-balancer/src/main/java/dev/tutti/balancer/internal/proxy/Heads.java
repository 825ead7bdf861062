package dev.tutti.balancer.internal.proxy;

import dev.tutti.balancer.internal.table.RequestKey;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.util.AsciiString;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Heads of requests and answers on their way through the proxy: checks, headers that belong to one connection alone (RFC 9110,
 * section 7.6.1), and those that tell the node about the client.
 */
final class Heads {

    private static final AsciiString FOR = AsciiString.cached("X-Forwarded-For");
    private static final AsciiString PROTO = AsciiString.cached("X-Forwarded-Proto");
    private static final AsciiString HOST = AsciiString.cached("X-Forwarded-Host");
    private static final AsciiString PORT = AsciiString.cached("X-Forwarded-Port");
    private static final AsciiString FORWARDED = AsciiString.cached("Forwarded");
    private static final AsciiString KEEP_ALIVE = AsciiString.cached("Keep-Alive");
    private static final AsciiString PROXY_CONNECTION = AsciiString.cached("Proxy-Connection");

    /** Headers that a client can't remove by naming them in Connection. */
    private static final Set<String> KEPT =
            Set.of("host", "cookie", "authorization", "content-length", "transfer-encoding", "content-type", "via", "forwarded");

    /** Extensions by which Netty hands frames of HTTP/2 on. */
    private static final List<String> OF_HTTP2 =
            List.of("x-http2-stream-id", "x-http2-scheme", "x-http2-path", "x-http2-stream-weight", "x-http2-stream-dependency-id");

    /** Headers that have been checked when they were read. */
    private static final DefaultHttpHeadersFactory UNCHECKED = DefaultHttpHeadersFactory.headersFactory().withValidation(false);

    private final long bodyMax;
    private final boolean isForwardedTrusted;
    private final String cookieName;
    private final String via;

    /**
     * @param via name of this balancer in the header Via
     */
    Heads(long bodyMax, boolean isForwardedTrusted, String cookieName, String via) {
        this.bodyMax = bodyMax;
        this.isForwardedTrusted = isForwardedTrusted;
        this.cookieName = cookieName;
        this.via = via;
    }

    // ------------------------------------------------------------------ checks

    /** @throws RefusedException if the request is malformed, over a limit, or none for a proxy like this */
    RequestKey check(HttpRequest request) throws RefusedException {
        if (request.decoderResult().isFailure()) {
            Throwable cause = request.decoderResult().cause();
            if (cause instanceof TooLongHttpLineException) {
                throw new RefusedException(414, "the first line of the request is too long");
            }
            if (cause instanceof TooLongHttpHeaderException) {
                throw new RefusedException(431, "the headers of the request are too long");
            }
            throw new RefusedException(400, "the request is malformed");
        }
        HttpMethod method = request.method();
        if (method.equals(HttpMethod.CONNECT) || method.equals(HttpMethod.TRACE)) {
            throw new RefusedException(405, method + " is not passed on");
        }
        HttpHeaders headers = request.headers();
        List<String> hosts = headers.getAll(HttpHeaderNames.HOST);
        if (hosts.size() > 1 || hosts.isEmpty() && request.protocolVersion().isKeepAliveDefault()) {
            throw new RefusedException(400, "the request has " + hosts.size() + " headers Host instead of one");
        }
        checkFraming(headers);
        for (String passed : headers.getAll(HttpHeaderNames.VIA)) {
            if (passed.contains(via)) {
                throw new RefusedException(508, "the request has come through this balancer already: a node's address leads back to it");
            }
        }
        String target = request.uri();
        if (!target.startsWith("/")) {
            target = absolute(request, target);
        }
        checkPath(target);
        String host = headers.get(HttpHeaderNames.HOST);
        return RequestKey.of(host, target, headers.getAll(HttpHeaderNames.COOKIE), cookieName);
    }

    private void checkFraming(HttpHeaders headers) throws RefusedException {
        List<String> lengths = headers.getAll(HttpHeaderNames.CONTENT_LENGTH);
        List<String> encodings = headers.getAll(HttpHeaderNames.TRANSFER_ENCODING);
        boolean isChunked = encodings.size() == 1 && encodings.getFirst().equalsIgnoreCase("chunked");
        if (!encodings.isEmpty() && (!isChunked || !lengths.isEmpty())) {
            throw new RefusedException(400, "Transfer-Encoding of a request is chunked, once, and without Content-Length");
        }
        if (lengths.isEmpty()) {
            return;
        }
        long length;
        try {
            length = lengths.size() == 1 ? Long.parseLong(lengths.getFirst()) : -1;
        } catch (NumberFormatException e) {
            length = -1;
        }
        if (length < 0) {
            throw new RefusedException(400, "Content-Length is one number that is not negative");
        }
        if (length > bodyMax) {
            throw new RefusedException(413, "the body has " + length + " bytes, at most " + bodyMax);
        }
    }

    /** Turns a target with scheme and host into a path; its host replaces the header's. */
    private static String absolute(HttpRequest request, String target) throws RefusedException {
        int scheme = target.indexOf("://");
        if (scheme <= 0) {
            throw new RefusedException(400, "the target of a request is a path");
        }
        int path = target.indexOf('/', scheme + 3);
        request.headers().set(HttpHeaderNames.HOST, target.substring(scheme + 3, path < 0 ? target.length() : path));
        request.setUri(path < 0 ? "/" : target.substring(path));
        return request.uri();
    }

    /** A path that a node would read as another one could reach a context that was not announced. */
    private static void checkPath(String target) throws RefusedException {
        int query = target.indexOf('?');
        int end = query < 0 ? target.length() : query;
        boolean isPlain = true;
        for (int i = 0; i < end; i++) {
            char c = target.charAt(i);
            if (c <= ' ' || c == '\\' || c == '#' || c >= 0x7f) {
                throw new RefusedException(400, "the path has a character that has to be encoded");
            }
            isPlain &= c != '.' && c != '%';
        }
        if (isPlain) {
            return;
        }
        String path = target.substring(0, end).toLowerCase(Locale.ROOT);
        if (path.contains("%2f") || path.contains("%5c") || path.contains("%00")) {
            throw new RefusedException(400, "the path has an encoded slash, backslash or zero");
        }
        for (String segment : path.replace("%2e", ".").split("/", -1)) {
            int parameter = segment.indexOf(';');
            String name = parameter < 0 ? segment : segment.substring(0, parameter);
            if (name.equals(".") || name.equals("..")) {
                throw new RefusedException(400, "the path has a segment '" + name + "'; resolve it before the request");
            }
        }
    }

    static boolean isUpgrade(HttpRequest request) {
        HttpHeaders headers = request.headers();
        return request.method().equals(HttpMethod.GET)
                && headers.containsValue(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE, true)
                && headers.containsValue(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET, true);
    }

    // ------------------------------------------------------------------ requests

    /** Facts about a client's connection. */
    record Client(String address, boolean isTls, int port) {}

    /** Returns the request as nodes get it. */
    HttpRequest outgoing(HttpRequest request, Client client, boolean isUpgrade) {
        HttpHeaders headers = UNCHECKED.newHeaders().set(request.headers());
        dropOfConnection(headers);
        for (String name : OF_HTTP2) {
            headers.remove(name);
        }
        if (isUpgrade) {
            headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE).set(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET);
        }
        if (!isForwardedTrusted) {
            headers.remove(FORWARDED);
        }
        boolean isTold = isForwardedTrusted && headers.contains(FOR);
        headers.set(FOR, isTold ? String.join(", ", headers.getAll(FOR)) + ", " + client.address() : client.address());
        setUnlessTold(headers, PROTO, client.isTls() ? "https" : "http");
        String host = headers.get(HttpHeaderNames.HOST);
        if (host != null) {
            setUnlessTold(headers, HOST, host);
        } else {
            headers.remove(HOST);
        }
        setUnlessTold(headers, PORT, String.valueOf(client.port()));
        headers.add(HttpHeaderNames.VIA, request.protocolVersion().majorVersion() + "." + request.protocolVersion().minorVersion() + " " + via);
        return new DefaultHttpRequest(HttpVersion.HTTP_1_1, request.method(), request.uri(), headers);
    }

    private void setUnlessTold(HttpHeaders headers, AsciiString name, String value) {
        if (!isForwardedTrusted || !headers.contains(name)) {
            headers.set(name, value);
        }
    }

    /** Removes the headers that are about one connection, except the framing of the body. */
    private static void dropOfConnection(HttpHeaders headers) {
        for (String value : headers.getAll(HttpHeaderNames.CONNECTION)) {
            for (String name : value.split(",")) {
                String named = name.strip().toLowerCase(Locale.ROOT);
                if (!named.isEmpty() && !KEPT.contains(named)) {
                    headers.remove(named);
                }
            }
        }
        headers.remove(HttpHeaderNames.CONNECTION)
                .remove(HttpHeaderNames.UPGRADE)
                .remove(HttpHeaderNames.TE)
                .remove(KEEP_ALIVE)
                .remove(PROXY_CONNECTION);
    }

    // ------------------------------------------------------------------ answers

    /** The way in which the end of an answer's body is told. */
    enum Ending { FRAMED, BY_CLOSE }

    /**
     * Turns a node's answer into that for the client.
     *
     * @param isHttp2 whether the client speaks HTTP/2, which frames bodies by itself
     */
    static Ending prepare(HttpResponse answer, HttpRequest request, boolean isHttp2) {
        HttpHeaders headers = answer.headers();
        boolean isLengthKnown = headers.contains(HttpHeaderNames.CONTENT_LENGTH);
        dropOfConnection(headers);
        if (isHttp2) {
            headers.remove(HttpHeaderNames.TRANSFER_ENCODING);
            return Ending.FRAMED;
        }
        int status = answer.status().code();
        boolean hasNoBody = request.method().equals(HttpMethod.HEAD)
                || status == HttpResponseStatus.NO_CONTENT.code()
                || status == HttpResponseStatus.NOT_MODIFIED.code()
                || status < 200;
        answer.setProtocolVersion(HttpVersion.HTTP_1_1);
        if (hasNoBody || isLengthKnown && !headers.contains(HttpHeaderNames.TRANSFER_ENCODING)) {
            return Ending.FRAMED;
        }
        if (!request.protocolVersion().isKeepAliveDefault()) {
            // HTTP/1.0 has no chunks.
            headers.remove(HttpHeaderNames.TRANSFER_ENCODING);
            return Ending.BY_CLOSE;
        }
        headers.remove(HttpHeaderNames.CONTENT_LENGTH).set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
        return Ending.FRAMED;
    }

    /** Returns whether an answer begins a session at a node. */
    boolean isSessionBegun(HttpResponse answer, String route) {
        List<String> cookies = answer.headers().getAll(HttpHeaderNames.SET_COOKIE);
        for (String cookie : cookies) {
            if (cookie.startsWith(cookieName) && cookie.length() > cookieName.length() && cookie.charAt(cookieName.length()) == '=') {
                int end = cookie.indexOf(';');
                String id = cookie.substring(cookieName.length() + 1, end < 0 ? cookie.length() : end);
                return RequestKey.routeOf(id).equals(route);
            }
        }
        return false;
    }

    /** Returns the address of a client without its port. */
    static String addressOf(@Nullable SocketAddress remote) {
        return remote instanceof InetSocketAddress socket && socket.getAddress() != null
                ? socket.getAddress().getHostAddress()
                : "unknown";
    }
}
