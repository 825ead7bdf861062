package dev.tutti.console.internal.oidc;

import dev.tutti.internal.Json;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Addresses of a provider, as its discovery document ({@code /.well-known/openid-configuration}) has them.
 *
 * @param issuer exactly as ID tokens name it
 * @param logout page that ends the person's session at the provider; null if there is none
 * @param isSecretInForm whether the provider takes the secret of a client in the form alone, and not in a header
 */
record Discovery(String issuer, URI authorization, URI token, URI keys, @Nullable URI logout, boolean isSecretInForm) {

    private static final String PATH = "/.well-known/openid-configuration";

    /** Returns the address of the document. */
    static URI address(URI issuer) {
        String text = issuer.toString();
        return URI.create((text.endsWith("/") ? text.substring(0, text.length() - 1) : text) + PATH);
    }

    /**
     * Reads a document.
     *
     * @throws IOException if it is none of this issuer, or lacks an address; the message says which
     */
    static Discovery parse(URI issuer, String document) throws IOException {
        Map<?, ?> values;
        try {
            values = Json.parse(document) instanceof Map<?, ?> map ? map : Map.of();
        } catch (IllegalArgumentException e) {
            throw new IOException("the discovery document is no JSON: " + e.getMessage(), e);
        }
        if (!issuer.toString().equals(values.get("issuer"))) {
            throw new IOException("the discovery document is of the issuer " + values.get("issuer") + ", not of " + issuer
                    + ": console.oidc-issuer has to be the same to the last character");
        }
        URI logout = values.containsKey("end_session_endpoint") ? endpoint(values, "end_session_endpoint") : null;
        boolean isSecretInForm = values.get("token_endpoint_auth_methods_supported") instanceof List<?> methods
                && !methods.contains("client_secret_basic")
                && methods.contains("client_secret_post");
        return new Discovery(
                issuer.toString(),
                endpoint(values, "authorization_endpoint"),
                endpoint(values, "token_endpoint"),
                endpoint(values, "jwks_uri"),
                logout,
                isSecretInForm);
    }

    private static URI endpoint(Map<?, ?> values, String name) throws IOException {
        try {
            return checked(String.valueOf(values.get(name)));
        } catch (IllegalArgumentException e) {
            throw new IOException("the discovery document has no good " + name + ": " + e.getMessage(), e);
        }
    }

    /**
     * Returns an address of a provider.
     *
     * @throws IllegalArgumentException if it is none of https, or of http on this machine
     */
    static URI checked(String text) {
        URI address;
        try {
            address = new URI(text);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("'" + text + "' is no address: " + e.getReason(), e);
        }
        String host = address.getHost();
        boolean isHere = "localhost".equals(host) || "127.0.0.1".equals(host) || "[::1]".equals(host);
        if (host == null || !("https".equals(address.getScheme()) || "http".equals(address.getScheme()) && isHere)) {
            throw new IllegalArgumentException("'" + text + "' is not of the form https://host/path; http is for this machine only");
        }
        if (address.getFragment() != null || address.getUserInfo() != null) {
            throw new IllegalArgumentException("'" + text + "' has a user or a fragment, which belong to no address of a provider");
        }
        return address;
    }
}
