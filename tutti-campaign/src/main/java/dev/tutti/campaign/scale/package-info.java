/** Measurements of large groups in virtual time. */
@NullMarked
package dev.tutti.campaign.scale;

import org.jspecify.annotations.NullMarked;
