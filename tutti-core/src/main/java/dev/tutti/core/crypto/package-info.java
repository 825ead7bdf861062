/** Encryption of datagrams as a pure function of keys and numbers that the driver provides. */
@NullMarked
package dev.tutti.core.crypto;

import org.jspecify.annotations.NullMarked;
