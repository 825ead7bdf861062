/** Log-ins by a provider of OpenID Connect: authorization code with PKCE, and ID tokens that are checked. */
@NullMarked
package dev.tutti.console.internal.oidc;

import org.jspecify.annotations.NullMarked;
