/** Monitoring of nodes: JFR, JMX, Prometheus, Micrometer, health, and OpenTelemetry on messages. */
@NullMarked
package dev.tutti.metrics;

import org.jspecify.annotations.NullMarked;
