/** A server through which nodes find each other, and reach those that can't be dialled. */
@NullMarked
package dev.tutti.rendezvous;

import org.jspecify.annotations.NullMarked;
