/** Metrics of OpenTelemetry as measurements, and measurements as metrics of OpenTelemetry, by OTLP over HTTP. */
@NullMarked
package dev.tutti.grid.bridges.otlp;

import org.jspecify.annotations.NullMarked;
