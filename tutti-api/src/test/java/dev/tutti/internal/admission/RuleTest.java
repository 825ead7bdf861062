package dev.tutti.internal.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.tutti.core.admission.Newcomer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RuleTest {

    @TempDir
    private Path directory;

    private int changes;

    private static Rule rule(String text) {
        return RuleParser.parse(text, new TokenFile(Path.of("none"))).rule();
    }

    private static String ask(String text, Newcomer newcomer) throws UndecidedException {
        String objection = rule(text).objection(newcomer, false);
        return objection == null ? "admitted" : objection;
    }

    private Path file(String name, String... lines) throws IOException {
        Path file = directory.resolve(name);
        if (!Files.exists(file)) {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        }
        Files.write(file, List.of(lines));
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().plusSeconds(++changes)));
        return file;
    }

    // ------------------------------------------------------------------ attributes and operators

    @ParameterizedTest
    @ValueSource(strings = {
        "name = ann",
        "name ~ a.*",
        "name ^= an",
        "remote = 10.0.0.1",
        "remote ~ 10\\.0\\..*",
        "address = 10.0.0.1:7800",
        "address ~ 10\\.0\\.0\\.[0-9]+:7800",
        "cluster = shop",
        "subject = CN=ann,O=Shop",
        "subject ~ .*,O=Shop",
        "issuer = CN=ann,O=Shop",
        "san = ann.shop.example",
        "san = 10.0.0.1",
        "san = spiffe://prod/shop/ann",
        "san ~ .*@shop\\.example",
        "spiffe = spiffe://prod/shop/ann",
        "spiffe ^= spiffe://prod/shop",
        "spiffe ^= spiffe://prod/shop/",
        "spiffe ^= spiffe://prod/shop/ann",
        "certificate = ann",
        "certificate = ann.shop.example",
        "certificate = sha256:" + Newcomers.FINGERPRINT,
        "NAME=ann AND cluster=shop",
        "not name = bob",
        "not (name = bob or name = carol)",
        "name = bob or spiffe ^= spiffe://prod/shop and not remote = 10.0.0.2",
        "(name = bob or name = ann) and (cluster = shop)",
        "not not name = ann",
        "name = \"ann\"",
        "name ~ \"(ann|bob)\"",
    })
    void admits(String text) throws UndecidedException {
        assertThat(ask(text, Newcomers.withCertificate())).isEqualTo("admitted");
    }

    static Stream<Arguments> refused() {
        return Stream.of(
                arguments("name = bob", "its name is 'ann', and the rule says: name = bob"),
                arguments("name ~ nn", "its name is 'ann', and the rule says: name ~ nn"),
                arguments("spiffe ^= spiffe://prod/sho",
                        "its spiffe is 'spiffe://prod/shop/ann', and the rule says: spiffe ^= spiffe://prod/sho"),
                arguments("certificate = sha256:00",
                        "its certificate is 'ann.shop.example', '10.0.0.1', 'spiffe://prod/shop/ann', 'ann@shop.example', 'ann',"
                                + " 'sha256:560de6eb622ef3cc05a5af61a8d453ae27e2c1989140cdb9bee07bd53ca5392c', and the rule says:"
                                + " certificate = sha256:00"),
                arguments("not name = ann", "the rule says: not name = ann"),
                arguments("not (name = ann and cluster = shop)", "the rule says: not (name = ann and cluster = shop)"),
                arguments("name = bob or cluster = x",
                        "its name is 'ann', and the rule says: name = bob, and its cluster is 'shop', and the rule says: cluster = x"),
                arguments("name = ann and cluster = x", "its cluster is 'shop', and the rule says: cluster = x"),
                arguments("token", "it has no token"));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void refuses(String text, String objection) throws UndecidedException {
        assertThat(ask(text, Newcomers.withCertificate())).isEqualTo(objection);
    }

    @Test
    void aNodeWithoutACertificateHasNoneOfItsNames() throws UndecidedException {
        assertThat(ask("san = ann", Newcomers.named("ann"))).isEqualTo("it has no san, and the rule says: san = ann");
        assertThat(ask("spiffe ^= spiffe://prod", Newcomers.named("ann"))).startsWith("it has no spiffe");
        assertThat(ask("certificate = ann", Newcomers.named("ann"))).startsWith("it has no certificate");
    }

    @Test
    void remoteIsAHostWithoutBracketsAndPort() throws UndecidedException {
        assertThat(ask("remote = fd00::1", Newcomers.withToken(Newcomers.TOKEN))).isEqualTo("admitted");
    }

    // ------------------------------------------------------------------ hostile values

    @ParameterizedTest
    @ValueSource(strings = {"name ~ \"(a+a+)+b\"", "not name ~ \"(a+a+)+b\""})
    void aValueThatTakesTooLongIsNeitherAdmittedNorItsOpposite(String text) {
        assertThatThrownBy(() -> ask(text, Newcomers.named("a".repeat(200))))
                .isInstanceOf(UndecidedException.class)
                .hasMessage("the regular expression (a+a+)+b takes too long for a text of 200 characters");
    }

    @Test
    void aPatternThatNeedsTooMuchStackIsNotDecided() {
        assertThatThrownBy(() -> new BoundedPattern("(a|b)*").matches("ab".repeat(90_000))).isInstanceOf(UndecidedException.class);
    }

    @Test
    void aValueThatIsTooLongIsNotDecided() {
        Newcomer newcomer = Newcomers.named("x".repeat(Rule.VALUE_MAX + 1));
        for (String text : List.of("name = x", "not name = x", "name ~ x*")) {
            assertThatThrownBy(() -> ask(text, newcomer))
                    .hasMessage("its name has 1025 characters, and rules test 1024 at most");
        }
    }

    @Test
    void controlCharactersAreMatchedAsTheyAre() throws UndecidedException {
        Newcomer newcomer = Newcomers.named("ann\nadmin");
        assertThat(ask("name ~ ann", newcomer)).isNotEqualTo("admitted");
        assertThat(ask("name ~ ann.*", newcomer)).as("a dot is no line feed").isNotEqualTo("admitted");
    }

    // ------------------------------------------------------------------ tokens

    private TokenFile tokens(String... lines) throws IOException {
        TokenFile tokens = new TokenFile(file("token", lines));
        tokens.refresh();
        return tokens;
    }

    @Test
    void bothTokensOfTheFileAreAcceptedAndTheFirstIsProven() throws IOException {
        TokenFile tokens = tokens("# since May", Newcomers.TOKEN, "", Newcomers.NEXT_TOKEN);
        assertThat(tokens.own()).asString().isEqualTo(Newcomers.TOKEN);
        Rule rule = new Rule.Token(tokens);
        assertThat(rule.toString()).isEqualTo("token");
        assertThat(tokens.isKnownBy(Newcomers.withToken(Newcomers.TOKEN), false)).isTrue();
        assertThat(tokens.isKnownBy(Newcomers.withToken(Newcomers.NEXT_TOKEN), false)).isTrue();
        assertThat(tokens.isKnownBy(Newcomers.withToken(Newcomers.TOKEN + "x"), false)).isFalse();
        assertThat(tokens.isKnownBy(Newcomers.named("shop-1"), false)).isFalse();
    }

    @Test
    void whoCameInWithAFormerTokenStays() throws IOException {
        TokenFile tokens = tokens(Newcomers.TOKEN);
        file("token", Newcomers.NEXT_TOKEN);
        assertThat(tokens.refresh()).isTrue();
        assertThat(tokens.refresh()).isFalse();
        Newcomer before = Newcomers.withToken(Newcomers.TOKEN);
        assertThat(tokens.isKnownBy(before, false)).isFalse();
        assertThat(tokens.isKnownBy(before, true)).isTrue();
        assertThat(tokens.isKnownBy(Newcomers.named("x"), true)).isFalse();
    }

    @Test
    void tokenFilesThatAreWrongAreRefusedWithoutTheirContent() throws IOException {
        assertThatThrownBy(() -> tokens()).hasMessageContaining("has no token; it must have one line");
        assertThatThrownBy(() -> tokens(Newcomers.TOKEN, Newcomers.NEXT_TOKEN, "x")).hasMessageContaining("has more than two tokens");
        assertThatThrownBy(() -> tokens("hunter2"))
                .hasMessageContaining("the token can be guessed")
                .hasMessageContaining("tutti certs secret")
                .message().doesNotContain("hunter2");
        Path open = file("open", Newcomers.TOKEN);
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw-r--r--"));
        assertThatThrownBy(() -> new TokenFile(open).refresh()).hasMessageContaining("chmod 600");
        assertThatThrownBy(() -> new TokenFile(directory.resolve("none")).refresh()).hasMessageEndingWith("there is no such file");
    }

    @Test
    void aTokenFileThatBecomesWrongLeavesTheTokensInForce() throws IOException {
        TokenFile tokens = tokens(Newcomers.TOKEN);
        file("token", "short");
        assertThatThrownBy(tokens::refresh).hasMessageContaining("can be guessed");
        assertThat(tokens.refresh()).as("not read again before its next change").isFalse();
        assertThat(tokens.own()).asString().isEqualTo(Newcomers.TOKEN);
        Files.delete(directory.resolve("token"));
        assertThatThrownBy(tokens::refresh).hasMessageEndingWith("there is no such file");
        assertThat(tokens.isKnownBy(Newcomers.withToken(Newcomers.TOKEN), false)).isTrue();
    }

    // ------------------------------------------------------------------ lists

    @Test
    void aListIsReadAgain() throws IOException, UndecidedException {
        Path list = file("list", "# nodes of the shop", "ann", "sha256:" + Newcomers.FINGERPRINT);
        Rule rule = rule("certificate in " + list + " and cluster = shop");
        assertThat(rule.refresh()).isTrue();
        assertThat(rule.objection(Newcomers.withCertificate(), false)).isNull();
        file("list", "sha256:" + Newcomers.FINGERPRINT);
        assertThat(rule.refresh()).isTrue();
        assertThat(rule.refresh()).isFalse();
        assertThat(rule.objection(Newcomers.withCertificate(), false)).isNull();
        file("list", "bob");
        assertThat(rule.refresh()).isTrue();
        assertThat(rule.objection(Newcomers.withCertificate(), true)).contains("certificate in " + list);
        file("list", "");
        assertThatThrownBy(rule::refresh).hasMessageContaining("has 0 values; it must have 1 to 100000 lines");
        assertThat(rule.objection(Newcomers.withCertificate(), true)).isNotNull();
    }

    // ------------------------------------------------------------------ texts

    static Stream<Arguments> wrongTexts() {
        return Stream.of(
                arguments("nam = x", "character 1: there is no attribute 'nam'; did you mean 'name'?; here stands token, or one of"),
                arguments("name", "character 5: after name stands ''; here stands an operator: =, ^=, ~, in"),
                arguments("name = )", "character 8: a value is missing; here stands a word, or a text in double quotes"),
                arguments("name = ", "character 8: a value is missing"),
                arguments("name = x y", "character 10: 'y' can't stand; here stands and, or, or the end of the rule"),
                arguments("name = x and ", "character 14: a test is missing"),
                arguments("(name = x", "character 10: a parenthesis is not closed; here stands ')'"),
                arguments("name = x)", "character 9: ')' can't stand"),
                arguments("name ~ [a", "'[a' is no regular expression: Unclosed character class at character 2"),
                arguments("name = \"x", "character 10: a quoted value has no end"),
                arguments("or", "character 1: there is no attribute 'or'"));
    }

    @ParameterizedTest
    @MethodSource("wrongTexts")
    void namesWhatIsWrongAndWhere(String text, String message) {
        assertThatIllegalArgumentException().isThrownBy(() -> RuleParser.check(text)).withMessageStartingWith(message);
    }

    @Test
    void textsAreBounded() {
        assertThatIllegalArgumentException().isThrownBy(() -> rule("name = " + "x".repeat(10_000)))
                .withMessage("the rule has 10007 characters, at most 10000");
        assertThatIllegalArgumentException().isThrownBy(() -> rule("(".repeat(5_000)))
                .withMessage("the rule has more than 64 parts within each other");
        assertThatIllegalArgumentException().isThrownBy(() -> rule("not ".repeat(100) + "name = x"))
                .withMessage("the rule has more than 64 parts within each other");
        RuleParser.check(" ");
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "token and (name = a or not san in /etc/allowed)",
        "name ~ \"a (b|c)\" or spiffe ^= spiffe://prod/",
        "name = \"say \\\"x\\\" \\\\ y\"",
        "not (name = a and name = b)",
    })
    void areWrittenAsTheyAreRead(String text) {
        assertThat(rule(text)).hasToString(text);
        assertThat(rule(rule(text).toString())).hasToString(text);
    }
}
