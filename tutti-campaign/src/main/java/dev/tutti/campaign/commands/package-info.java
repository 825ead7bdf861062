/** Things that all commands of the campaign have in common. */
@NullMarked
package dev.tutti.campaign.commands;

import org.jspecify.annotations.NullMarked;
