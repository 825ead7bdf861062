package dev.tutti.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import dev.tutti.Node;
import dev.tutti.core.settings.SettingException;
import dev.tutti.internal.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Log-ins at a provider of OpenID Connect, and answers of it that let nobody in. */
@Timeout(120)
class SingleSignOnTest {

    @TempDir
    private Path directory;

    private FakeProvider provider;
    private Node node;
    private Console console;
    private HttpClient client;

    /** Browser that has gone to the provider: where it was sent, and its cookie. */
    private record Away(URI sentTo, String cookie) {}

    @BeforeEach
    void start() throws IOException {
        provider = new FakeProvider();
        node = Node.tcp(0).name("n1").cluster("sign-on").start();
        client = HttpClient.newHttpClient();
        Path secret = Files.writeString(directory.resolve("secret"), FakeProvider.SECRET + "\n");
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        console = builder().set("console.oidc-secret-file", secret.toString()).start();
    }

    private ConsoleBuilder builder() {
        return Console.on(node)
                .port(0)
                .set("console.oidc-issuer", provider.issuer())
                .set("console.oidc-client-id", FakeProvider.CLIENT)
                .set("console.oidc-operators", "tutti-operator")
                .set("console.oidc-readers", "tutti-reader, staff");
    }

    @AfterEach
    void stop() {
        client.close();
        console.close();
        node.close();
        provider.close();
    }

    private HttpResponse<String> get(String address, String cookie) throws IOException, InterruptedException {
        return client.send(
                HttpRequest.newBuilder(URI.create(address)).header("Cookie", cookie).build(), HttpResponse.BodyHandlers.ofString());
    }

    private static String cookie(HttpResponse<?> response, String name) {
        String found = response.headers().allValues("set-cookie").stream().filter(each -> each.startsWith(name)).findFirst().orElseThrow();
        return found.substring(0, found.indexOf(';'));
    }

    private Away goAway() throws IOException, InterruptedException {
        HttpResponse<String> sent = get(console.address() + "login/provider", "");
        assertThat(sent.statusCode()).as(sent.body()).isEqualTo(303);
        assertThat(sent.headers().firstValue("set-cookie").orElseThrow()).contains("HttpOnly", "SameSite=Lax", "Path=/login");
        return new Away(URI.create(sent.headers().firstValue("location").orElseThrow()), cookie(sent, "tutti-login"));
    }

    private HttpResponse<String> logIn() throws IOException, InterruptedException {
        Away away = goAway();
        return get(provider.letIn(away.sentTo).toString(), away.cookie);
    }

    private void assertRefused(HttpResponse<String> response, int status, String words) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        assertThat(response.body()).contains(words);
        assertThat(response.headers().allValues("set-cookie")).noneMatch(each -> each.startsWith("tutti-console-"));
    }

    private Map<?, ?> session(HttpResponse<String> entered) throws IOException, InterruptedException {
        assertThat(entered.statusCode()).as(entered.body()).isEqualTo(200);
        return (Map<?, ?>) Json.parse(get(console.address() + "api/session", cookie(entered, "tutti-console-")).body());
    }

    // ------------------------------------------------------------------ letting in

    @Test
    void aPersonWhomTheProviderKnowsHasTheRoleThatTheClaimNames() throws Exception {
        assertThat(get(console.address() + "login", "").body())
                .contains("href=\"/login/provider\"", "Log in at 127.0.0.1")
                .doesNotContain("name=\"password\"", "name=\"token\"", "<!--");
        Away away = goAway();
        Map<String, String> asked = FakeProvider.parameters(away.sentTo.getRawQuery());
        assertThat(asked)
                .containsEntry("response_type", "code")
                .containsEntry("client_id", FakeProvider.CLIENT)
                .containsEntry("scope", "openid profile")
                .containsEntry("code_challenge_method", "S256")
                .containsEntry("redirect_uri", console.address() + "login/callback");
        HttpResponse<String> entered = get(provider.letIn(away.sentTo).toString(), away.cookie);
        assertThat(entered.headers().allValues("set-cookie")).anyMatch(each -> each.startsWith("tutti-console-") && each.contains("SameSite=Strict"));
        assertThat(session(entered).get("name")).isEqualTo("oidc:ann");
        assertThat(session(entered).get("role")).isEqualTo("operator");
        assertThat(provider.authorization).startsWith("Basic ");
        provider.person = Map.of("sub", "1", "preferred_username", "bob", "roles", "staff");
        assertThat(session(logIn()).toString()).contains("oidc:bob", "reader");
    }

    @Test
    void aKeyThatTheProviderHasChangedIsReadAgain() throws Exception {
        assertThat(session(logIn()).get("name")).isEqualTo("oidc:ann");
        assertThat(session(logIn()).get("name")).isEqualTo("oidc:ann");
        assertThat(provider.keysRead).hasValue(1);
        provider.key = FakeProvider.ec("second");
        provider.published = List.of(provider.key);
        assertThat(session(logIn()).get("name")).isEqualTo("oidc:ann");
        assertThat(provider.keysRead).hasValue(2);
    }

    @Test
    void aClientWithoutASecretHasItsVerifierAlone() throws Exception {
        console.close();
        console = builder().set("console.oidc-redirect", "http://localhost:1/login/callback").start();
        Away away = goAway();
        assertThat(FakeProvider.parameters(away.sentTo.getRawQuery())).containsEntry("redirect_uri", "http://localhost:1/login/callback");
        URI back = provider.letIn(away.sentTo);
        assertThat(session(get(console.address() + "login/callback?" + back.getRawQuery(), away.cookie)).get("name")).isEqualTo("oidc:ann");
        assertThat(provider.authorization).isEqualTo("null");
    }

    @Test
    void aLogOutEndsTheSessionHereAndOffersThatAtTheProvider() throws Exception {
        String cookie = cookie(logIn(), "tutti-console-");
        HttpResponse<String> left = client.send(
                HttpRequest.newBuilder(URI.create(console.address() + "logout")).header("Cookie", cookie).POST(HttpRequest.BodyPublishers.noBody()).build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(left.body()).contains("You are logged out here", provider.issuer() + "/logout?client_id=tutti&amp;post_logout_redirect_uri=");
        assertThat(get(console.address() + "api/session", cookie).statusCode()).isEqualTo(401);
    }

    @Test
    void aLinkOfAPersonWhomTheProviderKnowsIsNamedAfterThePerson() throws Exception {
        String cookie = cookie(logIn(), "tutti-console-");
        Map<?, ?> session = (Map<?, ?>) Json.parse(get(console.address() + "api/session", cookie).body());
        HttpResponse<String> made = client.send(
                HttpRequest.newBuilder(URI.create(console.address() + "api/link"))
                        .header("Cookie", cookie)
                        .header("X-Tutti-Proof", String.valueOf(session.get("proof")))
                        .POST(HttpRequest.BodyPublishers.ofString("role=reader"))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        String link = String.valueOf(((Map<?, ?>) Json.parse(made.body())).get("link"));
        assertThat(session(get(link, "")).get("name")).isEqualTo("link of oidc:ann");
    }

    // ------------------------------------------------------------------ refusing

    @Test
    void tokensThatAreNotGoodLetNobodyIn() throws Exception {
        Map<String, UnaryOperator<JWTClaimsSet.Builder>> mistakes = new LinkedHashMap<>();
        mistakes.put("another nonce", claims -> claims.claim("nonce", "another"));
        mistakes.put("no nonce", claims -> claims.claim("nonce", null));
        mistakes.put("another audience", claims -> claims.audience("another"));
        mistakes.put("several audiences", claims -> claims.audience(List.of(FakeProvider.CLIENT, "another")));
        mistakes.put("another party", claims -> claims.claim("azp", "another"));
        mistakes.put("another issuer", claims -> claims.issuer("https://evil.example"));
        mistakes.put("expired", claims -> claims.expirationTime(Date.from(Instant.now().minusSeconds(120))));
        mistakes.put("without an end", claims -> claims.expirationTime(null));
        mistakes.put("not yet good", claims -> claims.notBeforeTime(Date.from(Instant.now().plusSeconds(120))));
        for (Map.Entry<String, UnaryOperator<JWTClaimsSet.Builder>> each : mistakes.entrySet()) {
            provider.mistake = each.getValue();
            assertRefused(logIn(), 403, "The answer of the provider is not good");
        }
        assertThat(console.status()).containsEntry("logins-refused", (long) mistakes.size());
        provider.mistake = claims -> claims.audience(List.of(FakeProvider.CLIENT, "another")).claim("azp", FakeProvider.CLIENT);
        assertThat(session(logIn()).get("name")).as("the others were refused for their mistakes").isEqualTo("oidc:ann");
    }

    @Test
    void signaturesThatAreNoneOfTheProviderLetNobodyIn() throws Exception {
        FakeProvider.Signer good = provider.signer;
        provider.signer = claims -> new PlainJWT(claims).serialize();
        assertRefused(logIn(), 403, "not good");
        provider.signer = claims -> {
            SignedJWT token = new SignedJWT(new JWSHeader(JWSAlgorithm.HS256), claims);
            token.sign(new MACSigner((FakeProvider.SECRET + "x".repeat(32)).substring(0, 32)));
            return token.serialize();
        };
        assertRefused(logIn(), 403, "not good");
        provider.signer = claims -> {
            String token = good.sign(claims);
            return token.substring(0, token.length() - 8) + "AAAAAAAA";
        };
        assertRefused(logIn(), 403, "not good");
        provider.signer = claims -> "no token";
        assertRefused(logIn(), 403, "not good");
        provider.signer = good;
        RSAKey unknown = FakeProvider.rsa("unknown");
        provider.key = unknown;
        assertRefused(logIn(), 403, "not good");
        provider.key = new RSAKey.Builder(unknown).keyID("first").build();
        assertRefused(logIn(), 403, "not good");
    }

    @Test
    void anAnswerIsGoodOnceAndInTheBrowserThatWasSentAlone() throws Exception {
        Away away = goAway();
        URI back = provider.letIn(away.sentTo);
        assertThat(session(get(back.toString(), away.cookie)).get("name")).isEqualTo("oidc:ann");
        assertRefused(get(back.toString(), away.cookie), 403, "not begun in this browser, has ended before");
        Away stolen = goAway();
        assertRefused(get(provider.letIn(stolen.sentTo).toString(), ""), 403, "not begun in this browser");
        Away other = goAway();
        Away another = goAway();
        assertRefused(get(provider.letIn(other.sentTo).toString(), another.cookie), 403, "not begun in this browser");
        assertRefused(get(provider.letIn(other.sentTo).toString(), other.cookie), 403, "not begun in this browser");
        assertRefused(get(console.address() + "login/callback?code=x&state=made+up", away.cookie), 403, "not begun in this browser");
        assertThat(console.status()).containsEntry("logins-at-provider", 1L);
    }

    @Test
    void aPersonWithoutARoleIsToldWhichClaimHasNone() throws Exception {
        provider.person = Map.of("sub", "<b>bold</b>", "preferred_username", "<i>bad</i>", "roles", List.of("music"));
        HttpResponse<String> refused = logIn();
        assertRefused(refused, 403, "you have no role at this console: the claim roles has none of its roles");
        assertThat(refused.body()).contains("&lt;b&gt;bold").doesNotContain("<b>bold", "<i>bad");
        provider.person = Map.of("sub", "1", "preferred_username", "bob");
        assertRefused(logIn(), 403, "The provider knows you as bob");
    }

    @Test
    void aRefusalOfTheProviderIsTold() throws Exception {
        Away away = goAway();
        String state = FakeProvider.parameters(away.sentTo.getRawQuery()).get("state");
        assertRefused(get(console.address() + "login/callback?error=access_denied&state=" + state, away.cookie), 403, "The provider has refused: access_denied.");
        Away mixed = goAway();
        String back = provider.letIn(mixed.sentTo).toString().replace("iss=" + provider.issuer(), "iss=https://evil.example");
        assertRefused(get(back, mixed.cookie), 403, "of another provider");
        Away second = goAway();
        String wrong = provider.letIn(second.sentTo).toString().replaceAll("code=[^&]*", "code=made-up");
        assertRefused(get(wrong, second.cookie), 403, "not good");
    }

    // ------------------------------------------------------------------ providers that do not answer

    @Test
    void aProviderThatDoesNotAnswerAsItShouldKeepsNobodyElseOut() throws Exception {
        provider.isDown = true;
        assertRefused(get(console.address() + "login/provider", ""), 502, "The provider does not answer as it should");
        assertThat(console.status()).containsEntry("provider-failures", 1L);
        assertThat(get(console.link(), "").statusCode()).isEqualTo(200);
        console.close();
        provider.isDown = false;
        console = builder().start();
        Away away = goAway();
        provider.isDown = true;
        assertRefused(get(provider.letIn(away.sentTo).toString(), away.cookie), 502, "The provider does not answer as it should");
        provider.isDown = false;
        Away later = goAway();
        assertThat(session(get(provider.letIn(later.sentTo).toString(), later.cookie)).get("name")).isEqualTo("oidc:ann");
        console.close();
        provider.issuerTold = "https://evil.example";
        console = builder().start();
        assertRefused(get(console.address() + "login/provider", ""), 502, "The provider does not answer as it should");
        provider.close();
        console.close();
        console = builder().start();
        assertRefused(get(console.address() + "login/provider", ""), 502, "The provider does not answer as it should");
    }

    // ------------------------------------------------------------------ settings

    @Test
    void settingsThatDoNotFitAreRefusedAtTheStart() throws IOException {
        Path empty = Files.writeString(directory.resolve("empty"), "\n");
        Files.setPosixFilePermissions(empty, PosixFilePermissions.fromString("rw-------"));
        assertStartFails(builder().set("console.oidc-secret-file", empty.toString()), "is empty");
        assertStartFails(Console.on(node).port(0).set("console.oidc-issuer", provider.issuer()), "one is missing");
        assertStartFails(builder().set("console.oidc-operators", "").set("console.oidc-readers", ""), "nobody could log in");
        assertStartFails(builder().set("console.oidc-issuer", "http://login.example"), "http is for this machine only");
        assertStartFails(builder().set("console.oidc-issuer", "login.example"), "is not of the form https://host/path");
        assertStartFails(builder().set("console.oidc-authority", directory.resolve("none").toString()), "console.oidc-authority");
        assertStartFails(builder().set("console.oidc-secret-file", directory.resolve("none").toString()), "console.oidc-secret-file");
    }

    private void assertStartFails(ConsoleBuilder builder, String words) {
        console.close();
        assertThatThrownBy(builder::start).isInstanceOf(SettingException.class).hasMessageContaining(words);
    }

    @Test
    void aConsoleWithoutAProviderHasNoSuchPages() throws Exception {
        console.close();
        console = Console.on(node).port(0).start();
        assertThat(get(console.address() + "login/provider", "").statusCode()).isEqualTo(404);
        assertThat(get(console.address() + "login/callback?code=x&state=y", "").statusCode()).isEqualTo(404);
        assertThat(get(console.address() + "login", "").body()).doesNotContain("/login/provider", "<!--");
    }
}
