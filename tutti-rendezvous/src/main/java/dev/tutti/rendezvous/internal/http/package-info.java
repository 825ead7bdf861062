/** Requests and their answers. */
@NullMarked
package dev.tutti.rendezvous.internal.http;

import org.jspecify.annotations.NullMarked;
