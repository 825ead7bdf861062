/** Waiting for conditions in real time, processes, browsers, and a database. Tests in virtual time use {@code Cluster} of the testkit instead. */
@NullMarked
package dev.tutti.testing;

import org.jspecify.annotations.NullMarked;
