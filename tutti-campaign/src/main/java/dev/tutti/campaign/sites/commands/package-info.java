/** Command line of the scenarios with real processes at sites. */
@NullMarked
package dev.tutti.campaign.sites.commands;

import org.jspecify.annotations.NullMarked;
