/** Ways of a measurement from a producer to a consumer, beside bare sockets: round trips, streams, many producers. */
@NullMarked
package dev.tutti.bench.paths;

import org.jspecify.annotations.NullMarked;
