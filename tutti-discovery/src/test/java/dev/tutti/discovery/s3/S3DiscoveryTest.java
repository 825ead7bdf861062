package dev.tutti.discovery.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.discovery.NodeEntry;
import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import dev.tutti.discovery.http.HttpCalls;
import dev.tutti.testing.Await;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;
import software.amazon.awssdk.http.auth.spi.signer.SignedRequest;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;

/** Against a server that checks signatures. */
class S3DiscoveryTest {

    private static final NodeEntry ANNA = new NodeEntry("shop", "anna", "10.0.0.1:7800");
    private static final NodeEntry BERT = new NodeEntry("shop", "bert", "[fd01::2%eth0]:7800");

    private static S3Server server;

    @TempDir
    private Path directory;

    private final List<S3Discovery> sources = new ArrayList<>();

    @BeforeAll
    static void start() throws Exception {
        server = new S3Server("nodes");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @AfterEach
    void retire() throws IOException {
        for (S3Discovery source : sources) {
            source.close();
        }
    }

    private static SignedBucket bucket(String name, URI endpoint, S3Credentials.Source credentials, Clock clock) {
        return new SignedBucket(
                SignedBucket.Place.of(name, "us-east-1", endpoint.toString(), true), credentials, new HttpCalls(), clock);
    }

    private static SignedBucket bucket() {
        return bucket("nodes", server.endpoint(), S3DiscoveryTest::pair, Clock.systemUTC());
    }

    private static S3Credentials pair() {
        return new S3Credentials(S3Server.ACCESS_KEY, S3Server.SECRET_KEY, "");
    }

    private static Clock off(Duration offset) {
        return Clock.offset(Clock.systemUTC(), offset);
    }

    private S3Discovery started(NodeEntry self) throws IOException {
        S3Discovery source = new S3Discovery(bucket(), "nodes/");
        source.start(self);
        source.announce();
        sources.add(source);
        return source;
    }

    @Test
    void nodesOfOneClusterFindEachOther() throws IOException {
        S3Discovery anna = started(ANNA);
        S3Discovery bert = started(BERT);
        started(new NodeEntry("other/../shop +ü", "carl", "10.0.0.3:7800"));
        assertThat(anna.addresses()).containsExactlyInAnyOrder("10.0.0.1:7800", "[fd01::2%eth0]:7800");
        bert.remove("10.0.0.1:7800");
        bert.remove("10.0.0.1:7800");
        assertThat(anna.addresses()).containsExactly("[fd01::2%eth0]:7800");
        anna.announce();
        assertThat(bert.addresses()).hasSize(2);
        anna.close();
        assertThat(started(BERT).addresses()).containsExactly("[fd01::2%eth0]:7800");
    }

    /** A name in front of another name needs a resolver that knows it; a bucket with the name 127 is at 127.0.0.1. */
    @Test
    void theBucketMayBePartOfTheHostsName() throws Exception {
        try (S3Server virtual = new S3Server("127", "aws-v4", "0.0.1")) {
            URI endpoint = URI.create(virtual.endpoint().toString().replace("127.0.0.1", "0.0.1"));
            SignedBucket.Place place = SignedBucket.Place.of("127", "us-east-1", endpoint.toString(), false);
            S3Discovery source = new S3Discovery(
                    new SignedBucket(place, S3DiscoveryTest::pair, new HttpCalls(), Clock.systemUTC()), "virtual/");
            source.start(ANNA);
            source.announce();
            assertThat(source.addresses()).containsExactly("10.0.0.1:7800");
            source.close();
        }
    }

    @Test
    void listingsOfSeveralPagesAreReadToTheEnd() throws IOException {
        try (SignedBucket bucket = bucket()) {
            for (int number = 0; number < 1_001; number++) {
                bucket.put("many/" + number + ".node", "");
            }
            assertThat(bucket.list("many/")).hasSize(1_001).doesNotHaveDuplicates();
        }
    }

    @Test
    void objectsThatAreNoEntriesArePassedOver() throws IOException {
        S3Discovery anna = started(ANNA);
        try (SignedBucket bucket = bucket()) {
            for (String key : List.of("x.node", "10.0.0.2!3A7800", "10.0.0.2!3a7800.node", "!3.node", "a/b!3A1.node")) {
                bucket.put("nodes/shop/" + key, "?");
            }
            assertThat(anna.addresses()).containsExactly("10.0.0.1:7800");
            assertThat(anna.drops().malformed()).isPositive();
        }
    }

    @Test
    void aServerThatIsAwayIsAnOutageAndEndsByItself() throws Exception {
        try (S3Server other = new S3Server("shop")) {
            S3Discovery source = new S3Discovery(
                    bucket("shop", other.endpoint(), S3DiscoveryTest::pair, Clock.systemUTC()), "");
            source.start(ANNA);
            source.announce();
            other.goAway();
            assertThatThrownBy(source::addresses)
                    .isInstanceOf(IOException.class)
                    .hasMessage("nobody listens at " + other.endpoint());
            other.comeBack();
            assertThat(source.addresses()).containsExactly("10.0.0.1:7800");
        }
    }

    private static void refused(SignedBucket bucket, String message) {
        try (bucket) {
            assertThatThrownBy(() -> bucket.list("")).isInstanceOf(IOException.class).hasMessageContaining(message);
        }
    }

    @Test
    void refusalsSayWhatHelps() {
        URI endpoint = server.endpoint();
        refused(
                bucket("missing", endpoint, S3DiscoveryTest::pair, Clock.systemUTC()),
                "bucket missing at " + endpoint + ": list: there is no such bucket; create it, or correct discovery.s3.bucket");
        refused(
                bucket("nodes", endpoint, () -> new S3Credentials("AKIDOTHER", "x", ""), Clock.systemUTC()),
                "the server does not know access key AKIDOTHER");
        refused(
                bucket("nodes", endpoint, () -> new S3Credentials(S3Server.ACCESS_KEY, "x", ""), Clock.systemUTC()),
                "the secret key does not belong to access key " + S3Server.ACCESS_KEY);
        refused(bucket("nodes", endpoint, () -> null, Clock.systemUTC()), "refused for requests without keys");
        refused(
                bucket("nodes", URI.create("http://127.0.0.1:9"), S3DiscoveryTest::pair, Clock.systemUTC()),
                "nobody listens at http://127.0.0.1:9");
        refused(
                bucket("nodes", URI.create("http://nowhere.invalid"), S3DiscoveryTest::pair, Clock.systemUTC()),
                "no address is known for nowhere.invalid");
    }

    @Test
    void aClockThatIsWrongIsNamed() {
        refused(
                bucket("nodes", server.endpoint(), S3DiscoveryTest::pair, off(Duration.ofHours(2))),
                " s ahead of the server's: set it right");
        refused(
                bucket("nodes", server.endpoint(), S3DiscoveryTest::pair, off(Duration.ofHours(-2))),
                " s behind the server's: set it right");
    }

    @Test
    void aPublicBucketNeedsNoKeys() throws Exception {
        try (S3Server open = new S3Server("open", "none", "")) {
            S3Discovery source = new S3Discovery(bucket("open", open.endpoint(), () -> null, Clock.systemUTC()), "");
            source.start(ANNA);
            source.announce();
            assertThat(source.addresses()).containsExactly("10.0.0.1:7800");
            source.close();
        }
    }

    // ------------------------------------------------------------------ pre-signed

    /** Signs a URL with the signer of AWS. */
    private static String presigned(SdkHttpMethod method, String path, Map<String, String> query, Duration validity) {
        // The signature covers the host and not the scheme, without which the signer would hash the body, too.
        URI endpoint = server.endpoint();
        SdkHttpRequest.Builder request = SdkHttpRequest.builder()
                .method(method)
                .protocol("https")
                .host(endpoint.getHost())
                .port(endpoint.getPort())
                .encodedPath(path);
        query.forEach(request::putRawQueryParameter);
        SignedRequest signed = AwsV4HttpSigner.create()
                .sign(sign -> sign.identity(AwsCredentialsIdentity.create(S3Server.ACCESS_KEY, S3Server.SECRET_KEY))
                        .request(request.build())
                        .putProperty(AwsV4HttpSigner.SERVICE_SIGNING_NAME, "s3")
                        .putProperty(AwsV4HttpSigner.REGION_NAME, "us-east-1")
                        .putProperty(AwsV4HttpSigner.AUTH_LOCATION, AwsV4HttpSigner.AuthLocation.QUERY_STRING)
                        .putProperty(AwsV4HttpSigner.EXPIRATION_DURATION, validity)
                        .putProperty(AwsV4HttpSigner.PAYLOAD_SIGNING_ENABLED, false)
                        .putProperty(AwsV4HttpSigner.DOUBLE_URL_ENCODE, false));
        return signed.request().getUri().toString().replace("https:", "http:");
    }

    private static PresignedBucket presigned(String key, Duration validity, Clock clock) {
        String path = "/nodes/" + key;
        return new PresignedBucket(
                presigned(SdkHttpMethod.GET, "/nodes", Map.of("list-type", "2", "prefix", "signed/"), validity),
                presigned(SdkHttpMethod.PUT, path, Map.of(), validity),
                presigned(SdkHttpMethod.DELETE, path, Map.of(), validity),
                new HttpCalls(),
                clock);
    }

    @Test
    void urlsThatWereSignedByTheOwnerOfTheBucketAreEnough() throws IOException {
        String key = "signed/shop/10.0.0.1!3A7800.node";
        S3Discovery anna = new S3Discovery(presigned(key, Duration.ofMinutes(5), Clock.systemUTC()), "signed/");
        anna.start(ANNA);
        anna.announce();
        assertThat(anna.addresses()).containsExactly("10.0.0.1:7800");
        anna.remove("10.0.0.2:7800");
        anna.close();
        try (SignedBucket bucket = bucket()) {
            assertThat(bucket.list("signed/shop/")).isEmpty();
        }
    }

    @Test
    void aUrlForAnotherObjectIsRefused() {
        S3Discovery anna = new S3Discovery(presigned("signed/shop/other", Duration.ofMinutes(5), Clock.systemUTC()), "signed/");
        assertThatThrownBy(() -> anna.start(ANNA))
                .isInstanceOf(IOException.class)
                .hasMessage("discovery.s3.put-url is signed for /nodes/signed/shop/other, and the object of this node is"
                        + " signed/shop/10.0.0.1!3A7800.node");
    }

    @Test
    void aUrlThatHasExpiredIsSaidToHave() throws Exception {
        try (PresignedBucket expired = presigned("k", Duration.ofSeconds(1), off(Duration.ofHours(1)))) {
            Await.until("the URL expires", () -> {
                try {
                    expired.list("");
                    return false;
                } catch (IOException e) {
                    assertThat(e)
                            .hasMessageStartingWith("discovery.s3.list-url has expired at ")
                            .hasMessageContaining("; have a new one signed; the clock of this machine is ")
                            .hasMessageContaining(" s ahead of the server's: set it right")
                            .hasMessageNotContaining("Signature=");
                    return true;
                }
            });
        }
    }

    // ------------------------------------------------------------------ credentials and settings

    @Test
    void credentialsComeFromTheEnvironment() throws IOException {
        Map<String, String> variables = new HashMap<>();
        S3Credentials.Source source = S3Credentials.environment(variables::get);
        assertThatThrownBy(source::present)
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("S3: there are no credentials: set discovery.s3.access-key");
        variables.put("AWS_ACCESS_KEY_ID", "a");
        variables.put("AWS_SECRET_ACCESS_KEY", "b");
        assertThat(source.present()).isEqualTo(new S3Credentials("a", "b", ""));
        variables.put("AWS_SESSION_TOKEN", "c");
        assertThat(source.present()).isEqualTo(new S3Credentials("a", "b", "c"));
        assertThat(source.present()).asString().as("no secret").isEqualTo("access key a");
    }

    @Test
    void credentialsComeFromAFileThatIsReadAgain() throws IOException {
        Path file = directory.resolve("credentials");
        S3Credentials.Source source = S3Credentials.file(file, "shop");
        assertThatThrownBy(source::present).hasMessage(file + " is not there; discovery.s3.credentials-file names it");
        Files.writeString(file, "[default]\naws_access_key_id = x\n\n[shop]\n# ours\naws_access_key_id = a\naws_secret_access_key=b=\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw----r--"));
        assertThatThrownBy(source::present).hasMessageContaining("others can read or change it");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        assertThat(source.present()).isEqualTo(new S3Credentials("a", "b=", ""));
        Files.writeString(file, "[shop]\naws_access_key_id=c\naws_secret_access_key=d\naws_session_token=e\n");
        assertThat(source.present()).isEqualTo(new S3Credentials("c", "d", "e"));
        Files.writeString(file, "[shop]\naws_access_key_id=c\n");
        assertThatThrownBy(source::present).hasMessageContaining("profile [shop] has no aws_access_key_id or no aws_secret_access_key");
        Files.writeString(file, "[other]\n");
        assertThatThrownBy(source::present).hasMessageContaining("has no profile [shop]; discovery.s3.profile names it");
    }

    private static Settings settings() {
        return Settings.of(new S3Provider().settings());
    }

    private static void wrong(Settings settings, String message) {
        assertThatThrownBy(() -> new S3Provider().open(settings)).isInstanceOf(SettingException.class).hasMessage(message);
    }

    @Test
    void settingsOpenABucket() throws IOException {
        S3Discovery source = (S3Discovery) new S3Provider()
                .open(settings()
                        .with(S3Provider.BUCKET, "nodes")
                        .with(S3Provider.ENDPOINT, server.endpoint().toString())
                        .with(S3Provider.PATH_STYLE, true)
                        .with(S3Provider.ACCESS_KEY, S3Server.ACCESS_KEY)
                        .with(S3Provider.SECRET_KEY, S3Server.SECRET_KEY))
                .orElseThrow();
        source.start(BERT);
        source.announce();
        assertThat(source.addresses()).containsExactly("[fd01::2%eth0]:7800");
        source.close();
        assertThat(new S3Provider().open(settings())).isEmpty();
    }

    @Test
    void settingsThatContradictEachOtherAreRefused() {
        Settings bucket = settings().with(S3Provider.BUCKET, "shop");
        wrong(
                bucket.with(S3Provider.ACCESS_KEY, "a"),
                "discovery.s3.access-key and discovery.s3.secret-key belong together: one is set and the other is not");
        wrong(
                bucket.with(S3Provider.LIST_URL, "https://h/b?x=1"),
                "discovery.s3.bucket and discovery.s3.list-url are set: a pre-signed URL has its bucket, set one");
        wrong(
                settings().with(S3Provider.LIST_URL, "https://h/b?x=1"),
                "discovery.s3.put-url is no pre-signed URL; write https://bucket.s3.region.amazonaws.com/…?X-Amz-…");
        wrong(bucket.with(S3Provider.CA_FILE, "/nowhere/ca.pem"), "discovery.s3.ca-file: /nowhere/ca.pem is not there");
    }

    @ParameterizedTest
    @ValueSource(strings = {"minio:9000", "ftp://minio", "http://", "http://minio/path", "http://minio:port", "http://user@minio"})
    void anEndpointIsAServer(String endpoint) {
        wrong(
                settings().with(S3Provider.BUCKET, "shop").with(S3Provider.ENDPOINT, endpoint),
                "discovery.s3.endpoint: '" + endpoint + "' is no URL of a server; write https://minio.example:9000");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "a/b", "..", "-a", "a b", "shop?x"})
    void aBucketHasAName(String bucket) {
        wrong(
                settings().with(S3Provider.BUCKET, bucket),
                "discovery.s3.bucket: '" + bucket + "' is no name of a bucket; it has 2 to 63 letters, digits, dots and hyphens");
    }
}
