/** Nodes as others watch them: JFR, JMX, Prometheus, Micrometer, health, and OpenTelemetry on messages. */
@NullMarked
package dev.tutti.metrics;

import org.jspecify.annotations.NullMarked;
