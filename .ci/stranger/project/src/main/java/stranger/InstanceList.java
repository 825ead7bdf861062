package stranger;

import dev.tutti.core.discovery.DiscoverySource;
import dev.tutti.core.discovery.NodeEntry;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Running instances of Google Compute Engine with a label, by the account of the instance that asks. */
public final class InstanceList implements DiscoverySource {

    private static final Pattern TOKEN = Pattern.compile("\"access_token\"\\s*:\\s*\"([^\"]+)\"");
    private static final Pattern ADDRESS = Pattern.compile("\"networkIP\"\\s*:\\s*\"([^\"]+)\"");
    private static final Pattern NEXT_PAGE = Pattern.compile("\"nextPageToken\"\\s*:\\s*\"([^\"]+)\"");
    private static final int PAGES_MAX = 10;

    private final HttpClient client = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();
    private final String metadata;
    private final String instances;
    private final int port;

    /**
     * @param metadata {@code http://metadata.google.internal}
     * @param zone {@code https://compute.googleapis.com/compute/v1/projects/shop/zones/europe-west1-b}
     * @param label {@code role=shop}
     * @param port of the nodes
     */
    public InstanceList(String metadata, String zone, String label, int port) {
        this.metadata = metadata + "/computeMetadata/v1/instance/service-accounts/default/token";
        this.instances = zone + "/instances?filter=" + encode("status=RUNNING AND labels." + label);
        this.port = port;
    }

    @Override
    public void start(NodeEntry self) {}

    @Override
    public List<String> addresses() throws IOException {
        String token = first(TOKEN, get(metadata, "Metadata-Flavor", "Google"));
        List<String> addresses = new ArrayList<>();
        String page = "";
        for (int number = 0; number < PAGES_MAX; number++) {
            String list = get(instances + page, "Authorization", "Bearer " + token);
            Matcher address = ADDRESS.matcher(list);
            while (address.find()) {
                addresses.add(address.group(1) + ":" + port);
            }
            String next = first(NEXT_PAGE, list);
            if (next.isEmpty()) {
                break;
            }
            page = "&pageToken=" + encode(next);
        }
        return addresses;
    }

    private String get(String url, String header, String value) throws IOException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url))
                .header(header, value)
                .timeout(Duration.ofSeconds(3))
                .build();
        try {
            HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                throw new IOException("status " + answer.statusCode() + " from " + request.uri().getHost());
            }
            return answer.body();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private static String first(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        return matcher.find() ? matcher.group(1) : "";
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        client.close();
    }
}
