package dev.tutti.console.internal.oidc;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.util.Resource;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.proc.DefaultJWTClaimsVerifier;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.text.ParseException;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Check of ID tokens: signature by a key of the provider, issuer, audience, times, and nonce. Keys are read again after five minutes, and when a token
 * has one that is not known, at most twice in half a minute. From any thread that may wait.
 */
final class IdTokens {

    /** Signatures of public keys; others, and tokens without a signature, are refused. */
    private static final Set<JWSAlgorithm> ALGORITHMS = Set.of(
            JWSAlgorithm.RS256, JWSAlgorithm.RS384, JWSAlgorithm.RS512,
            JWSAlgorithm.PS256, JWSAlgorithm.PS384, JWSAlgorithm.PS512,
            JWSAlgorithm.ES256, JWSAlgorithm.ES384, JWSAlgorithm.ES512);

    private static final long KEYS_MILLIS = 300_000;
    private static final long KEYS_WAIT_MILLIS = 15_000;
    private static final long KEYS_PAUSE_MILLIS = 30_000;
    private static final int CLOCK_SECONDS_MAX = 60;
    private static final int TOKEN_LENGTH_MAX = 64 * 1024;

    private final String client;
    private final DefaultJWTProcessor<SecurityContext> processor = new DefaultJWTProcessor<>();

    /**
     * @param client name of this console at the provider, for whom tokens have to be
     * @param http by which keys are read
     */
    IdTokens(Discovery discovery, String client, ProviderClient http) {
        this.client = client;
        JWKSource<SecurityContext> keys = JWKSourceBuilder.<SecurityContext>create(url(discovery.keys()), address -> read(http, address))
                .cache(KEYS_MILLIS, KEYS_WAIT_MILLIS)
                .refreshAheadCache(false)
                .rateLimited(KEYS_PAUSE_MILLIS)
                .build();
        processor.setJWSKeySelector(new JWSVerificationKeySelector<>(ALGORITHMS, keys));
        DefaultJWTClaimsVerifier<SecurityContext> claims = new DefaultJWTClaimsVerifier<>(
                // Not Set.of, which fails when it is asked for null.
                Collections.singleton(client),
                new JWTClaimsSet.Builder().issuer(discovery.issuer()).build(),
                Set.of("sub", "iat", "exp", "nonce"),
                Set.of());
        claims.setMaxClockSkew(CLOCK_SECONDS_MAX);
        processor.setJWTClaimsSetVerifier(claims);
    }

    private static URL url(URI address) {
        try {
            return address.toURL();
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException(address + " was checked before", e);
        }
    }

    private static Resource read(ProviderClient http, URL address) throws IOException {
        ProviderClient.Answer answer;
        try {
            answer = http.get(address.toURI());
        } catch (URISyntaxException e) {
            throw new IOException(address + " was checked before", e);
        }
        if (!answer.isGood()) {
            throw new IOException(address.getHost() + " answers with status " + answer.status() + " instead of its keys");
        }
        return new Resource(answer.body(), "application/json");
    }

    /**
     * Returns the claims of a token that is good.
     *
     * @param nonce nonce of the log-in that it is for
     * @throws RefusedException if it is not good
     * @throws IOException if the provider's keys can't be read
     */
    Map<String, Object> check(String token, String nonce) throws RefusedException, IOException {
        if (token.length() > TOKEN_LENGTH_MAX) {
            throw new RefusedException("the ID token has " + token.length() + " characters, at most " + TOKEN_LENGTH_MAX);
        }
        JWTClaimsSet claims;
        try {
            claims = processor.process(token, null);
        } catch (KeySourceException e) {
            throw new IOException("keys of the provider can't be read: " + e.getMessage(), e);
        } catch (ParseException | BadJOSEException | JOSEException | IllegalArgumentException e) {
            throw new RefusedException("the ID token is refused: " + e.getMessage(), e);
        }
        Object party = claims.getClaim("azp");
        if (party != null && !party.equals(client) || party == null && claims.getAudience().size() > 1) {
            throw new RefusedException("the ID token is refused: it was issued to " + party + ", not to " + client);
        }
        if (!isSame(claims.getClaim("nonce"), nonce)) {
            throw new RefusedException("the ID token is refused: it is of another log-in (nonce)");
        }
        return claims.getClaims();
    }

    private static boolean isSame(@Nullable Object claim, String nonce) {
        return claim instanceof String text
                && MessageDigest.isEqual(text.getBytes(StandardCharsets.UTF_8), nonce.getBytes(StandardCharsets.UTF_8));
    }
}
