package dev.tutti.balancer.internal.httpd;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The page {@code balancer-manager} of an Apache httpd: its XML form is read, and its forms are sent. Each form needs the nonce of its
 * balancer, which the XML has, and a header {@code Referer} of the page. One connection for each request. Blocks.
 */
final class BalancerManager {

    /**
     * A member of the balancer, as httpd has it.
     *
     * @param name its address as httpd writes it, without the port that is usual
     * @param status words such as {@code Init}, {@code Ok}, {@code Dis}, {@code Drn}, {@code Ign} and {@code Err}
     * @param busy requests that are under way
     */
    record Worker(String name, String route, double factor, String status, int busy) {

        boolean is(String word) {
            return (" " + status + " ").contains(" " + word + " ");
        }
    }

    private static final int TIMEOUT_MILLIS = 5_000;
    private static final int ANSWER_BYTES_MAX = 4 << 20;
    private static final int HTTP_PORT = 80;

    private static final Pattern BALANCER =
            Pattern.compile("<httpd:balancer>\\s*<httpd:name>balancer://([^<]*)</httpd:name>(.*?)</httpd:balancer>", Pattern.DOTALL);
    private static final Pattern WORKER = Pattern.compile("<httpd:worker>(.*?)</httpd:worker>", Pattern.DOTALL);

    private final URI page;
    private final String balancer;
    private String nonce = "";

    /** @throws IllegalArgumentException if the address is none of HTTP */
    BalancerManager(URI page, String balancer) {
        if (!"http".equals(page.getScheme()) || page.getHost() == null || page.getRawPath() == null || page.getRawPath().isEmpty()) {
            throw new IllegalArgumentException("the page balancer-manager is at an address such as"
                    + " http://127.0.0.1:8081/balancer-manager, of loopback or a trusted network; not at '" + page + "'");
        }
        this.page = page;
        this.balancer = balancer;
    }

    /** Returns the members of the balancer by their addresses with the port, such as {@code http://10.0.0.1:80}. */
    Map<String, Worker> workers() throws IOException {
        String xml = exchange("GET " + page.getRawPath() + "?xml=1 HTTP/1.0\r\n", "");
        Matcher balancers = BALANCER.matcher(xml);
        while (balancers.find()) {
            if (balancers.group(1).equals(balancer)) {
                String content = balancers.group(2);
                nonce = text(content, "nonce");
                return workers(content);
            }
        }
        throw new IOException(page + " has no balancer://" + balancer + " that may be changed");
    }

    private static Map<String, Worker> workers(String content) throws IOException {
        Map<String, Worker> all = new TreeMap<>();
        Matcher workers = WORKER.matcher(content);
        while (workers.find()) {
            String worker = workers.group(1);
            try {
                Worker one = new Worker(
                        text(worker, "name"),
                        text(worker, "route"),
                        Double.parseDouble(text(worker, "loadfactor")),
                        text(worker, "status"),
                        Integer.parseInt(text(worker, "busy")));
                all.put(url(worker, one.name()), one);
            } catch (NumberFormatException e) {
                throw new IOException("httpd's XML has a number that is none: " + e.getMessage(), e);
            }
        }
        return all;
    }

    private static String url(String worker, String name) {
        boolean hasPath = name.indexOf('/', name.indexOf("//") + 2) >= 0;
        if (hasPath) {
            // No node of the group has such an address.
            return name;
        }
        String host = text(worker, "hostname");
        boolean isBare = host.indexOf(':') >= 0 && !host.startsWith("[");
        return text(worker, "scheme") + "://" + (isBare ? "[" + host + "]" : host) + ":" + text(worker, "port");
    }

    private static String text(String xml, String name) {
        String begin = "<httpd:" + name + ">";
        int start = xml.indexOf(begin);
        int end = start < 0 ? -1 : xml.indexOf("</httpd:" + name + ">", start);
        return end < 0 ? "" : xml.substring(start + begin.length(), end).strip();
    }

    /** Adds a member, which is disabled at first. */
    void add(String url) throws IOException {
        post(Map.of("b_nwrkr", url, "b_wyes", "1"));
    }

    /** Sets values of a member. */
    void set(Worker worker, Map<String, String> values) throws IOException {
        Map<String, String> all = new TreeMap<>(values);
        all.put("w", worker.name());
        post(all);
    }

    private void post(Map<String, String> values) throws IOException {
        StringBuilder form = new StringBuilder("b=").append(encoded(balancer)).append("&nonce=").append(encoded(nonce));
        values.forEach((name, value) -> form.append('&').append(name).append('=').append(encoded(value)));
        exchange(
                "POST " + page.getRawPath() + " HTTP/1.0\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: "
                        + form.length() + "\r\n",
                form.toString());
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    /** Returns the body of the answer, whose end is that of the connection. */
    private String exchange(String head, String body) throws IOException {
        String host = page.getHost();
        int port = page.getPort() < 0 ? HTTP_PORT : page.getPort();
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host.replaceAll("[\\[\\]]", ""), port), TIMEOUT_MILLIS);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            String request = head + "Host: " + host + ":" + port + "\r\nReferer: " + page + "\r\n\r\n" + body;
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            String answer = read(socket.getInputStream());
            int end = answer.indexOf("\r\n\r\n");
            String status = answer.lines().findFirst().orElse("nothing");
            if (!status.matches("HTTP/1\\.[01] 200.*") || end < 0) {
                throw new IOException(page + " answers with " + status);
            }
            return answer.substring(end);
        } catch (IOException e) {
            throw new IOException(String.valueOf(e.getMessage()).contains(page.toString()) ? e.getMessage() : page + ": " + e.getMessage(), e);
        }
    }

    private String read(InputStream in) throws IOException {
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        byte[] buffer = new byte[16 << 10];
        for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
            answer.write(buffer, 0, count);
            if (answer.size() > ANSWER_BYTES_MAX) {
                throw new IOException(page + " answers with more than " + ANSWER_BYTES_MAX + " bytes");
            }
        }
        return answer.toString(StandardCharsets.UTF_8);
    }
}
