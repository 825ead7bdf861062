/** Applications drawn from seeds, on the real API in virtual time: docs/design/simulator.md, section Applications. */
@NullMarked
package dev.tutti.campaign.application;

import org.jspecify.annotations.NullMarked;
