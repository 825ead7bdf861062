package dev.tutti.discovery.s3;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The examples of the documentation of S3, "Authenticating Requests: Using the Authorization Header". */
class SignatureV4Test {

    private static final S3Credentials PAIR =
            new S3Credentials("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "");
    private static final Instant NOW = Instant.parse("2013-05-24T00:00:00Z");
    private static final String HOST = "https://examplebucket.s3.amazonaws.com";

    private static Map<String, String> sign(String method, String path, Map<String, String> headers, String body) {
        return new SignatureV4("us-east-1").sign(method, URI.create(HOST + path), headers, body.getBytes(), PAIR, NOW);
    }

    @Test
    void anObjectIsRead() {
        Map<String, String> headers = sign("GET", "/test.txt", Map.of("range", "bytes=0-9"), "");
        assertThat(headers.get("authorization"))
                .isEqualTo("AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
                        + " SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"
                        + " Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
        assertThat(headers)
                .containsEntry("x-amz-date", "20130524T000000Z")
                .containsEntry(
                        "x-amz-content-sha256", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
                .doesNotContainKeys("host", "x-amz-security-token");
    }

    @Test
    void anObjectIsPut() {
        Map<String, String> headers = sign(
                "PUT",
                "/" + SignatureV4.encode("test$file.text"),
                Map.of("date", "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class", "REDUCED_REDUNDANCY"),
                "Welcome to Amazon S3.");
        assertThat(headers.get("authorization"))
                .endsWith("Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
    }

    @Test
    void aParameterHasNoValue() {
        assertThat(sign("GET", "/?lifecycle", Map.of(), "").get("authorization"))
                .endsWith("Signature=fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
    }

    @Test
    void aBucketIsListed() {
        assertThat(sign("GET", "/?prefix=J&max-keys=2", Map.of(), "").get("authorization"))
                .endsWith("Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
    }

    @Test
    void aSessionTokenIsSigned() {
        S3Credentials session = new S3Credentials("a", "b", "token");
        Map<String, String> headers =
                new SignatureV4("us-east-1").sign("GET", URI.create(HOST + "/"), Map.of(), new byte[0], session, NOW);
        assertThat(headers).containsEntry("x-amz-security-token", "token");
        assertThat(headers.get("authorization")).contains("x-amz-date;x-amz-security-token,");
    }

    @Test
    void allButUnreservedCharactersAreEncoded() {
        assertThat(SignatureV4.encode("aZ09-._~ /+*!'()ü")).isEqualTo("aZ09-._~%20%2F%2B%2A%21%27%28%29%C3%BC");
    }
}
