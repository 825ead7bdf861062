/** The routing table as members of a balancer of an Apache httpd. */
@NullMarked
package dev.tutti.balancer.internal.httpd;

import org.jspecify.annotations.NullMarked;
