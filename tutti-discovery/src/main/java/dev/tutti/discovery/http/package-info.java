/** HTTP requests of sources, with bounds and with errors for people. */
@NullMarked
package dev.tutti.discovery.http;

import org.jspecify.annotations.NullMarked;
