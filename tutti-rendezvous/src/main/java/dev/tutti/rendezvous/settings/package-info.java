/** Settings of rendezvous servers. */
@NullMarked
package dev.tutti.rendezvous.settings;

import org.jspecify.annotations.NullMarked;
