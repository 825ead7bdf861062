/** Certificates as files and bytes: PEM, DER and X.509. */
@NullMarked
package dev.tutti.netty.internal.certificate;

import org.jspecify.annotations.NullMarked;
