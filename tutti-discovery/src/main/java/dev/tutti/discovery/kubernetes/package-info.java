/** Pods of a Kubernetes cluster, as its API lists them. */
@NullMarked
package dev.tutti.discovery.kubernetes;

import org.jspecify.annotations.NullMarked;
