/** A bucket of S3, or of a server that is compatible, with an object for each node. */
@NullMarked
package dev.tutti.discovery.s3;

import org.jspecify.annotations.NullMarked;
