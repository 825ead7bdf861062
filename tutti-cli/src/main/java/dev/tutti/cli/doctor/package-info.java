/** Diagnosis of a configuration, this machine and the way to other members, with advice. */
@NullMarked
package dev.tutti.cli.doctor;

import org.jspecify.annotations.NullMarked;
