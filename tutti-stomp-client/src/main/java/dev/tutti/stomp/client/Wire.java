package dev.tutti.stomp.client;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/** A connection to a server that has let the client in. One thread reads and one writes. */
final class Wire implements AutoCloseable {

    private static final byte[] NOTHING = {};

    private final Socket plain;
    private final InputStream in;
    private final OutputStream out;
    private final int bodyMax;
    private final Frame connected;
    private final long sendNanos;

    private Wire(Socket plain, Socket socket, StompClientBuilder options, URI address) throws IOException {
        this.plain = plain;
        this.bodyMax = options.bodyBytes;
        this.in = new BufferedInputStream(socket.getInputStream(), 64 << 10);
        this.out = socket.getOutputStream();
        long own = options.heartBeat.toMillis();
        write(connect(options, address, own));
        this.connected = read();
        if (!connected.command().equals("CONNECTED")) {
            throw new IOException(address + " refuses the client: " + reason(connected));
        }
        String[] beats = connected.header("heart-beat").split(",", -1);
        long gives = beats.length == 2 ? millis(beats[0]) : 0;
        long wants = beats.length == 2 ? millis(beats[1]) : 0;
        this.sendNanos = (wants == 0 ? Duration.ofDays(1) : Duration.ofMillis(Math.max(own, wants))).toNanos();
        // Without heart-beats a server that is gone is noticed by TCP alone.
        socket.setKeepAlive(true);
        socket.setSoTimeout(gives == 0 ? 0 : (int) Math.min(Integer.MAX_VALUE, 2 * Math.max(own, gives) + 1_000));
    }

    /** Connects. @throws IOException if the server can't be reached or refuses the client; the message says why */
    static Wire open(URI address, StompClientBuilder options) throws IOException {
        int timeoutMillis = (int) options.connectTimeout.toMillis();
        Socket socket = new Socket();
        try {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(timeoutMillis);
            socket.connect(new InetSocketAddress(address.getHost(), address.getPort()), timeoutMillis);
            Socket secure = address.getScheme().equals("stomps") ? secured(socket, address, options) : socket;
            return new Wire(socket, secure, options, address);
        } catch (IOException e) {
            socket.close();
            String message = String.valueOf(e.getMessage());
            throw message.startsWith(address.toString()) ? e : new IOException(address + ": " + message, e);
        }
    }

    private static Socket secured(Socket socket, URI address, StompClientBuilder options) throws IOException {
        SSLContext context = options.tls;
        try {
            SSLSocket secure = (SSLSocket) (context == null ? SSLContext.getDefault() : context)
                    .getSocketFactory()
                    .createSocket(socket, address.getHost(), address.getPort(), true);
            SSLParameters parameters = secure.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            secure.setSSLParameters(parameters);
            secure.startHandshake();
            return secure;
        } catch (NoSuchAlgorithmException e) {
            throw new IOException("this JDK has no TLS", e);
        }
    }

    private static byte[] connect(StompClientBuilder options, URI address, long heartBeatMillis) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("accept-version", "1.2");
        headers.put("host", address.getHost());
        headers.put("heart-beat", heartBeatMillis + "," + heartBeatMillis);
        String login = options.login;
        String passcode = options.passcode;
        if (login != null && passcode != null) {
            headers.put("login", login);
            headers.put("passcode", passcode);
        }
        return Frames.encode("CONNECT", headers, NOTHING);
    }

    private static long millis(String text) throws IOException {
        try {
            return Math.clamp(Long.parseLong(text.strip()), 0, Duration.ofDays(1).toMillis());
        } catch (NumberFormatException e) {
            throw new IOException("the server has sent a heart-beat that is no number: " + text, e);
        }
    }

    /** Returns the reason of an ERROR. */
    static String reason(Frame error) {
        return error.header("message").isEmpty() ? "it has sent " + error.command() : error.header("message");
    }

    Frame connected() {
        return connected;
    }

    /** Returns the interval at which the server wants to hear something. */
    long sendNanos() {
        return sendNanos;
    }

    Frame read() throws IOException {
        return Frames.read(in, bodyMax);
    }

    void write(byte[] frame) throws IOException {
        out.write(frame);
    }

    /** Ends the connection at once, whoever reads or writes: TLS would wait for those who write. */
    @Override
    public void close() throws IOException {
        plain.close();
    }
}
