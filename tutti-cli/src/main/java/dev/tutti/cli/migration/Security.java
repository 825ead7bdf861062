package dev.tutti.cli.migration;

import dev.tutti.cli.migration.Rule.Use;
import dev.tutti.cli.migration.Rule.Verdict;
import java.util.ArrayList;
import java.util.List;

/** Rules for protocols that encrypt, or that say which nodes may join. */
final class Security {

    static final String SECRET_FILE = "tutti.secret";
    static final String TOKEN_FILE = "tutti.token";

    private Security() {}

    /** SYM_ENCRYPT: a key that all nodes have becomes a secret that all nodes have. */
    static Verdict symmetric(Use use) {
        if (use.value("keystore_name", "").isEmpty()) {
            return Verdict.refused(
                    "has no keystore_name, so that it has no key",
                    "name the keystore; or take <SYM_ENCRYPT> out and set security.secret-file, or tls.certificate, tls.key and tls.authority");
        }
        return secret(use, "mutual TLS with keys from a shared secret; a key of a keystore can't be taken over");
    }

    /** ASYM_ENCRYPT: any node gets the key there; here it has to know the secret. */
    static Verdict asymmetric(Use use) {
        return secret(use, "mutual TLS with keys from a shared secret; JGroups gives its key to every node that AUTH or the exchange of keys admits");
    }

    private static Verdict secret(Use use, String difference) {
        use.draft().set("security.secret-file", SECRET_FILE);
        use.draft().task("make the secret, and copy it to all nodes: tutti certs secret " + SECRET_FILE);
        return Verdict.changed("security.secret-file", difference);
    }

    /** TLS of a transport: keystores become files of PEM. */
    static Verdict tls(Use use) {
        if (!use.value().equalsIgnoreCase("true")) {
            return Verdict.dropped("TLS is off");
        }
        if (use.value("tls.keystore_path", "").isEmpty()) {
            return Verdict.refused(
                    "is true without tls.keystore_path, so that there is no key",
                    "name the keystore; or take the tls attributes out and set tls.certificate, tls.key and tls.authority");
        }
        use.draft().set("tls.certificate", "node.pem");
        use.draft().set("tls.key", "node-key.pem");
        use.draft().set("tls.authority", "authority.pem");
        use.draft().task("export the keystore as PEM files, node.pem, node-key.pem and authority.pem, with openssl pkcs12 for example");
        return Verdict.changed("tls.certificate", "keys are PEM files, and both ends of a connection show a certificate");
    }

    /** AUTH: what its token checks becomes a rule of admission. */
    static Verdict auth(Use use) {
        String type = use.value("auth_class", "").replaceFirst(".*\\.", "");
        return switch (type) {
            case "SimpleToken", "MD5Token" -> token(use);
            case "FixedMembershipToken" -> fixed(use);
            case "RegexMembership" -> regex(use);
            case "X509Token" ->
                Verdict.refused(
                        "has its keys in a keystore, and checks them only when a node joins",
                        "take <AUTH> out, export the keys as PEM files, and set tls.certificate, tls.key and tls.authority");
            case "Krb5Token" ->
                Verdict.refused(
                        "asks Kerberos, which tutti does not know",
                        "take <AUTH> out, and set admission.token-file, or tls.certificate, tls.key and tls.authority");
            default ->
                Verdict.refused(
                        type.isEmpty() ? "has no auth_class" : "has a token of its own, " + type,
                        "take <AUTH> out, and set admission.rule, or NodeBuilder.admit in code");
        };
    }

    private static Verdict token(Use use) {
        use.draft().set("admission.token-file", TOKEN_FILE);
        use.draft().task("make the token, and copy it to all nodes: tutti certs secret " + TOKEN_FILE);
        return Verdict.changed("admission.token-file", "a token of random bytes, which is proven and never sent");
    }

    private static Verdict fixed(Use use) {
        String separator = use.value("auth_token.fixed_members_seperator", use.value("fixed_members_seperator", ","));
        String members = use.value("auth_token.fixed_members_value", use.value("fixed_members_value", ""));
        List<String> tests = new ArrayList<>();
        for (String member : List.of(members.split("[" + java.util.regex.Pattern.quote(separator) + "]"))) {
            String[] parts = member.strip().split("/", 2);
            if (!parts[0].matches("[0-9a-fA-F.:]*[.:][0-9a-fA-F.:]*")) {
                return Verdict.refused(
                        "has '" + parts[0] + "' among its fixed members, and admission.rule compares addresses",
                        "write its address, 10.0.0.1/7800 for example");
            }
            tests.add(parts.length == 1 ? "remote = " + parts[0] : "address = " + Forms.endpoint(parts[0], parts[1]));
        }
        return rule(use, String.join(" or ", tests), "asked by both ends of each connection, not only by the coordinator");
    }

    private static Verdict regex(Use use) {
        String pattern = use.value("auth_token.match_string", use.value("match_string", ""));
        String quoted = "\"" + pattern.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
        List<String> tests = new ArrayList<>();
        if (!use.value("auth_token.match_ip_address", use.value("match_ip_address", "true")).equals("false")) {
            tests.add("address ~ " + quoted);
        }
        if (use.value("auth_token.match_logical_name", use.value("match_logical_name", "false")).equals("true")) {
            tests.add("name ~ " + quoted);
        }
        if (pattern.isEmpty() || tests.isEmpty()) {
            return Verdict.refused("has no match_string, or matches nothing", "write match_string, and match_ip_address=\"true\"");
        }
        return rule(use, String.join(" or ", tests), "the expression has to match host:port as a whole; 'remote' in place of 'address' is the host of the connection");
    }

    private static Verdict rule(Use use, String rule, String difference) {
        return Rule.tried("admission.rule", use, rule, Verdict.changed("admission.rule", difference));
    }
}
